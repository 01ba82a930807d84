-- Tables as text: cells, quotes, records and what is wrong with them.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")

local function fields(text)
  local records = csv.parse(text, "t.csv")
  local list = {}
  for i, record in ipairs(records) do list[i] = table.move(record, 1, #record, 1, {}) end
  return list
end

describe("csv.parse", function()
  it("splits plain fields and keeps blanks", function()
    assert.same({ { "a", "b", "c" }, { "1", "", "3" }, { "", "", "" } }, fields("a,b,c\n1,,3\n,,\n"))
  end)

  it("ends the last record with or without a line break", function()
    assert.same(fields("a,b\n1,2\n"), fields("a,b\n1,2"))
  end)

  it("takes LF, CRLF and CR, mixed", function()
    assert.same({ { "a" }, { "b" }, { "c" }, { "d" } }, fields("a\r\nb\nc\rd"))
  end)

  it("drops a byte order mark", function()
    assert.same({ { "a", "b" } }, fields("\xEF\xBB\xBFa,b\n"))
  end)

  it("reads quotes, commas and line breaks inside quoted fields", function()
    assert.same({ { 'say "hi"', "x,y", "two\nlines", "" } }, fields('"say ""hi""","x,y","two\nlines",""\n'))
  end)

  it("keeps spaces around fields", function()
    assert.same({ { " a ", "b" } }, fields(" a ,b\n"))
  end)

  it("skips empty lines but not records of one blank among several", function()
    assert.same({ { "a" }, { "b" } }, fields("a\n\n\r\nb\n\n"))
  end)

  it("numbers the lines that records start on, past line breaks in quotes", function()
    local records = csv.parse('h\n"1\n2\n3"\n\nx\n', "t.csv")
    assert.equal(1, records[1].line)
    assert.equal(2, records[2].line)
    assert.equal(6, records[3].line)
  end)

  it("has nothing to say of an empty text", function() assert.same({}, fields("")) end)

  it("names file and line of broken quoting", function()
    assert.equal("t.csv:2: a quoted field is never closed",
      errors.catch(csv.parse, 'a,b\n1,"2\n3\n', "t.csv"))
    assert.equal("t.csv:2: a quote inside a field that does not start with one",
      errors.catch(csv.parse, 'a,b\n1,2"\n', "t.csv"))
    assert.equal("t.csv:3: text behind the closing quote of a field",
      errors.catch(csv.parse, 'a,b\n"1\n1"x,2\n', "t.csv"))
  end)
end)

describe("csv.records", function()
  it("gives cells by column", function()
    local header, rows = csv.records("a,b\n1,2\n3,\n", "t.csv")
    assert.same({ "a", "b" }, header)
    assert.same({ line = 2, cells = { a = "1", b = "2" } }, rows[1])
    assert.same({ line = 3, cells = { a = "3", b = "" } }, rows[2])
  end)

  it("refuses headers without names, with the same name twice, and none at all", function()
    assert.equal("t.csv:1: column 2 has no name", errors.catch(csv.records, "a,,c\n", "t.csv"))
    assert.equal("t.csv:1: column 'a' is there twice", errors.catch(csv.records, "a,b,a\n", "t.csv"))
    assert.equal("t.csv:1: no header line", errors.catch(csv.records, "\n\n", "t.csv"))
  end)

  it("refuses rows of another length than the header", function()
    assert.equal("t.csv:3: 3 fields, the header has 2", errors.catch(csv.records, "a,b\n1,2\n1,2,3\n", "t.csv"))
    assert.equal("t.csv:2: 1 fields, the header has 2", errors.catch(csv.records, "a,b\n1\n", "t.csv"))
  end)

  it("makes them input errors, exit 2", function()
    local _, e = errors.catch(csv.records, 'a\n"1', "t.csv")
    assert.equal(2, e.code)
  end)
end)

describe("csv.read", function()
  it("is an input/output error, exit 3, for what is not there or not a file", function()
    local text, e = errors.catch(csv.read, "/nowhere/at-all.csv")
    assert.matches("/nowhere/at%-all%.csv", text)
    assert.equal(3, e.code)
    local _, folder = errors.catch(csv.read, "/")
    assert.equal(3, folder.code)
  end)
end)

describe("csv.number", function()
  it("is decimal, with or without blanks around", function()
    for text, value in pairs({ ["16"] = 16, [" 1.5 "] = 1.5, ["1e3"] = 1000, [".5"] = 0.5, ["+2"] = 2, ["-2.5E-1"] = -0.25, ["007"] = 7 }) do
      assert.equal(value, csv.number(text))
    end
    for _, text in ipairs({ "0x10", "0X1p4", "1e999", "-1e999", "inf", "nan", "", " ", "1 2", "1.2.3", "1,5", "e5", ("9"):rep(65) }) do
      assert.is_nil(csv.number(text))
    end
    assert.is_nil(csv.number(nil))
  end)
end)
