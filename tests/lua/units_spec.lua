-- Units: constructors by hand-computed table, formatting for people, scales of columns.
local errors = require("ballpark.errors")
local units = require("ballpark.units")

describe("a value with its range", function()
  it("has no more digits than the range leaves meaning to", function()
    assert.equal("65 s (58 to 74)", units.ranged(64.97, 58.21, 73.6, "s"))
    assert.equal("15.4 s (13.9 to 17.0)", units.ranged(15.42, 13.9, 16.98, "s"))
    assert.equal("160,000 tok/s (120,000 to 210,000)", units.ranged(159175.2, 118000, 214000, "tok/s"))
    assert.equal("17 million USD (12 to 22)", units.ranged(16.73e6, 12.4e6, 22.4e6, "USD"))
    assert.equal("34 s (4 to 90)", units.ranged(34.2, 4.2, 88, "s"))
  end)

  it("keeps the ends apart where the range is narrow, and in the unit of the value", function()
    assert.equal("1.01 s (0.990 to 1.03)", units.ranged(1.01, 0.99, 1.03, "s"))
    assert.equal("1.2 s (0.9 to 1.6)", units.ranged(1.2, 0.9, 1.6, "s"))
  end)

  it("has one decimal place for all numbers of a size", function()
    assert.equal("10.0 USD/h (10.0 to 13.0)", units.ranged(9.98, 9.96, 13, "USD/h"))
    assert.equal("10.0 s (8.0 to 10.0)", units.ranged(9.98, 8, 9.99, "s"))
  end)

  it("is whole where it counts few things", function()
    assert.equal("2 (2 to 3)", units.ranged(2, 2, 3, ""))
  end)

  it("is the value alone where both ends are the same", function()
    assert.equal("20.28 USD/h", units.ranged(20.28, 20.28, 20.28, "USD/h"))
  end)

  it("gives what is worked out from it no more digits, either", function()
    assert.equal("41 %", units.as_sure(0.4131, 1.2, "frac"))
    assert.equal("41.3 %", units.as_sure(0.4131, 1.01, "frac"))
    assert.equal("1,060 tok/s", units.as_sure(1061.2, 1.2, "tok/s"))
  end)
end)

describe("values beside each other", function()
  local function beside(...)
    local texts, values = {}, { ... }
    local scale = units.beside(values, "B")
    for i, value in ipairs(values) do texts[i] = units.format(value, "B", scale) end
    return texts
  end

  it("have one unit, and the small one no decimals that the large one lacks", function()
    assert.same({ "under 0.1 GiB", "71.7 GiB" }, beside(40.7 * 1024, units.GiB(71.7)))
    assert.same({ "under 0.1 GiB", "161 GiB" }, beside(units.GiB(0.0242), units.GiB(161)))
    assert.same({ "2.4 GiB", "161 GiB" }, beside(units.GiB(2.42), units.GiB(161)))
    assert.same({ "0 B", "80 GiB" }, beside(0, units.GiB(80)))
  end)

  it("have the unit of the smaller where the larger stays short in it", function()
    assert.same({ "69 GiB", "1,230 GiB" }, beside(units.GiB(69), units.TiB(1.2)))
    assert.same({ "12 MiB", "5,120 MiB" }, beside(12 << 20, 5 << 30))
  end)
end)

describe("counts of what was looked at", function()
  it("are in words and three digits when they are many", function()
    assert.same({ "0", "9,663", "35.8 thousand", "1.05 million", "37.1 million", "2.00 trillion" },
      { units.tally(0), units.tally(9663), units.tally(35812), units.tally(1049386), units.tally(37123456),
        units.tally(2e12) })
  end)
end)

describe("a chance", function()
  it("is not said more exactly than anybody knows", function()
    assert.equal("under 0.1 %", units.chance(2.54e-26))
    assert.equal("over 99.9 %", units.chance(0.9999))
    assert.equal("97.4 %", units.chance(0.974))
    assert.same({ "<0.1", ">99.9", "97.4" },
      { units.chance(0, true), units.chance(1, true), units.chance(0.974, true) })
  end)
end)

describe("unit constructors", function()
  local table_of = {
    { "B", 3, 3 }, { "kB", 2, 2000 }, { "MB", 1, 1e6 }, { "GB", 80, 80e9 }, { "TB", 1, 1e12 }, { "PB", 1, 1e15 },
    { "KiB", 1, 1024 }, { "MiB", 1, 1048576 }, { "GiB", 80, 85899345920 }, { "TiB", 1, 1099511627776 },
    { "PiB", 1, 1125899906842624 },
    { "GFLOP", 1, 1e9 }, { "TFLOP", 1, 1e12 }, { "PFLOP", 1, 1e15 }, { "EFLOP", 1, 1e18 }, { "ZFLOP", 1, 1e21 },
    { "GFLOP_s", 1, 1e9 }, { "TFLOP_s", 989, 989e12 }, { "PFLOP_s", 2, 2e15 }, { "EFLOP_s", 1, 1e18 },
    { "MB_s", 1, 1e6 }, { "GB_s", 900, 900e9 }, { "TB_s", 3.35, 3.35e12 },
    { "Mbit_s", 8, 1e6 }, { "Gbit_s", 400, 50e9 }, { "Tbit_s", 8, 1e12 },
    { "ns", 5, 5e-9 }, { "us", 3, 3e-6 }, { "ms", 7, 7e-3 }, { "s", 2, 2 }, { "minutes", 3, 180 },
    { "hours", 1, 3600 }, { "days", 2, 172800 }, { "weeks", 1, 604800 }, { "months", 12, 31536000 },
    { "years", 1, 31536000 },
    { "per_s", 4, 4 }, { "per_minute", 60, 1 }, { "per_hour", 3600, 1 }, { "per_day", 86400, 1 },
    { "USD", 5, 5 }, { "W", 700, 700 }, { "kW", 1, 1000 }, { "MW", 1, 1e6 },
    { "Wh", 1, 3600 }, { "kWh", 1, 3.6e6 }, { "MWh", 1, 3.6e9 },
    { "FLOP", 7, 7 }, { "USD_h", 3, 3 }, { "device_hours", 2, 7200 },
    { "requests", 3, 3 }, { "items", 4, 4 }, { "devices", 8, 8 }, { "tokens_s", 5, 5 },
    { "tokens", 9, 9 }, { "thousand", 2, 2000 }, { "million", 2, 2e6 }, { "billion", 70, 70e9 },
    { "trillion", 15, 15e12 }, { "percent", 40, 0.4 },
  }

  it("give base units", function()
    for _, case in ipairs(table_of) do
      local made = units.scope[case[1]](case[2])
      assert.near(case[3], made, 1e-12 * math.abs(case[3]), case[1])
    end
  end)

  it("are all in this test and all say what they make", function()
    local tested = {}
    for _, case in ipairs(table_of) do tested[case[1]] = true end
    for name in pairs(units.scope) do
      assert.is_true(tested[name], name .. " is not tested")
      assert.is_string(units.makes[name])
    end
  end)

  it("keep bytes whole", function()
    assert.equal("integer", math.type(units.GiB(80)))
    assert.equal("integer", math.type(units.GiB(79.6)))
    assert.equal(85469849190, units.GiB(79.6)) -- 79.6 * 2^30 = 85469849190.4
    assert.equal("float", math.type(units.TFLOP_s(989)))
  end)

  it("make counts whose products do not wrap", function()
    assert.near(1.08e23, 6 * units.billion(30) * units.billion(600), 1e9)
  end)

  it("refuse what is no number", function()
    assert.equal("GiB: takes a number, got string", errors.catch(units.GiB, "80"))
    assert.equal("ms: takes a number, got nil", errors.catch(units.ms))
  end)
end)

describe("units.format", function()
  local cases = {
    { 85899345920, "B", "80 GiB" }, { 0, "B", "0 B" }, { 1023, "B", "1,023 B" },
    { 524288, "B", "512 KiB" },
    { 9.874, "s", "9.874 s" }, { 9.87412, "s", "9.87 s" }, { 0.00012, "s", "120 µs" }, { 3e-9, "s", "3 ns" },
      { 0, "s", "0 s" }, { 0, "", "0" },
    { 0, "FLOP/s", "0 FLOP/s" },
    { 90, "s", "90 s" }, { 600, "s", "10 min" }, { 7.919e8, "s", "25.1 years" },
    { 3.365e5, "s", "3.89 days" }, { 86400 * 1246, "s", "1,246 days" },
    { 0.4131, "frac", "41.3 %" }, { 1, "frac", "100 %" }, { 0, "frac", "0 %" },
    { 15e12, "tok", "15 trillion tok" }, { 8388608, "tok", "8,388,608 tok" },
    { 139245.4, "tok/s", "139,000 tok/s" },
    { 989e12, "FLOP/s", "989 TFLOP/s" }, { 4.2e22, "FLOP", "42 ZFLOP" },
    { 50e9, "B/s", "50 GB/s" },
    { 3.9, "USD/h", "3.90 USD/h" }, { 14930000, "USD", "14.9 million USD" }, { 9663, "USD", "9,660 USD" },
    { 6.97e-5, "USD", "0.0000697 USD" }, { 1234.56, "USD/h", "1,230 USD/h" }, { 13574.52, "frac", "1,360,000 %" },
    { 700, "W", "700 W" }, { 3.6e9, "J", "1 MWh" }, { 7.3584e9, "J", "2.04 MWh" },
    { 863, "", "863" }, { 70553706496, "", "70.6 billion" }, { 1.5, "", "1.5" },
    { 3600 * 1e6, "device s", "1,000,000 device-hours" },
    { 5, "1/day", "5 1/day" },
    { -1236, "tok", "-1,236 tok" },
  }
  for _, case in ipairs(cases) do
    it(tostring(case[1]) .. " " .. case[2], function()
      assert.equal(case[3], units.format(case[1], case[2]))
    end)
  end

  it("puts thousands apart and survives what is no number", function()
    assert.equal("1,234,567.8", units.number(1234567.8, 1))
    assert.equal("-1,234", units.number(-1234, 0))
    assert.equal("nan", units.number(0 / 0, 2))
    assert.equal("-inf", units.number(-math.huge, 2))
    assert.equal("1e+20", units.number(1e20, 2))
    assert.equal("1e-320", units.number(1e-320, 320))
  end)
end)

describe("units.column", function()
  it("takes one scale for all values", function()
    local scale = units.column({ 2 ^ 30, 45 * 2 ^ 30, 6 * 2 ^ 30 }, "B")
    assert.same({ 2 ^ 30, "GiB", 0 }, { scale.divisor, scale.label, scale.decimals })
  end)

  it("stays with the smaller unit where numbers remain short", function()
    assert.equal("TFLOP/s", units.column({ 125e12, 312e12, 989e12, 4500e12 }, "FLOP/s").label)
    assert.equal("s", units.column({ 45.3, 0.02, 0.3, 74.4 }, "s").label)
  end)

  it("shows whole counts whole and percent with one decimal", function()
    assert.equal(0, units.column({ 1, 20, 300 }, "").decimals)
    assert.equal(1, units.column({ 0.4, 0.5 }, "frac").decimals)
    assert.equal("%", units.column({ 0.4, 0.5 }, "frac").label)
  end)

  it("does not stumble over nothing or zero", function()
    assert.equal(1, units.column({}, "").divisor)
    assert.equal(1, units.column({ 0, 0 }, "B").divisor)
  end)
end)

describe("digits", function()
  it("are those of what is stated, and three of what is estimated", function()
    assert.equal("1.979 PFLOP/s", units.format(1.979e15, "FLOP/s"))
    assert.equal("1.98 PFLOP/s", units.format(1.97934e15, "FLOP/s"))
    assert.equal("4,180,000 device-hours", units.format(4182562.3 * 3600, "device s"))
    assert.equal("11,388", units.format(11388, ""))
    assert.equal("2.9 %", units.format(0.02921, "frac"))
    assert.equal("0.03 %", units.format(0.000345123, "frac"))
  end)

  it("of columns are three of the largest, or all of data", function()
    local estimates = units.column({ 1362.4, 5.31, 88.8 }, "")
    assert.equal("1,360", units.cell(1362.4, estimates))
    assert.equal("5", units.cell(5.31, estimates))
    assert.equal("22.35", units.cell(22.351, units.column({ 22.351, 80 }, "", true)))
    assert.equal("22.4", units.cell(22.351, units.column({ 22.351, 80 }, "")))
  end)
end)

describe("bytes", function()
  after_each(function() units.count_bytes("mixed") end)

  it("are binary of memory and decimal of the rest, or as was asked", function()
    assert.same({ "1.5 GiB", "1.611 GB", "2 GB/s" }, { units.format(3 << 29, "B"), units.format(1.611e9, "stored"),
      units.format(2e9, "B/s") })
    units.count_bytes("si")
    assert.same({ "1.61 GB", "2 GB/s" }, { units.format(3 << 29, "B"), units.format(2e9, "B/s") })
    units.count_bytes("iec")
    assert.same({ "1.5 GiB", "1.5 GiB", "2 GiB/s" }, { units.format(3 << 29, "B"), units.format(3 << 29, "stored"),
      units.format(2 << 30, "B/s") })
  end)
end)

describe("rounding to what is shown", function()
  local function read(text)
    local number, unit = text:match("^([%d%.,]+) ?(.*)$")
    number = tonumber((number:gsub(",", "")))
    return unit == "%" and number / 100 or unit == "" and number or units[unit](number)
  end

  it("goes to the side that was asked for, by one digit at most", function()
    local random = 12345
    for _ = 1, 300 do
      random = (random * 1103515245 + 12345) % 2147483648
      local bytes = 1 + random * (1 << (random % 20))
      local up, down = units.round_up(bytes, "B"), units.round_down(bytes, "B")
      assert.is_true(down <= bytes and bytes <= up, bytes)
      assert.is_true(up - down <= 2e-3 * bytes + 2, bytes)
      assert.equal(up, units.round_up(up, "B"))
      assert.equal(down, units.round_down(down, "B"))
      if bytes >= 1 << 40 then assert.equal(up, read(units.format(up, "B"))) end
      local share = random / 2147483648
      assert.is_true(units.round_up(share, "frac") >= share and units.round_down(share, "frac") <= share)
    end
    assert.equal(units.GiB(177.3), units.round_up(units.GiB(177.21), "B"))
    assert.equal(units.GiB(177.2), units.round_down(units.GiB(177.29), "B"))
    assert.equal(units.GiB(120), units.round_up(units.GiB(120), "B"))
    assert.equal(184576219546, units.round_up(184576219546, "B")) -- 171.9 GiB and 0.4 of a byte
    assert.near(0.958, units.round_down(0.95849, "frac"), 1e-12)
  end)
end)

describe("counts", function()
  it("are one or several of a thing", function()
    assert.equal("1 device", units.count(1, "device"))
    assert.equal("2,048 devices", units.count(2048, "device"))
    assert.equal("0 nodes", units.count(0, "node"))
    assert.equal("3 micro-batches", units.count(3, "micro-batch"))
  end)
end)
