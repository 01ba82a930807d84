-- speak{}: tokens of sound, streams that keep up, memory, price, refusals.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local measured = require("ballpark.questions.comparables.measured")
local range = require("ballpark.range")
local speak = require("ballpark.questions.speak.run")
local tables = require("ballpark.tables")

local function ask(changes) return speak.run(tables.with({ model = "orpheus-3b", device = "L40S" }, changes or {})) end

local function refused(changes, words)
  local said = errors.catch(ask, changes)
  assert.is_truthy(said:find(words, 1, true), said)
end

describe("speak", function()
  it("takes a step of the decoder for every token of sound, and the share of the text", function()
    local answer = ask()
    assert.near(24000 / 2048 * 7, answer.tokens_per_audio_s, 1e-9)
    -- 60 tokens of text for 10 s of sound.
    assert.near(24000 / 2048 * 7 * answer.step_s + answer.prompt_s / 10, answer.real_time_factor, 1e-12)
    assert.near(answer.prompt_s + 28 * answer.step_s, answer.first_sound_s, 1e-12)
    assert.near(1 / answer.real_time_factor, answer.speed, 1e-9)
    -- 3.2 billion weights of two bytes are read for a token: no faster than the memory.
    assert.is_true(answer.step_s > 6.4e9 / catalog.device("L40S").mem_bw_bytes_s)
  end)

  it("keeps keys and values of text and sound for every stream", function()
    -- 28 layers, keys and values of 8 heads of 128, 16 bit; 60 tokens and 10 s of 82.03 tokens, rounded up: 881.
    local held = ask({ voices = 4 }).memory[2][2]
    assert.near(4 * 28 * 2 * 8 * 128 * 2 * 881, held, 4 * 28 * 2 * 8 * 128 * 2 * 16)
  end)

  it("holds the most streams that keep up: one more would not", function()
    local most = ask().most_streams
    assert.is_true(most >= 1)
    assert.is_true(ask({ voices = most }).fits)
    assert.is_false(ask({ voices = most + 1 }).fits)
    assert.is_true(ask({ tokens_per_audio_s = 41 }).most_streams > most)
    assert.is_true(ask({ weights = "fp8" }).most_streams > most)
    assert.equal(0, ask({ tokens_per_audio_s = 5000 }).most_streams)
  end)

  it("costs the device over its sound, and plans devices at 70 %", function()
    local answer = ask({ voices = 8, price_usd_h = 2, streams = 100 })
    assert.near(2 / answer.speed, answer.usd_per_audio_h, 1e-12)
    -- A device holds whole streams.
    assert.equal(math.ceil(100 / math.floor(0.7 * answer.most_streams)), answer.devices)
    assert.is_nil(ask({ tokens_per_audio_s = 5000, streams = 100 }).devices)
  end)

  it("takes any decoder whose codec is told", function()
    local answer = ask({ model = "qwen2.5-0.5b", tokens_per_audio_s = 25 })
    assert.is_true(answer.real_time_factor < ask().real_time_factor)
    refused({ model = "llama-3.2-3b" }, "tokens_per_audio_s")
    refused({ model = "whisper-large-v3", tokens_per_audio_s = 25 }, "must be a decoder")
    refused({ model = "hexgrad/Kokoro-82M" }, "all sound at once")
    refused({ model = "suno/bark-small" }, "two decoders")
    refused({ voices = 0 }, "voices")
    refused({ audio_s = -1 }, "audio_s")
  end)

  it("has both published figures inside of its ranges", function()
    for _, question in ipairs({ "speak", "speak_streams" }) do
      local row = measured.of(question)[1]
      assert.is_true(range.holds(speak.run(row.input).range[row.figure], row.value), row.figure)
    end
  end)

  it("is the serving kernels' step", function()
    local answer = ask({ voices = 3 })
    local setup = answer.case.setup
    local context = 60 + 10 * answer.tokens_per_audio_s / 2
    assert.equal(core.infer_step(tables.with(setup, { sequences = 3, context = context })).time_s, answer.step_s)
  end)
end)
