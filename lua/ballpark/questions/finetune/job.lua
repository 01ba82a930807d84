-- The job of a training scenario that says a kind (sft, dpo, grpo, …), as an input of finetune{}.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local job = {}

-- Fields of such a job, and what they are called here.
local FIELDS <const> = { kind = "kind", method = "method", examples = "examples", epochs = "epochs", lengths = "lengths",
  seq_len = "seq_len", packing = "packing", global_batch = "batch", rank = "rank", targets = "targets",
  evaluation = "evaluation", generation = "generation" }

-- Inputs of training that this question takes as they are.
local SHARED <const> = { "model", "cluster", "plan", "software", "profile", "price", "pue", "space" }

-- Inputs beside a job with a kind; of a search how many plans are listed, which means nothing for one plan.
local ALLOWED <const> = table.move(SHARED, 1, #SHARED, 3, { "job", "top" })

--- The input of finetune{} that a training scenario is whose job has a kind; nil of others.
---@param input table
---@return table|nil
function job.finetuning(input)
  local asked = input.job
  if type(asked) ~= "table" or asked.kind == nil then return nil end
  errors.only("job", asked, tables.sorted_keys(FIELDS))
  local own = {}
  for _, name in ipairs(SHARED) do own[name] = input[name] end
  for name, value in pairs(asked) do own[FIELDS[name]] = value end
  errors.only("job.kind", input, ALLOWED, "input")
  return own
end

return job
