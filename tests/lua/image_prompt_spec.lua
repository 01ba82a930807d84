-- image_prompt{}: tokens by patches and tiles, the tower's time and memory, refusals.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local image_prompt = require("ballpark.questions.image_prompt.run")

local function near(actual, expected, rel)
  assert.is_true(math.abs(actual - expected) <= rel * math.abs(expected), actual .. " is not near " .. expected)
end

local function ask(name, changes)
  local input = { model = catalog.model(name), device = "L4" }
  for key, value in pairs(changes or {}) do input[key] = value end
  return image_prompt.run(input)
end

describe("an image in a prompt", function()
  it("has the tokens that its merged patches are", function()
    -- 14 pixels a patch, 2 x 2 merged: 1280 x 720 is 46 x 26 (arXiv:2502.13923, section 2.1.1, rounds to 28).
    assert.equal(46 * 26, ask("Qwen2.5-VL-7B", { width = 1280, height = 720 }).image_tok)
    -- 16 pixels a patch, 2 x 2 merged.
    assert.equal(32 * 32, ask("Qwen3-VL-8B", { width = 1024 }).image_tok)
    -- One size of 896, 64 x 64 patches, sixteen averaged; of 336, 24 x 24 patches, four merged, in five tiles.
    assert.equal(256, ask("Gemma-3-4b-it").image_tok)
    assert.equal(256, ask("Gemma-3-4b-it", { width = 2000 }).image_tok)
    assert.equal(5 * 144, (image_prompt.tokens(catalog.model("Llama-4-Scout"), 336, 336, 5)))
    assert.equal(1, ask("Qwen2.5-VL-7B", { width = 5, height = 5 }).image_tok)
    -- Towers without a table make a larger image smaller: 1024 x 576 in patches of 16.
    assert.equal(64 * 36, ask("Pixtral-12B", { width = 1920, height = 1080 }).image_tok)
    -- 24 x 24 patches of 336 pixels, none merged; 32 x 32 of 448, four merged; 27 x 27 of 384, nine merged.
    assert.equal(576, ask("llava-1.5-7b").image_tok)
    assert.equal(5 * 576, ask("llava-v1.6-mistral-7b", { tiles = 5 }).image_tok)
    assert.equal(256, ask("InternVL3-8B").image_tok)
    assert.equal(81, ask("SmolVLM2-2.2B").image_tok)
  end)

  it("is read by several devices, with less on each, and no slower than sums of theirs are launched", function()
    -- A tower is small: on faster devices the host launches it for longer than it runs, and has two sums more for a layer.
    for name, most in pairs({ L4 = 1, H100 = 1.25, MI300X = 1.25 }) do
      local before
      for _, devices in ipairs({ 1, 2, 4 }) do
        local answer = ask("Qwen2.5-VL-7B", { device = name, devices = devices })
        if before then
          assert.is_true(answer.encoder_s <= most * before.encoder_s and answer.memory.weights_bytes < before.memory.weights_bytes, name)
        end
        before = answer
      end
    end
  end)

  it("passes the tower once and the model like text", function()
    local one, two = ask("Qwen2.5-VL-7B"), ask("Qwen2.5-VL-7B", { images = 2 })
    assert.equal(64 + one.image_tok, one.prompt_tok)
    assert.equal(64 + 2 * one.image_tok, two.prompt_tok)
    near(two.encoder_s, 2 * one.encoder_s, 0.1)
    assert.is_true(one.first_token_s > one.encoder_s + one.text_first_token_s)
    -- The tower multiplies its patches by its weights: at most the peak.
    local params = core.params({ model = catalog.model("Qwen2.5-VL-7B") })
    local patches = 4 * one.image_tok
    assert.is_true(one.encoder_s >= 0.8 * 2 * patches * (params.encoder - params.projector)
      / catalog.device("L4").bf16_flop_s)
  end)

  it("takes memory for tower, cache and weights", function()
    local answer = ask("Qwen2.5-VL-7B", { width = 1280, height = 720 })
    assert.equal(2 * core.params({ model = catalog.model("Qwen2.5-VL-7B") }).encoder, answer.tower_bytes)
    -- 28 layers, 4 heads of 128, keys and values of 16 bit.
    near(answer.image_kv_bytes, 28 * 2 * 4 * 128 * 2 * answer.image_tok, 1e-9)
    assert.is_true(answer.fits)
    assert.is_false(ask("Qwen2.5-VL-72B").fits)
    assert.is_true(ask("Qwen2.5-VL-7B", { weights = "fp8" }).memory.weights_bytes < answer.memory.weights_bytes)
  end)

  it("says that nobody measured it, and refuses what sees nothing", function()
    assert.matches("no measured prompt", ask("Qwen2.5-VL-7B").range.first_token_s.why[1])
    assert.matches("no vision tower", errors.catch(ask, "llama-3.1-8b"))
    assert.matches("images: must be a whole number", errors.catch(ask, "Qwen2.5-VL-7B", { images = 0 }))
  end)
end)
