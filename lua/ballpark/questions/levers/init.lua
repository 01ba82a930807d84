-- levers{}: what one change at a time of a serving fleet would save.
local fleet = require("ballpark.questions.serve_search")

return {
  name = "levers",
  title = "what one change at a time would save",
  inputs = fleet.inputs,
  needs = fleet.needs,
  also = { "answer", "table", "what serve_search made of the same" },
  outputs = {
    { "fits", "boolean", "whether the fleet or one of the changes meets the SLO" },
    { "base", "ballpark.serve_search_answer", "the fleet as it is" },
    { "rows", "table[]", "best first: name, title, which, costs, fits, cost_usd_h, saves_frac, fleet" },
  },
  notes = { "A second argument may be the answer of serve_search to the same question." },
  command = "serve",
}
