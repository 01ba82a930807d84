-- Grids: order and size of points, columns, and what a sweep refuses.
local errors = require("ballpark.errors")
local result = require("ballpark.result")
local sweep = require("ballpark.questions.sweep.run")

describe("a grid", function()
  local axes = sweep.axes({ { name = "b", values = { 1, 2 } }, { name = "a", values = { "x", "y", "z" } } })

  it("has every combination once, the first axis slowest", function()
    assert.equal(6, sweep.size(axes))
    local points = {}
    for i = 1, 6 do points[i] = table.concat(sweep.point(axes, i)) end
    assert.same({ "1x", "1y", "1z", "2x", "2y", "2z" }, points)
  end)

  it("refuses axes that are none, or of both forms", function()
    local axis = { name = "a", values = { 1 } }
    for _, wrong in ipairs({ { 1 }, { true }, { print }, { axis, 5 }, { axis, b = { 2 } }, { axis, nil, axis } }) do
      assert.matches("^sweep%.axes: must be a list of axes", errors.catch(sweep.axes, wrong))
    end
  end)

  it("is sorted by name when its axes are", function()
    local named = sweep.axes({ z = { 1 }, a = { 2 } })
    assert.equal("a", named[1].name)
    assert.equal("z", named[2].name)
  end)

  it("needs axes with values", function()
    assert.matches("^sweep%.axes: ", errors.catch(sweep.axes, {}))
    assert.matches("^sweep%.axes%.a: ", errors.catch(sweep.axes, { a = {} }))
    assert.matches("^sweep%.axes%.a: has a value that is not", errors.catch(sweep.axes, { a = { 1, 0 / 0 } }))
    assert.matches("^sweep%.axes: ", errors.catch(sweep.axes, { { values = { 1 } } }))
  end)
end)

describe("sweep.run", function()
  local function names(answer)
    local list = {}
    for i, column in ipairs(answer.columns) do list[i] = column.name end
    return list
  end

  it("has the axes first, then what run gave, by name", function()
    local answer = sweep.run({ axes = { p = { 1, 2 } }, run = function(at)
      return at.p == 1 and { c = 1, b = 2 } or { d = 3 }
    end })
    assert.same({ "p", "b", "c", "d" }, names(answer))
    local r = result.new()
    require("ballpark.questions").show(r, answer)
    assert.same({ { 1, 2, 1 }, { 2, nil, nil, 3 } }, r:pick().rows)
  end)

  it("has the columns asked for", function()
    local answer = sweep.run({ axes = { p = { 1 } }, columns = { "c", { name = "b", unit = "s" } },
      run = function() return { a = 1, b = 2, c = 3 } end })
    assert.same({ "p", "c", "b" }, names(answer))
    assert.equal("s", answer.columns[3].unit)
  end)

  it("refuses what is no grid", function()
    assert.matches("^sweep%.run: ", errors.catch(sweep.run, { axes = { p = { 1 } } }))
    assert.matches("^sweep%.run: ",
      errors.catch(sweep.run, { axes = { p = { 1 } }, run = function() return 5 end }))
    assert.matches("^sweep: ", errors.catch(sweep.run))
  end)
end)
