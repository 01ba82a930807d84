-- ballpark schema: the JSON Schema of an answer.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")
local question_schema = require("ballpark.cli.question_schema")
local questions = require("ballpark.questions")

local schema = {
  summary = "Print the JSON Schema of what -f json answers",
  examples = { "ballpark schema", "ballpark schema search -o search.schema.json" },
}

function schema.define(command)
  command:argument("question", "Name of a question as scenarios have it; without it the schema of any report."):args("?")
  command:option("-o --output", "Write to this file."):argname("FILE")
end

local function record_of(name)
  for _, record in ipairs(questions.records()) do
    if record.name == name then return record end
  end
  errors.choice("question", name, questions.names)
end

function schema.run(chosen)
  local made = chosen.question and question_schema.answer(record_of(chosen.question)) or question_schema.any()
  local text = json.encode(made, true) .. "\n"
  if chosen.output and chosen.output ~= "-" then
    files.write(chosen.output, text)
  else
    files.print(text)
  end
  return 0
end

return schema
