-- ballpark schema: the JSON Schema of an answer.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")
local question_schema = require("ballpark.cli.question_schema")
local questions = require("ballpark.questions")
local validation = require("ballpark.validate.document")

local schema = {
  summary = "Print the JSON Schema of what -f json answers",
  examples = { "ballpark schema", "ballpark schema search -o search.schema.json", "ballpark schema validate" },
}

function schema.define(command)
  command:argument("question", "Name of a question as scenarios have it, or validate; without it the schema of any report."):args("?")
  command:option("-o --output", "Write to this file."):argname("FILE")
end

-- The schema of what a name stands for.
local function schema_of(name)
  if not name then return question_schema.any() end
  if name == "validate" then return validation.schema() end
  for _, record in ipairs(questions.records()) do
    if record.name == name then return question_schema.answer(record) end
  end
  errors.choice("question", name, questions.names)
end

function schema.run(chosen)
  local text = json.encode(schema_of(chosen.question), true) .. "\n"
  if chosen.output and chosen.output ~= "-" then
    files.write(chosen.output, text)
  else
    files.print(text)
  end
  return 0
end

return schema
