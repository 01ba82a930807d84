-- A kernel's answer in a report: its formula, the numbers it was given, and what came out.
local core = require("ballpark.core")
local fields = require("ballpark.fields")

local kernel_show = {}

local SCALAR <const> = { number = true, string = true, boolean = true }

local abouts

local function about(name)
  if not abouts then
    abouts = {}
    for _, item in ipairs(core.kernels()) do abouts[item.name] = item end
  end
  return abouts[name]
end

--- Adds what the kernel `name` made of `input` to a result.
---@param r table the result
---@param name string
---@param input table as the kernel took it
---@param output table
function kernel_show.add(r, name, input, output)
  local kernel = about(name)
  local list = { name = name, title = kernel.title }
  list[1] = { name = name .. "_formula", title = "Formula", value = kernel.formula }
  for _, field in ipairs(fields.input(name)) do
    local value = input[field.name]
    if type(value) == "table" then value = value.name end
    if SCALAR[type(value)] then
      list[#list + 1] = { name = field.name, title = field.name, unit = field.unit or "", value = value }
    end
  end
  for _, field in ipairs(fields.output(name)) do
    local value = output[field.name]
    if SCALAR[type(value)] then
      list[#list + 1] = { name = field.name, title = "= " .. field.name, unit = field.unit or "", value = value,
        hide = value == 0 } -- parts that are not there
    end
  end
  r:facts(list)
  r:note(("%s: %s. Source: %s."):format(name, kernel.validity, kernel.source))
end

return kernel_show
