-- core.sort in the place of table.sort: items of one rank stay in the order they were in, in every run.
local core = require("ballpark.core")
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local drawn = dofile(here .. "/drawn.lua")

describe("core.sort", function()
  it("sorts as a list says that is filled in order", function()
    local unit = drawn.stream(1)
    for size = 0, 70 do
      local list, places = {}, {}
      for i = 1, size do
        list[i] = { rank = math.floor(unit() * 10), place = i }
        places[list[i].rank] = places[list[i].rank] or {}
        table.insert(places[list[i].rank], i)
      end
      core.sort(list, function(a, b) return a.rank < b.rank end)
      local at = 0
      for rank = 0, 9 do
        for _, place in ipairs(places[rank] or {}) do
          at = at + 1
          assert.same({ rank = rank, place = place }, list[at])
        end
      end
      assert.equal(at, #list)
    end
  end)

  it("sorts numbers and texts without being told how", function()
    local numbers, texts = { 3, -1, 2.5, math.huge, 0, -math.huge }, { "b", "", "a\0", "a", "ab" }
    core.sort(numbers)
    core.sort(texts, nil)
    assert.same({ -math.huge, -1, 0, 2.5, 3, math.huge }, numbers)
    assert.same({ "", "a", "a\0", "ab", "b" }, texts)
  end)

  it("compares no more than a merge does", function()
    local unit, list, count = drawn.stream(2), {}, 0
    for i = 1, 1024 do list[i] = unit() end
    core.sort(list, function(a, b)
      count = count + 1
      return a < b
    end)
    assert.is_true(count <= 1024 * 10, count)
  end)

  it("ends whatever the order says, and writes nothing that is in its place", function()
    for _, says in ipairs({ true, false }) do
      local list = { 5, 4, 3, 2, 1 }
      core.sort(list, function() return says end)
      assert.equal(15, list[1] + list[2] + list[3] + list[4] + list[5])
    end
    local fixed = setmetatable({}, { __index = { 1, 2, 2, 3 }, __len = function() return 4 end,
      __newindex = function() error("written") end })
    core.sort(fixed)
    assert.error_matches(function() core.sort(fixed, function(a, b) return a > b end) end, "written")
  end)

  it("refuses what is no list, what does not compare, and what is no order", function()
    assert.error_matches(function() core.sort(3) end, "table expected")
    assert.error_matches(function() core.sort({ 2, 1 }, 3) end, "function expected")
    assert.error_matches(function() core.sort({ 2, "a" }) end, "attempt to compare")
    assert.error_matches(function() core.sort({ 2, 1 }, function() error("no order") end) end, "no order")
    assert.error_matches(function() core.sort(setmetatable({}, { __len = function() return math.maxinteger end })) end, "too big")
  end)

  it("is what the program and its scenarios sort with", function() assert.equal(core.sort, table.sort) end)
end)
