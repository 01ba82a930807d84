-- ballpark repl: command lines and lines of a scenario, one after the other, with history and completion.
local blanks = require("ballpark.blanks")
local core = require("ballpark.core")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local interrupt = require("ballpark.interrupt")
local printable = require("ballpark.printable")
local quantity = require("ballpark.quantity")
local repeatable = require("ballpark.scenario.repeatable")
local repl_completion = require("ballpark.cli.repl_completion")
local report = require("ballpark.report")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local tables = require("ballpark.tables")
local term = require("ballpark.term")

local repl = {
  summary = "Answer line after line: commands, or Lua of a scenario",
  examples = {
    "ballpark repl",
    "printf 'explain TTFT\\nm = model \"llama-3.1-8b\"\\nm.layers * 2\\n' | ballpark repl",
  },
  notes = {
    "A line is a command without the word ballpark (search --model ..., explain TTFT), or Lua as a",
    "scenario has it: what it gives is shown, names stay. Ctrl-D or quit ends. With Debian's",
    "lua-readline lines can be edited, Tab completes commands, options, values, names and files, and",
    "what was typed is kept in ~/.ballpark_history; without it lines are read as they come.",
  },
}

function repl.define() end

local PROMPT <const> = "ballpark> "

-- A function that gives the next line, and one that writes down what was typed.
local function reader(env)
  local terminal = term.is_terminal(io.stdin)
  local present, library = pcall(require, "readline")
  if not terminal then return files.line, function() end end
  if not present then
    return function()
      io.stdout:write(PROMPT)
      io.stdout:flush()
      return files.line()
    end, function() end
  end
  library.set_readline_name("ballpark")
  library.set_options({ keeplines = 1000, histfile = "~/.ballpark_history", auto_add = true })
  local complete = repl_completion.new(require("ballpark.cli").parser(), tables.sorted_keys(env))
  library.set_complete_function(function(line, from, to)
    local list = complete(line, from, to)
    library.set_completion_append_character(#list == 1 and list[1]:find("/$") and "" or " ")
    return list
  end)
  return function() return library.readline(PROMPT) end, library.save_history
end

-- A line as words of a command: at blanks outside of quotes.
local function words_of(line)
  local words, word, quote = {}, nil, nil
  for c in line:gmatch(utf8.charpattern) do
    if quote then
      if c == quote then quote = nil else word = word .. c end
    elseif c == "'" or c == '"' then
      word, quote = word or "", c
    elseif c:find("%s") then
      words[#words + 1], word = word, nil
    else
      word = (word or "") .. c
    end
  end
  if quote then errors.usage("a quote is not closed") end
  words[#words + 1] = word
  return words
end

local function say_line(text) files.print(printable.text(text) .. "\n") end

local function say_value(value)
  if quantity.is(value) or type(value) ~= "table" then return say_line(repeatable.tostring(value)) end
  for _, key in ipairs(tables.sorted_keys(value)) do
    if type(key) == "string" then say_line(("  %s = %s"):format(key, repeatable.tostring(value[key]))) end
  end
end

-- Runs a line of Lua; what it shows is printed at once.
local function run_lua(state, env, line)
  local chunk = load("return " .. line, "@line", "t", env)
  local problem
  if not chunk then chunk, problem = load(line, "@line", "t", env) end
  if not chunk then errors.usage(problem) end
  state.result = result.new({ command = "run" })
  local before = #state.answers
  local value = chunk()
  if state.made[value or false] and value.kind then
    environment.show(state, value)
  elseif value == nil and #state.answers > before and not state.shown then
    environment.show(state, state.answers[#state.answers])
  end
  if #state.result.blocks + #state.result.notes + #state.result.expectations > 0 then
    files.print(report.render(state.result, "table", { color = term.wants_color(io.stdout) }))
  elseif value ~= nil then
    say_value(value)
  end
end

-- A command where the line begins with one and does not read as Lua: `search{...}` is a question of a scenario, and
-- `local y = 2` a statement.
local function is_command(commands, line)
  local word, rest = line:match("^([%a][%w%-]*)(.*)$")
  if word == "local" and (rest:find("^%s+[%a_][%w_]*%s*=") or rest:find("^%s+function%s")) then return false end
  return word and tables.contains(commands, word) and not rest:find("^%s*[%({=]")
end

-- The exit code where the answer could not be written.
local function answer(commands, state, env, line)
  if not is_command(commands, line) then return run_lua(state, env, line) end
  local code, e = require("ballpark.cli").main(words_of(line))
  return e and e.kind == "output" and code or nil
end

-- Seconds that an answer has to notice Ctrl-C before the whole loop ends: names are worth more than a process.
local GRACE_S <const> = 5

-- Errors of people are one line, and the next line is read; Ctrl-C ends an answer, not the loop. The exit code where
-- answers can no longer be written.
local function answered(...)
  local before = core.interruption_grace(GRACE_S)
  local ok, problem = pcall(answer, ...)
  core.interruption_grace(before)
  local was_interrupted = not ok and interrupt.ends_here(problem)
  interrupt.end_line()
  if ok then return problem end
  -- Nobody reads on where answers cannot be written.
  if errors.is(problem) and problem.kind == "output" then error(problem, 0) end
  local known = errors.is(problem) or type(problem) == "string" or was_interrupted
  local text = known and tostring(problem) or ("raised a %s value"):format(type(problem))
  io.stdout:flush()
  io.stderr:write("ballpark: ", printable.line((text:gsub("\n.*", ""))), "\n")
end

function repl.run(chosen)
  interrupt.limit_all(chosen.time_limit)
  local commands = require("ballpark.cli").commands
  local state = scenario.state(nil, { command = "run" })
  local env = environment.new(state)
  local next_line, keep_history = reader(env)
  for line in next_line do
    line = blanks.cut(line)
    if line == "quit" or line == "exit" then break end
    keep_history() -- Ctrl-C at the prompt ends the program
    local code = line ~= "" and line ~= "repl" and answered(commands, state, env, line)
    if code then return code end
  end
  keep_history()
  return 0
end

return repl
