-- The command line: builds the parser from the commands, runs one, turns errors into exit codes.
local argparse = require("argparse")
local commands = require("ballpark.cli.command")
local core = require("ballpark.core")
local effort = require("ballpark.cli.effort")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local foreign = require("ballpark.cli.foreign")
local interrupt = require("ballpark.interrupt")
local near = require("ballpark.near")
local questions = require("ballpark.questions")
local tables = require("ballpark.tables")

local cli = {}

-- Ten years.
local TIME_LIMIT_MOST_S <const> = 315360000

-- Commands that ask no question, or any. Each is a module ballpark.cli.<name>, a dash in it an underscore, with
--   summary    one line
--   notes      lines for the help that stand above the examples, where there are any
--   examples   command lines for the help
--   define     function(command): arguments and options, argparse
--   run        function(options) -> exit code
-- A question has such a module too, or a command that its record describes (ballpark.cli.command).
local OTHERS <const> = { "lint", "merge", "sweep", "compare", "explain", "validate", "calibrate", "catalog", "new", "from", "schema",
  "answer", "mcp", "watch", "repl", "completion", "help" }

-- Records of the commands that questions describe, by command.
local described = {}

local function dashed(name) return (name:gsub("_", "-")) end

local function command_of(record)
  if type(record.command) ~= "table" then return record.command end
  described[dashed(record.name)] = record
  return dashed(record.name)
end

--- Names of all commands in the order of the help.
cli.commands = { "run" }
for _, record in ipairs(questions.records()) do
  local name = command_of(record)
  if name and not tables.contains(cli.commands, name) then cli.commands[#cli.commands + 1] = name end
end
table.move(OTHERS, 1, #OTHERS, #cli.commands + 1, cli.commands)

local EPILOG = [[
Examples:
  ballpark run scenarios/quickstart.lua
  ballpark search --model llama-3.1-70b --device H100 --devices 128 --global-batch 1024 \
      --seq-len 8192
  ballpark explain mfu_frac
  ballpark help serving

The manual: ballpark help lists its topics.

Exit codes: 0 ok, 1 nothing feasible, an expectation failed or no row of a table predicted,
2 usage or scenario error, 3 input or output, 4 a rule failed, 70 internal error,
130 interrupted.]]

-- Raised to leave with a text: --help or --version.
local Finished = {}

local function finish(text) error(setmetatable({ text = text .. "\n" }, Finished), 0) end

local function is_finished(e) return getmetatable(e) == Finished end

local function add_help(parser)
  parser:add_help(false)
  parser:flag("-h --help", "Show this help and exit."):action(function() finish(parser:get_help()) end)
end

local modules = {}

--- The module of a command, or what stands for one.
function cli.module(name)
  modules[name] = modules[name] or described[name] and commands.of(described[name])
    or require("ballpark.cli." .. name:gsub("%-", "_"))
  return modules[name]
end

local function add_command(parser, name)
  local module = cli.module(name)
  local command = parser:command(name):summary(module.summary):description(module.summary .. ".")
  local epilog = module.notes and table.concat(module.notes, "\n") .. "\n\n" or ""
  if module.examples then
    command:epilog(epilog .. "Examples:\n  " .. table.concat(module.examples, "\n  "))
  end
  add_help(command)
  command:flag("--verbose", "Say on standard error what is being done.")
  command:option("--time-limit", "Interrupt the command after so many seconds, as Ctrl-C does."):argname("SECONDS")
  command:help_max_width(100)
  module.define(command)
  -- Of two values the parser would keep the last without a word.
  for _, option in ipairs(command._options) do
    if option._maxcount == 1 and option._maxargs > 0 then option:overwrite(false) end
  end
end

--- The parser.
---@param only string|nil the first word of the command line: commands it does not call are known by name only. nil: all
--- with their options, as help, completion and tests need them
function cli.parser(only)
  local parser = argparse("ballpark",
    "Back-of-the-envelope answers about machine learning systems: memory, time, cost.", EPILOG)
  parser:command_target("command")
  parser:require_command(true)
  parser:help_max_width(100)
  add_help(parser)
  parser:flag("--version", "Show the version and exit."):action(function()
    finish("ballpark " .. core.version)
  end)
  local called = only == "--version" or tables.contains(cli.commands, only)
  for _, name in ipairs(cli.commands) do
    if not called or name == only then add_command(parser, name) else parser:command(name) end
  end
  return parser
end

-- An option that the command lacks: what others call it, or the nearest name.
local function unknown_option(parser, option, value)
  local names = {}
  for _, known in ipairs(parser._options) do
    for _, alias in ipairs(known._aliases) do names[#names + 1] = alias end
  end
  if foreign.is_without_effect(option) then
    return ("unknown option '%s', leave it out: neither memory nor time depends on it"):format(option)
  end
  local instead, meant = foreign.instead(option, names, value), near.name(option, names)
  local is_so = foreign.without(option)
  return ("unknown option '%s'%s"):format(option, instead and ", use " .. instead or is_so and ": " .. is_so
    or meant and (", did you mean '%s'?"):format(meant) or "")
end

-- The number that is given to an option on a command line, "--option 0.95" or "--option=0.95".
local function number_of(option, words)
  for i, word in ipairs(words) do
    local name, value = word:match("^([^=]+)=(.*)$")
    if (name or word) == option then
      value = value or words[i + 1]
      return tonumber(value) and value or nil
    end
  end
end

-- Whether the words of a command line are a question, not options.
local SENTENCE <const> = 3

local function is_sentence(words)
  local text = table.concat(words, " ")
  local _, count = text:gsub("%S+", "")
  return count >= SENTENCE and not text:find("'", 1, true) and not (" " .. text):find(" %-")
end

local function usage_failed(parser, message, words)
  local option = message:match("^unknown option '(%-%-?[^']+)'")
  if option then message = unknown_option(parser, option, number_of(option, words)) end
  message = message:gsub("^(option '[^']*') must be used at most 1 time$", "%1 is given twice")
  local unknown = message:match("^unknown command '([^']+)'")
  local instead = unknown and foreign.command(unknown)
  if instead then message = ("unknown command '%s': %s"):format(unknown, instead) end
  if unknown and not instead and is_sentence(words) then
    message = ("unknown command '%s': a question in words goes to ballpark ask '%s'"):format(unknown, table.concat(words, " "))
  end
  local command = parser:get_usage():match("^Usage: (ballpark ?[%l%-]*)"):gsub("%s+$", "")
  errors.usage(message:gsub("\nDid", ", did"):gsub("\n", "; ") .. " (see '" .. command .. " --help')")
end

-- "--devices -8" as "--devices=-8": to the parser a word that starts with a dash is an option.
local function with_negatives(arg)
  local words, i = {}, 1
  while i <= #arg do
    local word, next_word = arg[i], arg[i + 1]
    if word:find("^%-%-[%w%-]+$") and next_word and next_word:find("^%-%.?%d") then
      word, i = word .. "=" .. next_word, i + 1
    end
    words[#words + 1], i = word, i + 1
  end
  return words
end

-- No command and no option has a longer name; the parser would try what any one letter less makes of it.
local LONGEST_NAME <const> = 128

local function check_names(arg)
  for i, word in ipairs(arg) do
    local option = word:match("^%-%-[^=]*")
    if #(option or i == 1 and word or "") > LONGEST_NAME then
      errors.usage(("unknown %s '%s'"):format(option and "option" or "command", option or word))
    end
  end
end

-- Options of other programs with one dash: to the parser "-ngl" is "-n" with more behind it, and "-fa" the format "a".
local function check_short(parser, arg)
  for _, word in ipairs(arg) do
    if foreign.is_short(word) then usage_failed(parser, ("unknown option '%s'"):format(word), arg) end
  end
end

--- The options of a command line; `arguments` are its words.
function cli.parse(arg)
  check_names(arg)
  local parser = cli.parser(arg[1])
  parser.error = function(self, message) usage_failed(self, message, arg) end
  if #arg == 0 then finish(parser:get_help()) end
  for _, command in ipairs(parser._commands) do
    if command._name == arg[1] then check_short(command, arg) end
  end
  local options = parser:parse(with_negatives(arg))
  options.arguments = arg
  return options
end

local function limit_time(text)
  if not text then return end
  local seconds = tonumber(text)
  if not seconds or not (seconds > 0 and seconds <= TIME_LIMIT_MOST_S) then
    errors.usage(("--time-limit: must be a number of seconds above 0, at most %d, got '%s'"):format(TIME_LIMIT_MOST_S, text))
  end
  core.time_limit(seconds)
end

-- `taken` comes to hold the options of the command line, for what is said when the command fails.
local function dispatch(arg, taken)
  taken.options = cli.parse(arg)
  collectgarbage("restart") -- the program starts without
  limit_time(taken.options.time_limit)
  local options = require("ballpark.cli.options")
  options.set_units(taken.options)
  options.set_pictures(taken.options)
  files.keep_apart(options.written(taken.options))
  return cli.module(taken.options.command).run(taken.options)
end

-- ballpark lua FILE args...: runs a Lua program with the core at hand; for tools and tests.
local function run_lua(arg)
  if not arg[2] then errors.usage("lua needs a file") end
  collectgarbage("restart")
  local chunk, problem = loadfile(arg[2])
  if not chunk then errors.io(problem) end
  _G.arg = table.move(arg, 3, #arg, 1, { [0] = arg[2] })
  chunk(table.unpack(_G.arg))
  return 0
end

-- Errors of people pass as they are; a bug gets its traceback. An interrupt is for main.
local function handler(e)
  if errors.is(e) or is_finished(e) then return e end
  if interrupt.ends_here(e) or tostring(e):find("stack traceback:", 1, true) then return e end
  return debug.traceback(tostring(e), 2)
end

--- Runs a command line and returns the exit code, and the error that led to it; only bugs and interrupts are raised.
---@param arg string[]
---@return integer
---@return ballpark.error|nil
function cli.main(arg)
  local taken = {}
  files.watch, files.held, files.take_mode = core.unfinished, core.held, core.take_mode
  local ok, code = xpcall(arg[1] == "lua" and run_lua or dispatch, handler, arg, taken)
  files.remove_unfinished()
  files.keep_apart({}) -- a loop of commands may read what it has written
  if not ok and is_finished(code) then
    local printed, problem = pcall(files.print, code.text)
    ok, code = printed, printed and 0 or problem
  end
  if ok then return code end
  if not errors.is(code) then error(code, 0) end
  io.stdout:flush()
  -- A scenario cannot go on with the answer of a search that was not carried out.
  local cut = effort.was_interrupted(taken.options)
  if not effort.is_helper() then io.stderr:write("ballpark: ", cut and "interrupted" or tostring(code), "\n") end
  return cut and errors.codes.interrupted or code.code, code
end

return cli
