-- Options that several commands share, and what they lead to.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local printable = require("ballpark.printable")
local report = require("ballpark.report")
local tables = require("ballpark.tables")
local term = require("ballpark.term")
local units = require("ballpark.units")

local options = {}

--- -f, -o and --table on a command.
function options.define_output(command)
  command:option("-f --format", "Form of the output: " .. table.concat(report.formats, ", ")
    .. ". Default: by the extension of the -o file, else table."):argname("FORMAT")
  command:option("-o --output", "Write to FILE, whole or not at all; - is standard output.")
    :argname("FILE")
  command:option("--table", "Which table csv and jsonl carry. Default: the first."):argname("NAME")
  command:flag("--plot", "Draw the pictures of an HTML report with letters and blocks, below the report.")
  command:flag("--strict", "Exit with 1 where the report has something under Check: ballpark help lint.")
  command:option("--units", "Bytes in reports: si (GB = 10^9) or iec (GiB = 2^30) for all. Default: GiB for memory, "
    .. "GB for traffic and storage."):argname("si|iec")
end

--- Sets what --units says for the reports of this run.
function options.set_units(chosen)
  if not chosen.units then return end
  if chosen.units ~= "si" and chosen.units ~= "iec" then errors.choice("--units", chosen.units, { "si", "iec" }) end
  units.count_bytes(chosen.units)
end

-- Formats that draw.
local DRAWN <const> = { html = true }

--- Has results hold what pictures need, where the format draws them.
function options.set_pictures(chosen)
  local format = chosen.format or report.format_of(chosen.output) or "table"
  if chosen.plot and format ~= "table" then errors.usage("--plot draws in a table report: leave out -f " .. format) end
  require("ballpark.result").illustrate(chosen.plot or DRAWN[format] or false)
end

--- -D on a command.
function options.define_overrides(command)
  command:option("-D --define",
    "Override a parameter or an input of the scenario: job.global_batch=2048, cluster.nodes=8, "
    .. "plan.tp=4, plan=tp=8,pp=4, device.memory_bytes=GiB(96). May be repeated.")
    :argname("KEY=VALUE"):count("*")
end

--- --profile on a command.
function options.define_profile(command)
  command:option("--profile", "Software of all estimates: a class (megatron, fsdp, ...) or a file of "
    .. "'ballpark calibrate', instead of what is said elsewhere."):argname("NAME|FILE.lua")
end

--- --profile, and the software by its name and year, on a command about training.
function options.define_software(command)
  options.define_profile(command)
  command:option("--software", "Training software by its name, as Megatron-LM or 'NeMo'; its class and year say what "
    .. "it does unasked."):argname("NAME")
  command:option("--year", "Year of the software; the newest that was measured unless said."):argname("YEAR")
end

--- The model of a command, as the word without an option or as one.
function options.define_model(command, says)
  command:argument("model", says or "Catalog name, or a config.json or its folder."):args("?"):target("named")
  command:option("--model", "The same as an option."):argname("MODEL")
end

--- The model that a command line says in either way.
function options.model(chosen)
  if chosen.named and chosen.model then errors.usage("--model: the model is given already, " .. chosen.named) end
  return chosen.named or chosen.model
end

--- A profile's name as a scenario takes it: files of the command line are beside no scenario.
function options.profile(chosen)
  local name = chosen.profile
  if not require("ballpark.calibrate.profile_file").is_path(name) or name:sub(1, 1) == "/" then return name end
  return require("lfs").currentdir() .. "/" .. name
end

--- Refuses --models that is no folder: models of the catalog would hide that it was never read.
function options.check_models(chosen)
  if chosen.models and require("lfs").attributes(chosen.models, "mode") ~= "directory" then
    errors.io("--models: " .. chosen.models .. " is not a folder")
  end
end

--- Puts --profile, --software and --year over what a scenario says.
function options.override_profile(chosen, overrides)
  if chosen.profile then overrides:set("profile", options.profile(chosen)) end
  local function set(key, option)
    local value, flag = chosen[option], "--" .. option
    if value then overrides:set(key, value, flag, flag .. " " .. value) end
  end
  set("software.name", "software")
  set("software.year", "year")
  return overrides
end

--- --rules on a command.
function options.define_rules(command)
  command:option("--rules", "A rule file that filters or scores plans. May be repeated.")
    :argname("FILE"):count("*")
end

--- Refuses --rules where the scenario, in its state after the run, had nothing that they judge.
function options.check_rules(state, chosen)
  if chosen.rules[1] and not state.takes_rules then
    errors.usage("--rules judge the plans of a search, and the scenario asks for none")
  end
end

--- --why on a command.
function options.define_why(command)
  command:option("--why", "What happened to this plan, as in tp=8,pp=4,recompute=full."):argname("PLAN")
end

--- The plan of --why as a table, or nil; a field as other programs call it is refused with ours.
function options.why(chosen)
  if not chosen.why then return nil end
  local fields, foreign = require("ballpark.fields"), require("ballpark.cli.foreign")
  local plan = require("ballpark.scenario.overrides").record("--why", chosen.why)
  local known = fields.by_name(fields.input("train_step", "plan"))
  for _, name in ipairs(tables.sorted_keys(plan)) do
    local instead = not known[name] and foreign.field(name, known)
    if instead then errors.usage(("--why %s: a plan has no field '%s', use %s"):format(chosen.why, name, instead)) end
  end
  return plan
end

--- The format that was asked for, checked before any work is done.
function options.format(chosen)
  local format = chosen.format or report.format_of(chosen.output)
  local extension = not format and chosen.output and chosen.output:match("[^/]%.(%w+)$")
  if extension then
    errors.usage("-o " .. chosen.output .. ": no format is known for ." .. extension .. "; known are "
      .. table.concat(report.extensions(), ", ") .. "; -f says which format another name takes")
  end
  format = format or "table"
  for _, known in ipairs(report.formats) do
    if known == format then return format end
  end
  if require("ballpark.resolve.local_inference.format").named(format) then
    errors.usage(("--format: '%s' is a format of weights, use --weights %s; reports are in %s"):format(format, format,
      table.concat(report.formats, ", ")))
  end
  errors.choice("--format", format, report.formats)
end

-- A word as a shell takes it.
local function quoted(word)
  return word:find("^[%w%-%./,:=_+@%%]+$") and word or "'" .. word:gsub("'", "'\\''") .. "'"
end

local function command_line(words)
  local list = { "ballpark" }
  for i, word in ipairs(words) do list[i + 1] = quoted(word) end
  return table.concat(list, " ")
end

--- Files that a command is to write, and those that it goes on writing: it reads them, too.
---@return string[] written
---@return string[] kept
function options.written(chosen)
  local paths = {}
  for _, path in ipairs({ chosen.output or "-", chosen.svg or "-" }) do
    if path ~= "-" then paths[#paths + 1] = path end
  end
  if chosen.resume and chosen.output then paths[#paths + 1] = files.companion(chosen.output, ".resume") end
  return paths, { chosen.checkpoint or chosen.store }
end

local function to_stdout(chosen) return not chosen.output or chosen.output == "-" end

-- Lines of a terminal's first screen.
local FIRST_SCREEN <const> = 24

--- --full on a command whose report is cut to the first screen without it.
function options.define_full(command)
  command:flag("--full", "The whole report; without it standard output shows its first " .. FIRST_SCREEN .. " lines.")
end

--- Whether the report is to be cut to the first screen: where it goes to standard output, and nothing was asked that
--- stands farther down.
function options.wants_first_screen(chosen)
  return to_stdout(chosen) and options.format(chosen) == "table"
    and not (chosen.full or chosen.plot or chosen.why or chosen.sensitivity or chosen.strict or chosen.verbose)
end

local function says_nothing(result)
  return #result.blocks + #result.expectations + #result.notes + #result.warnings == 0
end

--- Prints or writes the result and returns the exit code it stands for.
function options.emit(result, chosen)
  local stdout = to_stdout(chosen)
  if says_nothing(result) then
    options.say("nothing to report: a scenario ends with show(estimate{...}), facts(...) or expect(...)")
  end
  if chosen.arguments then result:ask({ command = command_line(chosen.arguments) }) end
  local rows = math.tointeger(tonumber(chosen.top)) -- that were asked for
  local text = report.render(result, options.format(chosen), {
    color = stdout and term.wants_color(io.stdout),
    table = chosen.table, version = require("ballpark.core").version,
    lines = chosen.first_screen and FIRST_SCREEN + (rows or 0) or nil, rows = rows, more = "--full",
  })
  if chosen.plot then
    text = text .. require("ballpark.report.plot")(result, { color = stdout and term.wants_color(io.stdout) })
  end
  if stdout then files.print(text) else files.write(chosen.output, text) end
  for _, e in ipairs(result.expectations) do
    if not e.ok then
      options.say("expectation failed: " .. require("ballpark.report.text").expectation(e))
    end
  end
  if result.stopped then options.say(result.stopped) end
  local checked = chosen.strict and #result.lints > 0
  return (result:failed() > 0 or result.infeasible or checked) and errors.codes.infeasible or 0
end

--- A line for people on standard error.
function options.say(line) io.stderr:write("ballpark: ", printable.line(line), "\n") end

--- The same, only with --verbose.
function options.tell(chosen, line)
  if chosen.verbose then options.say(line) end
end

return options
