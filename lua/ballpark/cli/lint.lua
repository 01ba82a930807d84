-- ballpark lint: the mistakes of a scenario, or of somebody's estimate in prose.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local prose = require("ballpark.questions.check.prose")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")

local lint = {
  summary = "Mistakes of a scenario, or of an estimate in prose: what is forgotten, and slips of units",
  examples = { "ballpark lint scenarios/quickstart.lua", "ballpark lint estimate.txt --strict" },
  notes = { "A file that ends in .lua is run as a scenario. Any other is read line by line as claims,",
    "whose facts go on from line to line." },
}

function lint.define(command)
  command:argument("file", "A scenario, or a text; - is a text from standard input."):args("?")
  command:flag("--codes", "List all codes with why and fix, instead.")
  options.define_overrides(command)
  options.define_output(command)
end

local function of_scenario(file, chosen)
  local found = scenario.run(scenario.load(file), { overrides = overrides.parse(chosen.define), command = "run" })
  return found.lints, found.explained
end

local function all_codes()
  local r, rows = result.new({ command = "lint", title = "Lints" }), {}
  for i, record in ipairs(require("ballpark.lints").records) do rows[i] = { record.code, record.severity, record.why, record.fix } end
  r:table({ name = "codes", rows = rows, columns = { { name = "code" }, { name = "severity" }, { name = "why", letters = 70 },
    { name = "fix" } } })
  return r
end

--- What is wrong with an estimate, as a result.
---@param what { file: string|nil, text: string|nil } a scenario or a text
---@param chosen table options
function lint.answered(what, chosen)
  local found, explained
  if what.file and what.file:find("%.lua$") then
    found, explained = of_scenario(what.file, chosen)
  else
    found, explained = prose.lints(what.text or files.read(what.file)), {}
  end
  local r = result.new({ command = "lint", title = what.file or "An estimate" })
  r:facts({ name = "lint", { name = "lints", title = "Found", value = #found }, { name = "explained", title = "Explained",
    value = #explained } })
  r.lints, r.explained = found, explained
  return r
end

function lint.run(chosen)
  options.format(chosen)
  if chosen.codes then return options.emit(all_codes(), chosen) end
  if not chosen.file then errors.usage("lint needs a file, a scenario or a text (see 'ballpark lint --help')") end
  return options.emit(lint.answered({ file = chosen.file }, chosen), chosen)
end

return lint
