-- Words whose being there is what matters.
local mentions = require("ballpark.mentions")

describe("a text mentions", function()
  it("one of several patterns, whatever its case, and nothing where it says nothing", function()
    assert.is_true(mentions.any("LIVE captions", { "real%-time", "live" }))
    assert.is_false(mentions.any("captions", { "real%-time", "live" }))
    assert.is_false(mentions.any(nil, { "live" }))
    assert.is_false(mentions.any("live", {}))
  end)

  it("a word as a whole, where it is asked so", function()
    local whole = mentions.whole({ "papers?", "ram" })
    assert.is_true(mentions.any("a thousand papers.", whole))
    assert.is_true(mentions.any("64 GB of RAM", whole))
    assert.is_false(mentions.any("wallpapers and programs", whole))
  end)
end)
