-- One door: a row of a shipped table, the scenario it is printed as, and a search for its plan say the same to the last
-- bit.
local csv = require("ballpark.csv")
local doors = require("ballpark.cli.training_doors")
local scenario = require("ballpark.scenario")
local validate = require("ballpark.validate")

local folder = (debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or ".") .. "/../validate/"

local function rows_of(file)
  local path = folder .. file
  return (validate.read(csv.read(path), path)), path
end

describe("the doors of training", function()
  for _, file in ipairs({ "training_megatron.csv", "training_frameworks.csv", "training_memory.csv",
    "training_moe.csv" }) do
    it("say the same of every row of " .. file, function()
      local rows, path = rows_of(file)
      assert.is_true(#rows > 10)
      for _, row in ipairs(rows) do assert.same({}, doors.differences(row, path), row.case_id) end
    end)
  end

  it("differ where a scenario says something else", function()
    local row, path = rows_of("training_megatron.csv")[1], "t.csv"
    local text = doors.write(row, path)
    local function step(source)
      local _, state = scenario.run({ path = "row.lua", source = source })
      return state.answers[1].time.step_s
    end
    local changed, count = text:gsub("year = %d+", "year = 2019", 1)
    assert.equal(1, count)
    assert.not_equal(step(text), step(changed))
  end)
end)
