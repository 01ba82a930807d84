-- What `require "ballpark"` gives to Lua code that runs inside the program.
local ballpark = {
  catalog = require("ballpark.catalog"),
  estimate = require("ballpark.questions.estimate.run").run,
  errors = require("ballpark.errors"),
  json = require("ballpark.json"),
  kernel = require("ballpark.core"),
  report = require("ballpark.report"),
  result = require("ballpark.result"),
  scenario = require("ballpark.scenario"),
  search = require("ballpark.questions.search.run").run,
  units = require("ballpark.units"),
}

return ballpark
