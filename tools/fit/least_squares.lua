-- Robust least squares: Levenberg-Marquardt with numeric derivatives, Cauchy's loss (a measurement
-- with a fault says nothing about the rest) and a prior that keeps what the data cannot identify where
-- it was. Deterministic.
local least_squares = {}

local STEP <const> = 1e-3 -- for derivatives, in units of the prior's width
local CAUCHY <const> = 2.385 -- in robust standard deviations: 95 % efficient on normal errors

-- Solves the symmetric positive definite system a x = b by Cholesky's method; nil if it is not.
local function solve(a, b)
  local n, l = #b, {}
  for i = 1, n do
    l[i] = {}
    for j = 1, i do
      local sum = a[i][j]
      for k = 1, j - 1 do sum = sum - l[i][k] * l[j][k] end
      if i == j then
        if sum <= 0 then return nil end
        l[i][i] = math.sqrt(sum)
      else
        l[i][j] = sum / l[j][j]
      end
    end
  end
  local x = {}
  for i = 1, n do
    local sum = b[i]
    for k = 1, i - 1 do sum = sum - l[i][k] * x[k] end
    x[i] = sum / l[i][i]
  end
  for i = n, 1, -1 do
    local sum = x[i]
    for k = i + 1, n do sum = sum - l[k][i] * x[k] end
    x[i] = sum / l[i][i]
  end
  return x
end

-- Median absolute residual over that of a normal distribution.
local function spread(residuals)
  local sorted = {}
  for i, r in ipairs(residuals) do sorted[i] = math.abs(r) end
  table.sort(sorted)
  return math.max(sorted[(#sorted + 1) // 2] / 0.6745, 1e-9)
end

local function loss(residuals, weights, scale, x)
  local sum = 0
  for i, r in ipairs(residuals) do
    local a = r / (scale * CAUCHY)
    sum = sum + weights[i] * 0.5 * CAUCHY * CAUCHY * math.log(1 + a * a)
  end
  for _, v in ipairs(x) do sum = sum + 0.5 * v * v end
  return sum
end

-- Rows of derivatives by parameter: jacobian[j][i] = d residual i / d x j.
local function differentiate(f, x, residuals)
  local jacobian = {}
  for j = 1, #x do
    local moved = table.move(x, 1, #x, 1, {})
    moved[j] = moved[j] + STEP
    local r = f(moved)
    for i = 1, #r do r[i] = (r[i] - residuals[i]) / STEP end
    jacobian[j] = r
  end
  return jacobian
end

local function normal_equations(jacobian, residuals, weights, scale, x)
  local n, a, b = #x, {}, {}
  local w = {}
  for i, r in ipairs(residuals) do
    local ratio = r / (scale * CAUCHY)
    w[i] = weights[i] / (scale * scale * (1 + ratio * ratio))
  end
  for j = 1, n do
    a[j], b[j] = {}, -x[j]
    local dj = jacobian[j]
    for i, r in ipairs(residuals) do b[j] = b[j] - w[i] * dj[i] * r end
    for k = 1, j do
      local dk, sum = jacobian[k], j == k and 1 or 0
      for i = 1, #residuals do sum = sum + w[i] * dj[i] * dk[i] end
      a[j][k] = sum
      a[k][j] = sum
    end
  end
  return a, b
end

local function damped(a, lambda)
  local copy = {}
  for i, row in ipairs(a) do
    copy[i] = table.move(row, 1, #row, 1, {})
    copy[i][i] = copy[i][i] * (1 + lambda)
  end
  return copy
end

--- Minimises over x (starting at zero, in units of the prior's standard deviations, prior mean 0) the
--- weighted loss of f(x) -> residuals. `weights` one per residual. Returns x, residuals and the
--- posterior standard deviations (1 = the data said nothing).
function least_squares.fit(f, count, weights, iterations)
  local x = {}
  for j = 1, count do x[j] = 0 end
  local residuals, lambda, a = f(x), 1e-2, nil
  for _ = 1, iterations or 30 do
    local scale = spread(residuals)
    local before = loss(residuals, weights, scale, x)
    local b
    a, b = normal_equations(differentiate(f, x, residuals), residuals, weights, scale, x)
    local improved = 0
    repeat
      local step = solve(damped(a, lambda), b)
      local moved = {}
      for j = 1, count do moved[j] = x[j] + (step and step[j] or 0) end
      local r = f(moved)
      local after = loss(r, weights, scale, moved)
      if step and after < before then
        x, residuals, improved, lambda = moved, r, before - after, lambda / 5
      else
        lambda = lambda * 5
      end
    until improved > 0 or lambda > 1e6
    if improved < 1e-5 * before then break end
  end
  local deviations = {}
  for j = 1, count do
    local unit = {}
    for k = 1, count do unit[k] = k == j and 1 or 0 end
    local column = a and solve(a, unit)
    deviations[j] = column and math.sqrt(column[j]) or 1
  end
  return x, residuals, deviations
end

return least_squares
