-- Runs a scenario: a Lua file that describes inputs, asks and says what it makes of the answers.
-- Mistakes in it are reported as `scenario.lua:12: plan.tp: 3 does not divide 32 attention heads`.
local blanks = require("ballpark.blanks")
local core = require("ballpark.core")
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local interrupt = require("ballpark.interrupt")
local kept = require("ballpark.scenario.kept")
local lint_log = require("ballpark.lints.log")
local locate = require("ballpark.scenario.locate")
local overrides = require("ballpark.scenario.overrides")
local questions = require("ballpark.questions")
local repeatable = require("ballpark.scenario.repeatable")
local result = require("ballpark.result")

local scenario = {}

--- Compiles a scenario that is a text; a syntax error is one line with the place.
---@param path string what errors call it
---@param source string
---@return table scenario to give to scenario.run
function scenario.of_text(path, source)
  source = blanks.without_mark(source):gsub("^#", "--#") -- a first line for the shell
  local chunk, problem = load(source, "@" .. path, "t", {})
  if not chunk then
    problem = problem:match("^[^\n]*") -- nested too deep: Lua adds where it was at that time
    errors.usage(problem:find(path, 1, true) and problem or (path .. ": " .. problem))
  end
  return { path = path, source = source }
end

--- The same of a file, or of standard input.
---@param path string a file, or -
function scenario.load(path)
  return scenario.of_text(path == "-" and "stdin" or path, files.read(path))
end

-- Whether functions that stand for Lua's own in a scenario are written there.
local function is_library(source) return repeatable.sources[source] ~= nil end

local function name_of(fn)
  for _, library in ipairs({ _G, math, string }) do
    for name, known in pairs(library) do
      if known == fn then return name end
    end
  end
end

-- The innermost line of the scenario on the stack, whether the scenario itself raised, and which of Lua's functions did for
-- it through what stands for that. Without a line its last call did. Levels 1 and 2 are this function and the handler.
local function place(path, execute)
  local inner, own, library, level = debug.getinfo(3, "Sf"), true, nil, 3
  while true do
    local info = debug.getinfo(level, "Slf")
    if not info then return nil, false end
    if info.source == "@" .. path then return info.currentline, own, library end
    if info.func == execute then return nil, own and library ~= nil, library end
    if info.what ~= "C" then
      own = own and inner.what == "C" and is_library(info.source)
      library = name_of(inner.func)
    end
    level = level + 1
  end
end

-- Where a field is that a scenario looked for in an answer of a search: that of one plan is in its `best`.
local function in_best(text, answers)
  local field = text:match("attempt to index a nil value %(field '([%w_]+)'%)")
  for _, answer in ipairs(field and answers or {}) do
    local best = answer.best
    if answer[field] == nil and type(best) == "table" and best[field] ~= nil then
      return ("; an answer of %s has it in its best: best.%s"):format(answer.kind, field)
    end
  end
  return ""
end

-- What the scenario itself raised, as one line with its place.
local function own_words(e, path, line, library)
  local text = type(e) == "string" and e or ("raised a " .. type(e) .. " value")
  if type(e) == "number" then text = tostring(e) end
  if library then text = text:gsub("^%S+%.lua:%d+: ", ""):gsub("^(bad argument #%d+ to )'[^']*'", "%1'" .. library .. "'") end
  if text:find(path, 1, true) then return text end
  return path .. (line and ":" .. line or "") .. ": " .. text
end

-- Whether an error of ours blames a line of the scenario, as one of units does.
local function blames(e, path)
  return type(e) == "string" and e:sub(1, #path + 1) == path .. ":" and e:find("^%d+: ", #path + 2) ~= nil
end

-- Whether an error is a value or a text without a place, which only a scenario raises: what we call to run its functions
-- raises their errors again, and by then the stack says no more where they were.
local function is_without_place(e) return type(e) ~= "string" or not e:find("^[^\n]-%.lua:%d+: ") end

-- Runs at the point of the error, while the stack still says where that was.
local function handler(loaded, state, execute)
  return function(e)
    local line, own, library = place(loaded.path, execute)
    e = errors.original(e)
    if errors.is(e) then
      if not e.where and (e.kind == "input" or e.kind == "usage" or e.kind == "io") then
        e.where = state.overrides:written(e.path)
          or (line and loaded.path .. ":" .. locate.line(loaded.source, line, e.path))
      end
      return e
    end
    if interrupt.is(e) or errors.is_of_memory(e) then return e end
    -- Lua's own errors: the scenario's where it raised them, ours everywhere else.
    if own or blames(e, loaded.path) or is_without_place(e) then
      local text = own_words(e, loaded.path, line, library)
      return { foreign = text .. in_best(text, state.answers) }
    end
    return debug.traceback(tostring(e), 2)
  end
end

--- What one run works on. Without a file (a search from the command line) paths are as given.
---@param path string|nil
---@param options table as for scenario.run
function scenario.state(path, options)
  local folder = path and files.folder(path) or "."
  return {
    result = result.new({ command = options.command or "run", numbers_only = options.numbers_only }),
    overrides = options.overrides or overrides.parse({}),
    folder = folder,
    rules = options.rules or {},
    execution = options.execution, -- how its searches are carried out; nil: all at once
    command = not path and options.command or nil, -- whose options are all there is to a question
    asked = { search = options.search }, -- inputs that options of the command line give
    made = setmetatable({}, { __mode = "k" }),
    stated = setmetatable({}, { __mode = "k" }), -- models whose name says their format: the name
    kept = setmetatable({}, { __mode = "k" }), -- answers as they were given
    recipes = setmetatable({}, { __mode = "k" }), -- how to make anew what has uncertain numbers in it
    params = {}, answers = {},
    log = not options.numbers_only and lint_log.new() or nil, -- what lints read
    accepted = {}, slips = {},
    computed = setmetatable({}, { __mode = "k" }), -- answers of kernels: { name, input }
  }
end

-- A scenario that shows nothing has its last answer shown.
local function show_rest(state, returned)
  if state.shown then return end
  local answer = state.made[returned or false] and returned.kind and returned
    or state.answers[#state.answers]
  if answer then environment.show(state, answer) end
end

local function execute(loaded, state)
  local chunk = load(loaded.source, "@" .. loaded.path, "t", environment.new(state))
  show_rest(state, chunk())
end

-- Why a scenario reached for what is not there: what stood in the way of the last question that found nothing feasible.
local function nothing_feasible(state, text)
  if not text:find("%f[%w]nil%f[%W]") or state.execution and state.execution.interrupted then return nil end
  return questions.last_reason(state.answers)
end

-- The mistake of a scenario as text: what it raised, or an input that it made of nothing.
local function mistake(e)
  if errors.is(e) then return e.kind == "input" and tostring(e) or nil end
  return type(e) == "table" and e.foreign or nil
end

-- A scenario that ends where a question found nothing feasible: with what it has shown by then where `partial`, else as an error.
local function stop(state, text, reason, partial)
  local said = ("nothing feasible (%s); then %s"):format(reason, text)
  if not partial then errors.infeasible(said) end
  show_rest(state)
  state.result:warn(said)
  state.result.infeasible, state.result.stopped = true, said
  return state.result, state
end

--- Runs a loaded scenario.
---@param loaded table from scenario.load
---@param options {overrides: table|nil, rules: string[]|nil, why: table|nil, command: string|nil,
--- numbers_only: boolean|nil, partial: boolean|nil}|nil partial: a scenario that has no answer to go on with ends with what it
--- has shown
---@return table result
---@return table state with `answers` and `params`
function scenario.run(loaded, options)
  options = options or {}
  local state = scenario.state(loaded.path, options)
  local ok, e = xpcall(execute, handler(loaded, state, execute), loaded, state)
  if not ok then
    local text = mistake(e)
    local reason = text and nothing_feasible(state, text)
    if reason then return stop(state, text, reason, options.partial) end
    if type(e) == "table" and e.foreign then errors.usage(e.foreign) end
    if errors.is_of_memory(e) then
      errors.usage(("%s: needs more than %.3g GiB of memory; BALLPARK_MEMORY_GIB=N allows more"):format(
        loaded.path, core.memory_limit_bytes / 2^30))
    end
    error(e, 0)
  end
  state.result:ask({ path = loaded.path, text = loaded.source })
  return scenario.finish(state, loaded.path), state
end

-- What people said of a figure beside what it is.
local function show_slips(state)
  if not state.slips[1] then return end
  state.result:table({ name = "slips", title = "What was said, and what is right", rows = state.slips, columns = {
    { name = "id", title = "" }, { name = "said", title = "said", unit_column = "unit" },
    { name = "right", title = "right", unit_column = "unit" }, { name = "unit", hide = true },
    { name = "factor", title = "off by" }, { name = "code", title = "caught by" },
    { name = "prose", title = "in prose by" } } })
end

-- Lints of all that the run did, and those that it explains.
local function add_lints(state)
  local log, r = state.log, state.result
  if not log then return end
  log:leave_out(function(call) return kept.changed(state, call.output)[1] ~= nil end)
  for _, fact in ipairs(r:scalars()) do log.facts[fact.name] = fact.value end
  log.text = table.concat({ table.concat(r.assumed, "\n"), table.concat(r.notes, "\n"), r.title or "" }, "\n")
  log.expectations = #r.expectations
  -- An expectation that fails may be a slip of units.
  for _, e in ipairs(r.expectations) do
    if not e.ok and type(e.expected) == "number" and type(e.actual) == "number" then
      log.slips[#log.slips + 1] = { where = e.id, said = e.expected, right = e.actual, unit = e.unit or "" }
    end
  end
  r.lints, r.explained = require("ballpark.lints").of(log, state.accepted)
end

--- The result of a run, once every override has been used for something.
function scenario.finish(state, where)
  state.overrides:check_used(where)
  show_slips(state)
  add_lints(state)
  state.result.infeasible = state.judged and not state.feasible
  return state.result
end

--- The result of one question whose input is at hand.
---@param state table of scenario.state
---@param name string of the question
---@param input table
---@param where string|nil what an error calls it
function scenario.answer(state, name, input, where)
  local env = environment.new(state)
  env.show(env[name](input))
  return scenario.finish(state, where or "this question")
end

return scenario
