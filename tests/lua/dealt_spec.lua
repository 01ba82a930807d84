-- Items dealt among devices: whole ones, in calls back to back.
local ask = require("ballpark.questions.ask.run")
local dealt = require("ballpark.questions.inference.dealt")
local encode = require("ballpark.questions.encode.run")
local transcribe = require("ballpark.questions.transcribe.run")

-- A call of so many takes 2 s and one for each.
local function call_s(batch) return 2 + batch end

describe("items dealt among devices", function()
  it("are whole, and left over in a smaller call", function()
    -- Ten among four in calls of two: two devices have 3, that is 4 + 3 s; two have 2 and take 4 s.
    local ten = dealt.among(10, 4, 2, call_s)
    assert.equal(7, ten.time_s)
    assert.equal(2 * 7 + 2 * 4, ten.device_s)
    assert.equal(3, dealt.among(1, 8, 64, call_s).time_s)
    assert.equal(3, dealt.among(1, 8, 64, call_s).device_s)
    assert.equal(0, dealt.among(0, 8, 64, call_s).device_s)
  end)

  it("are done within a time by the fewest devices whose share is", function()
    assert.equal(5, dealt.fewest(10, 2, call_s, 4)) -- two in a call
    assert.equal(4, dealt.fewest(10, 2, call_s, 7)) -- three in two calls
    assert.equal(10, dealt.fewest(10, 2, call_s, 3))
    assert.is_nil(dealt.fewest(10, 2, call_s, 2.9))
    assert.equal(1, dealt.fewest(10, 2, call_s, 20))
  end)

  it("are never slower on more devices, nor done before a call of one", function()
    for _, items in ipairs({ 1, 3, 10, 1000, 1e9 }) do
      for _, batch in ipairs({ 1, 7, 256 }) do
        local before = math.huge
        for devices = 1, 40 do
          local time_s = dealt.among(items, devices, batch, call_s).time_s
          assert.is_true(time_s <= before and time_s >= call_s(1))
          before = time_s
        end
      end
    end
  end)
end)

describe("documents of a corpus", function()
  local function page(facts)
    for name, value in pairs({ model = "bge-m3", seq_len = 512, device = "L4" }) do facts[name] = facts[name] or value end
    return ask.run({ kind = "corpus", facts = facts })
  end
  local function call(batch) return encode.run({ model = "bge-m3", device = "L4", tokens = 512, batch = batch }).out.time_s end

  it("are each on one device", function()
    assert.near(call(2), page({ items = 10, devices = 8 }).values.run_s, 1e-12)
    assert.near(call(1), page({ items = 3, devices = 8 }).values.run_s, 1e-12)
    local few = page({ items = 1000, time_s = 2 }).values
    assert.is_true(few.run_s <= 2)
    assert.is_true(page({ items = 1000, devices = few.devices - 1 }).values.run_s > 2)
  end)

  it("are contradicted where a device does not hold one", function()
    local large = page({ items = 1e6, model = "Qwen3-Embedding-8B", device = "RTX-3050-8GB" })
    assert.equal("memory", large.contradictions[1].code)
    assert.is_nil(large.values.run_s)
  end)
end)

describe("recordings dealt among devices", function()
  local function input(facts)
    for name, value in pairs({ model = "whisper-large-v3", device = "L4", batch = 4 }) do facts[name] = facts[name] or value end
    return (select(2, ask.handed_over({ kind = "transcribe", facts = facts })))
  end

  it("are whole while there are no more devices", function()
    assert.equal(600, input({ items = 10, devices = 8, audio_s = 3000 }).audio_s)
    assert.equal(300, input({ items = 10, devices = 10, audio_s = 3000 }).audio_s)
    assert.equal(150, input({ items = 10, devices = 20, audio_s = 3000 }).audio_s)
    assert.equal(30, input({ items = 10, devices = 1000, audio_s = 3000 }).audio_s) -- cut into no less than a window
    assert.equal(450, input({ devices = 8, audio_s = 3600 }).audio_s)
    assert.equal(10, input({ items = 100, devices = 200, audio_s = 1000 }).audio_s)
  end)

  it("are done in the time that is said", function()
    for _, items in ipairs({ 3, 10, 400 }) do
      local made = input({ items = items, time_s = 20 })
      assert.is_true(transcribe.run(made).time_s <= 20)
    end
  end)

  it("keep up on no devices where a batch does not fit", function()
    local wide = transcribe.run({ model = "whisper-large-v3", device = "T4", batch = 4096, audio_per_s = 20 })
    assert.is_false(wide.fits)
    assert.is_nil(wide.devices)
  end)
end)
