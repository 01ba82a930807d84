-- Errors of ours, and what is made of them.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")

describe("errors.try", function()
  it("gives what is returned, and where one of ours is raised that one", function()
    local first, second = errors.try(function(a, b) return a + b, "more" end, 1, 2)
    assert.same({ 3, "more" }, { first, second })
    local none, refused = errors.try(errors.input, "load.users", "must be whole")
    assert.is_nil(none)
    assert.is_true(errors.is(refused))
    assert.equal("load.users", refused.path)
  end)

  it("lets any other go on", function()
    local ok, e = pcall(errors.try, error, "a mistake of the program", 0)
    assert.is_false(ok)
    assert.equal("a mistake of the program", e)
  end)
end)

-- Who takes every failure for "does not run" swallowed an interruption, and answered something else.
describe("errors.attempt", function()
  it("says whether it went, with what it gave or the error of ours", function()
    assert.same({ true, 1, nil, 3 }, { errors.attempt(function() return 1, nil, 3 end) })
    local ok, e = errors.attempt(errors.input, "users", "are none")
    assert.is_false(ok)
    assert.equal("users: are none", tostring(e))
  end)

  it("lets an interruption and a mistake of the program go on", function()
    for _, value in ipairs({ core.interruption, "a mistake of the program" }) do
      local ok, e = pcall(errors.attempt, error, value, 0)
      assert.is_false(ok)
      assert.is_true(rawequal(e, value))
    end
  end)

  it("is what widens ranges of serving", function()
    local serving_range = require("ballpark.range.serving")
    local case = require("ballpark.resolve.serving").of({ model = catalog.model("llama-3.1-8b"),
      cluster = catalog.cluster({ device = "H100", devices = 1 }), load = { input_tokens = 500, output_tokens = 50 } })
    local ok, e = pcall(serving_range.left_open, case, case.input, { ttft_s = 1, tpot_s = 1, e2e_s = 1 },
      function() error(core.interruption, 0) end)
    assert.is_false(ok)
    assert.is_true(rawequal(e, core.interruption))
  end)
end)

describe("a message", function()
  it("shows the beginning of a long word, whoever reads it", function()
    local _, e = pcall(errors.input, "users", "must be a number, got " .. ("a"):rep(5000))
    assert.is_true(#e.message < 450, #e.message .. " bytes")
    assert.matches("^must be a number, got a+…$", e.message)
    assert.equal("users: " .. e.message, tostring(e))
  end)
end)

describe("errors.either", function()
  it("names the field that says it, and refuses a second one at the first", function()
    assert.is_nil(errors.either("load", {}, "users", "concurrency"))
    assert.equal("concurrency", errors.either("load", { concurrency = 3 }, "users", "concurrency"))
    assert.equal("load.a: and c say the same: give one", errors.catch(errors.either, "load", { c = 0, a = false }, "a", "b", "c"))
  end)
end)
