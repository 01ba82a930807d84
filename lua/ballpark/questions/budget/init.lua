-- budget{}: of budget, deadline and efficiency, any two give the third.
local inputs = require("ballpark.questions.inputs")
local tables = require("ballpark.tables")
local needs = inputs.needs

-- Of money, time, efficiency and size those that are given. Two of them make a question; with a batch a search stands
-- in for the efficiency.
local function known(input)
  local cluster, count = input.cluster, 0
  local sized = type(cluster) == "string" or type(cluster) == "table"
    and (cluster.network or cluster.devices or cluster.nodes)
  for _, given in ipairs({ input.budget_usd or false, input.deadline_s or false, input.mfu_frac or false,
    sized or false }) do
    count = count + (given and 1 or 0)
  end
  return count
end

local function has_batch(input) return type(input.job) == "table" and input.job.global_batch ~= nil end

local function refused(answer) return (require("ballpark.questions.budget.show").verdict(answer):gsub("^no: ", "")) end

return {
  name = "budget",
  title = "of budget, deadline and efficiency, any two give the third",
  inputs = inputs.joined({
    inputs.model,
    tables.with(inputs.cluster, { is = "site" }),
  }, inputs.joined(table.move(inputs.training, 3, #inputs.training, 1, {}), {
    { "budget_usd", "what may be spent: million(2)", type = "number" },
    { "deadline_s", "time for all tokens: days(30)", type = "number" },
    { "mfu_frac", "model FLOP utilisation over all of the time, goodput included; or job.global_batch, so that a "
      .. "search finds what plans reach", type = "number" },
    { "space", "what that search may vary, as for search{}", is = "group", type = "table<string, any>" },
    { "fit_chance", "least chance of fitting into memory that it asks for, 0.9", type = "number" },
  })),
  needs = {
    needs.model, needs.device, needs.tokens, { "job.seq_len", such = "4096" },
    { "deadline_s", such = "days(30)", option = "deadline",
      met = function(input) return has_batch(input) and not input.budget_usd or known(input) >= 2 end },
    { "mfu_frac", such = "0.4", option = "mfu", met = function(input)
      return has_batch(input) or known(input) + (input.deadline_s and 0 or 1) >= 2
    end },
  },
  outputs = {
    { "fits", "boolean", "whether what was given can be had" },
    { "found", "table", "devices, mfu_frac, deadline_s, cost_usd, feasible; of a search the cheapest run that is in time, with "
      .. "fewest = { devices, deadline_s, cost_usd } of the fewest devices in time where they cost more" },
    { "reached", "ballpark.search_answer|nil", "the search behind it" },
  },
  notes = {
    "The cluster may leave devices open: { device = 'H100' }. Devices are bought in whole nodes.",
    "job needs tokens and seq_len. The arithmetic is that of the kernel of the same name.",
  },
  command = "budget",
  contradiction = refused,
  reason = refused,
}
