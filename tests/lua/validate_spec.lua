-- Estimates against measured rows: errors, groups and rows that cannot be answered.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local table_rows = require("ballpark.measured.table_rows")
local statistics = require("ballpark.validate.statistics")
local validate = require("ballpark.validate")
local validate_result = require("ballpark.validate.result")

local GiB <const> = 1 << 30

-- A complete row; changes override cells, "" blanks one.
local full = {
  case_id = "a-1", family = "a", year = "2024", model = "test", arch = "dense", layers = "8", hidden = "1024",
  heads = "16", kv_heads = "16", ffn_hidden = "4096", vocab = "51200", seq_len = "2048",
  gpu = "H100-SXM-80GB", gpus = "16", gpus_per_node = "8", interconnect_inter = "8x400Gb/s InfiniBand",
  precision = "bf16", flash = "1", tp = "2", pp = "2", vpp = "1", dp = "4", cp = "1", zero = "1",
  sequence_parallel = "1", recompute = "none", micro_batch = "1", global_batch_seqs = "32", step_s = "2",
  framework = "megatron-core",
}

local function cells(changes)
  local row = {}
  for key, value in pairs(full) do row[key] = value end
  for key, value in pairs(changes or {}) do row[key] = value end
  return row
end

local function text_of(list)
  local names, lines = {}, {}
  for _, row in ipairs(list) do
    for key in pairs(row) do names[key] = true end
  end
  local header = {}
  for name in pairs(names) do header[#header + 1] = name end
  table.sort(header)
  lines[1] = table.concat(header, ",")
  for _, row in ipairs(list) do
    local line = {}
    for i, name in ipairs(header) do line[i] = '"' .. (row[name] or "") .. '"' end
    lines[#lines + 1] = table.concat(line, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

local function rows_of(...)
  local list = {}
  for i, changes in ipairs({ ... }) do list[i] = cells(changes) end
  if #list == 0 then list[1] = cells() end
  return (validate.read(text_of(list), "t.csv"))
end

-- An estimate that answers the same whatever it is asked, and remembers what it was.
local function constant(step_s, total_bytes)
  local asked = {}
  return function(input)
    asked[#asked + 1] = input
    return { time = { step_s = step_s },
      memory = { weights_bytes = 0, total_bytes = total_bytes or GiB, capacity_bytes = input.device.memory_bytes } }
  end, asked
end

local function run(estimate, ...) return validate.run(rows_of(...), { estimate = estimate }) end

-- The one case of a row, with the core's own estimate unless another is given.
local function case_of(changes, estimate)
  local cases, refused = validate.cases(rows_of(changes), { estimate = estimate })
  assert.equal(0, #refused, refused[1] and refused[1].reason)
  return cases[1]
end

local function reason_of(changes)
  local cases, refused = validate.cases(rows_of(changes))
  assert.equal(0, #cases)
  return refused[1].reason
end

local function says(case, text)
  for _, said in ipairs(case.assumed) do
    if said:find(text, 1, true) then return true end
  end
  return false
end

describe("error of a row", function()
  it("is predicted / measured step - 1, in whatever unit the row is given", function()
    -- 32 sequences of 2048 tokens in 2 s on 16 devices: 2048 tokens/s per device.
    local answer = run(constant(3), { case_id = "s" }, { case_id = "t", step_s = "", tokens_per_s_per_gpu = "2048" })
    local s, t = answer.rows[1], answer.rows[2]
    assert.near(0.5, s.error, 1e-12)
    assert.near(0.5, t.error, 1e-12)
    assert.same({ "step_s", 2.0, 3 }, { s.metric, s.measured, s.predicted })
    assert.same({ "tokens_per_s_per_gpu", 2048.0 }, { t.metric, t.measured })
    assert.near(2048 / 1.5, t.predicted, 1e-9)
  end)

  it("takes throughput before step time where both are given", function()
    local answer = run(constant(2), { tokens_per_s_per_gpu = "1024" })
    assert.equal("tokens_per_s_per_gpu", answer.rows[1].metric)
    assert.near(-0.5, answer.rows[1].error, 1e-12)
  end)

  it("is taken of memory as a row of its own, in GiB", function()
    local answer = run(constant(2, 30 * GiB), { peak_mem = "40" })
    assert.equal(2, #answer.rows)
    local memory = answer.rows[2]
    assert.same({ "a-1", "peak_mem", 40.0, 30.0 },
      { memory.case_id, memory.metric, memory.measured, memory.predicted })
    assert.near(-0.25, memory.error, 1e-12)
    assert.equal(1, answer.summary.rows)
    assert.equal(1, answer.memory.rows)
  end)

  it("turns TFLOP/s into a step by its convention", function()
    local flops = core.flops({ seq_len = 2048, model = case_of().input.model })
    local function measured(changes)
      changes.step_s, changes.tflops_per_gpu = "", "100"
      local case = case_of(changes)
      assert.is_true(says(case, "measured step from TFLOP/s"))
      return case.measured_step_s * 100e12 * 16 / (32 * 2048)
    end
    assert.near(flops.model_token, measured({ flops_convention = "model", year = "2025" }), 1e-3)
    assert.near(flops.model_token_full, measured({ flops_convention = "model", year = "2024" }), 1e-3)
    local fsdp = measured({ flops_convention = "model", year = "2025", framework = "fsdp" })
    assert.near(flops.model_token_full, fsdp, 1e-3)
    assert.near(flops.megatron_token, measured({ flops_convention = "hw_with_recompute", recompute = "full" }), 1e-3)
    assert.near(flops.model_token_full, measured({ flops_convention = "hw_with_recompute" }), 1e-3)
    assert.is_true(flops.model_token < flops.model_token_full)
    assert.is_true(flops.model_token_full < flops.megatron_token)
  end)

  it("counts attention as a column says", function()
    local flops = core.flops({ seq_len = 2048, model = case_of().input.model })
    local function measured(counted, convention, recompute)
      local case = case_of({ step_s = "", tflops_per_gpu = "100", flops_convention = convention, recompute = recompute,
        attention_counted = counted })
      return case.measured_step_s * 100e12 * 16 / (32 * 2048)
    end
    assert.near(flops.model_token, measured("causal", "model"), 1e-3)
    assert.near(flops.model_token_full, measured("full", "model"), 1e-3)
    assert.near(3 * flops.matmul_forward, measured("none", "model"), 1e-3)
    assert.near(4 * flops.matmul_forward, measured("none", "hw_with_recompute", "full"), 1e-3)
    assert.near(flops.megatron_token, measured("full", "hw_with_recompute", "full"), 1e-3)
    assert.matches("^software%.attention_counted: 'half' is not one of causal, full, none",
      reason_of({ step_s = "", tflops_per_gpu = "100", attention_counted = "half" }))
  end)

  it("counts attention full where no device could do it causally in that time", function()
    -- 800 TFLOP/s of causal attention are 933 with the scores that backward makes again, more than 0.7 of 989.
    local function measured(tflops, counted, framework)
      local changes = { year = "2025", seq_len = "131072", step_s = "", tflops_per_gpu = tflops,
        attention_counted = counted, framework = framework }
      local other = { case_id = "b", year = "2025", step_s = "", tflops_per_gpu = "1" }
      local strange = { case_id = "c", family = "c", year = "2025", step_s = "", tflops_per_gpu = "1" }
      local answer = validate.run(rows_of(changes, other, strange), { estimate = (constant(2)) })
      return answer.rows[1].measured, answer.rows[2].measured, answer.rows[3].measured, answer.rows[1]
    end
    local causal, other, strange = measured("400")
    local whole, other_full, strange_causal, row = measured("800")
    local long = core.flops({ seq_len = 131072, model = case_of().input.model })
    local short = core.flops({ seq_len = 2048, model = case_of().input.model })
    assert.near(0.5 * long.model_token_full / long.model_token, whole / causal, 1e-9)
    assert.near(short.model_token_full / short.model_token, other_full / other, 1e-9)
    assert.equal(strange, strange_causal)
    assert.is_true(says(row, "full attention: causal, a run of its software would be faster than any attention"))
    assert.near(causal / 2, (measured("800", "causal")), 1e-9)
  end)

  it("turns MFU into a step against the dense peak of the precision", function()
    local bf16 = case_of({ step_s = "", mfu_pct = "50" })
    local flops = core.flops({ seq_len = 2048, model = bf16.input.model })
    assert.near(32 * 2048 * flops.model_token_full / (0.5 * 989e12 * 16), bf16.measured_step_s, 1e-9)
    local fp8 = case_of({ step_s = "", mfu_pct = "50", precision = "fp8" })
    assert.near(989 / 1979, fp8.measured_step_s / bf16.measured_step_s, 1e-9)
  end)

  it("counts every table that nanotron holds: a tied one again where the stages with it are two", function()
    local function counted(pp, dp, kind)
      local case = case_of({ step_s = "", mfu_pct = "50", framework = "nanotron", pp = pp, dp = dp, params_b = kind })
      local token = core.flops({ seq_len = 2048, model = case.input.model }).model_token_full
      assert.is_true(says(case, "measured step from MFU, full attention and embedding"))
      return case.measured_step_s * 0.5 * 989e12 * 16 / (32 * 2048) - token, case.input.model
    end
    local table_flop = 6 * 51200 * 1024
    local shared, tied = counted("1", "8", "0.153") -- 8 layers of 4 + 8 times 1024 x 1024, one table
    assert.is_true(tied.tied_embeddings)
    assert.near(0, shared, 1)
    assert.near(table_flop, (counted("2", "4", "0.153")), 1)
    local two, untied = counted("1", "8", "0.206")
    assert.is_false(untied.tied_embeddings)
    assert.near(table_flop, two, 1)
  end)
end)

describe("the chance of fitting", function()
  -- Memory of 30 GiB has the chance .9, of 90 GiB .2.
  local function estimate_with(bytes)
    return function(input)
      return { time = { step_s = 2 }, memory = { weights_bytes = 0, total_bytes = bytes, capacity_bytes = 80 * GiB,
        fit_probability = bytes > 80 * GiB and 0.2 or 0.9 } }, input
    end
  end

  it("is said of every row, and of a configuration that failed instead of a time", function()
    local changes = { case_id = "b", step_s = "", status = "crashed/oom" }
    local answer = run(estimate_with(30 * GiB), { peak_mem = "40" }, changes)
    assert.same({ 0.9, 0.9, 0.9 }, { answer.rows[1].fits, answer.rows[2].fits, answer.rows[3].fits })
    assert.same({ "fits", 0, 0.9, "ok" }, { answer.rows[3].metric, answer.rows[3].measured, answer.rows[3].predicted,
      answer.rows[3].status })
    assert.same({ 1, 1 }, { #answer.times, #answer.memories })
    assert.same({ ran = 1, ran_unlikely = 0, mean_family_ran_unlikely = 0, failed = 1, failed_likely = 1 }, answer.fit)
    local document = validate_result.document(answer)
    assert.same({ 1, 1 }, { document.fit.failed, document.fit.failed_likely })
    assert.equal(0.9, document.rows[1].fits)
  end)

  it("does not count of a row that states more memory than there is", function()
    local answer = run(estimate_with(90 * GiB), { peak_mem = "90", step_s = "" })
    assert.same({ 0, 0.2 }, { answer.fit.ran, answer.rows[1].fits })
  end)

  it("is summed up over families, each as much as the others", function()
    local fit = statistics.fit({ { family = "a", ran = true, fits = 0.2 }, { family = "a", ran = true, fits = 0.6 },
      { family = "a", ran = true, fits = 0.5 }, { family = "b", ran = true, fits = 0.1 },
      { family = "b", ran = false, fits = 0.4 }, { family = "b", ran = true } })
    assert.same({ 4, 0.5, 1, 0 }, { fit.ran, fit.ran_unlikely, fit.failed, fit.failed_likely })
    assert.near((1 / 3 + 1) / 2, fit.mean_family_ran_unlikely, 1e-12)
  end)

  it("takes a failed configuration as one that memory need not have held", function()
    assert.is_false(case_of({ step_s = "", status = "OOM", peak_mem = "1" }).whole.facts.ran)
    assert.is_true(case_of({ status = "ok" }).whole.facts.ran)
  end)

  it("is none of a failed plan that contradicts itself", function()
    local answer = validate.run(rows_of({ step_s = "", status = "failed", pp = "16", dp = "", tp = "1" }))
    assert.same({ "ok", 0, "fits" }, { answer.rows[1].status, answer.rows[1].fits, answer.rows[1].metric })
    assert.matches("^plan%.pp: ", answer.rows[1].assumed[1])
    assert.same({ 1, 0 }, { answer.fit.failed, answer.fit.failed_likely })
    assert.is_false(validate_result.of(answer).infeasible)
    local unread = validate.run(rows_of({ step_s = "", status = "failed", gpu = "abacus" }))
    assert.same({ "uncovered", 0 }, { unread.rows[1].status, unread.fit.failed })
  end)
end)

describe("figures", function()
  local function with_errors(family, ...)
    local list = {}
    for i, step in ipairs({ ... }) do
      list[i] = cells({ case_id = family .. i, family = family, step_s = tostring(step) })
    end
    return list
  end

  it("are as worked by hand", function()
    -- Predicted 2 s against 1, 2, 4, 8 s: errors +1, 0, -1/2, -3/4.
    local rows = validate.read(text_of(with_errors("a", 1, 2, 4, 8)), "t")
    local summary = validate.run(rows, { estimate = constant(2) }).summary
    assert.equal(4, summary.rows)
    assert.equal(4, summary.covered)
    assert.near(2.25 / 4, summary.mape, 1e-12)
    assert.near((0.5 + 0.75) / 2, summary.median_ape, 1e-12)
    assert.near(-0.25, summary.bias, 1e-12)
    assert.near(0.75, summary.within_2x, 1e-12) -- twice and half count, a quarter does not
    assert.is_nil(summary.mean_family_mape)
  end)

  it("average over families of ten covered rows or more", function()
    local list = {}
    for i = 1, 10 do
      list[#list + 1] = cells({ case_id = "a" .. i, family = "a", step_s = "1" }) -- +1
      list[#list + 1] = cells({ case_id = "b" .. i, family = "b", step_s = "4" }) -- -1/2
    end
    for i = 1, 9 do list[#list + 1] = cells({ case_id = "c" .. i, family = "c", step_s = "8" }) end
    list[#list + 1] = cells({ case_id = "c10", family = "c", gpu = "abacus" })
    local answer = validate.run((validate.read(text_of(list), "t")), { estimate = constant(2) })
    assert.near(0.75, answer.summary.mean_family_mape, 1e-12)
    assert.equal(30, answer.summary.rows)
    assert.equal(29, answer.summary.covered)
    assert.same({ "a", "b", "c" }, { answer.groups[1].group, answer.groups[2].group, answer.groups[3].group })
    assert.near(0.5, answer.groups[2].mape, 1e-12)
    assert.equal(9, answer.groups[3].covered)
  end)

  it("can be grouped by any column", function()
    local answer = validate.run(rows_of({ case_id = "1", precision = "bf16" }, { case_id = "2", precision = "fp8" }),
      { estimate = constant(2), group = "precision" })
    assert.same({ "bf16", "fp8" }, { answer.groups[1].group, answer.groups[2].group })
  end)

  it("do not exist without a covered row", function()
    local summary = run(constant(2), { gpu = "abacus" }).summary
    assert.same({ rows = 1, covered = 0 }, summary)
  end)
end)

describe("rows that cannot be answered", function()
  it("are kept, with the reason", function()
    local answer = run(constant(2), { gpu = "H100-SXM-80GBB" })
    local row = answer.rows[1]
    assert.equal("uncovered", row.status)
    assert.matches("not in the catalog, the nearest is H100%-SXM%-80GB", row.reason)
    assert.equal(2.0, row.measured)
    assert.is_nil(row.predicted)
    assert.is_nil(row.error)
  end)

  it("are those that contradict themselves", function()
    assert.matches("tp 2 %* pp 2 %* cp 1 %* dp 3 = 12 devices, the cluster has 16", reason_of({ dp = "3" }))
    assert.matches("does not divide 16", reason_of({ tp = "3", dp = "" }))
    local core_says = run(nil, { global_batch_seqs = "30" }).rows[1]
    assert.matches("does not divide the global batch 30", core_says.reason)
    assert.matches("does not divide 16 attention heads",
      run(nil, { tp = "32", pp = "1", dp = "1", gpus = "32", global_batch_seqs = "32" }).rows[1].reason)
  end)

  it("are those with more expert ranks than experts", function()
    local row = run(nil, { experts = "8", topk = "2", ep = "16", tp = "1", pp = "1", dp = "16",
      arch = "moe" }).rows[1]
    assert.equal("uncovered", row.status)
    assert.matches("experts", row.reason)
  end)

  it("are those with cells that do not read", function()
    assert.matches("tp: 'two' is not a whole number", reason_of({ tp = "two" }))
    assert.matches("gpus: '0' is not a whole number of at least 1", reason_of({ gpus = "0" }))
    assert.matches("step_s: '%-1' is not a number above 0", reason_of({ step_s = "-1" }))
    assert.matches("step_s: '1e%-308' is not a number from 1e%-75 to 1e%+75", reason_of({ step_s = "1e-308" }))
    assert.matches("layers", reason_of({ params_b = "1e75", layers = "" }))
    assert.matches("layers: '8.5'", reason_of({ layers = "8.5" }))
    assert.matches("flash: 'maybe'", reason_of({ flash = "maybe" }))
    assert.matches("step_s: '1e999'", reason_of({ step_s = "1e999" }))
  end)

  it("are those without anything measured, or without a model", function()
    assert.equal("nothing measured", run(constant(2), { step_s = "" }).rows[1].reason)
    assert.matches("no shape, and 'mystery' is not in the catalog",
      reason_of({ model = "mystery", layers = "", hidden = "" }))
    assert.matches("'Lama-3.1-8B' is not in the catalog, the nearest is Llama-3.1-8B",
      reason_of({ model = "Lama-3.1-8B", arch = "", layers = "", hidden = "" }), 1, true)
    assert.matches("'flan-t5-xxl' cannot be represented: encoder and decoder",
      reason_of({ model = "google/flan-t5-xxl", arch = "", layers = "", hidden = "" }), 1, true)
  end)

  it("count for memory as well", function()
    local answer = run(constant(2), { gpu = "abacus", peak_mem = "3" })
    assert.same({ "step_s", "peak_mem" }, { answer.rows[1].metric, answer.rows[2].metric })
    assert.same({ rows = 1, covered = 0 }, answer.memory)
  end)

  it("are not made by a bug: those go on", function()
    assert.has_error(function() run(function() error("bug", 0) end, {}) end, "bug")
  end)
end)

describe("reading a table", function()
  it("names columns that are missing", function()
    local text, e = errors.catch(validate.read, "case_id,model\n1,2\n", "t.csv")
    assert.equal("t.csv: columns missing: gpu, gpus, seq_len, global_batch_seqs or grad_accum, one of "
      .. "tokens_per_s_per_gpu, step_s, tflops_per_gpu, mfu_pct, peak_mem, status", text)
    assert.equal(2, e.code)
  end)

  it("returns columns nobody knows and ignores them", function()
    local row = cells()
    row.colour, row.notes = "red", "known, and beside the point"
    local rows, ignored = validate.read(text_of({ row }), "t.csv")
    assert.same({ "colour" }, ignored)
    assert.equal("a-1", rows[1].case_id)
  end)

  it("knows columns by what they are called elsewhere, and rows by their lines", function()
    local row = cells({ status = "ok", num_devices = "8" })
    row.case_id, row.gpus_total, row.gpus = nil, row.gpus, nil
    row.grad_accum, row.global_batch_seqs = "3", nil
    row.framework, row.source = nil, "vinjn/nanotron-playbook@924e"
    local rows, ignored = validate.read(text_of({ row }), "t.csv")
    assert.same({ "num_devices" }, ignored) -- of two that mean the same the first known counts
    local case = validate.cases(rows)[1]
    assert.same({ 16, 12, "nanotron" }, { case.gpus, case.input.job.global_batch, case.class })
    assert.is_true(says(case, "software 'nanotron-playbook', which the source names"))
    assert.equal("line 2", validate.run(rows).rows[1].case_id)
  end)

  it("names rows that share a case_id, with their lines", function()
    local blank = { case_id = "" }
    assert.is_nil(table_rows.repeated(rows_of({ case_id = "x" }, { case_id = "y" }, blank, blank)))
    local list = {}
    for n, id in ipairs({ "a", "b", "a", "b", "a", "c", "c", "d", "d", "e", "e" }) do list[n] = { case_id = id } end
    assert.equal("case_id is not unique, every row counts: 'a' on lines 2, 4, 6; 'b' on lines 3, 5; 'c' on lines 7, 8; "
      .. "and 2 more", table_rows.repeated(rows_of(table.unpack(list))))
  end)

  it("takes blanks, nan and n/a of numbers for unknown", function()
    for _, blank in ipairs({ "", " ", "nan", "N/A" }) do
      assert.equal(4, case_of({ dp = blank }).input.plan.dp)
    end
  end)
end)

describe("a row's answer does not hang on", function()
  it("names of rows, families and sources", function()
    local a = case_of({})
    local b = case_of({ case_id = "zzz", family = "korthi", source = "Megatron", notes = "full recompute" })
    assert.same(a.input, b.input)
  end)
end)

describe("the whole of it", function()
  it("gives the promised JSON, fractions, null where nothing is", function()
    local answer = run(constant(3, 30 * GiB), { peak_mem = "40", recompute = "" }, { case_id = "x", gpu = "abacus" })
    local document = validate_result.document(answer)
    local back = json.decode(json.encode(document))
    assert.same({ bias = 0.5, covered = 1, mape = 0.5, median_ape = 0.5, rows = 2, within_2x = 1.0 }, back.summary)
    assert.equal(json.null, document.summary.mean_family_mape)
    assert.equal("a", back.groups[1].group)
    assert.near(0.25, back.memory.mape, 1e-12)
    assert.equal(3, #back.rows)
    local keys = {}
    for key in pairs(document.rows[1]) do keys[#keys + 1] = key end
    table.sort(keys)
    assert.same({ "assumed", "case_id", "error", "family", "fits", "measured", "metric", "predicted", "range", "reason",
      "status" }, keys)
    assert.same({ "model: two-matrix MLP, tied embeddings", "no recomputation" }, back.rows[1].assumed)
    assert.is_nil(next(back.rows[1].range))
    assert.equal("uncovered", back.rows[3].status)
  end)

  it("lists the largest errors, counting half and double the same", function()
    local answer = run(constant(2), { case_id = "ok", step_s = "2" }, { case_id = "double", step_s = "1" },
      { case_id = "third", step_s = "6" })
    local rows = validate_result.of(answer, { worst = 2 }):pick("rows").rows
    assert.same({ "third", "double" }, { rows[1][1], rows[2][1] })
  end)

  it("holds up on the tables that come with it", function()
    local csv = require("ballpark.csv")
    local here = debug.getinfo(1, "S").source:match("^@(.*)/lua/[^/]*$") or "tests"
    for _, name in ipairs({ "megatron", "frameworks", "moe", "memory" }) do
      local path = here .. "/validate/training_" .. name .. ".csv"
      local rows, ignored = validate.read(csv.read(path), path)
      local answer = validate.run(rows)
      assert.same({}, ignored)
      assert.is_true(answer.summary.covered >= 0.98 * answer.summary.rows, name)
      assert.is_true(answer.summary.median_ape < 0.25, name)
      assert.is_true(answer.summary.within_2x > 0.85, name)
    end
  end)
end)
