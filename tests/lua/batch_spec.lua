-- Many estimates in one call against each by itself.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local profiles = require("ballpark.catalog.profiles")

local function input(seq_len, profile)
  return {
    model = { layers = 16, hidden = 2048, heads = 16, ffn_hidden = 8192, vocab = 51200 },
    device = require("ballpark.catalog.devices").get("H100"),
    network = { devices = 8, scaleup = { bw_bytes_s = 450e9 } },
    plan = { tp = 2 }, job = { global_batch = 32, seq_len = seq_len },
    profile = profile or profiles.get("megatron"),
  }
end

local function inputs() return { input(1024), input(2048), input(4096), input(8192) } end

describe("a batch", function()
  it("estimates as train_step does", function()
    local batch = core.batch({ inputs = inputs(), coefficients = {} })
    for i, step_s in ipairs(batch:steps()) do
      assert.are.equal(core.train_step(inputs()[i]).time.step_s, step_s)
    end
  end)

  it("sets coefficients where they apply and leaves the rest", function()
    local batch = core.batch({ inputs = inputs(), coefficients = {
      { field = "profile.gemm", prior = 2, width = 1, rows = { 2, 3 } } } })
    local profile = profiles.get("megatron")
    profile.gemm = 2
    local steps, before = batch:steps({ 0 }), batch:steps()
    assert.are.equal(before[1], steps[1])
    assert.are.equal(core.train_step(input(2048, profile)).time.step_s, steps[2])
    assert.are.equal(core.train_step(input(2048)).time.step_s, before[2])
  end)

  it("finds the coefficients that made the times", function()
    local factors = { { field = "profile.gemm", width = 0.3, times = true },
      { field = "profile.attention", width = 0.3, times = true } }
    local truth = { 0.7, -0.9 }
    local measured = core.batch({ inputs = inputs(), coefficients = factors }):steps(truth)
    local batch = core.batch({ inputs = inputs(), coefficients = factors, measured = measured })
    local fit = batch:fit({ iterations = 50 })
    for j = 1, 2 do assert.is_true(math.abs(fit.x[j] - truth[j]) < 1e-3) end
    for _, r in ipairs(batch:residuals(fit.x)) do assert.is_true(math.abs(r) < 1e-4) end
    local values = batch:values(fit.x)
    assert.is_true(math.abs(values[1] - math.exp(0.3 * 0.7)) < 1e-3)
  end)

  it("says what the data leave open", function()
    local factors = { { field = "profile.gemm", width = 0.3, times = true },
      { field = "profile.moe_passes", width = 0.3, times = true } }
    local list = inputs()
    for _, one in ipairs(list) do one.profile.launches = "compiled" end -- no host to wait for
    local measured = core.batch({ inputs = list, coefficients = {} }):steps()
    measured[1], measured[4] = measured[1] * 1.02, measured[4] / 1.02
    local fit = core.batch({ inputs = list, coefficients = factors, measured = measured }):fit({})
    assert.is_true(fit.deviations[1] < 0.5)
    assert.is_true(math.abs(fit.deviations[2] - 1) < 1e-9)
    local spreads = core.batch({ inputs = list, coefficients = factors }):spreads({ 0, 0 }, { 1, 1 })
    for _, spread in ipairs(spreads) do assert.is_true(spread > 0.01 and spread < 0.3) end
  end)

  it("leaves out rows of weight 0 and those without a measurement", function()
    local factors = { { field = "profile.gemm", width = 0.3, times = true } }
    local list = inputs()
    local measured = core.batch({ inputs = list, coefficients = factors }):steps({ 0.5 })
    measured[2], measured[3] = 1000, false
    local batch = core.batch({ inputs = list, coefficients = factors, measured = measured })
    local fit = batch:fit({ weights = { 1, 0, 1, 1 }, iterations = 50 })
    assert.is_true(math.abs(fit.x[1] - 0.5) < 1e-3)
    assert.is_false(batch:residuals(fit.x)[3])
  end)

  it("refuses what it cannot use, with the place", function()
    local function fails(request, text)
      local message = errors.catch(core.batch, request)
      assert.is_truthy(message and message:find(text, 1, true), message)
    end
    local bad = input(1024)
    bad.plan = { tp = 3 }
    fails({ inputs = { input(1024), bad }, coefficients = {} }, "inputs[2].plan")
    fails({ inputs = inputs(), coefficients = { { field = "profile.gem" } } }, "coefficients[1].field")
    fails({ inputs = inputs(), coefficients = { { field = "plan.tp" } } }, "coefficients[1].field")
    fails({ inputs = inputs(), coefficients = { { field = "profile.gemm", rows = { 5 } } } }, "rows")
    fails({ inputs = inputs(), coefficients = {}, measured = { 0, 1, 1, 1 } }, "measured[1]")
    fails({ coefficients = {} }, "inputs")
    local batch = core.batch({ inputs = inputs(), coefficients = {} })
    assert.is_truthy(errors.catch(batch.steps, batch, { 1 }):find("list of 0 numbers", 1, true))
  end)
end)

describe("least squares over a Lua function", function()
  it("solves a line", function()
    local x, residuals, deviations = core.least_squares(function(p)
      return { p[1] - 1, p[1] + p[2] - 3, p[1] + 2 * p[2] - 5.001, p[1] + 3 * p[2] - 7 }
    end, 2, { 1, 1, 1, 1 }, { loss = "square", iterations = 100 })
    assert.is_true(math.abs(x[1] - 1) < 0.01 and math.abs(x[2] - 2) < 0.01)
    assert.are.equal(4, #residuals)
    assert.is_true(deviations[1] < 0.1)
  end)

  it("refuses residuals of the wrong number, and lets errors pass", function()
    local text = errors.catch(core.least_squares, function() return { 1 } end, 1, { 1, 1 })
    assert.is_truthy(text:find("list of 2 numbers", 1, true))
    local ok, e = pcall(core.least_squares, function() error("mine", 0) end, 1, { 1 })
    assert.is_false(ok)
    assert.are.equal("mine", e)
  end)
end)

describe("a conformal width", function()
  it("is the next larger rank, and infinite for too few", function()
    local scores, ones = { 5, 1, 4, 2, 3, 9, 8, 7, 6 }, { 1, 1, 1, 1, 1, 1, 1, 1, 1 }
    assert.are.equal(8, core.conformal_width(scores, ones, 9, 0.8))
    assert.are.equal(math.huge, core.conformal_width({ 1, 2 }, { 1, 1 }, 2, 0.8))
  end)
end)
