-- A row of measured serving as a case: its facts, resolved as those of any scenario.
local facts_of = require("ballpark.measured.serving_facts")
local loads = require("ballpark.questions.serve.load")
local resolve = require("ballpark.resolve.serving")
local words = require("ballpark.questions.serve.words")

local serving_case = {}

--- The case of a row, as resolve.serving has it, with the row and the means of its load. `context` remembers models and
--- devices, and may hold models, a folder of configs.
function serving_case.of(row, context)
  local facts, notes = facts_of.of(row, context)
  local case = resolve.of(facts)
  case.row, case.load_means = row, loads.means(case.input.load)
  table.move(case.assumed, 1, #case.assumed, #notes + 1, notes)
  case.assumed = notes
  notes[#notes + 1] = words.too_long(facts.model, row.input_len + row.output_len)
  return case
end

return serving_case
