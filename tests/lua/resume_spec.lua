-- FILE.resume, beside a file that rows are added to.
local errors = require("ballpark.errors")
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local ours = dofile(here .. "/files.lua")
local lfs = require("lfs")
local resume = require("ballpark.cli.resume")

local system = io -- whose calls fail here

describe("the digests of rows", function()
  local folder, path, open
  before_each(function()
    folder, open = ours.folder(), io.open
    path = folder .. "/rows.csv"
  end)
  after_each(function()
    system.open = open
    ours.remove(folder)
  end)

  local function refused() return tostring(errors.catch(resume.claim, path, "{}", function() end)) end

  it("are refused in one line where they may be written but not read", function()
    system.open = function(name, mode)
      if mode == "r+b" then return nil, name .. ": Permission denied", 13 end
      return open(name, mode)
    end
    assert.equal("cannot read " .. path .. ".resume: Permission denied", refused())
  end)

  it("are not written through a link that stands in the place of their temporary name", function()
    local other = ours.write(folder, "other", "somebody's")
    assert(lfs.link("other", path .. ".resume.partial", true))
    resume.read(path, "csv", {}, resume.claim(path, "{}", function() end)).digests:close()
    assert.equal("somebody's", ours.read(other))
    assert.equal("{}\n", ours.read(path .. ".resume"))
    assert.same({ "other", "rows.csv.resume" }, ours.list(folder))
  end)

  it("are refused in one line where what is there is no file", function()
    assert(os.execute("mkfifo " .. path .. ".resume"))
    assert.equal("cannot write " .. path .. ".resume: --resume needs a file, this is a named pipe", refused())
    assert(os.remove(path .. ".resume") and lfs.link("/dev/full", path .. ".resume", true))
    assert.equal("cannot write " .. path .. ".resume: --resume needs a file, this is a char device", refused())
  end)
end)
