-- Levers: each is a search of its own, they are ranked by what they save, and those that do not apply are absent.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local levers = require("ballpark.questions.levers.run")
local result = require("ballpark.result")
local same = require("ballpark.questions.levers.same")
local search = require("ballpark.questions.serve_search.run")
local show = require("ballpark.questions.levers.show")
local tables = require("ballpark.tables")

local function ask(changes)
  local input = { model = catalog.model("llama-3.1-70b"), devices = "H100", gpus = 24, engine = "vllm",
    load = { rate_per_s = 6, input_tokens = 1500, output_tokens = 300 }, sla = { ttft_s = 1, tpot_s = 0.05 },
    space = { tp = { 2, 4 }, pp = 1, format = "bf16", pattern = "aggregated" } }
  for key, value in pairs(changes or {}) do input[key] = value end
  return input
end

local function by_name(answer)
  local rows = {}
  for _, row in ipairs(answer.rows) do rows[row.name] = row end
  return rows
end

describe("levers", function()
  it("say what a search with that change says", function()
    local input = ask()
    local answer = levers.run(input)
    local rows = by_name(answer)
    local quantised = ask()
    quantised.space.format = "fp8"
    assert.equal(search.run(quantised).winner.cost_usd_h, rows.weights.cost_usd_h)
    assert.equal("fp8", rows.weights.which)
    assert.equal("Llama-3.1-8B", rows.model.which)
    assert.near(1 - rows.model.cost_usd_h / answer.base.winner.cost_usd_h, rows.model.saves_frac, 1e-12)
    assert.near(0.35, rows.terms.saves_frac, 1e-12)
    -- The question itself is as it was.
    assert.equal("bf16", input.space.format)
    assert.is_nil(input.terms)
  end)

  it("take what a search answered, and nothing else for it", function()
    for _, base in ipairs({ 2, "x", true, { 1 } }) do
      assert.matches("^levers: takes a question and what serve_search answered", errors.catch(levers.run, {}, base))
    end
  end)

  it("are ranked by what they cost, those that break the SLO last", function()
    local last
    for _, row in ipairs(levers.run(ask()).rows) do
      if last then
        assert.is_true(last.fits or not row.fits)
        assert.is_true(not row.fits or row.cost_usd_h >= last.cost_usd_h)
      end
      last = row
    end
  end)

  it("that make a request lighter never cost more", function()
    local answer = levers.run(ask())
    local rows = by_name(answer)
    for _, name in ipairs({ "prefix", "context", "slo" }) do
      assert.is_true(rows[name].cost_usd_h <= answer.base.winner.cost_usd_h)
    end
  end)

  it("that are pulled already are not offered", function()
    local input = ask({ terms = "spot" })
    input.space.kv, input.space.format = "fp8", "int4"
    local rows = by_name(levers.run(input))
    assert.is_nil(rows.cache_format)
    assert.is_nil(rows.weights)
    assert.is_nil(rows.terms)
  end)

  it("that do not apply say why", function()
    local input = ask({ terms = "reserved_3y" })
    input.load.prefix_tokens, input.load.shared_tokens = 1000, 400
    local answer = levers.run(input)
    local why = by_name({ rows = answer.pointless })
    assert.equal("they are paid as reserved 3y already", why.terms.why)
    assert.equal("1000 of 1500 tokens come from it already", why.prefix.why)
    assert.is_nil(by_name(answer).prefix)
    local shorter = by_name(answer).context.answer.ask.load
    assert.equal("1125 750 300", ("%d %d %d"):format(shorter.input_tokens, shorter.prefix_tokens, shorter.shared_tokens))
    local r = result.new({})
    show.answer(r, answer)
    assert.is_true(tables.contains(r.notes, "devices committed for a year: does not apply, they are paid as reserved 3y already"))
  end)

  it("of another device are on the terms of those that were asked about", function()
    local row = by_name(levers.run(ask({ devices = { { device = "H100", term = "reserved" } } }))).device
    assert.equal("reserved", row.fleet.candidate.pool.term)
  end)

  it("of a smaller model read the same images", function()
    local small, vision = catalog.model("gemma-3-4b"), catalog.model("gemma-3-27b")
    vision.images = 2
    local row = by_name(levers.run(ask({ model = vision }))).model
    assert.is_true(row.answer.ask.model.encoder.layers > 0)
    assert.equal(2, row.answer.ask.model.images)
    -- Gemma-3-1b has no eyes.
    small.images = 2
    assert.is_nil(by_name(levers.run(ask({ model = small }))).model)
  end)

  it("that quantise take what the engine runs on the devices", function()
    local function lever(changes) return by_name(levers.run(ask(tables.with({ model = catalog.model("llama-3.1-8b"), gpus = 16 }, changes)))).weights end
    assert.equal("int8", lever({ devices = "A100", engine = "trtllm" }).which)
    assert.equal("fp8", lever({ devices = "A100" }).which)
    local space = { tp = 1, pp = 1, format = "fp8", pattern = "aggregated" }
    assert.equal("int4", lever({ space = space }).which)
    assert.equal("nvfp4", lever({ devices = "B200", space = space }).which)
  end)

  it("that are refused name the field", function()
    local vision = catalog.model("Qwen2.5-VL-7B")
    vision.images, vision.image_size = 1, 1024
    local row = by_name(levers.run(ask({ model = vision, load = { rate_per_s = 6, input_tokens = 1500, output_tokens = 300 } }))).context
    assert.matches("^load.input_tokens: 1 images of %d+ tokens are more than a prompt of 1125$", row.refused)
  end)

  it("that quantise look at the experts, which are most of the weights", function()
    local function weights_lever(format)
      return by_name(levers.run(ask({ model = catalog.model("gpt-oss-120b"), gpus = 8,
        space = { tp = { 2, 4 }, pp = 1, format = format, pattern = "aggregated" } }))).weights
    end
    assert.equal("fp8", weights_lever("bf16").which)
    assert.is_nil(weights_lever({ weights = "bf16", experts = "mxfp4" }))
  end)

  it("may make an SLO hold that did not", function()
    local answer = levers.run(ask({ gpus = 8 }))
    assert.is_false(answer.base.fits)
    assert.is_true(answer.fits)
    assert.is_true(by_name(answer).model.fits)
    assert.is_nil(by_name(answer).model.saves_frac)
  end)

  it("say where only one provider has the price", function()
    local answer, r = levers.run(ask()), result.new({})
    show.answer(r, answer)
    for i, row in ipairs(answer.rows) do
      local pool = row.fits and row.fleet.candidate.pool
      local lone = pool and pool.assumed:find("the only price known", 1, true) ~= nil
      local said = r.blocks[1].rows[i + 1][8]
      assert.equal(row.costs .. same.words(row.same) .. (lone and "; the price is of one provider" or ""), said)
    end
  end)

  it("become a table, whatever the outcome", function()
    for _, changes in ipairs({ {}, { gpus = 4 }, { gpus = 2 } }) do
      local r = result.new({})
      show.answer(r, levers.run(ask(changes)))
      assert.is_true(#r.blocks == 1 or #r.warnings == 1)
    end
  end)
end)
