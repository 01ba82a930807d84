-- Rows of a sweep are written by shortcuts: they say what the plain way says.
local csv = require("ballpark.report.csv")
local json = require("ballpark.json")
local jsonl = require("ballpark.report.jsonl")
local result = require("ballpark.result")

local ODD = { 0, -0.0, 0.0, 1, 1.0, true, false, "text", "with, comma", "", 1e15, 1000000000000000, 1e16,
  10000000000000000, 0.1, 1 / 3, -2.5e-7, 123456789.125, 5e-324, 1.7976931348623157e308, math.maxinteger, "nil" }

-- Numbers that look random and are the same every time.
local function numbers(count)
  local list, state = {}, 42
  for i = 1, count do
    state = (state * 6364136223846793005 + 1442695040888963407)
    list[i] = (state >> 11) * 2.0 ^ ((state >> 3) % 80 - 100)
  end
  return list
end

describe("rows of a sweep", function()
  it("hold the shortest numbers that read back as the same", function()
    for _, value in ipairs(numbers(3000)) do
      local text = json.number(value)
      assert.equal(value, tonumber(text))
      local shortest
      for digits = 17, 15, -1 do
        local try = string.format("%." .. digits .. "g", value)
        if tonumber(try) == value then shortest = try end
      end
      assert.equal(shortest, text)
    end
  end)

  it("are the same line by line as one by one", function()
    local line = csv.liner()
    for i = 1, 200 do
      local row = {}
      for j = 1, 6 do row[j] = ODD[(i * j + (i // 7) * (j % 3)) % (#ODD + 1) + 1] end -- some are nil
      assert.equal(csv.line(row, 6), line(row, 6))
    end
  end)

  it("are objects with sorted keys", function()
    local columns = { { name = "b" }, { name = "a.c" }, { name = 'quo"te' }, { name = "é" } }
    for i = 1, #ODD do
      local row = { ODD[i], nil, ODD[#ODD + 1 - i], ODD[i % 3 + 1] }
      local object = json.object({})
      for j, column in ipairs(columns) do
        object[column.name] = row[j] == nil and json.null or row[j]
      end
      assert.equal(json.encode(object) .. "\n", jsonl.line(columns, row))
    end
    assert.equal("{}\n", jsonl.line({}, {}))
  end)
end)

describe("facts with a shared description", function()
  local a = result.described({ name = "a", unit = "s", title = "A" })
  local b = result.described({ name = "b", hide = true })
  local function list()
    return { name = "x", setmetatable({ value = 1, title = "other" }, a), { bundle = { a, b }, values = { b = 2 } } }
  end

  it("are the same as written out", function()
    local r = result.new()
    r:facts(list())
    local items = r.blocks[1].items
    assert.equal(2, #items)
    assert.equal("other", items[1].title)
    assert.equal("s", items[1].unit)
    assert.equal("b", items[2].title)
    assert.equal("", items[2].unit)
    assert.is_true(items[2].hide)
    assert.equal(2, items[2].value)
  end)

  it("give the same numbers where only these are wanted", function()
    local r = result.new({ numbers_only = true })
    r:facts(list())
    assert.is_nil(r:table({ columns = "not looked at" }))
    local facts, values, n = r:values()
    assert.equal(2, n)
    assert.same({ "a", "b" }, { facts[1].name, facts[2].name })
    assert.same({ 1, 2 }, values)
  end)

  it("are checked", function()
    for _, numbers_only in ipairs({ true, false }) do
      local r = result.new({ numbers_only = numbers_only })
      assert.has_error(function() r:facts({ { bundle = { a }, values = { a = 0 / 0 } } }) end)
      assert.has_error(function() r:facts({ setmetatable({ value = math.huge }, a) }) end)
      assert.has_error(function() r:facts({ setmetatable({ value = {} }, a) }) end)
    end
  end)
end)
