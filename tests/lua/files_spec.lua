-- Files that are written whole or not at all, whatever comes in between.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local lfs = require("lfs")
local interrupted = dofile(here .. "/interrupted.lua")
local ours = dofile(here .. "/files.lua")

local methods = getmetatable(io.stdout).__index

-- Calls of the system that write a file, by the table that has them.
local CALLS = { open = io, write = methods, flush = methods, close = methods, rename = os }

describe("a file that is written", function()
  local folder, path
  before_each(function()
    folder = ours.folder()
    path = ours.write(folder, "o.json", "old")
  end)
  after_each(function() ours.remove(folder) end)

  -- Runs fn(...) with a Ctrl-C as that call returns; whether an interruption is what it raises, and the call was there.
  local function is_interrupted(call, fn, ...)
    local owner, kept = CALLS[call], CALLS[call][call]
    local seen = false
    local broken = interrupted.after(kept)
    owner[call] = function(...)
      owner[call], seen = kept, true
      return broken(...)
    end
    local raised = interrupted.raised(fn, ...)
    owner[call] = kept
    return raised and seen
  end

  for _, call in ipairs({ "open", "write", "close", "rename" }) do
    it("is there whole, or as it was, with a Ctrl-C at its " .. call, function()
      assert.is_true(is_interrupted(call, files.write, path, "new"))
      assert.same({ "o.json" }, ours.list(folder))
      assert.matches(call == "open" and "^%l+$" or "^new$", ours.read(path))
    end)
  end

  for _, call in ipairs({ "open", "write", "close", "rename" }) do
    it("by and by is there whole, or as it was, with a Ctrl-C at its " .. call, function()
      assert.is_true(is_interrupted(call, function()
        local stream <close> = files.stream(path)
        stream:write("new")
        stream:finish()
      end))
      files.remove_unfinished() -- as the end of the command does
      assert.same({ "o.json" }, ours.list(folder))
      assert.matches((call == "open" or call == "write") and "^old$" or "^new$", ours.read(path))
    end)
  end

  it("is watched until it is in its place, and so is another that takes longer", function()
    local watch, said = files.watch, nil
    files.watch = function(name) said = name end
    local stream = files.stream(path)
    local slow = said
    files.write(folder .. "/p.json", "x")
    local after = said
    stream:finish()
    files.watch = watch
    assert.matches("^" .. path .. "%..*%.partial$", slow)
    assert.equal(slow, after)
    assert.is_nil(said)
  end)

  it("is for those to read who could read what it takes the place of, from its first byte on", function()
    for octal, mode in pairs({ ["600"] = "rw-------", ["666"] = "rw-rw-rw-", ["750"] = "rwxr-x---" }) do
      os.execute(("chmod %s %s"):format(octal, path))
      local stream <close> = files.stream(path)
      for _, name in ipairs(ours.list(folder)) do
        assert.equal(mode, lfs.attributes(folder .. "/" .. name, "permissions"))
      end
      stream:write("new")
      stream:finish()
      files.write(path, "newer")
      assert.equal(mode, lfs.attributes(path, "permissions"))
    end
  end)

  it("may have the longest name that there is", function()
    for _, name in ipairs({ ("n"):rep(245), ("n"):rep(255), ("€"):rep(85) }) do
      local long = folder .. "/" .. name
      local stream <close> = files.stream(long)
      for _, there in ipairs(ours.list(folder)) do assert.is_truthy(utf8.len(there)) end
      stream:write("by and by")
      stream:finish()
      assert.equal("by and by", ours.read(long))
      files.write(long, "at once")
      assert.equal("at once", ours.read(long))
    end
  end)

  it("is named in the error as people do", function()
    local there = folder .. "/none/o.json"
    for _, text in ipairs({ errors.catch(files.write, there, "x"), errors.catch(files.stream, there) }) do
      assert.equal("cannot write " .. there .. ": No such file or directory", tostring(text))
    end
  end)
end)
