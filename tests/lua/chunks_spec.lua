-- Chunks of a search: every position once, whoever takes them and in whatever order.
local chunks = require("ballpark.search.chunks")

-- Positions that the chunks of all shards cover, each with how often.
local function covered(size, length, n)
  local times = {}
  for i = 1, n do
    local t = chunks.new(size, length, { i = i, n = n })
    for k, begin, upto in function() return t:next() end do
      assert(begin < upto and upto <= size)
      for at = begin, upto - 1 do times[at] = (times[at] or 0) + 1 end
      t:finish(k)
    end
    assert(t:are_done())
  end
  return times
end

describe("chunks", function()
  it("cover every position once", function()
    for _, case in ipairs({ { 1, 1, 1 }, { 10, 3, 1 }, { 10, 3, 2 }, { 10, 20, 3 }, { 64, 8, 4 }, { 7, 1, 9 } }) do
      local times = covered(table.unpack(case))
      for at = 0, case[1] - 1 do assert.equal(1, times[at]) end
    end
  end)

  it("are neither too many nor too long", function()
    assert.equal(1, chunks.length(1, 1))
    assert.equal(1, chunks.length(64, 1))
    assert.equal(2, chunks.length(65, 1))
    assert.equal(1, chunks.length(65, 2))
    assert.equal(1 << 22, chunks.length(math.maxinteger, 7))
  end)

  it("reach the end of the largest space", function()
    local length = 1 << 22
    local t = chunks.new(math.maxinteger, length, { i = 3, n = 5 })
    local begin, upto = t:range(t.count - 1)
    assert.is_true(begin > math.maxinteger - 5 * length and upto > begin)
  end)

  it("go on from what was done, in any order", function()
    local t = chunks.new(100, 10, { i = 1, n = 1 })
    for _ = 1, 6 do t:next() end
    for _, n in ipairs({ 4, 0, 1, 5 }) do t:finish(n) end
    assert.same({ upto = 2, beyond = { 4, 5 } }, t:done())
    assert.equal(40, t.looked_at)
    local again, given = chunks.new(100, 10, { i = 1, n = 1 }, t:done()), {}
    for n in function() return again:next() end do
      given[#given + 1] = n
      again:finish(n)
    end
    assert.same({ 2, 3, 6, 7, 8, 9 }, given)
    assert.is_true(again:are_done())
    assert.equal(100, again.looked_at)
  end)
end)
