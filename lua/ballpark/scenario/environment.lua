-- What a scenario sees: unit functions, inputs, questions, and what it says of its answers. No io,
-- os, load or require: a scenario can compute and ask, nothing else.
local budget = require("ballpark.questions.budget.run")
local budget_show = require("ballpark.questions.budget.show")
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local estimate = require("ballpark.questions.estimate.run")
local estimate_show = require("ballpark.questions.estimate.show")
local expect = require("ballpark.scenario.expect")
local missing_field = require("ballpark.scenario.missing")
local files = require("ballpark.files")
local inference = require("ballpark.questions.inference.procedures")
local inputs = require("ballpark.scenario.inputs")
local latency = require("ballpark.questions.latency.run")
local latency_show = require("ballpark.questions.latency.show")
local near = require("ballpark.near")
local pipeline = require("ballpark.questions.pipeline.run")
local pipeline_show = require("ballpark.questions.pipeline.show")
local search = require("ballpark.questions.search.run")
local search_show = require("ballpark.questions.search.show")
local serving = require("ballpark.questions.serve.run")
local serving_levers = require("ballpark.questions.levers.run")
local serving_levers_show = require("ballpark.questions.levers.show")
local serving_mix_show = require("ballpark.questions.serve.mix_show")
local serving_search = require("ballpark.questions.serve_search.run")
local serving_search_show = require("ballpark.questions.serve_search.show")
local serving_show = require("ballpark.questions.serve.show")
local sweep = require("ballpark.questions.sweep.run")
local systems = require("ballpark.search.systems")
local tables = require("ballpark.tables")
local units = require("ballpark.units")
local verdict = require("ballpark.scenario.verdict")

local environment = {}

local PLAIN = { "assert", "error", "ipairs", "next", "pairs", "rawequal", "rawget", "rawlen", "rawset",
  "select", "tonumber", "tostring", "type" }

-- Library functions that reach outside or make code.
local LEFT_OUT = { string = { dump = true } }

local function copy_library(name)
  local library = {}
  for key, value in pairs(_G[name]) do
    if not (LEFT_OUT[name] and LEFT_OUT[name][key]) then library[key] = value end
  end
  return library
end

local function to_stderr(...)
  local texts = table.pack(...)
  for i = 1, texts.n do texts[i] = tostring(texts[i]) end
  io.stderr:write(table.concat(texts, "\t"), "\n")
end

-- pcall for scenarios: an interrupt passes through.
local function guarded(fn, ...)
  local outcome = table.pack(pcall(fn, ...))
  if not outcome[1] and tostring(outcome[2]):find("interrupted", 1, true) then
    error(outcome[2], 0)
  end
  return table.unpack(outcome, 1, outcome.n)
end

local function add_plain(env)
  for _, name in ipairs(PLAIN) do env[name] = _G[name] end
  for name, fn in pairs(units.scope) do env[name] = fn end
  env.print, env.pcall = to_stderr, guarded
end

local function remember(state, value)
  state.made[value] = true
  return value
end

local function add_inputs(env, state)
  function env.model(value, changes) return remember(state, inputs.model(state, value, changes)) end
  function env.hf(path) return remember(state, inputs.hf(state, path)) end
  function env.device(value, changes) return inputs.device(state, value, changes) end
  function env.cluster(spec, changes) return inputs.cluster(state, spec, changes) end
  function env.profile(value, changes)
    return remember(state, inputs.profile(state, value, changes))
  end
  function env.price(device, provider)
    return state.overrides:whole("price", (catalog.price(device, provider)))
  end
  function env.param(name, default, doc)
    if type(name) ~= "string" then errors.input("param", "needs a name") end
    state.params[#state.params + 1] = { name = name, default = default, doc = doc }
    return state.overrides:param(name, default)
  end
end

-- Plan fields that the command line fixes are no longer searched.
local function fixed_space(space, plan)
  local open = {}
  for field, values in pairs(space or {}) do
    if plan[field] == nil then open[field] = values end
  end
  return open
end

local function search_input(state, input)
  local full = inputs.complete(state, "search", input)
  full.space = state.overrides:fields("space", input.space)
  if state.overrides:fields("plan", nil) then full.space = fixed_space(full.space, full.plan) end
  full.rules = {}
  for _, path in ipairs(type(input.rules) == "table" and input.rules or { input.rules }) do
    full.rules[#full.rules + 1] = type(path) == "string" and files.beside(state.folder, path) or path
  end
  for _, path in ipairs(state.rules) do full.rules[#full.rules + 1] = path end
  for name, value in pairs(state.asked_search) do full[name] = value end
  return full
end

local function answered(state, answer)
  state.answers[#state.answers + 1] = answer
  for _, plan in ipairs(answer.plans or {}) do remember(state, plan) end
  return remember(state, answer)
end

local function show(state, answer)
  if not state.made[answer or false] or not answer.kind then
    errors.input("show", "takes what estimate, search, budget, serve, serve_search, levers, latency, encode, "
      .. "recommend, vector_search, sweep or pipeline answered")
  end
  state.shown = true
  if answer.kind == "sweep" then return sweep.show(state.result, answer) end
  if answer.kind == "pipeline" then return pipeline_show.answer(state.result, answer) end
  if answer.kind == "levers" then return serving_levers_show.answer(state.result, answer) end
  state.asked = true
  state.feasible = state.feasible or verdict.is_feasible(answer)
  if answer.kind == "budget" then return budget_show.answer(state.result, answer) end
  if answer.kind == "latency" then return latency_show.answer(state.result, answer) end
  if answer.kind == "serving" then return serving_show.answer(state.result, answer) end
  if inference.procedures[answer.kind] then return inference.show(state.result, answer) end
  if answer.kind == "serving_mix" then return serving_mix_show.answer(state.result, answer) end
  if answer.kind == "serving_search" then return serving_search_show.answer(state.result, answer) end
  if answer.kind == "search" then return search_show(state.result, answer) end
  return estimate_show.estimate(state.result, answer)
end

-- The plan of an answer as launch settings: a block of the report with one row per line, and the text.
local function emit_lines(state, answer, target)
  if not state.made[answer or false] or not answer.kind then
    errors.input("emit", "takes what estimate, search, serve or serve_search answered")
  end
  local text, missing = require("ballpark.emit").text(answer, target)
  local lines = {}
  for line in text:gmatch("(.-)\n") do lines[#lines + 1] = { line } end
  state.shown = true
  state.result:table({ name = "emit_" .. target, title = "Launch settings: " .. target,
    columns = { { name = "line", title = "" } }, rows = lines })
  for _, line in ipairs(missing) do state.result:warn(target .. " does not express " .. line) end
  return text
end

-- The experts' kernel with the fitted curve of the device where the scenario gives a device and no curve.
local function moe(input)
  if type(input) ~= "table" or input.curve ~= nil or type(input.device) ~= "table" then return core.moe(input) end
  local curves, origin = require("ballpark.catalog.serving_curves").get(input.device)
  local set = core.moe(input).set
  local answer = core.moe(tables.with(input, { curve = curves[set] }))
  answer.curve_from = origin .. " " .. set
  return answer
end

-- Kernels by name; made when a scenario first asks for one.
local kernels

local function kernel(name)
  if not kernels then
    kernels = { names = {}, by_name = {} }
    for i, about in ipairs(core.kernels()) do
      kernels.names[i] = about.name
      kernels.by_name[about.name] = core[about.name]
    end
    kernels.by_name.moe = moe
  end
  return kernels.by_name[name]
    or errors.unknown("kernel", tostring(name), kernels.names, "kernel")
end

local function add_questions(env, state)
  function env.estimate(input)
    return answered(state, estimate.run(inputs.complete(state, "estimate", input)))
  end
  function env.search(input)
    local points, axes = systems.inputs(input)
    if not points then return answered(state, search.run(search_input(state, input), state.execution)) end
    for i, point in ipairs(points) do points[i] = search_input(state, point) end
    return answered(state, search.systems(points, axes, state.execution))
  end
  function env.budget(input) return answered(state, budget.answer(inputs.budget(state, input))) end
  function env.serve(input)
    return answered(state, serving.run(inputs.serving(state, input)))
  end
  function env.serve_search(input)
    return answered(state, serving_search.run(inputs.serving_search(state, input)))
  end
  function env.levers(input, answer)
    return answered(state, serving_levers.run(inputs.serving_search(state, input), answer))
  end
  function env.latency(input) return answered(state, latency.run(input)) end
  for name, procedure in pairs(inference.procedures) do
    env[name] = function(input) return answered(state, procedure.run(inputs[name](state, input))) end
  end
  function env.sweep(spec) return answered(state, sweep.run(spec)) end
  function env.pipeline(input) return answered(state, pipeline.simulate(input)) end
  function env.show(answer) return show(state, answer) end
  function env.emit(answer, target) return emit_lines(state, answer, target) end
  env.kernel = setmetatable({}, {
    __index = function(_, name) return kernel(name) end,
    __newindex = function() errors.input("kernel", "cannot be changed") end,
  })
end

-- {name, value, unit, title} in order, or with these as keys.
local function fact_of(i, item)
  if type(item) ~= "table" then
    errors.input("facts[" .. i .. "]", "must be {name, value, unit, title}, got " .. type(item))
  end
  return { name = item.name or item[1], unit = item.unit or item[3], title = item.title or item[4],
    value = item.name and item.value or item[2] }
end

local function add_facts(state, title, list)
  if type(list) ~= "table" then errors.input("facts", "needs a title and a list of facts") end
  local spec = { title = title }
  for i, item in ipairs(list) do spec[i] = fact_of(i, item) end
  state.shown = true
  state.result:facts(spec)
end

-- rows{name=, title=, columns={...}, {...}, {...}}: columns are names or {name=, unit=, title=}.
local function add_rows(state, spec)
  if type(spec) ~= "table" or type(spec.columns) ~= "table" then
    errors.input("rows.columns", "is missing")
  end
  local columns = {}
  for i, column in ipairs(spec.columns) do
    columns[i] = type(column) == "string" and { name = column } or column
  end
  state.shown = true
  state.result:table({ name = spec.name, title = spec.title, columns = columns,
    rows = spec.rows or table.move(spec, 1, #spec, 1, {}) })
end

local function words(name, text)
  if type(text) ~= "string" and type(text) ~= "number" then
    errors.input(name, "takes text, got " .. type(text))
  end
  return tostring(text)
end

local function add_words(env, state)
  local r = state.result
  function env.title(text) r.title = words("title", text) end
  function env.facts(title, list) add_facts(state, title, list) end
  function env.rows(spec) add_rows(state, spec) end
  function env.note(text) r:note(words("note", text)) end
  function env.assume(text) r:assume(words("assume", text)) end
  function env.warn(text) r:warn(words("warn", text)) end
  function env.expect(id, actual, wanted)
    if actual == nil then missing_field.check("expect '" .. tostring(id) .. "'", env) end
    local ok = expect.check(r, id, actual, wanted)
    return ok
  end
end

-- Libraries are copied for who asks for one: a scenario may change its own.
local LIBRARIES = { math = true, string = true, table = true, utf8 = true }

local function missing_name(env)
  return function(_, name)
    if LIBRARIES[name] then
      rawset(env, name, copy_library(name))
      return rawget(env, name)
    end
    local names = {}
    for library in pairs(LIBRARIES) do names[#names + 1] = library end
    for key in pairs(env) do names[#names + 1] = key end
    local meant = near.name(tostring(name), names)
    errors.input(tostring(name), "unknown name" .. (meant and (", did you mean '" .. meant .. "'?") or ""))
  end
end

--- The globals of one run of a scenario. `state` holds result, overrides, folder, rules, why.
function environment.new(state)
  local env = {}
  add_plain(env)
  add_inputs(env, state)
  add_questions(env, state)
  add_words(env, state)
  return setmetatable(env, { __index = missing_name(env) })
end

environment.show = show

return environment
