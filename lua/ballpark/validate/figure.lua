-- What the figures of a validation are called in tables, and what they mean.
local statistics = require("ballpark.validate.statistics")

local figure = {}

--- Short, so that tables fit a terminal: figure.note says what they mean.
figure.titles = {
  group = "Group", rows = "Rows", covered = "Covered", mape = "Mean", median_ape = "Median", bias = "Signed",
  within_2x = "In 2x", within_interval = "In range", mean_family_mape = "Families",
  mean_family_within_interval = "Families in range", before_mape = "Mean before",
  before_median_ape = "Median before", before_mean_family_mape = "Families before",
}

-- What figures mean that not every table has.
local MEANINGS <const> = {
  { "within_interval", "in range: measured inside the 80 % range" },
  { "mean_family_mape", ("families: mean over families of at least %d covered rows of their means")
    :format(statistics.least_rows) },
}

--- What people read below the tables, about the figures that any of the summaries has.
function figure.note(summaries)
  local parts = { "Mean and median are of |error|, signed is the median error" }
  for _, meaning in ipairs(MEANINGS) do
    local there = false
    for _, summary in pairs(summaries) do there = there or summary[meaning[1]] ~= nil end
    if there then parts[#parts + 1] = meaning[2] end
  end
  return table.concat(parts, "; ") .. "."
end

return figure
