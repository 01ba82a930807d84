-- Fields of a plan that are said to make no difference to it make none.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local estimating = require("ballpark.questions.estimate.run")
local launch = require("ballpark.emit.launch")
local launch_plans = dofile(debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") .. "/launch_plans.lua")
local step_input = require("ballpark.resolve.step_input")
local tables = require("ballpark.tables")

local function one_of(list) return list[math.random(#list)] end

local MODELS <const> = { "llama-3.1-8b", "mixtral-8x7b", "deepseek-v2-lite" }
local SOFTWARE <const> = { "Megatron-LM", "DeepSpeed", "torchtitan", "MaxText", "NeMo", "PEFT" }
local VALUES <const> = { first_layers = { 0, 0, 0, 5 }, last_layers = { 0, 0, 0, 5 }, trained_layers = { 0, 2 },
  lora_rank = { 0, 0, 16 }, offload_activations = { 0, 0.5 }, recompute_share = { 0.5, 1 } }

-- dp and shard follow from the devices.
local FOLLOWS <const> = { dp = true, shard = true }

local function completed()
  local plan = {}
  for _, field in ipairs(launch.plan_fields()) do
    if math.random() < 0.3 and not FOLLOWS[field.name] then plan[field.name] = one_of(launch_plans.values(field, VALUES)) end
  end
  return estimating.completed({ model = catalog.model(one_of(MODELS)), plan = plan, software = one_of(SOFTWARE),
    cluster = catalog.cluster({ device = "H100", devices = one_of({ 1, 2, 8, 16 }), fabric = "infiniband" }),
    job = { global_batch = 64, seq_len = 2048 } })
end

local function step_of(input, plan)
  local ok, step = pcall(core.train_step, step_input.plain(input, plan))
  if ok then return { step.time, step.memory } end
  if not errors.is(step) then error(step, 0) end
  return nil
end

it("fields without a meaning are without an effect", function()
  math.randomseed(20261129)
  local compared = 0
  for _ = 1, 150 do
    local ok, input = pcall(completed)
    if not ok and not errors.is(input) then error(input, 0) end
    local before = ok and step_of(input, input.plan)
    local meant = before and core.plan_means(step_input.plain(input, input.plan))
    for _, field in ipairs(meant and launch.plan_fields() or {}) do
      for _, value in ipairs(not (meant[field.name] or FOLLOWS[field.name]) and launch_plans.values(field, VALUES) or {}) do
        local after = step_of(input, tables.with(input.plan, { [field.name] = value }))
        if after then
          compared = compared + 1
          assert.same(before, after, ("%s = %s"):format(field.name, tostring(value)))
        end
      end
    end
  end
  assert.is_true(compared > 1000, "compared only " .. compared)
end)
