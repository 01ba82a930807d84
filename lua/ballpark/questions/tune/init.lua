-- tune{}: which plan to run next, and when to stop.
local inputs = require("ballpark.questions.inputs")
local tables = require("ballpark.tables")
local search = require("ballpark.questions.search")

local function taken()
  local list = {}
  for _, row in ipairs(search.inputs) do
    if not tables.contains({ "top", "front", "differ", "objective", "deadline_s", "time_spread", "exhaustive", "why" },
      row[1]) then
      list[#list + 1] = row
    end
  end
  return list
end

return {
  name = "tune",
  title = "which plan to measure next, and when to stop",
  inputs = inputs.joined(taken(), {
    { "measured", "list of runs: the fields of a plan, and step_s, tokens_per_s_per_gpu or status = 'oom'",
      type = "table[]" },
    { "runs", "how many runs to propose, 3", type = "integer" },
    { "within", "how near the best measured plan is to come to the best there is, 0.03", type = "number" },
  }),
  needs = search.needs,
  outputs = {
    { "fits", "boolean", "whether there is a plan to run" },
    { "within_chance", "number", "chance that the best measured plan is within that share of the best there is" },
    { "regret_frac", "number|nil", "expected regret of the best measured plan; nil where none was measured" },
    { "stop", "boolean", "whether that chance is four in five or more" },
    { "next", "table[]", "runs to make next: plan, step_s, low, high, fits, fastest, regret_frac once it and those above "
      .. "it are run" },
    { "runs", "table[]", "the measured runs: plan, measured_s or failed, estimated_s" },
  },
  notes = {
    "The candidates are the first plans of a search of the same inputs, and the measured ones.",
    "ballpark tune SCENARIO --measured RUNS.csv asks the same of the last search of a scenario.",
  },
  command = "tune",
  reason = function() return "no plan is likely enough to fit" end,
}
