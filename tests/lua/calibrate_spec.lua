-- Coefficients of one's own software: what a fit to few runs may learn, and what of it is checked.
local calibrate = require("ballpark.calibrate")
local checks = require("ballpark.calibrate.checks")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local files = dofile(here .. "/files.lua")
local folds = require("ballpark.calibrate.folds")
local ranges = require("ballpark.range.training")
local logs = require("ballpark.calibrate.logs")
local own = require("ballpark.calibrate.own")
local problem = require("ballpark.calibrate.problem")
local profile_file = require("ballpark.calibrate.profile_file")
local study = require("ballpark.calibrate.study")
local tables = require("ballpark.tables")
local validate = require("ballpark.validate")

local HEADER = "case_id,family,year,model,layers,hidden,heads,ffn_hidden,vocab,seq_len,gpu,gpus,gpus_per_node,"
  .. "precision,flash,tp,pp,vpp,zero,sequence_parallel,recompute,micro_batch,global_batch_seqs,framework,step_s"

local function line(id, seq_len, tp, batch, framework, step_s)
  return ("%s,mine,2024,test,16,2048,16,8192,51200,%d,H100-SXM-80GB,8,8,bf16,1,%d,1,1,1,1,none,1,%d,%s,%.17g")
    :format(id, seq_len, tp, batch, framework, step_s)
end

-- Runs whose steps take `slow` times as long as the built-in profile says.
local function table_of(slow, framework, count)
  local rows = {}
  for n = 1, count do
    local seq_len, tp, batch = 1024 << (n % 3), 1 << (n % 4), 32 + 32 * (n // 4)
    rows[n] = { "r" .. n, seq_len, tp, batch, framework, 1 }
  end
  local text = { HEADER }
  for _, row in ipairs(rows) do text[#text + 1] = line(table.unpack(row)) end
  local cases = validate.cases((validate.read(table.concat(text, "\n") .. "\n", "t.csv")))
  for n, case in ipairs(cases) do
    local step_s = core.train_step(case.input).time.step_s
    rows[n][6] = step_s * (type(slow) == "function" and slow(n) or slow)
    text[n + 1] = line(table.unpack(rows[n]))
  end
  return table.concat(text, "\n") .. "\n"
end

local function run(text, options)
  options = options or {}
  options.date = "2026-01-01"
  return calibrate.run({ { name = "t.csv", text = text } }, options)
end

local function cases_of(text) return (validate.cases((validate.read(text, "t.csv")))) end

describe("calibration", function()
  it("finds software that is slower than the built-in profile, on rows it has not seen", function()
    local answer = run(table_of(1.3, "megatron", 24))
    assert.is_nil(answer.kept)
    assert.is_true(answer.own.before_mape > 0.2)
    assert.is_true(answer.own.after_mape < 0.05)
    assert.are.equal("megatron", answer.class)
    assert.are.equal(24, answer.profile.calibration.rows)
  end)

  it("is slower the slower the runs are, however far they are from the built-in profile", function()
    local text, last = files.read(here .. "/../validate/training_megatron.csv"), 0
    local lines = {}
    for row in text:gmatch("[^\n]+") do
      if not row:find("^#") then lines[#lines + 1] = row end
    end
    local cases = validate.cases((validate.read(table.concat(lines, "\n", 1, 13) .. "\n", "t.csv")))
    for _, slow in ipairs({ 1, 1.5, 2, 3 }) do
      local slower, sum = {}, 0
      for i, case in ipairs(cases) do slower[i] = tables.with(case, { measured_step_s = slow * case.measured_step_s }) end
      local fitted = own.fit(slower)
      for _, residual in ipairs(fitted.within) do sum = sum + residual / #slower end
      assert.is_true(slow * math.exp(sum) > 1.05 * last, ("%g: %g after %g"):format(slow, slow * math.exp(sum), last))
      last = slow * math.exp(sum)
    end
  end)

  it("weighs a run by how much of its time an estimate's growth is, beside the run in the middle", function()
    local function near(expected, residuals)
      local weights = own.weights(residuals)
      assert.are.equal(#expected, #weights)
      for i, weight in ipairs(expected) do assert.near(weight, weights[i], 1e-12) end
    end
    near({ 1, 1, 1 / 4, 1, 1 }, { 0, 0, -math.log(4), 0, math.log(2) })
    -- All alike, however slow: none is doubted.
    near({ 1, 1, 1 }, { -math.log(3), -math.log(3), -math.log(3) })
    near({ 1, 1, 1 / 2 }, { -math.log(3), -math.log(3), -math.log(6) })
    -- What has no estimate has no weight to lose.
    near({ 1, 1, 1 / 2, 1 }, { 0, false, -math.log(2), 0 })
  end)

  it("moves all estimates less for few runs that take far longer than their like", function()
    local cases = run(table_of(function(n) return n % 3 == 0 and 1.8 or 1 end, "megatron", 24)).cases
    local all = problem.new(cases, calibrate.coefficients, { even = true, factors = true })
    local before, options = all:residuals(), { iterations = 8, least_scale = 0.07 }
    local function moved(weights)
      local sum = 0
      for i, residual in ipairs(all:residuals(all:fit(nil, tables.with(options, { weights = weights })).x)) do
        sum = sum + residual - before[i]
      end
      return sum
    end
    local weighed, even = moved(own.weights(before)), moved(nil)
    assert.is_true(0 < weighed and weighed < 0.8 * even, ("%g, even: %g"):format(weighed, even))
    -- A weight of 0 is as if the run were not there.
    local weights, without = {}, all:fit(function(_, i) return i ~= 2 end, options)
    for i in ipairs(cases) do weights[i] = i == 2 and 0 or 1 end
    for j, value in ipairs(all:fit(nil, tables.with(options, { weights = weights })).x) do
      assert.near(without.x[j], value, 1e-12)
    end
  end)

  it("takes no row that cannot be estimated, and says which", function()
    local answer = run(table_of(1.3, "megatron", 24) .. line("odd batch", 2048, 1, 33, "megatron", 1) .. "\n")
    assert.are.equal(24, #answer.cases)
    assert.are.equal(1, #answer.refused)
    assert.are.equal("odd batch", answer.refused[1].row.case_id)
    assert.is_truthy(answer.refused[1].reason:find("does not divide the global batch 33", 1, true))
  end)

  it("keeps what the data do not tell near the built-in profile", function()
    local answer = run(table_of(1.3, "megatron", 24))
    for j, coefficient in ipairs(calibrate.coefficients) do
      if coefficient[1] == "moe_passes" or coefficient[1] == "scaleout" then
        assert.is_true(math.abs(answer.own.values[j] - 1) < 1e-6)
        assert.is_true(calibrate.learned(answer, j) < 1e-6)
      end
    end
  end)

  it("keeps the built-in profile for too few runs", function()
    local answer = run(table_of(1.3, "megatron", 3))
    assert.is_truthy(answer.kept:find("too few", 1, true))
    assert.are.equal(answer.base.gemm, answer.profile.gemm)
    local near = run(table_of(1.02, "megatron", 3)).profile.calibration
    assert.is_true(near.kept)
    assert.same({}, { near.factors, near.least_half })
  end)

  it("goes half of the way to a few runs where it is asked to, and says that nothing checked it", function()
    local before = run(table_of(1.3, "megatron", 3))
    local answer = run(table_of(1.3, "megatron", 3), { few = true })
    assert.is_nil(answer.kept)
    assert.are.equal(0.5, answer.own.share)
    assert.is_nil(answer.profile.calibration.half)
    for j, value in ipairs(answer.own.x) do assert.near(answer.own.fit.x[j] / 2, value, 1e-12) end
    for i, residual in ipairs(answer.own.within) do
      assert.is_true(math.abs(residual) < math.abs(before.own.before[i]))
    end
    local text = require("ballpark.report").render(require("ballpark.calibrate.result")(answer), "table")
    assert.matches("Unchecked: fewer than 4 different runs", text)
    assert.matches("calibrated on 3 runs", answer.profile.source)
  end)

  it("carries a range that holds a few runs it still misses", function()
    local answer = run(table_of(4, "megatron", 1), { few = true })
    assert.near(math.abs(answer.own.within[1]), answer.profile.calibration.least_half, 1e-9)
    assert.is_true(math.abs(answer.own.within[1]) < math.log(4))
  end)

  it("widens the range of a kept profile to hold the runs that it misses", function()
    local answer = run(table_of(2.5, "megatron", 1))
    assert.is_truthy(answer.kept)
    assert.near(math.log(2.5), answer.profile.calibration.least_half, 1e-9)
    assert.is_true(answer.profile.calibration.kept)
    assert.is_nil(run(table_of(4, "megatron", 1), { few = true }).profile.calibration.kept)
    local case = answer.cases[1]
    local function half_with(profile)
      local input = {}
      for key, value in pairs(case.input) do input[key] = value end
      input.profile = profile
      return (ranges.half({ input = input, class = "megatron", known = true, open = {} }))
    end
    assert.near(math.log(2.5), half_with(answer.profile), 1e-9)
    local plain = {}
    for key, value in pairs(answer.profile) do plain[key] = value end
    plain.calibration = nil
    assert.is_true(half_with(plain) < math.log(1.6))
  end)

  it("notes rows that share a case_id", function()
    local answer = run((table_of(1.3, "megatron", 5):gsub("\nr2,", "\nr1,")))
    assert.equal(5, #answer.cases)
    assert.equal("t.csv: case_id is not unique, every row counts: 'r1' on lines 2, 3.", answer.notes[1])
  end)

  it("says nothing of coefficients it does not change", function()
    local result = require("ballpark.calibrate.result")(run(table_of(2.5, "megatron", 1)))
    local text = require("ballpark.report").render(result, "table")
    assert.not_matches("Factor", text)
    assert.matches("of %-60 %% to %+150 %%", text)
    assert.matches("on 1 run\n", text)
  end)

  it("keeps it where runs contradict each other, and names them", function()
    local text = table_of(1, "megatron", 8)
    local twins = table_of(3, "megatron", 8):gsub("\nr", "\nx"):gsub("^[^\n]*\n", "")
    local answer = run(text .. twins)
    assert.is_truthy(answer.kept:find("contradict", 1, true))
    assert.is_true(#answer.wrong >= 16)
  end)

  it("keeps it where runs differ too much from others of the same settings, and names them", function()
    local text = { HEADER }
    for n = 1, 8 do -- every second run takes four times as long for its sequences
      text[#text + 1] = line("n" .. n, 2048, 2, 256 * n, "megatron", n % 2 == 0 and n or 4 * n)
    end
    local answer = run(table.concat(text, "\n") .. "\n")
    assert.equal("runs of the same settings contradict each other", answer.kept)
    assert.equal(8, #answer.wrong)
    assert.matches("one of 8 runs of the same settings that differ by a factor of 4%.0", answer.wrong[1].reason)
    local near = table_of(function(n) return n % 2 == 0 and 1.9 or 1 end, "megatron", 24)
    assert.same({}, (checks.contradictions(run(near).cases, run(near).own.before)))
  end)

  it("keeps it where there is nothing to learn", function()
    local answer = run(table_of(1, "megatron", 24))
    assert.is_truthy(answer.kept:find("does not help", 1, true))
  end)

  it("weighs what runs gain that were not seen against chance", function()
    local before = { 0.1, -0.1, 0.1, -0.1, 0.1, -0.1 }
    -- Half of the rows gain a tenth, half lose one: without the furthest off, 0.027 with an error of 0.046.
    assert.near(0.027 / 0.046, own.gain(before, { 0, -0.2, 0, -0.2, 0.2, 0 }), 0.05)
    assert.is_true(own.gain(before, { 0.05, -0.05, 0.08, -0.02, 0.05, -0.06 }) > 3)
    assert.is_true(own.gain(before, { 0.15, -0.15, 0.18, -0.12, 0.15, -0.16 }) < -3)
    assert.are.equal(0, own.gain(before, before))
    -- One of twenty rows that the calibration ruins decides nothing.
    local many, better = {}, {}
    for i = 1, 20 do many[i], better[i] = 0.1, i == 20 and 2 or 0.05 end
    assert.is_true(own.gain(many, better) > 3)
  end)

  it("goes the whole way where the gain is sure, else less", function()
    assert.are.equal(1, run(table_of(1.3, "megatron", 24)).own.share)
    -- Runs far or a little slower, in no order that a coefficient could follow; far enough apart that the gain is not
    -- sure however the rows are dealt into folds.
    local answer = run(table_of(function(n) return (n * 7 % 11) % 3 == 0 and 1.35 or 1.03 end, "megatron", 24))
    assert.is_nil(answer.kept)
    assert.is_true(answer.own.share < 1)
    assert.is_true(answer.own.share >= 0.5)
    for j, value in ipairs(answer.own.x) do assert.near(answer.own.fit.x[j] * answer.own.share, value, 1e-12) end
    local text = require("ballpark.report").render(require("ballpark.calibrate.result")(answer), "table")
    assert.matches("of the way", text)
  end)

  it("says when unseen runs lose by it, and only then", function()
    local answer = run(table_of(1.3, "megatron", 24))
    local function text()
      return require("ballpark.report").render(require("ballpark.calibrate.result")(answer), "table")
    end
    assert.is_nil(answer.kept)
    assert.not_matches("errs more than the built%-in", text())
    answer.own = tables.with(answer.own, { before = { 0.01, -0.01, 0 }, after = { 0.03, -0.03, 0 } })
    assert.matches("errs more than the built%-in one %(2.0 %% to 0.7 %%", (text():gsub("%s+", " ")))
  end)

  it("names rows that are far from the rest", function()
    local answer = run(table_of(function(n) return n == 7 and 4 or 1.3 end, "megatron", 24))
    local found
    for _, wrong in ipairs(answer.wrong) do found = found or wrong.row == "r7" end
    assert.is_true(found)
  end)

  it("takes one class of software, the most frequent or the one that is said", function()
    local other = table_of(1, "torchtitan", 4):gsub("\nr", "\no"):gsub("^[^\n]*\n", "")
    local text = table_of(1.3, "megatron", 12) .. other
    local answer = run(text)
    assert.are.equal("megatron", answer.class)
    assert.are.equal(12, #answer.cases)
    assert.is_truthy(answer.notes[1]:find("4 rows of other software", 1, true))
    assert.are.equal(16, #run(text, { class = "fsdp" }).cases)
  end)

  it("is the same whatever the order of the rows", function()
    local text = table_of(1.3, "megatron", 12)
    local lines = {}
    for one in text:gmatch("[^\n]+") do lines[#lines + 1] = one end
    local turned = { lines[1] }
    for i = #lines, 2, -1 do turned[#turned + 1] = lines[i] end
    local a, b = run(text), run(table.concat(turned, "\n") .. "\n")
    assert.is_true(math.abs(a.own.after_mape / b.own.after_mape - 1) < 1e-6)
  end)

  it("says which year's software the profile stands for", function()
    assert.equal("The profile stands for software of 2024.", run(table_of(1.3, "megatron", 4)).notes[1])
    local two = table_of(1.3, "megatron", 8):gsub("\nr1,mine,2024", "\nr1,mine,2021")
    assert.equal("Coefficients are shown as of 2024, the year of most rows; the profile has factors on what the class says "
      .. "of each year.", run(two).notes[1])
    assert.equal(2024, run(table_of(1.3, "megatron", 4)).profile.calibration.year)
    assert.is_nil(run(two).profile.calibration.year)
  end)

  it("says of its own rows what validate finds with the profile, whatever year rows are of", function()
    local dated = table_of(1.3, "megatron", 12)
    local open = dated:gsub(",mine,2024", ",mine,")
    local mixed = open:gsub("\nr(%d),mine,", function(n) return ("\nr%d,mine,%d"):format(n, 2021 + n % 4) end)
    for _, text in ipairs({ dated, open, mixed }) do
      local answer = run(text)
      local seen = validate.run(validate.read(text, "t.csv"), { profile = answer.profile }).times
      assert.equal(12, #seen)
      for i, result in ipairs(seen) do assert.near(math.exp(answer.own.within[i]) - 1, result.error, 1e-12) end
    end
    assert.equal("The profile stands for software of 2026.", run(open).notes[1])
  end)

  it("refuses tables without a measured time", function()
    local text = HEADER .. "\n" .. line("a", 2048, 1, 32, "megatron", 1):gsub(",1$", ",") .. "\n"
    assert.is_truthy(errors.catch(run, text):find("no row", 1, true))
  end)
end)

describe("a profile file", function()
  it("gives back what was written, and estimates take it", function()
    local answer = run(table_of(1.3, "megatron", 24))
    local folder = files.folder()
    local path = files.write(folder, "p.lua", profile_file.source(answer.profile))
    local profile = profile_file.read(path)
    files.remove(folder)
    assert.equal("megatron", profile.class)
    local factors = profile.calibration.factors
    for j, coefficient in ipairs(calibrate.coefficients) do
      assert.near(answer.own.values[j], factors[coefficient[1]], 1e-5 * answer.own.values[j])
      local shown = answer.profile[coefficient[1]] or 1
      assert.near(answer.own.values[j] * (answer.base[coefficient[1]] or 1), shown, 1e-9 * shown)
    end
    local case = validate.cases({ answer.cases[1].row }, { profile = profile })[1]
    local ratio = core.train_step(case.input).time.step_s / case.measured_step_s
    assert.is_true(math.abs(ratio - 1) < 0.05)
    local half = ranges.half({ input = case.input, class = "megatron", known = true, open = {} })
    assert.is_true(math.abs(half / profile.calibration.half - 1) < 1e-9)
  end)

  it("is not made of steps in another unit", function()
    assert.matches("t.csv: is 1e%+03 times off the estimate", errors.catch(run, table_of(1000, "Megatron-LM", 12)))
    run(table_of(8, "Megatron-LM", 12))
  end)

  -- Whatever runs are let in, what is written is read again.
  it("is one of runs near the largest error that is let in", function()
    local folder = files.folder()
    for _, slow in ipairs({ 1 / 29, 29 }) do
      local path = files.write(folder, "p.lua", profile_file.source(run(table_of(slow, "fsdp", 24)).profile))
      assert.equal("fsdp", profile_file.read(path).class)
    end
    files.remove(folder)
  end)

  it("may not be anything else", function()
    local folder = files.folder()
    local function fails(text, expected)
      local path = files.write(folder, "p.lua", text)
      local message = errors.catch(profile_file.read, path)
      assert.is_truthy(message:find(expected, 1, true), message)
    end
    fails("return 1", "must return a table")
    fails("return { gem = 1 }", "did you mean 'gemm'?")
    fails("return { gemm = 1e-320 }", "profile.gemm: must be 0 or at least 2.23e-308, got 1e-320")
    fails("return { calibration = 3 }", "calibration")
    fails("return { calibration = { class = 'fsdp', devices = {}, most_devices = 8, half = 1e5 } }", "calibration.half: must be a number from 0 to 10")
    local calibrated = "return { class = 'fsdp', calibration = { class = 'fsdp', devices = {}, most_devices = 8, factors = %s } }"
    for _, factors in ipairs({ "3", "{ gem = 1 }", "{ imbalance = 1 }", "{ gemm = 0 }", "{ gemm = -1 }", "{ gemm = 'x' }", "{ gemm = 1e999 }" }) do
      fails(calibrated:format(factors), "p.lua: calibration.factors: must be numbers above 0, of coefficients that a calibration fits")
    end
    -- Ten widths of the prior: e to the 1.5 and to the 8.
    for factors, expected in pairs({ ["{ gemm = 4.49 }"] = "calibration.factors.gemm: must be from 0.223 to 4.48, got 4.49",
      ["{ gemm = 0.22 }"] = "calibration.factors.gemm: must be from 0.223", ["{ host_step_s = 1e9 }"] = "calibration.factors.host_step_s: must be from 0.000335 to 2.98e+03, got 1e+09",
      ["{ elementwise_passes = 1e308 }"] = "calibration.factors.elementwise_passes: must be from", ["{ scaleout = 1e15 }"] = "calibration.factors.scaleout: must be from" }) do
      fails(calibrated:format(factors), expected)
    end
    local about = "return { calibration = { class = 'fsdp', devices = { A100 = true }, most_devices = 8, %s } }"
    for said, expected in pairs({ ["rows = 0"] = "calibration.rows: must be a whole number of at least 1, got 0", ["half = 0.3"] = "calibration.spread is missing beside half",
      ["spread = 0.3"] = "calibration.half is missing beside spread", ["precisions = { fp8 = 0.5 }"] = "calibration.precisions: must be a table of names that each hold true",
      ["experts = 3"] = "calibration.experts: must be true or false, got 3", ["kept = 'yes'"] = "calibration.kept: must be", ["year = 1026"] = "calibration.year: must be a year from 2017 on",
      ["longest_seq_len = 0.5"] = "calibration.longest_seq_len: must be" }) do
      fails(about:format(said), expected)
    end
    fails("return { calibration = { class = 'fsdp', devices = { A100 = -1 }, most_devices = 8 } }", "calibration.devices: must be a table of names")
    fails("return { calibration = { class = 'fsdq', devices = {}, most_devices = 8 } }", "calibration.class: must be a class of software, got fsdq")
    fails("return { calibration = { class = 'fsdp', devices = {}, most_devices = -8 } }", "calibration.most_devices: must be a whole number")
    fails("return { calibration = { class = 'fsdp', devices = {} } }", "calibration.most_devices is missing")
    fails(calibrated:format("{ gemm = 1.1 }"):gsub("class = 'fsdp', ", "", 1), "p.lua: class is missing: calibration.factors go on")
    fails("return {", "got 'the end'")
    fails("return os.time()", "os")
    files.remove(folder)
  end)

  it("reads the flags of profiles written before behaviours had names", function()
    local folder = files.folder()
    local path = files.write(folder, "p.lua", "return { gemm = 1.1, split_sends = true, separate_sums = true, "
      .. "overlap_weights = 0, weight_gathers = 6, bucket_params = 13107200, expert_start_s = 0, expert_rows = 64, "
      .. "overlap_replicas = false, layer_gathers = 12, cast_weights = true, merged_copies = false }")
    assert.same({ gemm = 1.1, sends = "split", gradient_sum = "separate", weight_gather = "by_tensor", buckets = "ddp",
      launches = "compiled", replica_sum = "after", layer_gather = "by_parameter", narrow_weights = "cast",
      expert_copies = "each" }, profile_file.read(path))
    files.write(folder, "p.lua", "return { overlap_weights = 0, weight_gathers = 0 }")
    assert.same({ weight_gather = "step_end" }, profile_file.read(path))
    files.remove(folder)
  end)
end)

local MEGATRON = " [2025-01-01 00:00:00] iteration %8d/ 500 | consumed samples: %12d | "
  .. "elapsed time per iteration (ms): %.1f | throughput per GPU (TFLOP/s/GPU): 401.2 | "
  .. "global batch size: %5d | lm loss: 2.1E+00 |\n"

local function megatron_log(count, time)
  local lines = {}
  for i = 1, count do lines[i] = MEGATRON:format(i, i * 128, time(i), 128) end
  return table.concat(lines)
end

local function torchtitan_log(count)
  local lines = {}
  for i = 1, count do
    lines[i] = ("[rank0]:\27[31mstep: %2d  \27[32mloss:  4.2  \27[33mmemory: 47.20GiB(59.7%%)  "
      .. "\27[34mtps: %d,%03d  \27[36mtflops: 400.2  \27[35mmfu: 40.4%%\27[39m\n"):format(i, 7, i)
  end
  return table.concat(lines)
end

describe("a log", function()
  it("of Megatron-LM gives the median step after warm-up", function()
    local log = logs.read(megatron_log(31, function(i) return i <= 10 and 90000 or 6000 + i end), "m.log")
    assert.are.equal("megatron", log.class)
    assert.are.equal(21, log.steps)
    assert.is_true(math.abs(log.step_s - 6.021) < 1e-9)
    assert.are.equal(128, log.global_batch)
  end)

  it("of torchtitan gives tokens and memory, with thousands and colours", function()
    local log = logs.read(torchtitan_log(21), "t.log")
    assert.are.equal("fsdp", log.class)
    assert.are.equal(7016, log.tokens_per_s_device)
    assert.is_true(math.abs(log.peak_bytes / (1 << 30) - 47.2) < 1e-9)
  end)

  it("counts a step that was run again once", function()
    local text = megatron_log(20, function() return 9000 end) .. megatron_log(20, function() return 5000 end)
    local log = logs.read(text, "m.log")
    assert.are.equal(10, log.steps)
    assert.are.equal(5, log.step_s)
  end)

  it("is looked through once, however long its lines are", function()
    local long = ("step:1 memory:1 iteration 1 "):rep(1 << 17)
    assert.is_false(logs.recognises(long))
    assert.equal(5, logs.read(megatron_log(20, function() return 5000 end) .. long, "m.log").step_s)
    assert.equal(7016, logs.read(torchtitan_log(21) .. long, "t.log").tokens_per_s_device)
  end)

  it("is refused when it says too little", function()
    assert.is_truthy(errors.catch(logs.read, "hello\n", "x"):find("no step lines", 1, true))
    local short = megatron_log(4, function() return 1 end)
    assert.is_truthy(errors.catch(logs.read, short, "x"):find("too few: 2 for warm-up, and 3 are", 1, true))
    local ramp = megatron_log(20, function() return 1 end) .. MEGATRON:format(21, 1, 1, 256)
    assert.is_truthy(errors.catch(logs.read, ramp, "x"):find("batch changes", 1, true))
    assert.is_false(logs.recognises("case_id,step_s\na,1\n"))
  end)

  it("of a scenario with a profile of its own changes that", function()
    local case = cases_of(table_of(1, "megatron", 1))[1]
    local time = core.train_step(case.input).time.step_s
    local log = { { name = "m.log", text = megatron_log(40, function() return 1500 * time end):gsub("size:   128", "size:    32") } }
    local function calibrated(profile)
      local described = { plan = case.input.plan, input = { model = case.input.model, job = case.input.job,
        cluster = { device = case.input.device, network = case.input.network }, profile = case.input.profile,
        case = { year = 2024, facts = { profile = profile } } } }
      return calibrate.run(log, { described = described, few = true, date = "2026-01-01" }).profile
    end
    local first = calibrated(nil)
    local factor = first.calibration.factors.host_layer_s
    assert.is_true(factor > 1.1)
    assert.near(factor ^ 2, calibrated(first).calibration.factors.host_layer_s, 1e-12)
    local said = calibrated({ class = "megatron", host_layer_s = 1e-3, imbalance = 1.1 })
    assert.near(1e-3 * factor, rawget(said, "host_layer_s"), 1e-12)
    assert.is_nil(said.calibration.factors.host_layer_s)
    assert.same({ first.calibration.factors.host_tp, 1.1 }, { said.calibration.factors.host_tp, rawget(said, "imbalance") })
    local whole = calibrated({ host_layer_s = 1e-3 })
    assert.near(1e-3 * factor, whole.host_layer_s, 1e-12)
    assert.is_nil(rawget(whole, "class") or whole.calibration.factors)
  end)

  it("becomes a run with columns that are given", function()
    local given = { model = "llama-3.1-8b", gpu = "H100", gpus = "8", seq_len = "8192", tp = "1" }
    local answer = calibrate.run({ { name = "m.log", text = megatron_log(40, function() return 6000 end) } },
      { given = given, date = "2026-01-01" })
    assert.are.equal(6, answer.cases[1].measured_step_s)
    assert.are.equal(128, answer.cases[1].input.job.global_batch)
    local function with(changes)
      return errors.catch(calibrate.run, { { name = "m.log", text = megatron_log(40, function() return 6000 end) } },
        { given = changes, date = "2026-01-01" })
    end
    assert.is_truthy(with({}):find("does not say what was run", 1, true))
    assert.is_truthy(with({ gpuz = "8" }):find("did you mean 'gpus'", 1, true) or with({ gpuz = "8" }):find("gpu"))
    assert.is_truthy(with({ step_s = "1" }):find("the log states it", 1, true))
    given.global_batch_seqs = "64"
    assert.is_truthy(with(given):find("stated is 64", 1, true))
  end)
end)

describe("a calibrated profile", function()
  local DISPATCHED = HEADER:gsub("step_s$", "moe_dispatcher,experts,topk,ep,step_s")

  -- A run of one class, in several years, on several devices and with several dispatchers.
  local function rows()
    local text = { DISPATCHED }
    for _, year in ipairs({ "", 2021, 2023, 2024, 2026 }) do
      for _, gpu in ipairs({ "A100-80GB-SXM", "H100-SXM-80GB", "GB200" }) do
        for _, said in ipairs({ "megatron-core,,,,", "nemo,,,,", "megatron-core,,8,2,8", "megatron-core,deepep,8,2,8", "nemo,hybridep,8,2,8" }) do
          local software, rest = said:match("^([^,]*),(.*)$")
          text[#text + 1] = ("r%d,mine,%s,test,16,2048,16,8192,51200,2048,%s,16,8,bf16,1,1,1,1,1,1,none,1,64,%s,%s,1")
            :format(#text, year, gpu, software, rest)
        end
      end
    end
    return (validate.read(table.concat(text, "\n") .. "\n", "t.csv"))
  end

  local function with(factors, changes)
    return tables.with({ class = "megatron", calibration = tables.with({ class = "megatron", devices = {}, most_devices = 8,
      factors = factors }, changes) })
  end

  local function profiles_of(profile)
    local list = {}
    for i, case in ipairs((validate.cases(rows(), { profile = profile }))) do
      list[i] = tables.with(case.input.profile, {})
      list[i].calibration = nil
    end
    assert.equal(75, #list)
    return list
  end

  it("of factors 1 is the class alone, bit by bit, whatever the rows say", function()
    local ones = {}
    for _, coefficient in ipairs(calibrate.coefficients) do ones[coefficient[1]] = 1 end
    local alone = profiles_of(nil)
    assert.same(alone, profiles_of({ class = "megatron" }))
    assert.same(alone, profiles_of(with(nil)))
    assert.same(alone, profiles_of(with({})))
    assert.same(alone, profiles_of(with(ones)))
  end)

  it("is what the class says of year, device and dispatcher, times its factors", function()
    local alone, changed = profiles_of(nil), profiles_of(with({ attention = 1.25, moe_passes = 0.5, latency = 2 }))
    local seen = { attention = {}, moe_passes = {} }
    for i, profile in ipairs(alone) do
      assert.same(tables.with(profile, { attention = 1.25 * profile.attention, moe_passes = 0.5 * profile.moe_passes,
        latency = 2 * (profile.latency or 1) }), changed[i])
      for name, values in pairs(seen) do values[profile[name]] = true end
    end
    for name, values in pairs(seen) do assert.is_true(#tables.sorted_keys(values) > 1, name) end
  end)

  it("goes no further than a coefficient may, and leaves what is said beside it", function()
    for _, profile in ipairs(profiles_of(with({ exposed_dp = 1e6 }))) do assert.equal(1, profile.exposed_dp) end
    for _, profile in ipairs(profiles_of(tables.with(with({ gemm = 1.5 }), { gemm = 1.3, imbalance = 1.2 }))) do
      assert.same({ 1.3, 1.2 }, { profile.gemm, profile.imbalance })
    end
  end)

  it("is of the year of its rows where nobody says another", function()
    local dated, alone = profiles_of(with({}, { year = 2021 })), profiles_of(nil)
    for i = 1, 15 do
      assert.same(alone[i + 15], dated[i])
      assert.same(alone[i + 60], dated[i + 60])
    end
  end)

  it("without a class stands for itself", function()
    local whole = with(nil)
    whole.class, whole.gemm, whole.attention = nil, 1.2, 0.8
    for _, profile in ipairs(profiles_of(whole)) do assert.same({ gemm = 1.2, attention = 0.8 }, profile) end
  end)
end)

describe("folds", function()
  it("keep twins together and are even", function()
    local text = table_of(1, "megatron", 20)
    local cases = cases_of(text .. text:gsub("^[^\n]*\n", ""):gsub("r(%d+),", "t%1,"))
    local fold_of, distinct = folds.deal(cases, 5)
    local sizes = { 0, 0, 0, 0, 0 }
    for i, case in ipairs(cases) do
      sizes[fold_of[i]] = sizes[fold_of[i]] + 1
      for j, other in ipairs(cases) do
        if folds.configuration(case) == folds.configuration(other) then
          assert.are.equal(fold_of[i], fold_of[j])
        end
      end
    end
    assert.is_true(distinct <= 20 and distinct >= 10)
    for _, size in ipairs(sizes) do assert.is_true(size > 0) end
  end)

  it("tell runs apart by any field of the plan, and not by one that stands at its default", function()
    local case = cases_of(table_of(1, "megatron", 1))[1]
    local function with(change)
      return tables.with(case, { input = tables.with(case.input, { plan = tables.with(case.input.plan, change) }) })
    end
    assert.not_equal(folds.configuration(case), folds.configuration(with({ lora_rank = 16 })))
    assert.equal(folds.configuration(case), folds.configuration(with({ lora_rank = 0, name = "another" })))
    assert.not_equal(folds.configuration(case), folds.configuration(with({ dp = 64 })))
    assert.equal(folds.settings(case), folds.settings(with({ dp = 64 })))
    -- A table is what is in it, wherever it lies.
    local function encoded(layers)
      local model = tables.with(case.input.model, { encoder = { layers = layers } })
      return folds.configuration(tables.with(case, { input = tables.with(case.input, { model = model }) }))
    end
    assert.equal(encoded(4), encoded(4))
    assert.not_equal(encoded(4), encoded(8))
  end)

  it("sample as many as asked, the same every time", function()
    local cases = cases_of(table_of(1, "megatron", 20))
    local a, count = folds.sample(cases, 7, 1), 0
    for _ in pairs(a) do count = count + 1 end
    assert.are.equal(7, count)
    assert.same(a, folds.sample(cases, 7, 1))
    assert.not_same(a, folds.sample(cases, 7, 2))
  end)
end)

describe("checks", function()
  it("measure a residual by the usual spread", function()
    local cases = cases_of(table_of(1, "megatron", 4))
    local wrong = checks.far(cases, { 0.01, -0.5, 0.2, 0.4 }, 0.1)
    assert.are.same({ "r2", "r4" }, { wrong[1].row, wrong[2].row })
    assert.is_true(math.abs(wrong[1].error - (math.exp(-0.5) - 1)) < 1e-12)
  end)
end)

-- Two sources on the same machine, one of them 1.4 times slower throughout.
local function two_families()
  local first = table_of(1, "megatron", 24)
  local second = table_of(1.4, "megatron", 24):gsub("^[^\n]*\n", ""):gsub("r(%d+),mine", "s%1,theirs")
  return (validate.read(first .. second, "t.csv"))
end

describe("a study", function()
  it("calibrates every group on a few rows and scores each by a draw without it", function()
    local answer = validate.run(two_families(), { study = study.calibrate_with(8, "family", {}) })
    assert.are.equal(48, answer.summary.covered)
    assert.is_true(answer.summary.mape < answer.summary.before_mape)
    assert.equal(1, #answer.notes)
    -- A row's |error| is the mean over all draws without it, not that of the one it is shown by.
    local sum, differ = 0, 0
    for _, row in ipairs(answer.times) do
      sum, differ = sum + row.absolute, differ + (math.abs(row.absolute - math.abs(row.error)) > 1e-9 and 1 or 0)
    end
    assert.near(sum / 48, answer.summary.mape, 1e-12)
    assert.is_true(differ > 0)
  end)

  it("scores no row that every draw has seen", function()
    local answer = validate.run(two_families(), { study = study.calibrate_with(24, "family", {}) })
    assert.are.equal(0, answer.summary.covered)
    for _, row in ipairs(answer.rows) do assert.equal("calibration", row.status) end
  end)

  it("scores every row once by folds", function()
    local answer = validate.run(two_families(), { study = study.cross_validate(4, "family", {}) })
    assert.are.equal(48, answer.summary.covered)
    assert.is_true(answer.summary.mape < 0.1)
  end)

  it("scores a row alone in its family, of which no fold has another", function()
    local rows = two_families()
    rows[1].family = "alone"
    local answer = validate.run(rows, { study = study.cross_validate(4, "family", {}) })
    assert.equal(48, answer.summary.covered)
  end)

  it("leaves a group out of the fit", function()
    local rows = two_families()
    local answer = validate.run(rows, { study = study.leave_out("family", {}) })
    -- What is fitted to the one family is off by 1.4 on the other.
    for _, group in ipairs(answer.groups) do assert.is_true(group.mape > 0.15) end
    assert.equal(1, #answer.notes)
    rows[1].peak_mem = 40
    assert.matches("^Peak memory is predicted by the built%-in profiles", validate.run(rows,
      { study = study.leave_out("family", {}) }).notes[2])
    local again = validate.run(two_families(), { study = study.leave_out("family", {}) })
    assert.are.equal(answer.summary.mape, again.summary.mape)
  end)

  it("takes no row that is skipped into a fit, and scores it", function()
    local skipped = {}
    for i = 1, 24 do skipped["s" .. i] = true end
    local all = validate.run(two_families(), { study = study.leave_out("model", {}) })
    local sound = validate.run(two_families(), { study = study.leave_out("model", skipped) })
    assert.are.equal(all.summary.covered, sound.summary.covered)
  end)
end)


describe("a text of one long line", function()
  it("is refused as soon as it is read", function()
    local began = os.clock()
    local text = errors.catch(calibrate.run, { { name = "zeros", text = ("\0"):rep(4 << 20) } }, {})
    assert.matches("^zeros: is no log", text)
    assert.is_true(os.clock() - began < 2, os.clock() - began .. " s")
  end)
end)
