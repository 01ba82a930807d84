-- Linear equations of the fits.
local linear = {}

--- Solves a x = b of a symmetric positive definite a (rows) by elimination; both are changed, and b becomes x.
---@param a number[][]
---@param b number[]
function linear.solved(a, b)
  local n = #b
  for k = 1, n do
    for i = k + 1, n do
      local f = a[i][k] / a[k][k]
      for j = k, n do a[i][j] = a[i][j] - f * a[k][j] end
      b[i] = b[i] - f * b[k]
    end
  end
  for k = n, 1, -1 do
    for j = k + 1, n do b[k] = b[k] - a[k][j] * b[j] end
    b[k] = b[k] / a[k][k]
  end
  return b
end

return linear
