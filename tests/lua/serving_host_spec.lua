-- What serving engines cost beside the model: on devices of other vendors, with a server in between and without.
local catalog = require("ballpark.catalog")
local engines = require("ballpark.catalog.engines")
local resolve = require("ballpark.resolve.serving")

describe("an engine on devices of another vendor", function()
  it("is as slow as on Max only there: Gaudi's is another one", function()
    local function on(name) return (resolve.engine("vllm 0.6", catalog.device(name))) end
    assert.equal(8, on("Max-1550").slowdown)
    assert.equal(1.8, on("MI300X").slowdown)
    assert.equal(1.8, on("MI250").slowdown)
    assert.is_false(on("MI300X").own_collectives)
    assert.is_nil(on("H100").own_collectives)
    local gaudi, said = resolve.engine("vllm 0.6", catalog.device("Gaudi3"))
    assert.equal(1, gaudi.slowdown)
    assert.is_nil(said:find("times as slow", 1, true))
  end)
end)

describe("a server in between", function()
  it("costs nothing where the engine is called in the same process", function()
    local base = engines.get("vllm")
    local engine = resolve.in_process(base)
    for _, field in ipairs({ "front_s", "front_sequence_s", "front_token_s", "submit_s" }) do
      assert.equal(0, engine[field], field)
      assert.is_true(base[field] > 0, field)
    end
    assert.equal(base.step_s, engine.step_s)
  end)

  -- Times of the front end were measured with all clients in one Python loop; others leave two fifths of them.
  it("costs users that come by themselves what it costs light load generators", function()
    local function front(load) return (resolve.engine("sglang", catalog.device("H100"), 0, load)).front_s end
    assert.equal(front({ concurrency = 4, client = "light" }), front({ arrivals = "poisson", rate_per_s = 4 }))
    assert.near(0.4 * front({ arrivals = "poisson", rate_per_s = 4, client = "python" }),
      front({ arrivals = "poisson", rate_per_s = 4 }), 1e-12)
  end)
end)
