-- levers{}: what one change at a time of a fleet would save.
local fleet = require("ballpark.questions.serve_search")
local inputs = require("ballpark.questions.inputs")
local tables = require("ballpark.tables")

-- Nothing else is needed where an answer has it all.
local function unless_answered(rows)
  local list = {}
  for i, row in ipairs(rows) do
    list[i] = tables.with(row, { met = function(input) return input.of ~= nil or row.met ~= nil and row.met(input) end })
  end
  return list
end

return {
  name = "levers",
  title = "what one change at a time would save",
  inputs = inputs.joined(fleet.inputs, {
    { "of", "instead of the others: an answer of encode, recommend, rerank, diffusion, transcribe, vector_search or platform "
      .. "that has a fleet with a price", is = "group", type = "table" },
    { "growth_month_frac", "with of: how much the load grows a month, compound; 0", type = "number", unit = "frac" },
    { "horizon_s", "with of: time to add costs up over; a year", type = "number", unit = "s" },
  }),
  needs = unless_answered(fleet.needs),
  also = { "answer", "table", "what serve_search made of the same" },
  outputs = {
    { "fits", "boolean", "whether the fleet or one of the changes meets the SLO" },
    { "base", "ballpark.serve_search_answer", "the fleet as it is" },
    { "rows", "table[]", "best first: name, title, which, costs, fits, cost_usd_h, saves_frac, same (where it costs the same: count, "
      .. "busy_frac, own_busy_frac), fleet; with of also usd_month "
      .. "and usd_horizon" },
    { "pointless", "table[]", "levers that do not apply: name, title, why" },
  },
  notes = { "A second argument may be the answer of serve_search to the same question." },
  command = "serve",
}
