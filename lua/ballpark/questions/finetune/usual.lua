-- What a fine-tuning has where nobody says it: the method of its software, and the examples of a step.
local kinds = require("ballpark.questions.finetune.kinds")
local profiles = require("ballpark.catalog.profiles")

local usual = {}

-- Examples of a step: published recipes have 16 to 128 (assumption).
local BATCH <const> = 16

-- Answers of a step on each device where they are generated: two groups of eight. TRL's GRPOConfig has one (8 on a device,
-- eight answers to a prompt), OpenRLHF's scripts 128 answers on a node of eight, verl's 256 prompts a mini-batch, more than
-- a hundred on a device (their defaults of 2024 and 2025; recalled).
local ANSWERS <const> = 16

--- Answers to a prompt that groups of GRPO compare: TRL's num_generations.
usual.COMPLETIONS = 8

--- What profiles say of software, in the form that estimate{} takes; and its name.
---@param software string|table
---@return table traits
---@return string name
function usual.traits(software)
  local name = software
  if type(software) == "table" then name = software.name end
  return profiles.traits(profiles.classify(name), name), name
end

--- The method of software that is named, in the form that estimate{} takes; lora unless it has another.
---@param software string|table|nil
---@return string
function usual.method(software)
  local name = type(software) == "table" and software.name or software
  if type(name) ~= "string" then return "lora" end
  return usual.traits(profiles.of_finetuning(name)).method or "lora"
end

--- Examples of a step over all devices, before their shares are made even: answers, where the kind generates some, in
--- whole groups.
---@param kind string|nil
---@param devices integer
---@param completions integer|nil answers to a prompt
---@return integer
function usual.batch(kind, devices, completions)
  if not kinds.of(kind).rollout then return BATCH end
  local group = completions or 1
  return math.ceil(ANSWERS / group) * group * devices
end

return usual
