-- Errors of ours, and what is made of them.
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
