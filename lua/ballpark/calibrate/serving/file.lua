-- Calibrated engines as files: a Lua table of the coefficients that were fitted, and the engine they change.
local calibrate = require("ballpark.calibrate.serving")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local files = require("ballpark.files")
local lua_source = require("ballpark.lua_source")
local tables = require("ballpark.tables")

local file = {}

-- Fields that say what the numbers are of.
local NOTES <const> = { "name", "source", "fitted_model", "fitted_device" }

local function names()
  local list = table.move(NOTES, 1, #NOTES, 1, {})
  for _, coefficient in ipairs(calibrate.coefficients) do
    for _, part in ipairs({ coefficient.times, coefficient.speeds }) do
      table.move(part, 1, #part, #list + 1, list)
    end
  end
  return list
end

-- Files written before the factors had a table of their own have them beside the coefficients.
local function gathered(engine)
  local result, factors = tables.with(engine), tables.with(engine.calibration or {})
  for _, name in ipairs(calibrate.curve_fields()) do
    factors[name], result[name] = engine[name] or factors[name], nil
  end
  if next(factors) then result.calibration = factors end
  return result
end

--- The Lua source of an answer of calibrate.serving.run.
function file.source(answer, date)
  local about, engine = answer.problem.about, answer.engine
  local lines = { "-- Coefficients of a serving engine, calibrated; for serve { engine = \"FILE.lua\" }.", "return {",
    ("  name = %q,"):format(engine.name),
    ("  source = %q,"):format(("calibrated on %d %s of %s on %s, %s"):format(about.rows,
      answer.problem.what == "points" and "points" or "requests", about.model, about.device, date)),
    ("  fitted_model = %q,"):format(about.fitted_model), ("  fitted_device = %q,"):format(about.fitted_device) }
  for i, name in ipairs(names()) do
    if i > #NOTES then lines[#lines + 1] = ("  %s = %.6g,"):format(name, engine[name]) end
  end
  lines[#lines + 1] = "  calibration = {"
  for _, name in ipairs(calibrate.curve_fields()) do
    lines[#lines + 1] = ("    %s = %.6g,"):format(name, engine.calibration[name])
  end
  return table.concat(lines, "\n") .. "\n  },\n}\n"
end

-- A value that a field cannot have is a mistake of the file, wherever the engine is used.
local function check_values(path, engine)
  for _, name in ipairs(NOTES) do errors.text(("%s: engine.%s"):format(path, name), engine[name]) end
  errors.only(path .. ": engine.calibration", engine.calibration or {}, calibrate.curve_fields())
  fields.check_all_digits(path .. ": engine", engine)
  local _, wrong = errors.try(fields.check, "infer_load", "engine", engine)
  if wrong then errors.input(path .. ": " .. wrong.path, wrong.message) end
end

--- Whether an engine is named by a file.
function file.is_path(name) return type(name) == "string" and name:find("%.lua$") ~= nil end

--- The engine in a file: Lua's way to write a table, read as data.
function file.read(path)
  local ok, engine = errors.attempt(lua_source.read, files.read(path), path)
  if not ok or type(engine) ~= "table" then
    errors.input(path, "is no engine: it has to return a table of an engine's fields, as 'ballpark calibrate serving "
      .. "-o' writes it" .. (ok and "" or " (" .. tostring(engine) .. ")"))
  end
  if engine.name == nil then errors.input(path, "name is missing: which engine it changes") end
  if type(engine.calibration or {}) ~= "table" then
    errors.input(path .. ": engine.calibration", "must be a table, got " .. type(engine.calibration))
  end
  local is_engine, known = errors.attempt(engines.get, engine.name)
  if not is_engine then errors.input(path, "name " .. tostring(known.message or known)) end
  for _, name in ipairs(names()) do known[name] = known[name] or "" end
  known.calibration = known.calibration or ""
  engine = gathered(engine)
  errors.only(path .. ": engine", engine, tables.sorted_keys(known))
  check_values(path, engine)
  return engine
end

return file
