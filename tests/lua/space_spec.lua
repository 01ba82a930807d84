-- What all searches share: spaces, what is kept of them, tallies, and whether all was looked at.
local best = require("ballpark.search.best")
local errors = require("ballpark.errors")
local searched = require("ballpark.search.searched")
local spaces = require("ballpark.search.space")
local systems = require("ballpark.search.systems")
local tally = require("ballpark.search.tally")

describe("a space", function()
  it("goes through every combination once, the first axis slowest", function()
    local space, seen = spaces.new({ { name = "tp", values = { 1, 2 } }, { name = "kv", values = { false, "fp8" } },
      { name = "pp", values = { 1, 2, 4 } } }), {}
    assert.equal(12, space.size)
    for place, point in space:points() do
      seen[place] = ("%d %s %d"):format(point.tp, point.kv, point.pp)
      assert.same(point, space:point(place))
    end
    assert.equal(12, #seen)
    assert.equal("1 false 1", seen[1])
    assert.equal("1 false 2", seen[2])
    assert.equal("1 fp8 1", seen[4])
    assert.equal("2 fp8 4", seen[12])
  end)

  it("of an axis without values has no points", function()
    for _ in spaces.new({ { name = "tp", values = {} }, { name = "pp", values = { 1 } } }):points() do error("one") end
  end)

  it("reads a value, a list, a range and what is free", function()
    local how = { free = function(path) return { path } end, is_value = function(t) return t.name ~= nil end }
    assert.same({ 3 }, spaces.values("space.tp", 3, how))
    assert.same({ 3, 5 }, spaces.values("space.tp", { 3, 5 }, how))
    assert.same({ 1, 2, 4, 8 }, spaces.values("space.tp", { from = 1, to = 8, times = 2 }, how))
    assert.same({ "space.tp" }, spaces.values("space.tp", "free", how))
    assert.same({ { name = "own" } }, spaces.values("space.engine", { name = "own" }, how))
    assert.matches("space.tp: ", errors.catch(spaces.values, "space.tp", { from = 1 }, how))
    assert.matches("space.tp: ", errors.catch(spaces.values, "space.tp", { a = 1 }, how))
  end)
end)

describe("what is kept", function()
  local items = { { 2, 1, "a" }, { 1, 3, "b" }, { 2, 1, "c" }, { 3, 0, "a" }, { 3, 2, "b" } }
  local function ranks(item) return { item[1], item[2] } end
  local function places(list)
    local out = {}
    for i, item in ipairs(list) do
      for place, one in ipairs(items) do
        if one == item then out[i] = place end
      end
    end
    return out
  end

  it("is in order, the earlier of equal ones first", function()
    assert.same({ 2, 1, 3, 4, 5 }, places(best.sorted(items, ranks)))
    assert.same({ 1, 2 }, places(best.first(items, 2)))
  end)

  it("is the first of each", function()
    assert.same({ 1, 2, 3 }, places(best.of_each(items, function(item) return item[3] end)))
  end)

  it("is a Pareto front, one of those that are equal", function()
    assert.same({ 2, 1, 4 }, places(best.front(items, ranks)))
  end)

  it("is the nearest that has a distance", function()
    local item, distance = best.nearest(items, function(one) return one[2] > 0 and one[2] or nil end)
    assert.equal(items[1], item)
    assert.equal(1, distance)
    assert.is_nil((best.nearest(items, function() return nil end)))
  end)
end)

describe("a tally", function()
  it("counts by reason and keeps the nearest example, the earlier of equal ones", function()
    local counts = tally.new()
    counts:add("memory", "far", 9)
    counts:add("heads", "first")
    counts:add("heads", "second", nil, 5)
    counts:add("memory", "near", 3, 2)
    counts:add("memory", "as near", 3)
    local lines = counts:by_count()
    assert.equal("heads", lines[1].reason)
    assert.equal(6, lines[1].count)
    assert.equal("first", lines[1].example)
    assert.equal(4, lines[2].count)
    assert.equal("near", lines[2].example)
    assert.equal("memory", counts:in_order({ "none", "memory", "heads" })[1].reason)
  end)
end)

describe("how much was looked at", function()
  -- Answers of two systems, the second of them cut short.
  local function answer_of(size, looked_at, why)
    return { input = {}, plans = {}, found = { searched = searched.of(size, looked_at, why), tally = {},
      objective = "step_s", space_size = size, evaluated = 0, feasible = 0, duplicates = 0, bounded = 0 } }
  end

  it("is complete unless something says why not", function()
    assert.same({ size = 5, looked_at = 5, complete = true }, searched.of(5, 5))
    assert.is_false(searched.of(5, 3, "interrupted").complete)
  end)

  it("is the sum over systems, and says at which it stopped", function()
    local function none() return nil end
    local joined = systems.join({ answer_of(10, 10), answer_of(20, 5, "interrupted") }, none, { count = 4, axes = {} })
    local about = joined.found.searched
    assert.equal(30, about.size)
    assert.equal(15, about.looked_at)
    assert.is_false(about.complete)
    assert.equal("interrupted at number 2 of 4 systems and jobs", about.why)
    assert.is_true(systems.join({ answer_of(10, 10) }, none, { count = 1, axes = {} }).found.searched.complete)
  end)
end)
