-- Whether ranges hold of families that they were not learned from.
local learn = require("ballpark.range.learn")
local tables = require("ballpark.tables")

local coverage = {}

-- What is left out together: a family, unless the sample says a larger group.
local function group_of(sample) return sample.group or sample.family end

local function without(samples, name)
  local rest = {}
  for _, sample in ipairs(samples) do
    if group_of(sample) ~= name then rest[#rest + 1] = sample end
  end
  return rest
end

local function groups(samples)
  local set = {}
  for _, sample in ipairs(samples) do set[group_of(sample)] = true end
  return tables.sorted_keys(set)
end

--- How often the range holds for a group when it is learned from the others, printed by family.
---@param title string
---@param samples table[] of ballpark.range.learn, with the group that is left out where that is no family
---@param power number|nil of learn.law
function coverage.print(title, samples, power)
  local sum, count, held = 0, 0, 0
  print(string.format("%s\n%-16s %5s %8s %8s", title, "family", "n", "inside", "half"))
  for _, name in ipairs(groups(samples)) do
    local fitted = assert(learn.law(without(samples, name), power))
    local inside, n, half = 0, 0, 0
    for _, sample in ipairs(samples) do
      if group_of(sample) == name then
        local h = learn.half(fitted, sample.features, sample.unlearned, sample.cell)
        inside, n, half = inside + (math.abs(sample.residual) <= h and 1 or 0), n + 1, half + h
      end
    end
    print(string.format("%-16s %5d %6.0f %% %8.2f", name, n, 100 * inside / n, half / n))
    held = held + inside
    if n >= 10 then sum, count = sum + inside / n, count + 1 end
  end
  print(string.format("of all: %.1f %%; mean over families of ten rows: %.1f %%", 100 * held / #samples, 100 * sum / count))
end

return coverage
