-- Ranges of numbers, as tables and as the text of a command line.
local overrides = require("ballpark.scenario.overrides")
local ranges = require("ballpark.number_list")

describe("ranges", function()
  it("count up by one, by a step or by a factor", function()
    assert.same({ 1, 2, 3, 4 }, ranges.parse("1..4"))
    assert.same({ 0, 25, 50, 75, 100 }, ranges.parse("0..100+25"))
    assert.same({ 16, 32, 64, 128 }, ranges.parse("16..128x2"))
    assert.same({ 16, 48 }, ranges.parse("16..143x3"))
    assert.same({ 7 }, ranges.parse("7..7"))
    assert.same({ 0.5, 1.0, 1.5 }, ranges.parse("0.5..1.5+0.5"))
    for _, value in ipairs(ranges.parse("16..128x2")) do assert.equal("integer", math.type(value)) end
  end)

  it("keep the last value that rounding pushes beyond the end", function()
    local list = ranges.list(0.1, 0.7, 0.1)
    assert.equal(7, #list)
    assert.equal(0.7, list[7])
  end)

  it("are nothing else", function()
    for _, text in ipairs({ "1", "a..b", "../file", "1..x", "llama-3.1..7", "" }) do
      local list, problem = ranges.parse(text)
      assert.is_nil(list)
      assert.is_nil(problem)
    end
    for _, text in ipairs({ "1..8x", "1..8x1", "1..8+0", "0..8x2", "1..8y" }) do
      local list, problem = ranges.parse(text)
      assert.is_nil(list)
      assert.matches("is no range: write FROM..TO", problem)
    end
    assert.equal("'16..4' starts above its end: write 4..16", select(2, ranges.parse("16..4")))
    assert.matches("more than 100000 values", select(2, ranges.parse("1..100001")))
  end)

  it("are values of the command line among others", function()
    assert.same({ 1, 4, 8, 16, "free" }, overrides.value("1,4..16x2,free"))
    assert.equal(8, overrides.value("8"))
    assert.same({ "range(2,4)", "8", "GiB(80)" }, overrides.texts("range(2,4),8,GiB(80)"))
    local record = overrides.record("cluster", "price=range(2,4),devices=8")
    assert.equal(8, record.devices)
    assert.same(overrides.value("range(2,4)"), record.price)
    assert.equal("a..b", overrides.value("a..b"))
    assert.same({ 3 }, overrides.values("3"))
    assert.equal("free", overrides.values("free"))
  end)
end)
