-- Tables of measurements with anything in their cells: read, answered or refused in one line, never a bug of ours.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local inference = require("ballpark.validate.inference")
local throughput = require("ballpark.validate.throughput")
local validate = require("ballpark.validate")

local here = debug.getinfo(1, "S").source:match("^@(.*)/lua/[^/]*$") or "tests"

local TRIES <const> = 400

local CELLS <const> = { "", "-1", "0", "1e308", "1e400", "nan", "inf", "0x10", "true", "abc", "9999999999999999999",
  "1.5", "\xff\xfe", "\0", ",", '"', "\n", "2147483648", "7" }

-- The header and the first rows.
local function head(name)
  local text, at = csv.read(here .. "/validate/" .. name .. ".csv"), 0
  for _ = 1, 4 do at = text:find("\n", at + 1, true) end
  return text:sub(1, at)
end

local function mutated(random, text)
  for _ = 1, random(1, 5) do
    local at, cell = random(1, #text), CELLS[random(#CELLS)]
    local first, last = text:find(random(2) == 1 and "[%d%.]+" or "[%w_%-]+", at)
    if random(3) == 1 or not first then first, last = at, at + random(0, 30) end
    text = text:sub(1, first - 1) .. cell .. text:sub(last + 1)
  end
  return text
end

local function survives(name, run)
  math.randomseed(20261120)
  local text, answered = head(name), 0
  for _ = 1, TRIES do
    local broken = mutated(math.random, text)
    local ok, e = pcall(run, broken)
    answered = answered + (ok and 1 or 0)
    assert.is_true(ok or errors.is(e), tostring(e) .. "\n" .. broken)
    assert.is_true(ok or not tostring(e):find("\n", 1, true), tostring(e))
  end
  assert.is_true(answered > TRIES / 4)
end

describe("tables with anything in their cells", function()
  for _, name in ipairs({ "training_moe", "training_memory" }) do
    it("of training: " .. name, function()
      survives(name, function(text) validate.run((validate.read(text, "t"))) end)
    end)
  end

  it("of throughput", function()
    survives("throughput", function(text) throughput.run((throughput.read(text, "t")), { group = "family" }) end)
  end)

  it("of inference", function()
    survives("inference", function(text) inference.run((inference.read(text, "t")), { group = "family" }) end)
  end)
end)
