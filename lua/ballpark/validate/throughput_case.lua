-- How a row of published throughput becomes the input of an estimate: which engine, formats and lengths it had,
-- by what it says or by the rules of the benchmark it is of.
local columns = require("ballpark.measured.throughput_columns")
local catalog = require("ballpark.catalog")
local devices = require("ballpark.catalog.devices")
local encoders = require("ballpark.resolve.encoders")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local formats = require("ballpark.resolve.serving.formats")
local local_engines = require("ballpark.catalog.local_engines")
local model_shapes = require("ballpark.measured.model_shapes")
local releases = require("ballpark.catalog.engine_releases")
local request_sets = require("ballpark.catalog.request_sets")
local resolve = require("ballpark.resolve.serving")
local tables = require("ballpark.tables")
local units = require("ballpark.resolve.serving.units")

local throughput_case = {}

-- Words of notes that say that something else than the steady state of a full engine was measured.
local other_measures = {
  { "online serving", "a given rate of requests" }, { "scenario=Server", "a rate that meets an SLO" },
  { "scenario=Interactive", "a rate that meets an SLO" },
  { "beamsearch", "beam search" }, { "offload", "weights outside of the device" },
  { "speculat", "speculative decoding" }, { "MTP", "speculative decoding" },
}

local function check_measure(row)
  for _, item in ipairs(other_measures) do
    if (row.notes or ""):find(item[1]) then errors.input("notes", "say " .. item[2]) end
  end
end

local function is_mlperf(row) return (row.notes or ""):find("MLPerf", 1, true) ~= nil end

-- Tables that say no version are of 2023 and 2024 for the most part: assumption.
local UNVERSIONED_YEAR <const> = 2024

local MONTHS <const> = tables.set({ "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" })

-- The year in which notes say that a row was measured, as "Nov 2023".
local function year_of(row)
  for month, year in (row.notes or ""):gmatch("%f[%a](%u%l%l)%l* (20%d%d)%f[%D]") do
    if MONTHS[month] then return math.tointeger(tonumber(year)) end
  end
end

-- The engine that a row states, in the words of serve{}.
local function engine_facts(row, case)
  local text = row.engine or "blank"
  -- Submissions name the library beneath: NVIDIA's of language models run TensorRT-LLM (its technical blog on
  -- MLPerf inference 4.1, 2024-08-28).
  if not engines.named(text) and is_mlperf(row) and text:find("^TensorRT") then
    case.assumed[#case.assumed + 1] = "TensorRT-LLM, as submissions with TensorRT use for language models"
    return { name = "trtllm", published = true }
  end
  local name = engines.named(text)
  if name and is_mlperf(row) then
    case.assumed[#case.assumed + 1] = "today's kernels, as a submission's branch has them before a release does"
    return { name = name, published = true }
  end
  local dated = text:find("%d+%.%d+") or text:find("%f[%d]20%d%d%f[%D]")
  return { name = text, published = true, year = (name == "vllm" or name == "trtllm") and not dated and (year_of(row) or UNVERSIONED_YEAR) or nil }
end

-- Submissions to MLPerf quantise to the narrowest that the device multiplies: fp8 on Hopper and Ada, 4 bits on
-- Blackwell and CDNA4 (the same blog).
local function checkpoint_of(row, device, case)
  local stated = row.precision or row.gemm_quant
  if stated or not is_mlperf(row) then return stated end
  local narrow = units.four_bits(device) or (device.fp8_flop_s or 0) > 0 and "fp8" or nil
  if narrow then
    case.assumed[#case.assumed + 1] = ("weights in %s, as submissions to MLPerf on this device"):format(narrow)
  end
  return narrow
end

local function set_formats(case, device)
  local word = case.row.kv_cache_dtype and case.row.kv_cache_dtype:match("^[%w_]+")
  local kv = word and word ~= "auto" and formats.named("kv_cache_dtype", word) or nil
  local plan, said = resolve.plan({ tp = 1, checkpoint = checkpoint_of(case.row, device, case), kv = kv }, case.model,
    case.engine.name)
  case.weights, case.experts, case.kv = plan.weights, plan.experts, plan.kv
  case.engine = resolve.multiplying(case.engine, plan, device)
  table.move(said, 1, #said, #case.assumed + 1, case.assumed)
end

-- Tokens of prompts and answers that nobody states, of a batch whose size is stated: published rates of such are of
-- short ones, on which they hardly depend (assumption).
local SHORT <const> = 128

local function length(case, column)
  if case.row[column] ~= nil or not case.concurrency then return columns.needed(case.row, column, 0) end
  case.assumed[#case.assumed + 1] = ("%s %d, as no length was stated"):format(column, SHORT)
  return SHORT
end

-- Rates of prompts: tokens read, none written.
local function says_prompts(row)
  local said = row.notes or ""
  local prompts = said:find("[Pp]refill") or said:find("prompt processing", 1, true)
  if prompts and (row.output_len or "0") ~= "0" then
    errors.input("notes", "say prompts, and output_len that there are answers")
  end
  return prompts ~= nil
end

-- The data set of a row whose lengths nobody states, as its notes name it.
local function set_of(row)
  if row.input_len then return nil, nil end
  local named = row.said.dataset or (row.notes or ""):find("translation", 1, true) and "translation"
  return named and request_sets[named:lower()], named
end

-- The longest of so many answers, over their mean, whose deviation over mean is cv: exact of answers that are alike and of
-- exponential ones, within 6 % of 128 lognormal ones between.
local function longest_of(count, cv)
  local sum = 0
  for i = 2, count do sum = sum + 1 / i end
  return 1 + cv * sum
end

-- How much longer than its mean answer a batch takes that nobody is let into before all of it is over, and what is to be said.
local function longest_in(row, concurrency)
  local known, named = set_of(row)
  if not (known and known.output_cv) or concurrency < 2 then return 1 end
  local longest = longest_of(concurrency, known.output_cv)
  return longest, ("the longest of %d answers is waited for, %.1f times as long as the mean one of %s"):format(concurrency, longest, named)
end

-- Prompts of an encoder-decoder of text go to the encoder.
local function set_encoder(case)
  if case.prompts then return end
  local load, said
  case.model, load, said = encoders.with_prompt(case.model, { input_tokens = case.input_tokens, output_tokens = case.output_tokens })
  case.input_tokens = load.input_tokens
  case.assumed[#case.assumed + 1] = said
end

-- Lengths as stated, else those of the data set that the notes name.
local function set_lengths(case)
  local row = case.row
  local known, named = set_of(row)
  if named and not known then
    errors.input("input_len", ("is blank, and prompts of '%s' are not known"):format(named))
  end
  if known then
    case.assumed[#case.assumed + 1] = ("prompts of %g tokens, as %s has"):format(known.input_tokens, named)
  end
  case.input_tokens = known and known.input_tokens or math.max(1, length(case, "input_len"))
  if says_prompts(row) then
    case.prompts, case.output_tokens = true, 1
    return
  end
  case.output_tokens = columns.number(row, "output_len") or known and known.output_tokens or length(case, "output_len")
  if case.output_tokens < 2 then errors.input("output_len", "answers of one token are prompts only") end
end

-- Ranks of an attention group: one where notes say that each rank has the attention of its own requests, those of tp where experts
-- are dealt to more ranks than that; nil where all ranks of the replica share attention.
local function group_of(case, tp)
  if (case.model.experts or 0) == 0 then return nil end
  local noted = (case.row.notes or ""):find("attention DP", 1, true) ~= nil
  if noted then return 1 end
  return tp and case.ep and case.ep > tp and case.ep % tp == 0 and tp or nil
end

-- Ranks of the replica, and how attention and experts are spread over them: where attention is in groups, a width may stand as
-- that of the experts only.
local function set_plan(case, device)
  local row = case.row
  local tp = columns.count(row, "tp")
  case.ep, case.pp = columns.count(row, "ep"), columns.count(row, "pp") or 1
  case.group = group_of(case, tp)
  case.grouped = case.group ~= nil
  case.width = case.grouped and case.ep and math.max(tp or 1, case.ep) or tp
  if case.grouped then
    case.assumed[#case.assumed + 1] = (case.group == 1 and "attention in groups of one rank, as %s" or "attention in groups of tp ranks, as %s")
      :format((row.notes or ""):find("attention DP", 1, true) and "the notes say" or "ep beyond tp says")
      .. (case.ep and "" or ", experts dealt to all")
  end
  case.gpus = columns.count(row, "gpus") or (case.width or 1) * case.pp
  local dies = devices.dies_named(device, row.gpu)
  if dies > 1 then
    case.gpus, case.width = case.gpus * dies, case.width and case.width * dies
    case.assumed[#case.assumed + 1] = ("%s counts packages: two ranks on each"):format(row.gpu)
  end
  if case.width and case.width * case.pp > case.gpus and case.gpus % case.pp == 0 then
    case.assumed[#case.assumed + 1] = ("tp %d on %d devices: ranks are parts of a device"):format(case.width, case.gpus)
    case.width = case.gpus // case.pp
  end
end

-- Release of TensorRT-LLM since which prompts of attention groups wait for each other where its performance pages ask for
-- it (attention_dp_config.enable_balance; recalled).
local BALANCES <const> = "1.1"

-- Whether attention groups of a row's engine let their prompts begin together.
local function are_balanced(case)
  return case.grouped and case.engine.name == "trtllm" and not releases.is_before(case.row.engine, BALANCES)
end

-- Whether requests of one length that are all there at the start go through the replica together: their answers end at one time,
-- so that the next prompts come at one time, too, and are in all stages of a pipeline at once.
local function go_together(case)
  local row = case.row
  return (case.pp > 1 or are_balanced(case)) and row.input_len ~= nil and not row.concurrency
end

--- The case of a row: { row, model, engine, weights, experts, kv, input_tokens, output_tokens, concurrency (nil: as
--- many as there is room for), static (true: nobody joins the batch), longest (its longest answer over the mean one),
--- together (true: requests go through attention groups or stages together), prompts (true: the rate is that of their tokens), width (ranks of a stage; nil: the best), grouped (attention in groups), group (ranks of
--- one), ep, pp, gpus, assumed }.
---@param models string|nil a folder of configs
function throughput_case.of(row, models)
  check_measure(row)
  local case = { row = row, assumed = {} }
  local device = catalog.device(row.gpu)
  local said
  case.engine, said = resolve.engine(engine_facts(row, case), device)
  case.assumed[#case.assumed + 1] = said
  case.model = model_shapes.of(row.model, models)
  set_formats(case, device)
  case.concurrency = columns.count(row, "concurrency")
  set_lengths(case)
  set_encoder(case)
  case.static = row.static or engines.is_static(case.engine.name)
  if case.static and not case.concurrency then errors.input("concurrency", "is blank, and the batch is static") end
  case.longest = 1
  if case.static then
    case.longest, said = longest_in(row, case.concurrency)
    case.assumed[#case.assumed + 1] = said
  end
  case.engine = resolve.holding(case.engine, case.input_tokens)
  set_plan(case, device)
  case.together = go_together(case)
  return case
end

-- Tokens of a prompt and of an answer in lock-step whose longest answer is so much longer than the mean one, as stated or as the
-- data set has them.
local function lengths_alone(row, longest)
  local known = set_of(row) or {}
  local prompt = row.input_len ~= "0" and columns.count(row, "input_len") or known.input_tokens
  if says_prompts(row) then return prompt, nil end
  return prompt, columns.count(row, "output_len") or known.output_tokens and math.ceil(known.output_tokens * longest)
end

--- The row of local inference that a row is: one sequence, or some in lock-step, under an engine that runs such, with
--- prompts or generation timed; nil for engines that let sequences in and out of a batch. Also its longest answer over the
--- mean one, for which all of them wait, and what is to be said of that.
---@param row table
---@return table|nil
---@return number|nil longest
---@return string|nil said
function throughput_case.of_local_engine(row)
  check_measure(row)
  local text = row.engine or ""
  if not row.concurrency or engines.named(text) or not local_engines.family(text) then return nil end
  local rate, prompts, batch = throughput_case.measured(row), says_prompts(row), columns.count(row, "concurrency")
  local longest, said = longest_in(row, batch)
  local prompt, answer = lengths_alone(row, longest)
  return { case_id = row.case_id, family = row.family, line = row.line, engine = text, model = row.model, device = row.gpu,
    devices = columns.count(row, "gpus") or columns.count(row, "tp"), quant = row.precision, batch = batch,
    year = math.tointeger(tonumber(text:match("%f[%d](20%d%d)%f[%D]"))), prompt_tokens = prompt, gen_tokens = answer,
    pp_tokens_per_s = prompts and rate or nil, tg_tokens_per_s = not prompts and rate or nil }, longest, said
end

--- Measured output tokens per second of a row, per device where the row is.
function throughput_case.measured(row)
  local value = columns.needed(row, row.metric_kind and "value" or "tokens_per_s")
  if row.metric_kind ~= "latency_ms" then return value end
  return columns.needed(row, "concurrency") * columns.needed(row, "output_len") / (1e-3 * value)
end

return throughput_case
