-- One robust step of Gauss and Newton with unit priors on every parameter.
local linear = require("linear")

local solve = {}

local SCALE <const> = 0.12 -- residual at which a row's weight has halved (Cauchy)

local function weight(r) return 1 / (1 + (r / SCALE) ^ 2) end

--- Mean Cauchy loss of weighted residuals.
function solve.loss(residuals, weights)
  local sum, all = 0, 0
  for i, r in ipairs(residuals) do
    sum, all = sum + weights[i] * math.log(1 + (r / SCALE) ^ 2), all + weights[i]
  end
  return sum / all
end

local LONGEST <const> = 0.7 -- of a step, per parameter: derivatives hold nearby only

--- The next point from x, by residuals with weights of their own.
function solve.step(columns, residuals, x, weights, prior)
  local n, a, b = #columns, {}, {}
  local w = {}
  for i, r in ipairs(residuals) do w[i] = weights[i] * weight(r) / SCALE ^ 2 end
  for j = 1, n do
    a[j] = {}
    b[j] = -prior * x[j]
    local cj = columns[j]
    for i, r in ipairs(residuals) do b[j] = b[j] - w[i] * cj[i] * r end
    for k = 1, n do
      local ck, sum = columns[k], j == k and prior or 0
      for i = 1, #residuals do sum = sum + w[i] * cj[i] * ck[i] end
      a[j][k] = sum
    end
  end
  local delta, next_x = linear.solved(a, b), {}
  for j = 1, n do next_x[j] = x[j] + math.max(-LONGEST, math.min(LONGEST, delta[j])) end
  return next_x
end

return solve
