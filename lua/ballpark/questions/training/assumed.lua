-- What an answer about training rests on without having been told, in words; and what a reader must know
-- before using its numbers.
local encoders = require("ballpark.resolve.encoders")
local fields = require("ballpark.fields")
local following = require("ballpark.resolve.training.following")
local host = require("ballpark.questions.training.host")
local objectives = require("ballpark.search.objectives")
local run_of = require("ballpark.questions.training.whole_run")
local schedules = require("ballpark.schedules")
local tables = require("ballpark.tables")

local assumed = {}

-- Formats by the bytes of an element.
local FORMATS <const> = { [0] = "none", [2] = "16 bit", [4] = "fp32" }

-- A value of a plan's field, in words.
local function words_of(field, value)
  if field.kind == "flag" then return value and "on" or "off" end
  return field.unit == "B" and FORMATS[value] or tostring(value)
end

-- What the facts leave open, as it was filled in.
local function plan_left_open(add, case)
  local said = tables.with(case.assumed)
  if (case.facts.plan or {}).grad_bytes == nil then
    said[#said + 1] = "gradients in " .. FORMATS[case.plan.grad_bytes]
  end
  if #said > 0 then add("Plan: " .. table.concat(said, ", ") .. ".") end
end

local function has_experts(input) return (input.model.experts or 0) > 1 end

-- Fields that the search holds at one value though nobody said so, or that follow from the rest of each plan, and that
-- change what is best. `plan` is any resolved plan of the space: what is held is the same in all.
local function held(add, input, plan, varied)
  local names, stated, follows = {}, input.case.facts.plan or {}, following.fields(input.case)
  for _, field in ipairs(fields.input("train_step", "plan")) do
    local is_open = stated[field.name] == nil and not varied[field.name]
    if field.unsearched and is_open and (has_experts(input) or not field.experts_only) then
      names[#names + 1] = field.unsearched .. " (" .. (follows[field.name] and "by the rest of the plan" or words_of(field, plan[field.name])) .. ")"
    end
  end
  if #names > 0 then add("Not searched: " .. table.concat(names, ", ") .. ".") end
end

local function software(add, input)
  local profile = input.profile
  local own = "profile of the scenario, with the fields' own defaults (explain profile) where it says nothing"
  local facts = input.case.facts
  local given = input.case.own_profile and "" or (" as of %d%s"):format(input.case.year,
    facts.software and "" or " (none is named)")
  add("Software: " .. (profile.name or own) .. given .. (profile.source and (", " .. profile.source) or "") .. ".")
  local device = input.cluster.device
  local about = {}
  about[1] = "kernel speeds from " .. (device.curves_from or "the curves of an average device")
  local unread = device.from_memory
  if type(unread) == "table" then unread = table.concat(unread, ", ") end
  if unread and unread ~= "" then about[#about + 1] = "recalled, no source was read: " .. unread end
  add("Device: " .. table.concat(about, "; ") .. ".")
end

-- The cluster's price is no assumption where the scenario or a rule gives another.
local function cluster(add, input, priced_by)
  local list = {}
  for _, text in ipairs(input.cluster.assumed or {}) do
    local is_price = text == input.cluster.price_assumed
    if not is_price or not (input.price or priced_by) then list[#list + 1] = text end
  end
  if #list > 0 then add("Cluster: " .. table.concat(list, "; ") .. ".") end
  if priced_by then add("Price: by the rule '" .. priced_by .. "'.") end
end

-- Losses that nobody stated: field of the kernel goodput, words.
local LOSSES = {
  { "device_mtbf_s", "an interruption per 50,000 device-hours" },
  { "restart_s", "10 minutes to restart" },
  { "checkpoint_s", "30 s for a checkpoint" },
  { "interval_s", "the best interval between them" },
  { "evaluation_frac", "no evaluation" },
  { "stall_frac", "no data stalls" },
}

local function run(add, input)
  if not input.job.tokens or input.job.tokens <= 0 then return end
  if type(input.goodput) == "number" then
    add("Run: goodput as given by the scenario.")
    return
  end
  local list = {}
  for _, loss in ipairs(LOSSES) do
    if (input.goodput or {})[loss[1]] == nil then list[#list + 1] = loss[2] end
  end
  if not input.pue then list[#list + 1] = ("PUE %.15g over board power"):format(run_of.PUE) end
  if #list > 0 then add("Run: " .. table.concat(list, ", ") .. ".") end
end

local function collector()
  local list = {}
  return list, function(text) list[#list + 1] = text end
end

local function experts(add, input)
  local fullest = input.profile.imbalance or fields.default("train_step", "profile", "imbalance")
  if has_experts(input) and fullest == 1 then add("Experts: tokens are routed evenly (profile.imbalance 1).") end
end

-- Where the time of a second stack is counted.
local function encoder(add, input)
  local said, plan = encoders.said(input.model), input.plan or {}
  if not said then return end
  local stage = type(plan.pp) == "number" and plan.pp == 1 and "" or "; it is whole on the first stage of a pipeline"
  local frozen = input.model.encoder_frozen and "; it is frozen, its projector is trained" or ""
  add("Encoder: " .. said .. frozen .. stage .. ".")
end

local function rest(add, input, priced_by)
  software(add, input)
  encoder(add, input)
  experts(add, input)
  cluster(add, input, priced_by)
  if input.case.image_words then add("Job: " .. input.case.image_words .. ".") end
  run(add, input)
end

-- Whether what bitsandbytes does not pack is cast to fp32, as the core has it (bp_are_ends_wide of count/adapters.c).
local function has_wide_ends(profile, plan)
  local packed_by = plan.base_format or "bitsandbytes"
  return profile and profile.base_ends == "fp32" and (plan.zero or 0) < 3 and packed_by:find("^bitsandbytes") ~= nil
end

-- Weights under adapters in fewer bits than they are multiplied in.
local function packed_base(add, answers, profile)
  local packed, wide = false, false
  for _, answer in ipairs(answers) do
    local plan = answer.plan or {}
    local is_packed = (plan.base_bits or 16) < 16
    packed, wide = packed or is_packed, wide or is_packed and has_wide_ends(profile, plan)
  end
  if packed then add("Base: every pass makes the frozen weights wide again; what is gathered goes as 16 bit.") end
  if wide then add("Base: embedding, head and norms in fp32, as PEFT's prepare_model_for_kbit_training leaves them.") end
end

local function own_schedule(add, input)
  local own = input.plan.schedule
  if not schedules.is_own(own) or input.plan.pp == 1 then return end
  add(("Schedule: %s is simulated with the times of this plan's stages and their sends; a step waits for the last of "
    .. "its operations."):format(own.name))
end

--- For one plan.
function assumed.estimate(input)
  local list, add = collector()
  plan_left_open(add, input.case)
  own_schedule(add, input)
  rest(add, input)
  packed_base(add, { input }, input.profile)
  local words = host.words(input, input.plan)
  if words then add(words) end
  return list
end

-- The rule that sets the price, if one does.
local function pricing_rule(found)
  for _, rule in ipairs(found.rules) do
    if rule.prices then return rule.name end
  end
end

-- Of the plans that offload; of the input's where none was found.
local function hosts(add, input, kept)
  local said = {}
  for _, answer in ipairs(kept[1] and kept or { input }) do
    local words = host.words(input, answer.plan)
    if words and not said[words] then add(words) end
    said[words or ""] = true
  end
end

--- For a search. `varied` are the plan fields it tries, `found` what it found.
function assumed.search(input, varied, found)
  local list, add = collector()
  local any = found.plans[1] and found.plans[1].plan or found.tally[1] and found.tally[1].example
  if any then held(add, input, any, varied) end
  if found.own_schedule then add(found.own_schedule) end
  rest(add, input, pricing_rule(found))
  local scored = objectives.scoring_rule(found)
  if scored then add(("plans are ordered by the score of rule '%s', and not by %s"):format(scored, found.objective)) end
  packed_base(add, found.plans, input.profile)
  hosts(add, input, found.plans)
  return list
end

--- What a reader must know before using the numbers.
function assumed.warnings(input)
  local list, longest = {}, input.model.max_seq or 0
  if longest > 0 and input.job.seq_len > longest then
    list[1] = ("job.seq_len is %d, longer than the %d tokens %s was made for."):format(input.job.seq_len,
      longest, input.model.name or "the model")
  end
  list[#list + 1] = input.cluster.slow_network
  return list
end

return assumed
