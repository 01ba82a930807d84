-- What tells one version of the program from another between two releases.
local core = require("ballpark.core")
local edition = require("ballpark.edition")
local ours = dofile((debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or ".") .. "/files.lua")

describe("the edition of the program", function()
  local folder, before
  before_each(function()
    folder, before = ours.folder(), package.path
    for _, name in ipairs({ "ballpark", "ballpark/catalog" }) do require("lfs").mkdir(folder .. "/" .. name) end
    ours.write(folder, "ballpark/edition.lua", "")
    ours.write(folder, "ballpark/catalog/prices.lua", "return 1")
    package.path = folder .. "/?.lua"
  end)
  after_each(function()
    package.path = before
    ours.remove(folder)
  end)

  it("is another one with another file of the library, and no other with the same", function()
    local first = edition.text()
    ours.write(folder, "ballpark/catalog/notes.md", "of no answer")
    assert.equal(first, edition.text())
    ours.write(folder, "ballpark/catalog/prices.lua", "return 2")
    assert.not_equal(first, edition.text())
    ours.write(folder, "ballpark/catalog/prices.lua", "return 1")
    assert.equal(first, edition.text())
    os.rename(folder .. "/ballpark/catalog/prices.lua", folder .. "/ballpark/prices.lua")
    assert.not_equal(first, edition.text())
  end)

  it("is another one with other sources of the core", function()
    local first, sources = edition.text(), core.sources
    assert.matches("^%x+$", sources)
    core.sources = ("0"):rep(#sources)
    local other = edition.text()
    core.sources = sources
    assert.not_equal(first, other)
  end)
end)
