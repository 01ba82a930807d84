-- The progress line: rate and time left, once a second, only where somebody looks.
local progress = require("ballpark.report.progress")

local function watched(total)
  local clock, written = { s = 100 }, {}
  local stream = { write = function(_, ...) written[#written + 1] = table.concat({ ... }) end, flush = function() end }
  return progress.new(total, stream, function() return clock.s end), clock, written
end

describe("progress", function()
  it("says rate and time left", function()
    local p, clock, written = watched(1000)
    for _ = 1, 99 do p:step() end
    assert.same({}, written)
    clock.s = 102
    p:step()
    assert.equal(1, #written)
    assert.matches("100 of 1,000 points, 50 per s, 18", written[1])
    p:step() -- the same second
    assert.equal(1, #written)
    p:finish()
    assert.equal("\r\27[K", written[2])
  end)

  it("does not take skipped points for speed", function()
    local p, clock, written = watched(1000)
    for _ = 1, 500 do p:step(true) end
    clock.s = 110
    p:step()
    assert.matches("501 of 1,000 points, 0.1 per s", written[1])
    p:finish()
  end)

  it("is silent inside of another, which it is a part of", function()
    local outer, clock, written = watched(2)
    local inner, own_clock, own_written = watched(1000)
    own_clock.s = 200
    inner:step()
    assert.same({}, own_written)
    inner:finish()
    clock.s = 200
    outer:step()
    assert.equal(1, #written)
    outer:finish()
    local after, last_clock, last_written = watched(10)
    last_clock.s = 200
    after:step()
    assert.equal(1, #last_written)
    after:finish()
  end)

  it("is silent without a terminal", function()
    local p = progress.new(10, false)
    for _ = 1, 10 do p:step() end
    p:finish()
    assert.is_nil(p.shown)
  end)
end)
