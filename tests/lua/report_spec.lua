-- Reports: machine formats parse back to the same numbers, human formats line up.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local report = require("ballpark.report")
local result = require("ballpark.result")

local NUMBERS = { 0.1, 1 / 3, 1e300, 5e-324, 2 ^ 53, -0.0, 123456789012345678, 85899345920, 2.5, 1e15, 1e16 }

local function sample()
  local r = result.new({ title = "Sample", command = "run" })
  r:facts({ name = "answer", title = "Answer",
    { name = "step_s", title = "Step", unit = "s", value = 9.874 },
    { name = "speed", title = "Speed", unit = "tok/s", value = 139245.4, text = "{speed}, {step_s} a step" },
    { name = "hidden", title = "Hidden", value = 1, hide = true },
    { name = "none", title = "None", unit = "USD" } })
  r:table({ name = "plans", title = "Plans", columns = {
    { name = "plan" }, { name = "memory_bytes", unit = "B", title = "memory" }, { name = "fits" },
    { name = "said", title = "said", human = true },
  }, rows = {
    { 'a "b", c', 85899345920, true, "needs {memory_bytes}" }, { "d\ne", 2 ^ 30, false }, { " f", nil, true },
  } })
  r:assume("that")
  r:expectation({ id = "A1", actual = 1.5, expected = 1.5, rel = 0.01, ok = true })
  r:expectation({ id = "A2", actual = 2, most = 1, ok = false })
  return r
end

describe("json", function()
  it("writes numbers that read back bit for bit", function()
    for _, number in ipairs(NUMBERS) do
      local back = json.decode(json.encode({ x = number })).x
      assert.equal(number, back)
    end
  end)

  it("refuses what JSON has no word for", function()
    for _, number in ipairs({ 0 / 0, math.huge, -math.huge }) do
      assert.is_false((pcall(json.encode, { x = number })))
    end
  end)

  it("sorts keys and keeps empty lists and objects apart", function()
    assert.equal('{"a":[],"b":{},"c":null,"d":{"x":1,"y":2}}', json.encode({ d = { y = 2, x = 1 },
      c = json.null, b = json.object({}), a = json.array({}) }))
  end)

  it("names a text that does not parse", function()
    assert.matches("^here: ", errors.catch(json.decode, "{oops", "here"))
  end)
end)

describe("columns that share a scale", function()
  it("gives figures of a mixed column digits of their own", function()
    local function cells(mixed)
      local r = result.new({})
      r:table({ columns = { { name = "x", mixed = mixed } }, rows = { { 36700 }, { 0.401 } } })
      return require("ballpark.report.text").columns(r.blocks[1])[1].cells
    end
    assert.same({ "36,700.000", "0.401" }, cells(nil))
    assert.same({ "36,700", "0.401" }, cells(true))
  end)

  it("are shown in the same unit", function()
    local function header(scale)
      local r = result.new()
      r:table({ name = "t", columns = { { name = "a", unit = "s", title = "A", scale = scale },
        { name = "b", unit = "s", title = "B", scale = scale } }, rows = { { 0.5, 20 }, { 0.25, 30 } } })
      return report.render(r, "table"):match("^[^\n]+")
    end
    assert.matches("A, ms +B, s", header(nil))
    assert.matches("A, s +B, s", header("part"))
  end)
end)

describe("the range of a fact", function()
  local step = result.described({ name = "step_s", unit = "s", title = "Step" })
  local range = { value = 9.5, low = 9, high = 10.25, why = { "left open: vpp" } }

  local function ranged(numbers_only)
    local r = result.new({ numbers_only = numbers_only })
    r:facts({ name = "answer", setmetatable({ value = 9.5, range = range }, step),
      { name = "run_s", unit = "s", title = "Run", range = false }, { name = "cost_usd", unit = "USD", value = 3 } })
    return r
  end

  it("is one object beside the values in JSON, with its reasons", function()
    local answer = json.decode(report.render(ranged(), "json")).facts.answer
    assert.same({ step_s = { low = 9, high = 10.25, why = { "left open: vpp" } } }, answer.range)
    assert.equal(9.5, answer.values.step_s)
    assert.is_nil(answer.values.step_s_low)
  end)

  it("has columns of its ends everywhere else, empty where it is not known now", function()
    local names = { "step_s", "step_s_low", "step_s_high", "run_s", "run_s_low", "run_s_high", "cost_usd" }
    local values = { 9.5, 9, 10.25, nil, nil, nil, 3 }
    local rows = csv.parse(report.render(ranged(), "csv"), "r.csv")
    local described, plain, n = ranged(true):values()
    local scalars = ranged():scalars()
    assert.equal(#names, n)
    for i, name in ipairs(names) do
      assert.equal(name, described[i].name)
      assert.equal(name, scalars[i].name)
      assert.equal(values[i], plain[i])
      assert.equal(values[i], scalars[i].value)
      assert.equal(name, rows[i + 1][1])
      assert.equal(values[i], tonumber(rows[i + 1][2]))
    end
    assert.equal("s", described[2].unit)
  end)

  it("stands in brackets for people", function()
    assert.matches("Step +9.5 s %(9.0 to 10.3%)", report.render(ranged(), "table", { color = false }))
  end)

  it("has ends that a report can carry", function()
    local r = result.new()
    assert.matches("facts.step_s.range.high: ", errors.catch(r.facts, r, { name = "answer",
      setmetatable({ value = 9.5, range = { value = 9.5, low = 9, high = math.huge, why = {} } }, step) }))
  end)
end)

describe("json report", function()
  local document = json.decode(report.render(sample(), "json"))

  it("carries every value with unit and title", function()
    assert.equal(9.874, document.facts.answer.values.step_s)
    assert.equal("s", document.facts.answer.units.step_s)
    assert.equal("Step", document.facts.answer.titles.step_s)
    assert.equal(1, document.facts.answer.values.hidden)
    assert.same({ name = "memory_bytes", unit = "B", title = "memory" }, document.tables.plans.columns[2])
    assert.equal(85899345920, document.tables.plans.rows[1].memory_bytes)
    assert.is_false(document.tables.plans.rows[2].fits)
  end)

  it("leaves out what is only for people", function()
    assert.equal(3, #document.tables.plans.columns)
    assert.is_nil(document.tables.plans.rows[1].said)
  end)

  it("tells the order, the assumptions and the expectations", function()
    assert.same({ "answer", "plans" }, setmetatable(document.order, nil))
    assert.equal("that", document.assumed[1])
    assert.is_true(document.expectations[1].ok)
    assert.equal(1, document.expectations[2].most)
  end)

  it("is the same text every time", function()
    assert.equal(report.render(sample(), "json"), report.render(sample(), "json"))
  end)

  it("gives way to a document of its own", function()
    local r = sample()
    r:document({ summary = 1 }, { { a = 1 }, { a = 2 } })
    assert.same({ summary = 1 }, setmetatable(json.decode(report.render(r, "json")), nil))
    assert.equal('{"a":1}\n{"a":2}\n', report.render(r, "jsonl"))
  end)
end)

describe("csv and jsonl reports", function()
  it("quote what needs it and leave blanks blank", function()
    local header, rows = csv.records(report.render(sample(), "csv"), "sample")
    assert.same({ "plan", "memory_bytes", "fits" }, header)
    assert.equal('a "b", c', rows[1].cells.plan)
    assert.equal("d\ne", rows[2].cells.plan)
    assert.equal(" f", rows[3].cells.plan)
    assert.equal("", rows[3].cells.memory_bytes)
    assert.equal("false", rows[2].cells.fits)
  end)

  it("carry numbers bit for bit", function()
    local r = result.new()
    local rows = {}
    for i, number in ipairs(NUMBERS) do rows[i] = { number } end
    r:table({ columns = { { name = "x" } }, rows = rows })
    local _, back = csv.records(report.render(r, "csv"), "numbers")
    local lines = {}
    for line in report.render(r, "jsonl"):gmatch("[^\n]+") do lines[#lines + 1] = json.decode(line).x end
    for i, number in ipairs(NUMBERS) do
      assert.equal(number, tonumber(back[i].cells.x))
      assert.equal(number, lines[i])
    end
  end)

  it("show facts when there is no table, or when they are named", function()
    local _, rows = csv.records(report.render(sample(), "csv", { table = "answer" }), "facts")
    assert.equal("step_s", rows[1].cells.name)
    assert.equal("9.874", rows[1].cells.value)
    assert.equal("s", rows[1].cells.unit)
    assert.equal("", rows[4].cells.value)
  end)

  it("are empty for an empty result", function()
    assert.equal("", report.render(result.new(), "csv"))
    assert.equal("", report.render(result.new(), "jsonl"))
    assert.equal("", report.render(result.new(), "table"))
    assert.equal("", report.render(result.new(), "markdown"))
  end)
end)

describe("table report", function()
  local text = report.render(sample(), "table")

  it("lines numbers up under one unit", function()
    assert.matches("plan +memory, GiB +fits", text)
    assert.matches(" 80  yes", text)
    assert.matches("  1  no", text)
    assert.matches("–  yes", text)
  end)

  it("fills sentences with formatted values", function()
    assert.matches("Speed +139,000 tok/s, 9%.874 s a step", text)
    assert.matches("needs 80 GiB", text)
    assert.not_matches("Hidden", text)
    assert.matches("None +unknown", text)
  end)

  it("says how it counts bytes, and writes those of a sentence in one unit", function()
    local r = result.new({ title = "T" })
    r:facts({ { name = "used_bytes", unit = "B", value = 60.123e9, title = "Used",
      text = "{used_bytes} and {over_bytes} more, {tiny_bytes}" },
      { name = "over_bytes", unit = "B", value = 31e6, hide = true },
      { name = "tiny_bytes", unit = "B", value = 7, hide = true } })
    assert.equal("T\nGiB = 2^30 bytes\n  Used  56.0 GiB and under 0.1 GiB more, under 0.1 GiB\n", report.render(r, "table"))
    assert.matches("^# T\n\nGiB = 2%^30 bytes\n\n| ", report.render(r, "markdown"))
    r:facts({ { name = "sent_bytes", unit = "B", stored = true, value = 5e9, title = "Sent" } })
    assert.matches("GB = 10^9 bytes, of traffic and storage", report.render(r, "table"), 1, true)
    assert.matches("Sent  5 GB", report.render(r, "table"), 1, true)
  end)

  it("names what failed", function()
    assert.matches("Expected  1 hold, 1 failed", text)
    assert.matches("failed A2: 2, at most 1", text)
  end)

  it("has colour only when asked", function()
    assert.not_matches("\27", text)
    assert.matches("\27%[1mSample\27%[0m", report.render(sample(), "table", { color = true }))
  end)

  it("puts tables side by side where there is room", function()
    local r = result.new()
    local spec = { name = "t", title = "One", columns = { { name = "x" } }, rows = { { 1 }, { 2 } } }
    r:table(spec)
    spec.title, spec.beside = "Two", true
    r:table(spec)
    assert.matches("One +Two\n", report.render(r, "table"))
    assert.matches("One\n.*\n\nTwo\n", report.render(r, "table", { width = 9 }))
  end)

  it("wraps a last column of sentences", function()
    local r = result.new()
    r:table({ columns = { { name = "n" }, { name = "why" } }, rows = { { 1, ("word "):rep(20) }, { 2, "x" } } })
    local narrow = report.render(r, "table", { width = 50 })
    assert.matches("\n  1  word word", narrow)
    assert.matches("\n     word word", narrow)
    assert.matches("\n  2  x\n", narrow)
    for line in narrow:gmatch("[^\n]+") do assert.is_true(#line <= 50) end
  end)

  it("wraps at the width and never ends a line with a blank", function()
    local r = sample()
    r:assume(("word "):rep(60))
    for line in report.render(r, "table"):gmatch("[^\n]+") do
      assert.is_true(utf8.len(line) <= 100)
      assert.not_matches(" $", line)
    end
  end)
end)

describe("markdown report", function()
  it("makes tables that survive bars in cells", function()
    local r = result.new({ title = "T" })
    r:table({ title = "Bars", columns = { { name = "x" }, { name = "n" } }, rows = { { "a|b", 1 } } })
    assert.equal("# T\n\n## Bars\n\n| x | n |\n| --- | ---: |\n| a\\|b | 1 |\n", report.render(r, "markdown"))
  end)

  it("names what failed", function()
    assert.matches("%- %*%*failed%*%* A2: 2, at most 1", report.render(sample(), "markdown"))
  end)
end)

describe("report.render", function()
  it("refuses a format nobody knows", function()
    assert.equal("--format: 'jsn' is not one of csv, html, json, jsonl, markdown, table, did you mean 'json'?",
      errors.catch(report.render, sample(), "jsn"))
  end)

  it("knows formats by file extension", function()
    assert.equal("csv", report.format_of("a/b.CSV"))
    assert.equal("markdown", report.format_of("r.md"))
    assert.is_nil(report.format_of("noextension"))
    assert.is_nil(report.format_of(nil))
  end)
end)

describe("a first screen", function()
  local function screen(facts, rows, lines)
    local r = result.new({ title = "what" })
    local list = { name = "answer" }
    for i = 1, facts do list[i] = { name = "f" .. i, value = i } end
    r:facts(list)
    r:table({ name = "t", title = "Plans", columns = { { name = "a" } }, rows = rows })
    r:warn("mind this")
    r:assume("a guess")
    local out = {}
    for line in report.render(r, "table", { lines = lines, more = "--full" }):gmatch("([^\n]*)\n") do out[#out + 1] = line end
    return out
  end

  it("holds title, warnings, the answer and the first rows, and says what is left", function()
    local out = screen(30, { { 1 }, { 2 }, { 3 }, { 4 } }, 12)
    assert.equal(12, #out)
    assert.same({ "what", "Warning  mind this" }, { out[1], out[2] })
    assert.equal("Plans", out[8])
    assert.equal("  2", out[11])
    assert.equal("--full shows the rest, with 1 assumption", out[12])
  end)

  it("shows all of what is short", function()
    local out = screen(2, { { 1 } }, 24)
    assert.equal("  1", out[#out - 1])
  end)
end)
