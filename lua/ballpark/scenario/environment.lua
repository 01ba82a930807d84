-- What a scenario sees: unit functions, inputs, questions, and what it says of its answers. No io,
-- os, load or require: a scenario can compute and ask, nothing else.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local dimensions = require("ballpark.dimensions")
local drawn = require("ballpark.scenario.draws")
local draws = require("ballpark.uncertain.draws")
local errors = require("ballpark.errors")
local expect = require("ballpark.scenario.expect")
local inputs = require("ballpark.scenario.inputs")
local interrupt = require("ballpark.interrupt")
local kept = require("ballpark.scenario.kept")
local kernel_show = require("ballpark.scenario.kernel_show")
local missing_field = require("ballpark.scenario.missing")
local near = require("ballpark.near")
local needs = require("ballpark.scenario.needs")
local plain = require("ballpark.scenario.plain")
local printable = require("ballpark.printable")
local plausible = require("ballpark.resolve.plausible")
local quantity = require("ballpark.quantity")
local questions = require("ballpark.questions")
local repeatable = require("ballpark.scenario.repeatable")
local ranges_show = require("ballpark.questions.ranges.show")
local slips = require("ballpark.lints.slips")
local tables = require("ballpark.tables")
local uncertain = require("ballpark.uncertain")
local uncertain_kernel = require("ballpark.scenario.uncertain_kernel")
local units = require("ballpark.units")

local environment = {}

local PLAIN = { "assert", "error", "ipairs", "next", "pairs", "rawequal", "rawget", "rawlen", "rawset",
  "select", "tonumber", "tostring", "type" }

-- Library functions that reach outside or make code.
local LEFT_OUT = { string = { dump = true } }

-- Random numbers of a scenario are the same in every run: they begin anew with it, and at what it says itself.
local function seed_random(...)
  local seed = ... or 0
  local whole = type(seed) == "number" and math.tointeger(seed)
  math.randomseed(whole or errors.input("math.randomseed", "takes a whole number, got " .. repeatable.tostring(seed)))
end

local function copy_library(name)
  local library = {}
  for key, value in pairs(name == "math" and uncertain.math(quantity.math(math)) or _G[name]) do
    if not (LEFT_OUT[name] and LEFT_OUT[name][key]) then library[key] = value end
  end
  if name == "string" then library.format = repeatable.format end
  if name == "table" then library.sort = core.sort end
  if name == "math" then
    library.randomseed = seed_random
    seed_random()
  end
  return library
end

-- Texts format quantities wherever they are asked to: ("%.1f"):format(GiB(2) * 3).
local TEXT <const> = setmetatable({ format = repeatable.format }, { __index = string })

local function to_stderr(...)
  local texts = table.pack(...)
  for i = 1, texts.n do texts[i] = repeatable.tostring(texts[i]) end
  io.stderr:write(printable.text(table.concat(texts, "\t")), "\n")
end

-- pcall for scenarios: an interrupt passes through, and errors of ours are theirs to look at.
local function guarded(fn, ...)
  local outcome = table.pack(pcall(fn, ...))
  local e = outcome[2]
  interrupt.pass_on(e)
  if not outcome[1] and errors.is(e) then outcome[2] = errors.shown(errors.original(e)) end
  return table.unpack(outcome, 1, outcome.n)
end

local function add_plain(env)
  for _, name in ipairs(PLAIN) do env[name] = _G[name] end
  for name, fn in pairs(quantity.scope) do env[name] = fn end
  for name, fn in pairs(uncertain.scope) do env[name] = fn end
  env.print, env.pcall, env.type = to_stderr, guarded, quantity.type
  for _, name in ipairs({ "tonumber", "tostring", "pairs", "next" }) do env[name] = repeatable[name] end
  getmetatable("").__index = TEXT
end

local function remember(state, value)
  state.made[value] = true
  return value
end

-- draws { samples =, seed = }: how many draws of uncertain inputs, and which.
local function checked_draws(spec)
  if type(spec) ~= "table" then errors.input("draws", "takes { samples =, seed = }") end
  errors.only("draws", spec, { "samples", "seed" })
  for _, name in ipairs({ "samples", "seed" }) do
    local value = spec[name]
    if value ~= nil and (math.type(value) ~= "integer" or value < 1) then
      errors.input("draws." .. name, "must be a whole number, at least 1, got " .. tostring(value))
    end
  end
  return spec
end

local function add_inputs(env, state)
  -- What has uncertain numbers in it is made anew for every draw of them.
  local function made(make, value, changes)
    return drawn.made(state, function() return make(state, drawn.renewed(state, value), changes) end)
  end
  function env.model(value, changes) return remember(state, made(inputs.model, value, changes)) end
  function env.hf(path) return remember(state, inputs.hf(state, path)) end
  function env.device(value, changes) return made(inputs.device, value, changes) end
  function env.cluster(spec, changes) return made(inputs.cluster, spec, changes) end
  function env.profile(value, changes) return remember(state, made(inputs.profile, value, changes)) end
  function env.draws(spec) state.draws = checked_draws(spec) end
  function env.price(device, provider)
    return state.overrides:whole("price", (catalog.price(device, provider)))
  end
  function env.param(name, default, doc)
    if type(name) ~= "string" then errors.input("param", "needs a name") end
    state.params[#state.params + 1] = { name = name, default = default, doc = doc }
    return state.overrides:param(name, default)
  end
end

local function answered(state, answer)
  state.answers[#state.answers + 1] = answer
  for _, plan in ipairs(answer.plans or {}) do remember(state, plan) end
  return kept.keep(state, remember(state, answer))
end

local function check_made(state, answer, what, names)
  kept.check(state, what, answer)
  if state.made[answer or false] and answer.kind then return end
  errors.input(what, ("takes what %s or %s answered"):format(table.concat(names, ", ", 1, #names - 1), names[#names]))
end

local function show(state, answer)
  local computed = state.computed[answer or false]
  if computed then
    kept.check(state, "show", answer)
    state.shown = true
    return kernel_show.add(state.result, computed[1], computed[2], answer)
  end
  check_made(state, answer, "show", questions.names)
  state.shown = true
  if questions.judges(answer) then
    state.judged = true
    state.feasible = state.feasible or questions.is_feasible(answer)
  end
  questions.show(state.result, answer)
  if answer.drawn then ranges_show.ranges(state.result, answer.drawn) end
  kept.keep(state, answer) -- what a report asks of it for the first time is kept in it
end

-- The plan of an answer as launch settings: a block of the report with one row per line, and the text.
local function emit_lines(state, answer, target)
  check_made(state, answer, "emit", { "estimate", "search", "serve", "serve_search" })
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
  local set = core.moe(input).set -- first, as it refuses what is no input
  local curves, origin = require("ballpark.catalog.serving_curves").get(input.device)
  local answer = core.moe(tables.with(input, { curve = curves[set] }))
  answer.curve_from = origin .. " " .. set
  return answer
end

-- Kernels by name; made when a scenario first asks for one.
local kernels

-- Models, devices and runtimes of a kernel by their names in the catalog.
local BY_NAME <const> = { model = catalog.model, device = catalog.device, runtime = catalog.runtime, host = catalog.search_host }

local function with_names(input)
  local changed
  for _, field in ipairs(tables.sorted_keys(BY_NAME)) do
    if type(input) == "table" and type(input[field]) == "string" then
      changed = changed or tables.with(input)
      changed[field] = BY_NAME[field](input[field])
    end
  end
  return changed or input
end

-- A kernel that takes quantities and tells the log of the run what it was asked, for the lints.
local function kernel(state, name)
  if not kernels then
    kernels = { names = {}, by_name = {} }
    for i, about in ipairs(core.kernels()) do
      kernels.names[i] = about.name
      kernels.by_name[about.name] = core[about.name]
    end
    kernels.by_name.moe = moe
  end
  local call = kernels.by_name[name] or errors.unknown("kernel", tostring(name), kernels.names, "kernel")
  return function(input)
    local given
    local output = uncertain_kernel.answer(name, function()
      given = with_names(plain.inputs("", input, function(text) state.result:warn(text) end))
      return call(given)
    end)
    if uncertain.drawing() then return output end
    if type(output) == "table" then state.computed[kept.keep(state, output)] = { name, given } end
    if state.log then state.log:add(name, "kernel", given, output) end
    return output
  end
end

-- A search of plans, of one system or of all that its input describes.
local function search(state, record, runner, input)
  input = inputs.plain(state, record, input)
  local points, axes = record.split(input)
  if not points then return runner.run(inputs.complete(state, record.name, input), state.execution) end
  for i, point in ipairs(points) do points[i] = inputs.complete(state, record.name, point) end
  return runner.systems(points, axes, state.execution)
end

local ask_once

-- One answer, with uncertain inputs worth what they are in the present draw.
function ask_once(state, name, input, also)
  local record, runner = questions.record(name), questions.runner(name)
  if record.raw then
    questions.check_known(name, input)
    questions.check_types(name, input)
    needs.check(record, input)
    return runner.run(input), input
  end
  input = drawn.renewed(state, input)
  if record.split then
    local answer = search(state, record, runner, input)
    plausible.check_run(name, answer.run and answer.run.run_s)
    return answer, answer.asked or answer.input
  end
  local full = inputs.complete(state, name, input)
  local parts, names = questions.parts(name, full)
  if parts then
    local answers = {}
    for i, part in ipairs(parts) do answers[i] = ask_once(state, name, part, also) end
    return runner.together(answers, tables.with(full, { names = names }), names ~= nil), full
  end
  local other, own, prompt = questions.handed_over(name, full)
  if other then
    local answer, others_full = ask_once(state, other, own, also)
    answer.prompt = prompt
    return answer, others_full
  end
  local answer = runner.run(full, also)
  plausible.check_run(name, answer.run and answer.run.run_s)
  return answer, full
end

-- { function(x) … end, inputs = … }: the input that needs no name.
local function with_positional(record, input)
  if not record.positional or type(input) ~= "table" or input[1] == nil then return input end
  local named = tables.with(input, { [record.positional] = input[1] })
  named[1] = nil
  return named
end

local function ask(state, name, input, also)
  name, input = questions.meant(name, with_positional(questions.record(name), input))
  local full
  local function once()
    local answer
    answer, full = ask_once(state, name, input, also)
    return answer
  end
  if uncertain.drawing() then return answered(state, once()) end
  local leaves, answer = uncertain.within({}, once)
  if state.log then state.log:add(name, "question", full, answer) end
  if leaves[1] and not questions.record(name).raw then drawn.add(state, name, answer, leaves, once) end
  return answered(state, answer)
end

local function add_questions(env, state)
  for _, name in ipairs(questions.names) do
    env[name] = function(...) return ask(state, name, ...) end
  end
  function env.show(answer) return show(state, answer) end
  function env.chance(answer, figure, limit)
    kept.check(state, "chance", answer)
    return drawn.chance(answer, figure, limit)
  end
  function env.emit(answer, target) return emit_lines(state, answer, target) end
  env.kernel = setmetatable({}, {
    __index = function(_, name) return kernel(state, name) end,
    __newindex = function() errors.input("kernel", "cannot be changed") end,
  })
end

-- A value of a report in its unit, which is the quantity's where none is said; of an uncertain one with its range.
local function shown(value, unit, where)
  if uncertain.is(value) then
    local figure = draws.number(value)
    local function number(x)
      local q = quantity.new(x, value.dimension, value.sure)
      return quantity.is(q) and unit and plain.number(where, q, unit) or x
    end
    return number(figure.median), unit or dimensions.unit(value.dimension),
      { value = number(figure.median), low = number(figure.low), high = number(figure.high), why = {} }
  end
  if not quantity.is(value) then return value, unit end
  if not unit then return value.value, dimensions.unit(value.dimension) end
  return plain.number(where, value, unit), unit
end

-- {name, value, unit, title} in order, or with these as keys.
local function fact_of(i, item)
  if type(item) ~= "table" then
    errors.input("facts[" .. i .. "]", "must be {name, value, unit, title}, got " .. type(item))
  end
  local value, unit, range = shown(item.name and item.value or item[2], item.unit or item[3], "facts[" .. i .. "]")
  return { name = item.name or item[1], unit = unit, title = item.title or item[4], value = value, range = range }
end

local function add_facts(state, title, list)
  if type(list) ~= "table" then errors.input("facts", "needs a title and a list of facts") end
  local spec = { title = title }
  for i, item in ipairs(list) do spec[i] = fact_of(i, item) end
  state.shown = true
  state.result:facts(spec)
end

-- A row with its quantities in the units of their columns. A cell of no column is refused.
local function cells(i, row, columns)
  if type(row) ~= "table" then return row end
  if #row > #columns then errors.input(("rows[%d]"):format(i), ("has %d cells, of %s"):format(#row, units.count(#columns, "column"))) end
  local plain_row, names, named = tables.with(row), {}, {}
  for _, column in ipairs(columns) do
    local name = type(column) == "table" and column.name
    if name then names[#names + 1], named[name] = name, column end
  end
  for _, key in ipairs(tables.sorted_keys(row)) do
    local value, column = row[key], columns[key] or named[key]
    if type(key) == "string" and not column then errors.unknown(("rows[%d]"):format(i), key, names, "column") end
    local where = "rows." .. tostring(column and column.name or key)
    plain_row[key] = shown(value, column and column.unit or "", where)
  end
  return plain_row
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
  local list = {}
  for i, row in ipairs(spec.rows or spec) do list[i] = cells(i, row, columns) end
  state.shown = true
  state.result:table({ name = spec.name, title = spec.title, columns = columns, rows = list })
end

local function words(name, text)
  if type(text) ~= "string" and type(text) ~= "number" then
    errors.input(name, "takes text, got " .. type(text))
  end
  return tostring(text)
end

-- What lint finds in the sentence that says it: a line's contradiction before what the whole leaves out.
local function found_in_prose(sentence)
  local first
  for _, item in ipairs(require("ballpark.questions.check.prose").lints(sentence)) do
    if item.severity == "warning" then
      if item.where ~= "text" then return item.code end
      first = first or item.code
    end
  end
  return first or "nothing"
end

-- A figure that somebody said beside the right one: shown, and named by the slip that it looks like. With the sentence that
-- says it, what lint finds there stands beside.
local function add_slip(state, id, said, right, unit, sentence)
  unit = unit or quantity.is(said) and dimensions.unit(said.dimension) or nil
  said, right = quantity.value(said), quantity.value(right)
  for _, pair in ipairs({ { "what was said", said }, { "what is right", right } }) do
    if type(pair[2]) ~= "number" or not (pair[2] > 0) then
      errors.input("slip", ("takes an id and two numbers above 0, %s is %s"):format(pair[1], tostring(pair[2])))
    end
  end
  local found = slips.of(said, right, unit)
  state.slips[#state.slips + 1] = { words("slip", id), said, right, unit or "", math.max(said / right, right / said),
    found and found.code or "expect", sentence and found_in_prose(words("slip", sentence)) or nil }
  if state.log then state.log.slips[#state.log.slips + 1] = { where = tostring(id), said = said, right = right, unit = unit,
    shown = true } end
  return found and found.code
end

local function add_words(env, state)
  local r = state.result
  function env.slip(id, said, right, unit, sentence)
    state.shown = true
    return add_slip(state, id, said, right, unit, sentence)
  end
  function env.accept(code, because)
    local codes = require("ballpark.lints").codes()
    if not tables.contains(codes, code) then errors.choice("accept", tostring(code), codes) end
    if type(because) ~= "string" or because == "" then errors.input("accept", "needs a reason: accept('" .. code .. "', 'why')") end
    state.accepted[code] = because
  end
  function env.title(text) r.title = words("title", text) end
  function env.facts(title, list) add_facts(state, title, list) end
  function env.rows(spec) add_rows(state, spec) end
  function env.note(text) r:note(words("note", text)) end
  function env.assume(text) r:assume(words("assume", text)) end
  function env.warn(text) r:warn(words("warn", text)) end
  function env.expect(id, actual, wanted)
    if type(id) ~= "string" and type(id) ~= "number" then errors.input("expect", "begins with a name, got " .. type(id)) end
    if uncertain.is(actual) then
      errors.input("expect '" .. tostring(id) .. "'",
        "an uncertain number holds with a chance only: expect(id, chance(x, { most = … }), { least = 0.9 })")
    end
    if actual == nil then missing_field.check("expect '" .. tostring(id) .. "'", env) end
    return expect.check(r, id, expect.plain("expect '" .. tostring(id) .. "'", actual, wanted))
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
    if type(name) ~= "string" then errors.input("name", "must be text, got " .. type(name)) end
    local meant = near.name(name, names)
    errors.input(name, "unknown name" .. (meant and (", did you mean '" .. meant .. "'?") or ""))
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
