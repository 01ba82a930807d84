-- Every kernel and every field says what it is, in which unit and where it comes from; every
-- function that a kernel header offers is bound or has a comment.
local c_text = require("c_text")
local dimensions = require("ballpark.dimensions")
local tree = require("tree")

local kernel_docs = {}

-- Base units of the core. A unit beyond these is a new kind of quantity: add it here on purpose.
local base_units = {
  B = true, s = true, FLOP = true, tok = true, USD = true, W = true, frac = true,
  J = true, bit = true, ["s^0.5"] = true, px = true, ["device s"] = true,
}
-- Rates are quoted in these beside the base units: prices by the hour, events by the day.
local customary_divisors = { h = true, day = true }

-- A base unit, or several divided: "B/s", "1/s", "USD/h", "FLOP/s/W".
local function unit_known(unit)
  if unit == "" then return true end
  local first, rest = unit:match("^([^/]+)(.*)$")
  if not first or not (base_units[first] or (first == "1" and rest ~= "")) then return false end
  for divisor in rest:gmatch("/([^/]*)") do
    if not (base_units[divisor] or customary_divisors[divisor]) then return false end
  end
  return true
end

local function is_text(value) return type(value) == "string" and value:find("%S") ~= nil end

local function check_field(where, field, complain)
  if not is_text(field.doc) then complain(where .. " has no doc") end
  if not unit_known(field.unit or "?") then
    complain(("%s has the unit '%s', which is no base unit"):format(where, tostring(field.unit)))
  end
  local wanted = (field.kind == "int" or field.kind == "num") and dimensions.ending(field.name)
  if wanted and field.unit ~= wanted then
    complain(("%s ends like a quantity in %s, but its unit is '%s'"):format(where, wanted, field.unit))
  end
end

local function check_schema(where, schema, complain)
  if not is_text(schema.doc) then complain(where .. " has no doc") end
  for _, field in ipairs(schema.fields) do
    local inner = where .. "." .. field.name
    check_field(inner, field, complain)
    if field.schema then check_schema(inner, field.schema, complain) end
  end
end

--- Complaints about descriptions as core.kernels() gives them.
function kernel_docs.check_kernels(kernels)
  local complaints = {}
  local function complain(text) complaints[#complaints + 1] = text end
  if #kernels == 0 then complain("the registry is empty") end
  for _, kernel in ipairs(kernels) do
    for _, key in ipairs({ "title", "formula", "validity", "source" }) do
      if not is_text(kernel[key]) then complain(("kernel %s has no %s"):format(kernel.name, key)) end
    end
    check_schema(kernel.name .. ".input", kernel.input, complain)
    check_schema(kernel.name .. ".output", kernel.output, complain)
  end
  return complaints
end

local function is_kernel(name, arguments)
  local kernel = name:match("^bp_(.+)$")
  return arguments:find("struct bp_" .. kernel .. "_in ", 1, true)
    and arguments:find("struct bp_" .. kernel .. "_out ", 1, true)
end

-- type, name, arguments: a function at the start of a line.
local DECLARATION = "\n()[%w_][%w_ %*]-[ %*](bp_[%w_]+)(%b())%s*;"

--- Complaints about functions that kernel headers (path -> text) declare: one shaped like a kernel
--- (struct bp_x_in in, struct bp_x_out out) must be in `names`; any other has a comment.
function kernel_docs.check_headers(headers, names)
  local complaints = {}
  local function complain(path, line, text)
    complaints[#complaints + 1] = ("%s:%d: %s"):format(path, line, text)
  end
  for _, path in ipairs(tree.sorted(headers)) do
    local text = headers[path]
    local lines = c_text.lines(text)
    for at, name, arguments in c_text.code(text):gmatch(DECLARATION) do
      local number = c_text.line_of(text, at) -- at is the first character of the line
      if is_kernel(name, arguments) then
        if not names[name:match("^bp_(.+)$")] then complain(path, number, name .. " is not in the registry") end
      elseif not c_text.comments(lines, number) then
        complain(path, number, name .. " has no comment that says what it does")
      end
    end
  end
  return complaints
end

return kernel_docs
