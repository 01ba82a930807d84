-- What is said of the host of an offloading plan.
local catalog = require("ballpark.catalog")
local host = require("ballpark.questions.training.host")
local relax = require("ballpark.questions.training.relax")
local result = require("ballpark.result")
local text = require("ballpark.report.table")
local estimating = require("ballpark.questions.estimate.run")
local searching = require("ballpark.questions.search.run")
local questions = require("ballpark.questions")

local function words(plan, profile, device)
  local cluster = catalog.cluster({ device = "H100", devices = 64 })
  for name, value in pairs(device or {}) do cluster.device[name] = value end
  return host.words({ cluster = cluster, profile = profile or {} }, plan)
end

describe("the host of an offloading plan", function()
  it("is one link for states and activations, and says where its rate is from", function()
    assert.is_nil(words({}))
    assert.is_nil(words({ offload = "none", offload_activations = 0 }))
    local recalled = "copies at 50.4 GB/s each way per device, 80 % (assumed) of the 63 GB/s of its link"
      .. " (recalled from data sheets)"
    for _, plan in ipairs({ { offload = "optimizer" }, { offload_activations = 0.5 } }) do
      assert.is_truthy(words(plan):find(recalled, 1, true))
    end
    assert.is_truthy(words({ offload = "optimizer" }, { common = { host_link = 0.5 } }, { host_bytes_s = 1e10 })
      :find("at 5 GB/s each way per device, 50 % of the 10 GB/s of its link;", 1, true))
  end)

  it("has drives where states lie on them", function()
    assert.is_truthy(words({ offload = "optimizer_nvme" }):find("drives at 3 GB/s per device", 1, true))
    assert.is_nil(words({ offload = "optimizer" }):find("drives", 1, true))
  end)

  local function asked(bytes, more)
    local input = { model = catalog.model("llama-3.1-70b"), job = { global_batch = 256, seq_len = 4096 },
      cluster = catalog.cluster({ device = "H100", devices = 64, host_memory_bytes = bytes }) }
    for key, value in pairs(more) do input[key] = value end
    return input
  end

  local function report(answer)
    local r = result.new({})
    questions.show(r, answer)
    return text(r, {}):gsub("%s+", " ")
  end

  it("has room for what a node offloads, where its memory is known", function()
    local plan = { tp = 1, pp = 8, offload_activations = 1, offload = "optimizer" }
    local answer = estimating.run(asked(nil, { plan = plan }))
    local memory = answer.memory
    assert.is_true(answer.fits)
    assert.equal(7, memory.stage) -- of the head; the first one offloads most
    assert.is_true(math.abs(memory.host_node_bytes / (8 * memory.host_bytes) - 1) < 1e-9) -- a node is a stage
    assert.matches("how much memory it has is not known", report(answer))
    local full = estimating.run(asked(memory.host_node_bytes - 1, { plan = plan }))
    assert.is_false(full.fits)
    assert.matches("does not fit into memory of the host", report(full))
    local answer_of_all = estimating.run(asked(memory.host_node_bytes, { plan = plan }))
    assert.is_true(answer_of_all.fits)
    assert.matches("is taken to hold nothing else", report(answer_of_all))
  end)

  it("turns plans of a search away, which says what memory would do", function()
    local fixed = { plan = { tp = 8, pp = 4, micro_batch = 1, vpp = 1, cp = 1, zero = 1, recompute = "none",
      offload = "optimizer" } }
    local need = searching.run(asked(nil, fixed)).best.memory.host_node_bytes
    assert.equal(1, #searching.run(asked(need, fixed)).plans)
    local none = searching.run(asked(need - 1, fixed))
    assert.equal(0, #none.plans)
    assert.equal("memory", none.nearest_miss.reason)
    assert.equal(1, none.nearest_miss.short_bytes)
    assert.matches("under 0.1 GiB over the [%d.]+ GiB of a host", report(none))
    local row = relax.search(none.input, none.found)[1]
    assert.equal("memory of a host", row.constraint)
    assert.is_true(row.needed >= need)
    assert.equal(1, #searching.run(asked(row.needed, fixed)).plans)
  end)

  it("is known of systems of the catalog", function()
    assert.equal(2 << 40, catalog.cluster("DGX-H100-SuperPOD").network.host_memory_bytes)
    assert.is_nil(catalog.cluster({ device = "H100", devices = 8 }).network.host_memory_bytes)
  end)

  it("is said of every plan of a search that has another", function()
    local answer = searching.run(asked(nil, { differ = "offload", space = { tp = 8,
      offload = { "none", "optimizer", "optimizer_nvme" } } }))
    local said = 0
    for _, sentence in ipairs(answer.assumed) do said = said + (sentence:find("^Host: ") and 1 or 0) end
    assert.equal(3, #answer.plans)
    assert.equal(2, said)
  end)
end)
