-- Where a condition over whole numbers turns.
local halves = require("ballpark.halves")

describe("halving", function()
  it("finds the largest and the smallest number that holds, wherever that is", function()
    for turn = 0, 20 do
      assert.equal(turn, halves.largest(0, 21, function(value) return value <= turn end))
      assert.equal(turn + 1, halves.smallest(0, 21, function(value) return value > turn end))
    end
  end)

  it("asks for neither end, and about as often as the range can be halved", function()
    local asked = {}
    halves.largest(0, 1024, function(value)
      asked[#asked + 1] = value
      return value <= 700
    end)
    assert.equal(10, #asked)
    for _, value in ipairs(asked) do assert.is_true(value > 0 and value < 1024) end
    assert.equal(5, halves.largest(5, 6, error))
    assert.equal(6, halves.smallest(5, 6, error))
  end)

  it("stops within a part of what it found", function()
    local found = halves.largest(1, 100000, function(value) return value <= 77777 end, 8)
    assert.is_true(found <= 77777 and found + found // 8 >= 77777)
  end)
end)
