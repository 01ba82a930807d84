-- The format that nobody stated, and what the other one would take: where published runs on a device mostly multiply in
-- 8 bit, a reader must see which of the two a number is of.
local errors = require("ballpark.errors")
local own = require("ballpark.questions.training.facts").own
local resolve = require("ballpark.resolve.training")
local simulated = require("ballpark.resolve.simulated")
local step_input = require("ballpark.resolve.step_input")
local tables = require("ballpark.tables")

local precision = {}

local OTHER <const> = { bf16 = "fp8", fp8 = "bf16" }

-- 16 bit of either kind take the same.
local FULL <const> = { bf16 = true, fp16 = true }

-- The same plan in another format; nil where that is no plan.
local function step_in(answer, format)
  local plan = tables.with(answer.plan, { precision = format })
  local ok, step = errors.attempt(simulated.step, step_input.of(answer.input, plan))
  return ok and step.time.step_s or nil
end

--- Facts of an answer about one plan; none where the format is stated, or goes without saying.
---@param answer table of an estimate, or a plan of a search
function precision.facts(answer)
  local case, format = answer.input.case, answer.plan.precision
  local other = OTHER[format]
  if not (case.precision_assumed and other and resolve.usually_narrow(case.device)) then return {} end
  local step_s = step_in(answer, other)
  if not step_s then return {} end
  return {
    own("precision_assumed", format, { text = ("%s assumed; in %s this plan would take {other_step_s}"):format(format,
      other) }),
    own("other_step_s", step_s, { hide = true }),
  }
end

--- What two answers differ in without anybody having asked for it, in one sentence; nil where they do not.
function precision.differ(a, b)
  local in_a, in_b = a.plan.precision, b.plan.precision
  if FULL[in_a] and FULL[in_b] or in_a == in_b or not (a.input.case.precision_assumed or b.input.case.precision_assumed) then return nil end
  return ("A multiplies in %s and B in %s, and not both say so: part of the difference is the format; "
    .. "-D plan.precision=%s compares in one."):format(in_a, in_b, a.input.case.precision_assumed and in_b or in_a)
end

return precision
