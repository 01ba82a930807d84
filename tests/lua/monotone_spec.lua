-- What physics orders, over drawn cases; many more of them: tools/check-deep monotone
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local monotone = dofile(here .. "/monotone_pairs.lua")

local PAIRS <const>, CHAINS <const> = 200, 40

describe("a drawn pair", function()
  it("of every kind never has less where physics gives more", function()
    local asked, index, seen = 0, 1, {}
    while asked < PAIRS do
      local pair = monotone.pair(index)
      if pair then
        asked, seen[pair.kind] = asked + 1, true
        assert.is_true(pair.falls <= monotone.ROUNDING, pair.text)
      end
      index = index + 1
    end
    for _, kind in ipairs(monotone.kinds) do assert.is_true(seen[kind], kind) end
  end)

  it("that once fell holds", function()
    -- Experts' traffic and blocks of keys and values were both hidden under the same attention: slower with more peak.
    local pair = monotone.pair(61290, "step with peak")
    assert.is_true(pair.falls <= monotone.ROUNDING, pair.text)
    -- An answer of three tokens met more steps with prompts than it has steps, most of all at a quarter of the capacity.
    pair = monotone.pair(1099867, "token with replicas")
    assert.is_true(pair.falls <= monotone.ROUNDING, pair.text)
    -- The pieces of a step were shared unevenly up to a number, and evenly from there on: more of them were faster.
    pair = monotone.pair(8071980, "answer with replicas")
    assert.is_true(pair.falls <= monotone.ROUNDING, pair.text)
    -- Answers of two tokens took turns with prompts up to half of what a step holds, and came by chance from there on.
    pair = monotone.pair(8099398, "first token with replicas")
    assert.is_true(pair.falls <= monotone.ROUNDING, pair.text)
    -- Steps with experts lie below the line through two with few prompts, which more replicas followed for longer.
    for index, kind in pairs({ [9007746] = "first token with replicas", [9025352] = "answer with replicas",
      [9117079] = "token with replicas" }) do
      pair = monotone.pair(index, kind)
      assert.is_true(pair.falls <= monotone.ROUNDING, pair.text)
    end
    -- A schedule of both directions keeps weights for both, in programs that cast them from their masters, too.
    pair = monotone.pair(9508199, "room with ZeRO")
    assert.is_true(pair.falls <= monotone.ROUNDING, pair.text)
  end)

  it("of states that once fell holds", function()
    local once = {
      -- 8-bit copies were kept beside shared masters and not beside whole ones; two bytes of a master passed for a weight.
      ["room with ZeRO, told the optimizer"] = { 2663, 3983, 1350, 2672, 5199, 3109, 2647, 5025 },
      -- The gradient of a layer was counted whole where ranks share gradients, and twice under ZeRO 3.
      ["room with an update in backward"] = { 2421, 257, 54, 2483 },
      -- A layer's gradient counted twice under ZeRO 3; gathered experts where only experts are shared did not.
      ["room with offloading"] = { 842, 700, 4060, 3401, 738, 268 },
    }
    for kind, indices in pairs(once) do
      for _, index in ipairs(indices) do
        local pair = assert(monotone.pair(index, kind))
        assert.is_true(pair.falls <= monotone.ROUNDING, ("%s %d: %s"):format(kind, index, pair.text))
      end
    end
  end)

  it("of ever faster devices answers no less with each", function()
    -- Fewer and larger groups of prompts overfilled a tile of every matmul, up to 1 % of the capacity in these.
    local seen = { 281, 302, 429, 539, 747, 770 }
    for index = 1, CHAINS do seen[#seen + 1] = index end
    for _, name in ipairs({ "memory", "bandwidth", "peak", "links" }) do
      for _, index in ipairs(seen) do
        local falls, text = monotone.chain(index, name)
        assert.is_true(falls <= monotone.ROUNDING, text)
      end
    end
  end)

  it("is told apart from one that falls", function()
    local device = { memory_bytes = 10, mem_bw_bytes_s = 1 }
    assert.equal(20, (monotone.better.memory(device, {}, 2)).memory_bytes)
    local falls, holds = monotone.judged(2, 1), monotone.judged(1, 2)
    assert.is_true(falls > monotone.ROUNDING and holds == 0)
    assert.equal(0.5, falls)
    assert.equal(1, monotone.judged(-1, -2))
  end)
end)
