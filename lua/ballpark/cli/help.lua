-- ballpark help: the manual on the terminal.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local foreign = require("ballpark.cli.foreign")
local manual = require("ballpark.manual")
local near = require("ballpark.near")
local term = require("ballpark.term")

local help = {
  summary = "Read the manual: a topic, or the list of topics",
  examples = { "ballpark help", "ballpark help serving", "ballpark help serving --markdown -o serving.md" },
}

function help.define(command)
  command:argument("topic", "Topic of the manual. Default: list them."):args("?")
  command:flag("--markdown", "The page as it is written, instead of laid out for a terminal.")
  command:option("-o --output", "Write to FILE, whole or not at all; - is standard output."):argname("FILE")
end

local function list()
  local lines = { "# The manual: ballpark help TOPIC", "", "| topic | about |", "|---|---|" }
  for _, topic in ipairs(manual.topics) do
    lines[#lines + 1] = ("| %s | %s |"):format(topic, manual.title(topic))
  end
  lines[#lines + 1] = ""
  lines[#lines + 1] = "`ballpark COMMAND --help` lists the options of a command, `ballpark explain NAME` explains any "
    .. "name or abbreviation that a report or an input has."
  return table.concat(lines, "\n") .. "\n"
end

local function page(topic)
  if not topic then return list() end
  if manual.has(topic) then return manual.text(topic) end
  local meant = near.name(topic, manual.topics)
  local instead = foreign.command(topic)
  errors.usage("the manual has no topic '" .. topic .. "'" .. (instead and (": " .. instead)
    or meant and (", did you mean '" .. meant .. "'?") or ", see ballpark help"))
end

function help.run(chosen)
  local text = page(chosen.topic)
  local stdout = not chosen.output or chosen.output == "-"
  if not chosen.markdown then
    text = require("ballpark.report.prose")(text, { color = stdout and term.wants_color(io.stdout) })
  end
  if stdout then files.print(text) else files.write(chosen.output, text) end
  return 0
end

return help
