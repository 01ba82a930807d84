-- Calibration of serving engines: coefficients of a made-up engine are found again, and files read back.
local calibrate = require("ballpark.calibrate.serving")
local catalog = require("ballpark.catalog")
local engines = require("ballpark.catalog.engines")
local errors = require("ballpark.errors")
local file = require("ballpark.calibrate.serving.file")
local files = require("ballpark.files")
local problem = require("ballpark.calibrate.serving.problem")
local requests = require("ballpark.validate.requests")
local serving = require("ballpark.questions.serve.run")
local validate = require("ballpark.validate.serving")

local COLUMNS = "engine,model,gpu,input_len,output_len,concurrency,tp,precision,protocol,ttft_ms,tpot_ms\n"

local function table_of(times)
  local lines = { COLUMNS }
  for i, concurrency in ipairs({ 1, 4, 8, 16, 32 }) do
    local t = times and times[i] or { ttft_ms = 100, tpot_ms = 10 }
    lines[#lines + 1] = ("vllm,llama-3.1-8b,H100,512,64,%d,1,bf16,InferenceX,%.6f,%.6f\n"):format(concurrency,
      t.ttft_ms, t.tpot_ms)
  end
  return table.concat(lines)
end

-- What the simulation says of an engine with coefficients x: measurements without noise.
local function made_up(x)
  local cases, times = validate.cases((validate.read(table_of(), "sweep"))), {}
  for i, case in ipairs(cases) do
    case.input.engine = calibrate.engine(case.input.engine, x)
    times[i] = validate.predict(case)
  end
  return table_of(times)
end

local function mean(problem_of, residuals, metric)
  local sum, count = 0, 0
  for i, item in ipairs(problem_of.items) do
    if item.metric == metric then sum, count = sum + math.abs(residuals[i]), count + 1 end
  end
  return sum / count
end

describe("a serving calibration", function()
  it("finds a slower engine again, points left out too", function()
    local p = problem.sweep(made_up({ 1.2, 0, 0.8, 0 }), "sweep")
    local answer = calibrate.run(p)
    -- Coefficients and curve share what all points have in common; what engines have of both is the same.
    local steps = answer.engine.step_s * answer.engine.calibration.step_8 / (p.base.step_s * math.exp(0.2 * 1.2))
    assert.near(1, steps, 0.15)
    assert.is_true(answer.x[1] > 0.2)
    assert.is_true(mean(p, answer.before, "tpot") > 0.04)
    for _, metric in ipairs({ "ttft", "tpot" }) do
      assert.is_true(mean(p, answer.after, metric) < 0.4 * mean(p, answer.before, metric))
    end
  end)

  it("is slower the slower its points are, however far they are from the catalog's engine", function()
    local cases, times, last = validate.cases((validate.read(table_of(), "sweep"))), {}, 0
    for i, case in ipairs(cases) do times[i] = validate.predict(case) end
    for _, slower in ipairs({ 0.5, 0.7, 1, 1.4, 2, 3 }) do
      local scaled = {}
      for i, t in ipairs(times) do scaled[i] = { ttft_ms = slower * t.ttft_ms, tpot_ms = slower * t.tpot_ms } end
      local p = problem.sweep(table_of(scaled), "sweep")
      local answer = calibrate.run(p)
      local off = mean(p, answer.within, "tpot")
      -- Measured times the error that is left, of points that all err to one side.
      local calibrated = slower * math.exp(slower < 1 and off or -off)
      assert.is_true(calibrated > 1.1 * last, ("%g: %g after %g"):format(slower, calibrated, last))
      assert.is_true(off < 0.15)
      last = calibrated
    end
  end)

  it("says where it is further off than the catalog's engine", function()
    local result = require("ballpark.calibrate.serving.result")
    local function said(times)
      local notes = result(calibrate.run(problem.sweep(times, "sweep"))).notes
      return table.concat(notes, "\n")
    end
    assert.equal("", said(made_up({ 1.2, 0, 0.8, 0 })))
    -- The two columns taken for each other.
    local swapped = made_up({ 1.2, 0, 0.8, 0 }):gsub("ttft_ms,tpot_ms", "tpot_ms,ttft_ms")
    assert.matches("TTFT of the calibrated engine is further off", said(swapped), 1, true)
  end)

  it("leaves the catalog's engine where it is", function()
    local answer = calibrate.run(problem.sweep(made_up({ 0, 0, 0, 0 }), "sweep"))
    for _, value in ipairs(answer.x) do assert.near(0, value, 0.05) end
  end)

  it("finds what no coefficient explains, as a curve of the concurrency", function()
    local function at(times, i, metric) return times[i][metric .. "_ms"] end
    local cases, times = validate.cases((validate.read(table_of(), "sweep"))), {}
    for i, case in ipairs(cases) do
      local t = validate.predict(case)
      times[i] = { ttft_ms = at({ t }, 1, "ttft") * 1.5, tpot_ms = at({ t }, 1, "tpot") * (i <= 2 and 1.15 or 0.9) }
    end
    local p = problem.sweep(table_of(times), "sweep")
    local answer = calibrate.run(p)
    assert.is_true(answer.engine.calibration.step_1 > 1.05)
    assert.is_true(answer.engine.calibration.step_64 < 0.97)
    assert.is_true(answer.engine.calibration.first_8 > 1.05)
    for _, metric in ipairs({ "ttft", "tpot" }) do
      assert.is_true(mean(p, answer.after, metric) < 0.7 * mean(p, answer.before, metric))
    end
  end)

  it("turns where its points are, and hardly beyond", function()
    local x = {}
    for j = 1, calibrate.count do x[j] = 0 end
    assert.same(engines.get("vllm").calibration, nil)
    assert.near(1, calibrate.engine(engines.get("vllm"), x).calibration.first_8, 1e-12)
    x[#calibrate.coefficients + 1] = 1 -- the first knot; the others follow by their correlation
    local engine = calibrate.engine(engines.get("vllm"), x)
    assert.near(math.exp(0.15), engine.calibration.step_1, 1e-9)
    assert.near(math.exp(0.15 * math.exp(-0.5 * (math.log(8) / 2) ^ 2)), engine.calibration.step_8, 1e-9)
    assert.near(1, engine.calibration.step_512, 0.01)
    assert.near(1, engine.calibration.first_1, 1e-12)
  end)

  it("reads the factors of files written before they had a table of their own", function()
    local path = os.tmpname() .. ".lua"
    files.write(path, "return { name = 'vllm', step_s = 1e-3, step_1 = 1.1 }")
    local engine = file.read(path)
    os.remove(path)
    assert.same({ name = "vllm", step_s = 1e-3, calibration = { step_1 = 1.1 } }, engine)
  end)

  it("keeps fields inside their limits", function()
    local engine = calibrate.engine(engines.get("vllm"), { 50, 0, 0, 0 })
    assert.equal(0.2, engine.stream)
    assert.equal(1, engine.step_s)
  end)

  it("is written and read back", function()
    local answer = calibrate.run(problem.sweep(made_up({ 1, 0, 0, 0 }), "sweep"))
    local text = made_up({ 1, 0, 0, 0 })
    local path = os.tmpname() .. ".lua"
    files.write(path, file.source(answer, "2026-01-01"))
    local engine = file.read(path)
    assert.equal("vllm", engine.name)
    local device = catalog.device("H100")
    local said = "engine vllm as calibrated on 5 points of llama%-3.1%-8b on H100, 2026%-01%-01"
    assert.matches(said .. "$", serving.calibrated(engine, catalog.model("llama-3.1-8b"), { device }))
    assert.matches(said .. "; extrapolated to Llama%-3.1%-70B on H100%-SXM%-80GB$", serving.calibrated(engine,
      catalog.model("llama-3.1-70b"), { device }))
    assert.matches("; extrapolated to Llama%-3.1%-8B on L4, L40S$", serving.calibrated(engine,
      catalog.model("llama-3.1-8b"), { catalog.device("L40S"), device, catalog.device("L4"), catalog.device("L4") }))
    assert.is_nil(serving.calibrated(engines.get("vllm"), catalog.model("llama-3.1-8b"), { device }))
    assert.near(1, answer.engine.stream / engine.stream, 1e-5)
    assert.near(1, answer.engine.calibration.step_8 / engine.calibration.step_8, 1e-5)
    local own = validate.run((validate.read(text, "sweep")), { engine = engine })
    assert.near(0, own.metrics.tpot_ms.mape, 0.03)
    assert.is_true(own.metrics.tpot_ms.mape < validate.run((validate.read(text, "sweep"))).metrics.tpot_ms.mape)
    local other = validate.run((validate.read((text:gsub("vllm", "sglang")), "sweep")), { engine = engine })
    assert.equal(0, other.metrics.tpot_ms.covered)
    assert.matches("is sglang, the engine given is vllm", other.rows[1].reason)
    files.write(path, "return { name = 'vllm', steam = 1 }")
    assert.matches("%.lua: engine.steam: .*'stream'", errors.catch(file.read, path))
    files.write(path, "return { stream = 1 }")
    assert.matches("name is missing", errors.catch(file.read, path))
    for field, wanted in pairs({ ["stream = 1e308"] = "stream: must be from 0%.2 to 5, got", ["calibration = 5"] = "calibration: must be a table",
      ["calibration = { step_8 = 0 }"] = "calibration%.step_8: must be from 0%.05 to 20, got 0", ["first_8 = {}"] = "calibration%.first_8: must be a number",
      ["kernel_s = 1e-320"] = "kernel_s: must be 0 or at least 2%.23e%-308, got 1e%-320", ["front_s = -1e-310"] = "front_s: must be 0 or",
      ["calibration = { step_8 = 1e-320 }"] = "calibration%.step_8: must be 0 or at least",
      ["calibration = { stop_8 = 1 }"] = "calibration%.stop_8: .*'step_8'" }) do
      files.write(path, "return { name = 'vllm', " .. field .. " }")
      assert.matches("^/.*%.lua: engine%." .. wanted, (errors.catch(file.read, path)))
    end
    os.remove(path)
  end)

  it("takes a log of requests", function()
    local lines = { "arrival_s,input_tokens,output_tokens,ttft_s,e2e_s\n" }
    for i = 1, 100 do lines[#lines + 1] = ("%g,%d,%d,%g,%g\n"):format(0.5 * i, 400 + i, 50 + i % 7, 0.06, 1.2) end
    local meta = { model = "llama-3.1-8b", device = "H100", engine = "vllm", dtype = "bfloat16" }
    local log = requests.read(table.concat(lines), "log")
    local p = problem.log(log, "log", meta, {})
    local answer = calibrate.run(p)
    assert.equal(20, #p.items)
    assert.is_true(mean(p, answer.after, "e2e") < mean(p, answer.before, "e2e"))
    assert.matches("has 50 requests", errors.catch(problem.log, log, "log", meta, { count = 50 }))
  end)

  it("refuses few points, and points of two engines", function()
    local text = table_of()
    assert.matches("has 4 points, a calibration takes 5", errors.catch(problem.sweep,
      text:gsub("[^\n]*\n$", ""), "sweep"))
    assert.matches("engine is sglang, in the rows above vllm",
      errors.catch(problem.sweep, text .. "sglang,llama-3.1-8b,H100,512,64,64,1,bf16,,100,10\n", "sweep"))
  end)
end)
