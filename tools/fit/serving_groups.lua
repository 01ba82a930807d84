-- What rows of measured serving are told apart by: checkpoints of one shape are of one family.
local serving_groups = {}

-- Other names of a family's shape, as plain texts within a model's name in lower case.
local families = { ["deepseek-r1"] = "deepseek-v3", ["deepseek-v3.1"] = "deepseek-v3" }

local FORMATS <const> = { "%-fp8.*$", "%-nvfp4.*$", "%-fp4.*$", "%-instruct.*$", "%-0528.*$" }

--- The family of a model's name: without owner, format and tuning.
function serving_groups.family(model)
  local name = model:gsub("^.*/", ""):lower()
  for _, pattern in ipairs(FORMATS) do name = name:gsub(pattern, "") end
  return families[name] or name
end

--- The (model family, device) of a row.
function serving_groups.of(row) return serving_groups.family(row.model) .. " " .. row.gpu end

return serving_groups
