-- What Tab offers on a line of `ballpark repl`.
local repl_completion = require("ballpark.cli.repl_completion")

describe("Tab on a line of the loop", function()
  local complete = repl_completion.new(require("ballpark.cli").parser(), { "search", "show" })

  -- What the last word of a line can become; readline parts words at blanks and quotes.
  local function offers(line) return complete(line, #line - #line:match("[^%s\"']*$") + 1, #line) end

  local function has(line, wanted)
    for _, word in ipairs(offers(line)) do
      if word == wanted then return true end
    end
    return false
  end

  it("offers commands, and what a scenario sees", function()
    assert.is_true(has("sea", "search"))
    assert.is_true(has("sho", "show"))
    assert.is_false(has("sho", "search"))
    assert.same({}, offers("nothing-is-called-so"))
  end)

  it("offers a command's options and their values, behind commas too", function()
    assert.same({ "--device", "--devices" }, offers("search --device"))
    assert.is_true(has("search --model llama-3.1-7", "llama-3.1-70b"))
    assert.is_true(has("search --device H100,B200-", "H100,B200-SXM-180GB"))
    assert.is_true(has("search --device L40S,H100,B200-", "L40S,H100,B200-SXM-180GB"))
    assert.same({ "json", "jsonl" }, offers("search -f js"))
    assert.is_false(has("search --model llama-3.1-8b ", "llama-3.1-8b"))
  end)

  it("offers names of arguments, and files where there are none", function()
    assert.is_true(has("explain TT", "TTFT"))
    assert.is_true(has("help embed", "embedding"))
    assert.is_true(has("run scenarios/quick", "scenarios/quickstart.lua"))
    assert.is_true(has("run scen", "scenarios/"))
    assert.same({}, offers("run no/such/folder/x"))
  end)

  it("offers models and devices in Lua", function()
    assert.is_true(has('m = model "llama-3.1-8', "llama-3.1-8b"))
    assert.is_true(has("cluster { device = 'H100-SXM", "H100-SXM-80GB"))
  end)
end)
