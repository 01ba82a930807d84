-- Encoders beside a decoder as questions ask for them: images in a sequence or a request, frozen towers, speech.
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local scenario = require("ballpark.scenario")

local function env() return environment.new(scenario.state(nil, { command = "shown" })) end

local function trained(name, changes, plan)
  local e = env()
  return e.estimate({ model = e.model(name, changes), cluster = e.cluster({ device = "H100", devices = 16 }),
    job = { global_batch = 64, seq_len = 4096 }, plan = plan or { micro_batch = 1, zero = 3 } })
end

local function served(name, changes, load)
  local e = env()
  return e.serve({ model = e.model(name, changes), cluster = e.cluster({ device = "H100", devices = 1 }),
    load = load or { concurrency = 4, input_tokens = 3000, output_tokens = 100, requests = 40 } })
end

local function words(answer) return table.concat(answer.assumed, "\n") end

describe("images in training", function()
  it("take time by their number and size, forward only where the tower is frozen", function()
    local text, one = trained("Qwen3-VL-8B"), trained("Qwen3-VL-8B", { images = 1, image_size = 1024 })
    local two = trained("Qwen3-VL-8B", { images = 2, image_tok = 1024 })
    local frozen = trained("Qwen3-VL-8B", { images = 2, image_tok = 1024, encoder_frozen = true })
    local per_image = one.time.step_s - text.time.step_s
    assert.is_true(per_image > 0)
    -- Weights of the tower are gathered once, however many images there are.
    local share = (two.time.step_s - text.time.step_s) / (2 * per_image)
    assert.is_true(share > 0.75 and share < 1.01)
    assert.is_true(frozen.time.step_s > text.time.step_s and frozen.time.step_s < one.time.step_s)
    assert.is_true(frozen.memory.total_bytes < two.memory.total_bytes)
    assert.is_true(one.time.model_flop > text.time.model_flop)
  end)

  it("are said among what is assumed", function()
    assert.matches("no images: the vision tower takes memory and no time", words(trained("Qwen3-VL-8B")))
    assert.matches("2 images of 1024 tokens each",
      words(trained("Qwen3-VL-8B", { images = 2, image_size = 1024 })))
    assert.matches("first stage of a pipeline", words(trained("Qwen3-VL-8B", {}, { pp = 2, micro_batch = 1 })))
    assert.matches("attends to 512 tokens of the encoder", words(trained("t5-11b", {}, { tp = 8, micro_batch = 1 })))
  end)

  it("go beyond what was measured", function()
    local answer = trained("Qwen3-VL-8B", { images = 1, image_size = 1024 })
    assert.matches("no measured run with an encoder", table.concat(answer.extrapolated, "; "))
    assert.is_nil(table.concat(trained("Qwen3-VL-8B").extrapolated, "; "):find("encoder"))
  end)

  it("have to find places in the sequence", function()
    assert.matches("model%.images: 5 images of 1024 tokens are more than a sequence of 4096",
      (errors.catch(trained, "Qwen3-VL-8B", { images = 5, image_size = 1024 })))
    assert.matches("model%.image_tok: must be at least 1 with images",
      (errors.catch(trained, "Qwen3-VL-8B", { images = 1 })))
    assert.matches("model%.images: need a vision tower",
      (errors.catch(trained, "llama-3.1-8b", { images = 1, image_tok = 10 })))
  end)
end)

describe("a described encoder-decoder", function()
  it("attends across in all of its layers, however many it is cut to", function()
    local model = require("ballpark.resolve.described_model").of({ model = "t5-11b", layers = 12 }, 512)
    assert.same({ 12, 12, 24 }, { model.layers, model.cross_layers, model.encoder.layers })
  end)
end)

describe("encoders in serving", function()
  it("come before the first token", function()
    local text, images = served("Qwen3-VL-8B"), served("Qwen3-VL-8B", { images = 2, image_size = 1024 })
    assert.is_true(images.steady.ttft_s > 1.1 * text.steady.ttft_s)
    assert.is_true(images.seen.ttft.mean_s > 1.1 * text.seen.ttft.mean_s)
    assert.matches("2 images of 1024 tokens each", words(images))
  end)

  it("take room for keys and values of their tokens", function()
    local load = { concurrency = 4, input_tokens = 4, output_tokens = 100, requests = 40 }
    local short, long = served("whisper-large-v3", { cross_tok = 750 }, load), served("whisper-large-v3", {}, load)
    -- 32 layers, keys and values of 1280 in 16 bit.
    assert.equal(32 * 2 * 1280 * 2 * 750, long.memory.sequence_bytes - short.memory.sequence_bytes)
    assert.is_true(long.seen.ttft.mean_s > short.seen.ttft.mean_s)
  end)

  it("read the prompts of text, whose decoder begins with one token", function()
    local load = { concurrency = 2, input_tokens = 300, output_tokens = 20, requests = 4 }
    local answer = served("t5-large", {}, load)
    assert.same({ 300, 1, 20 }, { answer.input.model.cross_tok, answer.means.input_tokens, answer.means.output_tokens })
    assert.matches("prompts of 300 tokens go to the encoder", words(answer))
    assert.matches("does not serve encoder%-decoders of text", words(answer))
    assert.matches("no encoder%-decoder was measured", table.concat(answer.extrapolated, "; "))
    answer = served("whisper-large-v3", {}, { concurrency = 1, requests = 2 })
    assert.same({ 1500, 4, 120 }, { answer.input.model.cross_tok, answer.means.input_tokens,
      answer.means.output_tokens })
  end)

  it("read each prompt whole, whatever is shared", function()
    local load = { concurrency = 2, input_tokens = 300, output_tokens = 20, requests = 4, lengths = "uniform" }
    local alone = served("t5-large", {}, load)
    load.prefix_tokens = 200
    local shared = served("t5-large", {}, load)
    assert.matches("whatever prefix they share", words(shared))
    assert.same({ alone.steady.capacity_per_s, alone.seen.duration_s }, { shared.steady.capacity_per_s, shared.seen.duration_s })
    assert.matches("load%.turns: an encoder reads each prompt whole",
      (errors.catch(served, "t5-large", {}, { concurrency = 2, turns = 3 })))
  end)

  it("are refused where their images are longer than the prompt", function()
    assert.matches("load%.input_tokens: 3 images of 1024 tokens are more than a prompt of 3000",
      (errors.catch(served, "Qwen3-VL-8B", { images = 3, image_size = 1024 })))
  end)
end)
