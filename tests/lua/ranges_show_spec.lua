-- Ranges of an answer in a report.
local result = require("ballpark.result")
local show = require("ballpark.questions.ranges.show")

describe("the table of ranges under uncertain inputs", function()
  local function figure(name, place)
    return { name = name, title = name, unit = "", median = 2, low = 1, high = 3, place = place,
      drivers = { { name = "cluster.price", total = 1 } } }
  end

  it("shows what was found, not what the search did", function()
    local r = result.new({})
    show.ranges(r, { samples = 64, ranges = { step = figure("step", 1), evaluated = figure("evaluated", 2),
      ties = figure("ties", 3) } })
    local shown = {}
    for i, row in ipairs(r.blocks[1].rows) do
      if not r.blocks[1].skip[i] then shown[#shown + 1] = row[1] end
    end
    assert.same({ "step" }, shown)
    assert.equal(3, #r.blocks[1].rows) -- machine formats have all
  end)
end)
