-- Prompts of one length that the clients of a closed loop have in one step: far fewer than its budget holds.
--
-- Answers of one length end one step after another once their prompts were in different steps, and stay apart. So where
-- prompts share steps with answers, published points have one prompt per step, whatever the budget holds; more where more
-- answers than one end in a step, or where more add nothing to its time. That is so where the host binds a step: it launches
-- as many kernels for one short prompt as for ten.
local core = require("ballpark.core")
local fields = require("ballpark.fields")
local halves = require("ballpark.halves")
local loads = require("ballpark.resolve.serving.load")
local tables = require("ballpark.tables")

local packing = {}

-- More are not drafted.
local MOST_DRAFTED <const> = 64

local function input_of(load) return load.input_tokens or loads.TOKENS end

local function output_of(load) return load.output_tokens or loads.TOKENS end

-- Tokens drafted for an answer in a step; what a plan cannot have is refused where it is read.
local function drafted(plan)
  local count = plan.draft_tokens
  return type(count) == "number" and count > 0 and count <= MOST_DRAFTED and count or 0
end

-- Tokens that an answer gains in a step, in the mean: each draft only if all before it were taken.
local function gained(plan)
  local accepted, chance, sum = tonumber(plan.acceptance) or fields.default("infer_step", "plan", "acceptance"), 1, 1
  for _ = 1, drafted(plan) do
    chance = chance * accepted
    sum = sum + chance
  end
  return sum
end

-- An answer has a token in every step, and those that were drafted for it.
local function tokens_with(load, clients, prompts, plan)
  return math.floor(prompts * input_of(load) + clients * (1 + drafted(plan)))
end

local function ending(load, clients, plan) return math.max(1, clients * gained(plan) / output_of(load)) end

--- Whether an engine's steps have both, and its clients send one length.
function packing.is_of(engine, load) return loads.is_uniform_loop(load) and engine.policy == "mixed" end

--- Tokens of a step that so many clients of a plan never exceed, one prompt for each answer that ends in a step.
function packing.one_by_one(load, clients, plan) return tokens_with(load, clients, ending(load, clients, plan), plan) end

-- A step whose device takes as long as its host takes so many times as long as the host alone: the root of the sum of the
-- cubes of both. Where prompts have brought it there they have added nothing that is noticed.
local NOTHING <const> = 2 ^ (1 / 3)

--- Whole prompts that share a step with the answers of so many clients and add nothing to its time, 1 at least: as many as
--- leave it within a quarter of that of a step with one prompt. No more than the clients, or than `budget` tokens hold on
--- each rank.
---@param setup table { model, device, network, curves, plan, engine }
---@param load table
---@param clients number
---@param budget number
---@return integer
function packing.for_nothing(setup, load, clients, budget)
  local input, ranks = input_of(load), setup.plan.dp or 1
  local most = math.min(ranks * budget / input, clients) // 1
  if most < 2 then return 1 end
  local function time_s(prompts)
    return core.infer_step(tables.with(setup, { sequences = math.min(clients, ranks * setup.engine.max_running),
      context = input + output_of(load) / 2, prompts = prompts, prompt_tokens = prompts * input })).time_s
  end
  local limit_s = NOTHING * time_s(1)
  return halves.largest(1, math.tointeger(most) + 1, function(prompts) return time_s(prompts) <= limit_s end)
end

--- The engine of a setup under as many clients of a load, its budget cut to the tokens that a step of theirs has; the tokens;
--- and the prompts of a step that add nothing. Others than of closed loops of one length stay as they are.
---@param setup table { model, device, network, curves, plan, engine }
---@param load table
---@param clients number
---@return table engine
---@return integer|nil tokens
---@return integer|nil prompts
function packing.under(setup, load, clients)
  local engine = setup.engine
  if not (packing.is_of(engine, load) and engine.profile_tokens) then return engine end
  local prompts = packing.for_nothing(setup, load, clients, engine.profile_tokens)
  local each_rank = math.max(ending(load, clients, setup.plan), prompts / (setup.plan.dp or 1))
  local tokens = tokens_with(load, clients, each_rank, setup.plan)
  return tables.with(engine, { token_budget = math.min(engine.profile_tokens, tokens) }), tokens, prompts
end

return packing
