-- ballpark answer: a question as JSON on standard input, its answer on standard output; or one of each a line.
local embedded = require("ballpark.embedded")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")

local answer = {
  summary = "Answer questions that are JSON: one from standard input, or one a line",
  examples = {
    "ballpark answer serve < question.json",
    "ballpark answer --lines < questions.jsonl > answers.jsonl",
  },
}

function answer.define(command)
  command:argument("question", "Name of a question as scenarios have it, kernel.NAME or scenario."):args("?")
  command:flag("--lines --json-lines", "Each line is { \"question\", \"input\", \"id\" }, each answer a line { \"id\", \"code\", \"answer\" }.")
  command:option("-f --format", "Form of the answer: json, markdown or table. Default: json."):argname("FORMAT")
  command:flag("--confined", "Read files below the working directory only, and write none.")
end

-- A line of --lines; a wrong one is answered like a wrong question.
local function line_answered(line)
  local ok, asked = errors.attempt(json.decode, line, "line")
  if not ok or type(asked) ~= "table" then
    local message = "the line is no JSON object" .. (ok and "" or ": " .. asked.message)
    return { code = errors.codes.input, answer = { error = { kind = "input", message = message } } }
  end
  local code, text = embedded.answer(asked.question, json.encode(asked.input or json.object({})))
  return { id = asked.id, code = code, answer = json.decode(text) }
end

local function answer_lines()
  files.keep_questions()
  for line in files.line do
    if line:find("%S") then
      files.print(json.encode(line_answered(line)) .. "\n")
      io.stdout:flush()
    end
  end
  return 0
end

function answer.run(chosen)
  if chosen.confined then files.confine() end
  if chosen.lines then
    if chosen.question or chosen.format then errors.usage("--lines: each line names its question, and is answered in JSON") end
    return answer_lines()
  end
  if not chosen.question then errors.usage("answer needs the name of a question, or --lines") end
  local code, text = embedded.answer(chosen.question, files.read("-"), chosen.format)
  files.print(text)
  return code
end

return answer
