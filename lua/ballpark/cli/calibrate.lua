-- ballpark calibrate: a profile of one's own software from measured runs.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local options = require("ballpark.cli.options")
local profiles = require("ballpark.catalog.profiles")
local report = require("ballpark.report")

local calibrate = {
  summary = "Fit the coefficients of your software to measured runs",
  examples = {
    "ballpark calibrate runs.csv -o profile.lua",
    "ballpark run scenarios/quickstart.lua --profile profile.lua",
    "ballpark calibrate train.log --scenario scenarios/quickstart.lua --few -o profile.lua",
    "ballpark calibrate train.log -D model=llama-3.1-8b -D gpu=H100 -D gpus=64 -D seq_len=8192 \\",
    "    -D tp=2 --few -o profile.lua",
    "ballpark calibrate serving sweep.csv -o engine.lua",
    "ballpark calibrate serving log.csv --meta run.json -o engine.lua",
    "ballpark calibrate serving c4.json c8.json c16.json c32.json c64.json -D gpu=H100 -D tp=2 \\",
    "    -o engine.lua",
  },
}

function calibrate.define(command)
  command:argument("runs", "Tables of measured runs (columns: ballpark explain validate), or training logs of "
    .. "Megatron-LM or torchtitan; - is standard input. After the word serving: a sweep of concurrencies (columns of "
    .. "validate serving), results of vllm bench serve, one file per concurrency, or with --meta a log of requests.")
    :args("+")
  command:option("--meta", "serving: the JSON that describes the run of a log of requests."):argname("META.json")
  command:option("--models", "serving: a folder of config.json files."):argname("DIR")
  command:option("--class", "The class of software that all runs are of. Default: what their framework "
    .. "means, the most frequent one."):argname("NAME")
  command:option("--scenario", "The run that a log is of: the first estimate of a scenario."):argname("FILE")
  command:flag("--few", "Use 1 to 3 runs, on which nothing can be checked, too: the coefficients go half of the way "
    .. "to them. Default: the built-in profile is kept.")
  command:option("-D --define", "A column of the run that a log or a benchmark's results are of: gpus=64. May be "
    .. "repeated.")
    :argname("COLUMN=VALUE"):count("*")
  command:option("-o --output", "Write the profile to FILE, whole or not at all."):argname("FILE")
  command:option("-f --format", "Form of the report: " .. table.concat(report.formats, ", ") .. "."):argname("FORMAT")
  command:option("--table", "Which table csv and jsonl carry. Default: the first."):argname("NAME")
end

local function given_columns(definitions)
  local given = {}
  for _, definition in ipairs(definitions) do
    local column, value = definition:match("^([%a_][%w_]*)=(.*)$")
    if not column then errors.usage("-D " .. definition .. ": expected column=value") end
    given[column] = value
  end
  return given
end

-- The estimate that describes the run of a log.
local function described(path)
  local scenario = require("ballpark.scenario")
  local _, state = scenario.run(scenario.load(path), {})
  local answer = state.answers[1]
  answer = answer and (answer.best or answer)
  if not answer or answer.kind ~= "estimate" then
    errors.input(path, "has no estimate or search that could describe the run")
  end
  return answer
end

-- The table of a sweep from results of vLLM's benchmark; chosen.runs is { "serving", FILE... }.
local function swept(chosen)
  local sources = {}
  for i = 2, #chosen.runs do sources[i - 1] = { name = chosen.runs[i], text = csv.read(chosen.runs[i]) } end
  return require("ballpark.calibrate.serving.bench_json").sweep(sources, given_columns(chosen.define))
end

-- An engine from a sweep, results of a benchmark or a log; chosen.runs is { "serving", FILE... }.
local function calibrate_serving(chosen, form)
  local path, problems = chosen.runs[2], require("ballpark.calibrate.serving.problem")
  local results = require("ballpark.calibrate.serving.bench_json").is_path(path) and not chosen.meta
  if #chosen.runs ~= 2 and not results then errors.usage("calibrate serving takes one table or one log") end
  if chosen.class or chosen.scenario or chosen.few or (#chosen.define > 0 and not results) then
    errors.usage("calibrate serving takes neither --class nor --scenario nor --few, "
      .. "and -D with results of a benchmark only")
  end
  options.check_models(chosen)
  local text = results and swept(chosen) or csv.read(path)
  local problem
  if chosen.meta then
    local meta = require("ballpark.json").decode(require("ballpark.files").read(chosen.meta), chosen.meta)
    local log = require("ballpark.validate.requests").read(text, path)
    problem = problems.log(log, path, meta, { models = chosen.models })
  else
    problem = problems.sweep(text, path, chosen.models)
  end
  local answer = require("ballpark.calibrate.serving").run(problem)
  if chosen.output then
    require("ballpark.files").write(chosen.output,
      require("ballpark.calibrate.serving.file").source(answer, os.date("!%Y-%m-%d")))
  end
  return options.emit(require("ballpark.calibrate.serving.result")(answer, chosen.output), form)
end

function calibrate.run(chosen)
  local form = { format = chosen.format, table = chosen.table }
  options.format(form)
  if chosen.class then profiles.get(chosen.class) end
  if chosen.output and not chosen.output:find("%.lua$") then
    errors.usage("-o " .. chosen.output .. ": a profile is a Lua file, NAME.lua")
  end
  if chosen.runs[1] == "serving" then return calibrate_serving(chosen, form) end
  if chosen.meta or chosen.models then errors.usage("--meta and --models belong to calibrate serving") end
  local sources = {}
  for i, path in ipairs(chosen.runs) do sources[i] = { name = path, text = csv.read(path) } end
  local started = os.clock()
  local answer = require("ballpark.calibrate").run(sources, {
    class = chosen.class, given = given_columns(chosen.define), date = os.date("!%Y-%m-%d"),
    described = chosen.scenario and described(chosen.scenario), few = chosen.few,
  })
  options.tell(chosen, ("%d runs took %.3f s"):format(#answer.cases, os.clock() - started))
  if chosen.output then
    require("ballpark.files").write(chosen.output,
      require("ballpark.calibrate.profile_file").source(answer.profile))
  end
  return options.emit(require("ballpark.calibrate.result")(answer, chosen.output), form)
end

return calibrate
