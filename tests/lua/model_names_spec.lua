-- Which model the name in a row of measured training means.
local columns = require("ballpark.measured.training_columns")
local errors = require("ballpark.errors")
local names = require("ballpark.resolve.model_names")
local training_case = require("ballpark.validate.training_case")
local shapes = require("ballpark.resolve.shapes")

describe("the name of a model", function()
  local blank = { case_id = "a-1", year = "2024", seq_len = "2048", gpu = "H100-SXM-80GB", gpus = "16",
    precision = "bf16", flash = "1", tp = "1", pp = "2", vpp = "1", dp = "8", cp = "1", zero = "1", recompute = "none",
    micro_batch = "1", global_batch_seqs = "32", framework = "megatron-core" }

  local function estimate(input)
    return { memory = { weights_bytes = 0, total_bytes = 1, capacity_bytes = input.device.memory_bytes },
      time = { step_s = 1 } }
  end

  local function model(changes)
    local row = {}
    for key, value in pairs(blank) do row[key] = value end
    for key, value in pairs(changes) do row[key] = value end
    return training_case.of(columns.row(row), { estimate = estimate }).model
  end

  it("is read as the catalog reads it, with how it was tuned and packed", function()
    assert.equal("Llama-3.3-70B-Instruct", model({ model = "RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic" }).name)
    assert.equal("DeepSeek-R1", model({ model = "nvidia/DeepSeek-R1-0528-FP4-v2" }).name)
    assert.equal("Llama-3.1-405B", model({ model = "LLAMA31_405B" }).name)
  end)

  it("is of a size that is rounded, or of one that the catalog does not have", function()
    assert.equal("bloom-7b1", model({ model = "Bloom-7B" }).name)
    assert.near(34e9, shapes.params(model({ model = "Llama-2 34B" })), 2e9)
    assert.near(13e9, shapes.params(model({ model = "13B" })), 1e9)
    assert.equal("pythia-1b", model({ model = "Pythia 1B" }).name)
  end)

  it("without a size of which there are several is refused", function()
    assert.matches("^model: 'Llama 2' has no size, and may be Llama%-2%-13b%-hf, Llama%-2%-70b%-hf, Llama%-2%-7b%-hf$",
      (errors.catch(model, { model = "Llama 2" })))
    assert.equal("Llama-2-7b-hf", model({ model = "Llama 2", params_b = "6.74" }).name)
    assert.equal("gpt2", model({ model = "GPT-2" }).name)
  end)

  it("says how many layers a trimmed one has", function()
    local trimmed = model({ model = "Llama-3.1 405B (4 layers)" })
    assert.same({ "Llama-3.1-405B", 4 }, { trimmed.name, trimmed.layers })
  end)

  it("says the size of a dense one that no catalog has", function()
    local seven = shapes.params(model({ model = "OurGPT 7.1B", arch = "dense" }))
    assert.near(7.1e9, seven, 0.5e9)
    assert.near(7.1e9, shapes.params(model({ model = "OurGPT 7.1B" })), 0.5e9)
    for _, changes in ipairs({ { model = "OurMoE 35B-A3B", arch = "dense" }, { model = "OurMoE 35B", arch = "moe" },
      { model = "OurMoE 7B" }, { model = "OurGPT", arch = "dense" } }) do
      assert.matches("no shape, and 'Our", errors.catch(model, changes))
    end
    assert.same({ 0.76, 0.0005 }, { names.stated("MPT-760m") })
    assert.same({ 7.1, 0.05 }, { names.stated("GPT 7.1B") })
  end)
end)
