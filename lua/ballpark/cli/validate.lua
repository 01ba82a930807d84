-- ballpark validate: how near the estimates come to published measurements.
local check_group = require("ballpark.cli.validate_group")
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local options = require("ballpark.cli.options")
local row_names = require("ballpark.measured.row_names")
local table_rows = require("ballpark.measured.table_rows")
local tables = require("ballpark.tables")

local validate = {
  summary = "Compare estimates with a table of measured runs",
  examples = {
    "ballpark validate training tests/validate/training_megatron.csv",
    "ballpark validate training runs.csv --group gpu --worst 10",
    "ballpark validate training runs.csv --where",
    "ballpark validate training runs.csv -f json -o errors.json",
    "ballpark validate training runs.csv --leave-out family",
    "ballpark validate training runs.csv --choice",
    "ballpark validate training runs.csv --search",
    "ballpark validate training runs.csv --calibrate-with 20",
    "ballpark validate finetuning tests/validate/finetuning.csv --group source",
    "ballpark validate serving tests/validate/serving.csv --group engine",
    "ballpark validate serving points.csv --models configs",
    "ballpark validate requests tests/validate/requests.csv tests/validate/requests.json",
    "ballpark validate requests log.csv run.json --calibrate-with 150",
    "ballpark validate requests next.csv run.json --engine engine.lua",
    "ballpark validate throughput tests/validate/throughput.csv --group gpu",
    "ballpark validate inference tests/validate/inference.csv --group model",
    "ballpark validate local tests/validate/local.csv --group device",
    "ballpark validate memory tests/validate/memory.csv --rows",
  },
}

local kinds = { "training", "finetuning", "serving", "requests", "throughput", "inference", "local", "memory" }

-- Reads the number that an option of this name is given.
local function number_of(flag)
  return function(text)
    local value = tonumber(text)
    return value, not value and ("%s: must be a number, got '%s'"):format(flag, text) or nil
  end
end

function validate.define(command)
  command:argument("kind", "What was measured: training, finetuning, serving (points of a benchmark), requests (a log), "
    .. "throughput (tokens per second of full engines and static batches), inference (encoders, image networks, "
    .. "recommendation, search), local (one sequence on one machine) or memory (weights and KV cache as engines print "
    .. "them).")
  command:argument("file", "A CSV file with one measured run per line; - is standard input. "
    .. "'ballpark explain validate' lists the columns and what blank cells mean. Requests: arrival_s, input_tokens, "
    .. "output_tokens, ttft_s, e2e_s.")
  command:argument("meta", "With requests: a JSON object that says what served them: model, device, and where they "
    .. "are known engine, dtype, tensor_parallel, max_num_seqs, max_num_batched_tokens, block_size, "
    .. "gpu_memory_utilization, device_total_memory_bytes, kv_tokens and others of vLLM's arguments; clock: client, or "
    .. "engine (times from when it queued a request; so is a log with a column queue_s)."):args("?")
  command:option("--models", "Serving, requests, throughput: a folder of config.json files by model."):argname("DIR")
  command:option("--group", "Sum up by this column; training and serving also by part, size or devices of the "
    .. "estimate, see 'ballpark explain validate'.", "family"):argname("COLUMN")
  command:flag("--where", "Training, serving: say where the error sits: by family, part of the step and size.")
  command:flag("--choice", "Training: say how good the plans are that estimates choose, of rows that differ in their plan "
    .. "only.")
  command:flag("--search", "Training: put the job of every row whose plan is stated as a question, and say whether the "
    .. "search holds that plan, and how far its own winner is from it.")
  command:flag("--rows", "List every row; with --choice every group.")
  command:option("--worst", "List the N rows with the largest errors."):argname("N")
    :convert(number_of("--worst"))
  command:option("--scenario", "Training, serving, memory: print the row of this case_id as a scenario that 'ballpark run' "
    .. "answers with the same numbers."):argname("CASE_ID")
  command:flag("--doors", "Training, serving, memory: run the scenario of every row, and list where it says something else "
    .. "than the table; of training also where a search does.")
  options.define_profile(command)
  command:option("--leave-out", "Estimate every row by coefficients fitted again without the rows of its "
    .. "group: family, model, gpu; local: device, family, engine."):argname("COLUMN")
  command:option("--cv", "Calibrate every group on all but one of N folds of its rows, and score that one.")
    :argname("N"):convert(number_of("--cv"))
  command:option("--engine", "Serving, requests: an engine from 'ballpark calibrate serving'."):argname("FILE")
  command:option("--calibrate-with", "Calibrate every group on N of its rows, drawn in eight ways, and score each "
    .. "row by a draw without it. Requests: the engine on the first N."):argname("N")
    :convert(number_of("--calibrate-with"))
  command:option("--skip", "A CSV file whose column case_id names rows that no fit takes; they are scored. --choice leaves "
    .. "them out. Serving: adds the errors without them.")
    :argname("FILE")
  options.define_output(command)
end

local function whole(chosen, option, least)
  local value = chosen[option]
  if value and (not math.tointeger(value) or value < least) then
    errors.usage(("--%s needs a whole number of at least %d"):format(option:gsub("_", "-"), least))
  end
end

-- Kinds that an option is for; what is silently ignored would be answered wrongly.
local only = {
  { "meta", "a second file", requests = true },
  { "models", "--models", serving = true, requests = true, throughput = true, memory = true },
  { "profile", "--profile", training = true },
  { "leave_out", "--leave-out", training = true, ["local"] = true },
  { "cv", "--cv", training = true }, { "engine", "--engine", serving = true, requests = true },
  { "calibrate_with", "--calibrate-with", training = true, requests = true },
  { "scenario", "--scenario", training = true, serving = true, memory = true },
  { "doors", "--doors", training = true, serving = true, memory = true },
  { "skip", "--skip", training = true, serving = true }, { "choice", "--choice", training = true },
  { "search", "--search", training = true }, { "where", "--where", training = true, serving = true },
}

local function check_kind(chosen)
  local kind = chosen.kind
  if not tables.contains(kinds, kind) then errors.choice("kind", kind, kinds) end
  for _, option in ipairs(only) do
    if chosen[option[1]] and not option[kind] then
      local allowed = {}
      for _, other in ipairs(kinds) do allowed[#allowed + 1] = option[other] and "validate " .. other or nil end
      errors.usage(("%s is for %s only"):format(option[2], table.concat(allowed, ", ")))
    end
  end
  if (chosen.doors or chosen.scenario) and (chosen.format or "table") ~= "table" then
    errors.usage("--format: --doors and --scenario print text")
  end
  if (chosen.doors or chosen.scenario) and chosen.skip and kind == "serving" then
    errors.usage("--skip: --doors and --scenario score no rows")
  end
  options.check_models(chosen)
  whole(chosen, "worst", 1)
end

-- Columns that the coefficients can be fitted without.
local leavable = { "family", "model", "gpu" }

local function check_study(chosen)
  local asked = 0
  for _, option in ipairs({ "leave_out", "cv", "calibrate_with" }) do
    asked = asked + (chosen[option] and 1 or 0)
  end
  if asked > 1 then errors.usage("--leave-out, --cv and --calibrate-with exclude each other") end
  if asked > 0 and chosen.profile then
    errors.usage("--profile and a study: a study fits the profiles itself")
  end
  if asked == 0 and chosen.skip and not chosen.choice then
    errors.usage("--skip needs --leave-out, --cv, --calibrate-with or --choice")
  end
  whole(chosen, "cv", 2)
  whole(chosen, "calibrate_with", 1)
  for _, column in ipairs(chosen.leave_out and leavable or {}) do
    if column == chosen.leave_out then return end
  end
  if chosen.leave_out then errors.choice("--leave-out", chosen.leave_out, leavable) end
end

local function study_of(chosen, skipped)
  if not (chosen.leave_out or chosen.cv or chosen.calibrate_with) then return nil end
  local study = require("ballpark.calibrate.study")
  if chosen.leave_out then return study.leave_out(chosen.leave_out, skipped) end
  if chosen.cv then return study.cross_validate(chosen.cv, chosen.group, skipped) end
  return study.calibrate_with(chosen.calibrate_with, chosen.group, skipped)
end

local function profile_of(name)
  local profile_file = require("ballpark.calibrate.profile_file")
  if profile_file.is_path(name) then return profile_file.read(name) end
  local _, problem = errors.catch(require("ballpark.catalog").profile, name)
  if problem then errors.usage(("--profile %s: %s"):format(name, problem.message)) end
  return name
end

-- Figures of errors, or of choices.
local function result_of(answer, chosen, skipped)
  if chosen.choice then
    local choice = require("ballpark.validate.choice")
    local found = choice.figures(choice.runs(answer, skipped))
    local result = require("ballpark.validate.choice_result").of(found, { rows = chosen.rows, name = chosen.file })
    result.infeasible = found.summary == nil
    return result
  end
  return require("ballpark.validate.result").of(answer, {
    rows = chosen.rows, worst = chosen.worst, where = chosen.where, name = chosen.file,
    rows_first = options.format(chosen) == "csv",
  })
end

function validate.run(chosen)
  check_kind(chosen)
  if chosen.kind ~= "training" then
    local run = require("ballpark.cli.validate_serving")[chosen.kind]
      or require("ballpark.cli.validate_inference")[chosen.kind]
      or require("ballpark.cli.validate_finetuning")[chosen.kind]
      or require("ballpark.cli.validate_local")[chosen.kind]
    options.format(chosen)
    return run(chosen)
  end
  check_study(chosen)
  local traits = require("ballpark.validate.traits").of.training
  local fits_groups = chosen.cv or chosen.calibrate_with
  check_group(chosen.group, require("ballpark.measured.training_columns").list, not fits_groups and traits or nil)
  options.format(chosen)
  local profile = chosen.profile and profile_of(chosen.profile)
  local engine = require("ballpark.validate")
  local rows, ignored = engine.read(csv.read(chosen.file), chosen.file)
  if #ignored > 0 then options.say("columns not used: " .. table.concat(ignored, ", ")) end
  local repeated = table_rows.repeated(rows)
  if repeated then options.say(repeated) end
  if chosen.scenario or chosen.doors then
    return require("ballpark.cli.doors").print(require("ballpark.cli.training_doors"), rows, chosen,
      { profile = chosen.profile })
  end
  if chosen.search then
    local found = require("ballpark.validate.held").of(rows)
    return options.emit(require("ballpark.validate.held_result").of(found, { rows = chosen.rows, name = chosen.file }),
      chosen)
  end
  local started = os.clock()
  local skipped = row_names.read(chosen.skip)
  local answer = engine.run(rows, { group = chosen.group, profile = profile, study = study_of(chosen, skipped) })
  options.tell(chosen, ("%d rows took %.3f s"):format(#rows, os.clock() - started))
  return options.emit(result_of(answer, chosen, skipped), chosen)
end

return validate
