-- Pictures for a terminal: what stands where, counted by hand.
local plot = require("ballpark.report.plot")
local result = require("ballpark.result")

local function lines_of(spec)
  local r = result.new({})
  r:table(spec)
  local list = {}
  for line in plot(r, {}):gmatch("([^\n]*)\n") do list[#list + 1] = line end
  return list
end

describe("a plot", function()
  it("makes bars as long as their share of the longest", function()
    local lines = lines_of({ name = "time", title = "Time", columns = { { name = "part" }, { name = "part_s", unit = "s" } },
      rows = { { "matmuls", 4 }, { "rest", 2 }, { "step", 6 } } })
    assert.same({ "", "Time" }, { lines[1], lines[2] })
    assert.equal("  matmuls  " .. ("█"):rep(50) .. " 4", lines[3])
    assert.equal("  rest     " .. ("█"):rep(25) .. " 2", lines[4])
    assert.equal("  time, s", lines[5])
  end)

  it("follows a curve from its least to its most", function()
    local lines = lines_of({ name = "sweep", columns = { { name = "n", axis = true }, { name = "step_s", unit = "s", title = "step" } },
      rows = { { 1, 10 }, { 2, 20 }, { 3, 30 }, { 4, 80 } } })
    assert.equal("  step  ▁▁▁▂▂▃▃█  10 to 80", lines[3])
    assert.equal("  step, s, over n from 1 to 4", lines[4])
  end)

  it("says in a map why there is no value", function()
    local lines = lines_of({ name = "sweep", columns = { { name = "tp", axis = true }, { name = "pp", axis = true },
      { name = "status" }, { name = "reason" }, { name = "step_s", unit = "s" } }, rows = { { 1, 1, "infeasible", "memory" },
      { 1, 2, "ok", nil, 4 }, { 2, 1, "ok", nil, 3 }, { 2, 2, "ok", nil, 2 } } })
    assert.equal("  tp  1       2       pp", lines[3])
    assert.equal("  1   memory  █ 4", lines[4])
    assert.equal("  2   ▅ 3     ▁ 2", lines[5])
  end)

  it("puts the limit where it is", function()
    local lines = lines_of({ name = "slo", columns = { { name = "part" }, { name = "limit", unit = "s" },
      { name = "seen", unit = "s" }, { name = "seen_low", unit = "s" }, { name = "seen_high", unit = "s" } },
      rows = { { "TTFT", 2, 1, 0, 2 } } })
    assert.equal("  TTFT  " .. ("━"):rep(24) .. "┿" .. ("━"):rep(22) .. "|  0 to 100", lines[3])
  end)

  it("says nothing of what has no picture", function()
    assert.equal("", plot(result.new({}), {}))
  end)
end)
