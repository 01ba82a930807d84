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

--- What people read below the tables.
figure.note = ("Mean and median are of |error|, signed is the median error; in range: measured inside the "
  .. "80 %% range; families: mean over families of at least %d covered rows of their means.")
  :format(statistics.least_rows)

return figure
