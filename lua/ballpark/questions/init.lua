-- The questions that can be asked. Each is a folder with three files:
--   init.lua  its record: what it takes, what it answers, which command asks it, what `explain` says of it
--   run.lua   .run(input) -> answer
--   show.lua  .answer(result, answer): blocks of a report
-- Scenarios, the command line, `explain` and the types of editors walk these folders; no place names them all.
--
-- A record:
--   name, title  the function of scenarios; what it does
--   inputs       rows { name, doc, is =, type =, required = } (see questions/inputs.lua)
--                (a row may say unit, and units of the fields of its table; limits = { least =, most = } by name, as fields have)
--   needs        rows { path, such =, option =, met = }: what must be there, with a value to propose
--   outputs      rows { name, type, doc } of the answer
--   notes        lines for `explain`; tables: functions(result) that add tables there
--   kinds        kinds of its answers; its own name unless said
--   command      what asks it on the command line: the name of a module below cli, or a table (cli/command.lua)
--   split        function(input) -> points, axes: where one call asks about several systems (run.lua: .systems)
--   feasible     function(answer): whether it can be done as asked; answer.fits unless said
--   contradiction  function(answer) of one that is not feasible: what its report begins with, or nil
--   headline     function(answer, asked) -> the answer in a few words; asked: what a prompt asks for, by the names of ask/asked.lua
--   reason       function(answer): what stands in the way; without one an answer says nothing of feasibility
--   parts        function(input) -> list of such inputs, where it has several questions in it, and their names where one is to
--                be chosen; the runner's together(answers, input, whether one is to be chosen) makes one answer of theirs
--   hands_over   function(input) -> name and input of the question that answers instead, and what was read of a prompt
--   takes_over   functions(input) by the names of other questions: the input of this one where theirs means it, else nil
--   in_rows      function(answer): whether rows of its first table are the answer, for CSV; else the facts are one row
--   emit         "training" or "serving": what launches what it answers
local errors = require("ballpark.errors")
local lfs = require("lfs")
local types = require("ballpark.questions.types")

local questions = {}

local function folder()
  return package.searchpath("ballpark.questions", package.path):match("^(.*)/[^/]*$")
end

-- Folders with a record are questions; the others hold what questions share.
local function found()
  local here, names = folder(), {}
  for name in lfs.dir(here) do
    local record = here .. "/" .. name .. "/init.lua"
    if not name:find("^%.") and lfs.attributes(record, "mode") == "file" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

--- Names of all, sorted.
questions.names = found()

--- The record of a question.
---@param name string
---@return table
function questions.record(name) return require("ballpark.questions." .. name) end

--- All records in order.
function questions.records()
  local list = {}
  for i, name in ipairs(questions.names) do list[i] = questions.record(name) end
  return list
end

--- The module that answers a question.
function questions.runner(name) return require("ballpark.questions." .. name .. ".run") end

local by_kind

-- The record of the question that gives answers of a kind.
local function record_of(answer)
  if not by_kind then
    by_kind = {}
    for _, record in ipairs(questions.records()) do
      for _, kind in ipairs(record.kinds or { record.name }) do by_kind[kind] = record end
    end
  end
  return by_kind[answer.kind]
end

--- Adds an answer to a result.
function questions.show(result, answer)
  local record = record_of(answer)
  local first = #result.blocks + 1
  if result.one_row == nil then result.one_row = not (record.in_rows and record.in_rows(answer)) end
  if answer.prompt then require("ballpark.questions.ask.prompted").show(result, answer.prompt, questions.headline(answer)) end
  local contradiction = record.contradiction and not questions.is_feasible(answer) and record.contradiction(answer)
  if contradiction then result:lead(contradiction) end
  local shown = require("ballpark.questions." .. record.name .. ".show").answer(result, answer)
  local prompt = answer.prompt
  if prompt then require("ballpark.questions.ask.unled").complete(result, first, prompt.words, prompt.given, prompt.known, questions.judges(answer) and questions.is_feasible(answer) or nil) end
  return shown
end

--- Whether an answer says that something can or cannot be done.
function questions.judges(answer) return record_of(answer).reason ~= nil end

--- Whether the answer can be done as it was asked.
function questions.is_feasible(answer)
  local feasible = record_of(answer).feasible
  if feasible then return feasible(answer) end
  return answer.fits
end

--- What stands in the way of an answer, in a word or a line; nil where nothing does, or nobody knows.
---@return string|nil
function questions.reason(answer)
  local reason = record_of(answer).reason
  if not reason or questions.is_feasible(answer) then return nil end
  return reason(answer)
end

--- The same of the last of several answers in whose way something stands.
---@param answers table[]
---@return string|nil
function questions.last_reason(answers)
  for i = #answers, 1, -1 do
    local reason = questions.reason(answers[i])
    if reason then return reason end
  end
end

--- An answer in a few words, for a table of several and for the first line of one that a prompt was handed over to; what the
--- prompt asks for comes first. Nil where its question has none.
---@return string|nil
function questions.headline(answer)
  local headline, asked = record_of(answer).headline, answer.prompt and answer.prompt.asked or {}
  local said = headline and headline(answer, asked)
  -- A model that nobody named is said first: the figures are those of it.
  return said and (asked.assumed_model and ("with %s, as none is named: %s"):format(asked.assumed_model, said) or said)
end

--- How fast an answer is, of those that choices of one question are ranked by, the more the better; nil where its question does
--- not say.
---@return number|nil
function questions.speed(answer)
  local speed = record_of(answer).speed
  return speed and speed(answer)
end

--- What an answer costs, where its question says so in another way than by the month or the run; nil of others.
---@return number|nil
function questions.price(answer)
  local price = record_of(answer).price
  return price and price(answer)
end

--- Kinds of the answers that "training" or "serving" launches: { kind = true }.
function questions.launched(what)
  local kinds = {}
  for _, record in ipairs(questions.records()) do
    for _, kind in ipairs(record.emit == what and (record.kinds or { record.name }) or {}) do kinds[kind] = true end
  end
  return kinds
end

--- The question that an input is really of, and its input for that one.
---@param name string of the question that was asked
---@param input any
---@return string name
---@return any input
function questions.meant(name, input)
  if type(input) ~= "table" then return name, input end
  for _, record in ipairs(questions.records()) do
    local take = (record.takes_over or {})[name]
    local own = take and take(input)
    if own then return record.name, own end
  end
  return name, input
end

--- The questions that a complete input has in it, each an input of the same question, and what they are called where one of
--- them is to be chosen; nil where it is one.
function questions.parts(name, input)
  local parts = questions.record(name).parts
  if parts then return parts(input) end
end

--- What another question answers of a complete input: its name, its input, and what was read; nil where none does.
function questions.handed_over(name, input)
  local hands_over = questions.record(name).hands_over
  if hands_over then return hands_over(input) end
end

--- Refuses inputs that a question does not take.
function questions.check_known(name, input)
  if type(input) ~= "table" then errors.input(name, "takes a table, got " .. type(input)) end
  local known = {}
  for i, row in ipairs(questions.record(name).inputs) do known[i] = row[1] end
  errors.only(name, input, known, "input")
end

--- Refuses inputs of another type than the record says; quantities are plain numbers by now.
function questions.check_types(name, input)
  for _, row in ipairs(questions.record(name).inputs) do
    local value = input[row[1]]
    if value ~= nil then types.check(row[1], value, row.type) end
  end
end

return questions
