-- Whatever is put in within the stated ranges, a kernel answers with numbers or refuses with a reason:
-- no NaN, no infinity. Structs that mean something (models, devices) are those of the catalog, some with a field
-- or two changed.
local clusters = require("ballpark.catalog.clusters")
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local diffusion = require("ballpark.catalog.diffusion")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local models = require("ballpark.catalog.models")
local serving_curves = require("ballpark.catalog.serving_curves")

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

local text_of
function text_of(input)
  local words = {}
  for name, item in pairs(input) do
    words[#words + 1] = name .. "=" .. (type(item) == "table" and "{" .. text_of(item) .. "}" or tostring(item))
  end
  table.sort(words)
  return table.concat(words, " ")
end

local function bad_number(output)
  for name, item in pairs(output) do
    if type(item) == "number" and (item ~= item or math.abs(item) == math.huge) then return name end
    local inside = type(item) == "table" and bad_number(item)
    if inside then return name .. "." .. inside end
  end
end

-- What is left of a budget may be less than nothing; all other bytes, seconds, shares and prices are at least 0.
local MAY_BE_OVERDRAWN <const> = { ["infer_memory.pool_bytes"] = true, ["matmul.spare_bytes"] = true,
  ["guardrail.left_device_s"] = true, ["latency_budget.left_s"] = true }

-- Calls visit(field, path) for all numbers of a schema, those of its structs included.
local function each_number(schema, visit, path)
  for _, field in ipairs(schema.fields) do
    local at = path and (path .. "." .. field.name) or field.name
    if field.kind == "struct" then
      each_number(field.schema, visit, at)
    elseif field.kind == "num" or field.kind == "int" then
      visit(field, at)
    end
  end
end

-- A copy of the input with one number, at a path, replaced.
local function with_number(input, path, number_there)
  local first, rest = path:match("^([^.]+)%.(.+)$")
  local copy = {}
  for name, item in pairs(input) do copy[name] = item end
  if first then
    copy[first] = with_number(copy[first] or {}, rest, number_there)
  else
    copy[path] = number_there
  end
  return copy
end

local function below_range(kernel, output)
  local found
  each_number(kernel.output, function(field, path)
    local item = output
    for name in path:gmatch("[^.]+") do item = type(item) == "table" and item[name] or nil end
    if type(item) == "number" and field.unit ~= "" and item < 0 and not MAY_BE_OVERDRAWN[kernel.name .. "." .. path] then
      found = ("%s = %g"):format(path, item)
    end
  end)
  return found
end

local MODELS <const>, DEVICES <const>, ENGINES <const> = models.names(), devices.names(), { "vllm", "sglang", "trtllm" }

local function one_of(random, list) return list[random(#list)] end

-- The table with some of its fields replaced by any value allowed.
local function perturbed(random, base, schema, share)
  for _, field in ipairs(schema.fields) do
    local single = field.kind ~= "note" and field.kind ~= "struct"
    if single and random() < share then base[field.name] = value(random, field) end
  end
  return base
end

-- A denoiser; its encoders of text are models of their own.
local function drawn(random)
  local model = diffusion.get(one_of(random, diffusion.names()))
  model.texts = nil
  return model
end

-- What stands for a struct of this name, on a random cluster; nil where any fields will do.
local CATALOG <const> = {
  model = function(random) return models.get(one_of(random, MODELS)), 0.01 end,
  diffusion_model = function(random) return drawn(random), 0.01 end,
  device = function(_, cluster) return cluster.device, 0.01 end,
  network = function(_, cluster) return cluster.network, 0 end,
  serving_curves = function(_, cluster) return serving_curves.get(cluster.device), 0 end,
  engine = function(random) return engines.get(one_of(random, ENGINES)), 0.02 end,
}

-- Share of the fields of a plan or a job that are given: with more next to no input is possible.
local GIVEN <const> = 0.08

local function structured(random, schema, cluster, share)
  local filled = {}
  for _, field in ipairs(schema.fields) do
    local known = field.kind == "struct" and CATALOG[field.schema.name]
    if known then
      local base, changed = known(random, cluster)
      filled[field.name] = perturbed(random, base, field.schema, changed)
    elseif field.kind == "struct" then
      filled[field.name] = structured(random, field.schema, cluster, GIVEN)
    elseif field.kind ~= "note" and (field.required or random() < share) then
      filled[field.name] = value(random, field)
    end
  end
  return filled
end

local function any_input(random, kernel)
  if plain(kernel.input) then return inputs(random, kernel.input) end
  local cluster = clusters.make({ device = one_of(random, DEVICES), devices = 1 << random(0, 9) })
  return structured(random, kernel.input, cluster, 0.3)
end

-- Kernels of which random fields hardly ever make sense together.
local RARELY <const> = { convnet_forward = true, recommend = true }

describe("kernels", function()
  for _, kernel in ipairs(core.kernels()) do
    it("answer with numbers: " .. kernel.name, function()
      math.randomseed(20260101)
      local answered = 0
      for _ = 1, TRIES do
        local input = any_input(math.random, kernel)
        local ok, output = pcall(core[kernel.name], input)
        if ok then
          answered = answered + 1
          local name = bad_number(output)
          assert.is_nil(name, (name or "") .. " of " .. text_of(input))
          assert.is_nil(below_range(kernel, output), text_of(input))
        else
          assert.is_true(errors.is(output), tostring(output))
          assert.equal("input", output.kind)
        end
      end
      assert.is_true(answered > 0 or RARELY[kernel.name] == true)
    end)
  end

  it("take no quantity below zero, and none that is no number", function()
    math.randomseed(20261124)
    local tried = 0
    for _, kernel in ipairs(core.kernels()) do
      local input = any_input(math.random, kernel)
      each_number(kernel.input, function(field, path)
        assert.is_true(field.unit == "" or field.min >= 0, kernel.name .. "." .. path)
        for _, wrong in ipairs({ 0 / 0, math.huge, -math.huge, field.min - 1, -5e-324 }) do
          if not (wrong >= field.min and wrong <= field.max) then
            local text, e = errors.catch(core[kernel.name], with_number(input, path, wrong))
            assert.is_truthy(text, ("%s answered with %s = %s"):format(kernel.name, path, wrong))
            assert.equal("input", e.kind)
            tried = tried + (text:find(path, 1, true) and 1 or 0)
            assert.matches(path, text, 1, true, ("%s, %s = %s: %s"):format(kernel.name, path, wrong, text))
          end
        end
      end)
    end
    assert.is_true(tried > 5000)
  end)

  it("refuse what has no value, by the name of the answer", function()
    local cluster = clusters.make({ device = "H100", devices = 1 })
    local model = models.get("llama-3.1-8b")
    model.attention_layers = 0 -- nothing is kept of a sequence, so any number of them has room
    assert.matches("^[%w_]+: has no value for these inputs", (errors.catch(core.infer_memory, { model = model,
      device = cluster.device, network = cluster.network })))
  end)
end)
