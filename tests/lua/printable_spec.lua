-- Texts of others as terminals, pages and machine formats get them.
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local printable = require("ballpark.printable")
local report = require("ballpark.report")
local result = require("ballpark.result")

describe("a text of others", function()
  it("has no control characters, no marks of direction, and is UTF-8", function()
    assert.equal("a\\x1b[2Jb", printable.text("a\27[2Jb"))
    assert.equal("\\x9b1m \\u{202e} \\x00\\x7f\\x0d", printable.text("\u{9b}1m \u{202e} \0\127\r"))
    assert.equal("\u{fffd}a\u{fffd}", printable.text("\xffa\xc3"))
    assert.equal("a\tb\nü – 😀", printable.text("a\tb\nü – 😀"))
    assert.equal("a\\nb", printable.line("a\nb"))
  end)

  it("is harmless in every format, and JSON is UTF-8", function()
    for _, format in ipairs(report.formats) do
      local r = result.new({ title = "t\27[2J\xff" })
      r:facts({ name = "f", title = "f\7", { name = "x", value = "v\27\xfe", title = "x\u{9b}" } })
      r:note("n\27")
      local text = report.render(r, format, {})
      assert.is_nil(text:find("[%z\1-\8\11-\31\127]"), format)
      assert.is_nil(text:find("\u{9b}", 1, true), format)
      assert.is_truthy(utf8.len(text), format)
    end
    assert.equal('{"k\\ufffd":"\\ufffd"}', json.encode({ ["k\xff"] = "\xff" }))
  end)

  it("makes no refusal longer than a screen", function()
    local long = ("word \xff"):rep(1000)
    for _, refuse in ipairs({ errors.choice, errors.input, errors.unknown, errors.io, errors.usage, errors.rule }) do
      local text = errors.catch(refuse, long, long, { "one", "two" })
      assert.is_true(#text < 3100 and utf8.len(text) ~= nil)
    end
    assert.matches("is not one of one, two$", (errors.catch(errors.choice, "format", long, { "one", "two" })))
  end)
end)
