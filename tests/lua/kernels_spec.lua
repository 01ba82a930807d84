-- Whatever is put in within the stated ranges, a kernel answers with numbers or refuses with a reason:
-- no NaN, no infinity. Kernels on plain fields; those on models and devices have tests of their own.
local core = require("ballpark.core")
local errors = require("ballpark.errors")

local TRIES = 300
local LARGE = 1e18 -- where a field has no upper limit

-- The ends of the range, the default, or anything between them on a logarithmic scale.
local function number(random, field)
  local low, high = field.min, math.min(field.max, LARGE)
  local choice = random(6)
  if choice == 1 then return low end
  if choice == 2 then return high end
  if choice == 3 and field.default then return field.default end
  local from = math.max(low, math.min(1e-3, high))
  return from * (high / from) ^ random()
end

local function value(random, field)
  if field.kind == "flag" then return random(2) == 1 end
  if field.kind == "enum" then return field.names[random(#field.names)] end
  if field.kind == "num" then return number(random, field) end
  local whole = math.floor(number(random, field) + 0.5)
  return math.max(math.ceil(field.min), math.min(whole, math.floor(math.min(field.max, LARGE))))
end

local function inputs(random, schema)
  local filled = {}
  for _, field in ipairs(schema.fields) do
    if field.kind ~= "note" and (field.required or random(3) > 1) then
      filled[field.name] = value(random, field)
    end
  end
  return filled
end

local function plain(schema)
  for _, field in ipairs(schema.fields) do
    if field.kind == "struct" then return false end
  end
  return true
end

local function text_of(input)
  local words = {}
  for name, item in pairs(input) do words[#words + 1] = name .. "=" .. tostring(item) end
  table.sort(words)
  return table.concat(words, " ")
end

local function bad_number(output)
  for name, item in pairs(output) do
    if type(item) == "number" and (item ~= item or math.abs(item) == math.huge) then return name end
  end
end

describe("kernels", function()
  for _, kernel in ipairs(core.kernels()) do
    if plain(kernel.input) then
      it("answer with numbers: " .. kernel.name, function()
        math.randomseed(20260101)
        local answered = 0
        for _ = 1, TRIES do
          local input = inputs(math.random, kernel.input)
          local ok, output = pcall(core[kernel.name], input)
          if ok then
            answered = answered + 1
            local name = bad_number(output)
            assert.is_nil(name, (name or "") .. " of " .. text_of(input))
          else
            assert.is_true(errors.is(output), tostring(output))
            assert.equal("input", output.kind)
          end
        end
        assert.is_true(answered > 0)
      end)
    end
  end
end)
