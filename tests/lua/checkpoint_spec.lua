-- A search with a checkpoint, interrupted anywhere: what is saved counts every chunk once.
local core = require("ballpark.core")
local checkpoint_file = require("ballpark.search.checkpoint")
local interrupted = dofile((debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or ".") .. "/interrupted.lua")
local execution = require("ballpark.search.execution")
local lfs = require("lfs")
local progress = require("ballpark.search.progress")

local ASKED = {
  model = { layers = 8, hidden = 1024, heads = 8, kv_heads = 8, ffn_hidden = 4096, vocab = 32000 },
  device = { memory_bytes = 40e9, mem_bw_bytes_s = 1.555e12, bf16_flop_s = 312e12 },
  network = { devices = 4, scaleup = { bw_bytes_s = 300e9 }, scaleout = { bw_bytes_s = 25e9 } },
  job = { global_batch = 16, seq_len = 1024 },
  space = { tp = { 1, 2 }, pp = { 1, 2 }, vpp = 1, cp = 1, ep = 1, zero = { 0, 1 }, recompute = "none",
    micro_batch = { 1, 2 } },
}

-- A checkpoint in memory that is always due; `saved` may be what another has saved.
local function checkpoint_of(saved)
  local checkpoint = { saved = saved }
  function checkpoint:of() return self.saved end
  function checkpoint.give(_, search, state) search:add(state) end
  function checkpoint.is_due() return true end
  function checkpoint:save(_, search) self.saved = search end
  return checkpoint
end

local function positions(search, size)
  local chunks = search.done.upto + #search.done.beyond
  return math.min(chunks * search.length, size)
end

local function interrupt()
  debug.sethook()
  error(core.interruption, 0)
end

-- The run, ended by a Ctrl-C after so many instructions.
local function all_but(run, instructions)
  debug.sethook(interrupt, "", instructions)
  run:all()
  debug.sethook()
end

describe("a search with a checkpoint", function()
  it("saves every chunk once, wherever it is interrupted", function()
    local whole, size = core.search(ASKED), core.search_open(ASKED):size()
    local seen = {}
    for instructions = 1, 500 do
      local checkpoint = checkpoint_of()
      local run = progress.open(ASKED, { k = 1, checkpoint = checkpoint, workers = 1 })
      local ok = pcall(all_but, run, instructions)
      assert.is_false(ok)
      run:save()
      if checkpoint.saved then
        local state = checkpoint.saved.state
        assert.equal(positions(checkpoint.saved, size), state.evaluated + state.duplicates)
        seen[checkpoint.saved.done.upto] = true
        local again = progress.open(ASKED, { k = 1, checkpoint = checkpoint, workers = 1 })
        again:all()
        assert.same(whole, again.search:answer())
      end
    end
    for chunks = 1, 3 do assert.is_true(seen[chunks]) end
  end)
end)

describe("a checkpoint that cannot be written", function()
  it("is known until it can again", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(lfs.mkdir(folder))
    local path = folder .. "/state.json"
    local kept = checkpoint_file.open(path, { i = 1, n = 1 })
    local run = execution.new({})
    run.checkpoint = kept
    local saved = { request = "x", length = 1, done = { upto = 0, beyond = {} }, state = {} }
    kept:save(1, saved)
    assert.is_nil(run:unsaved())
    assert(os.remove(path) and lfs.rmdir(folder))
    kept.failure = "said" -- the warning is for people
    kept:save(1, saved)
    assert.matches("cannot write " .. path, run:unsaved(), 1, true)
    assert.is_false(run:is_saved())
    assert(lfs.mkdir(folder))
    kept:save(1, saved)
    assert.is_nil(run:unsaved())
    assert(os.remove(path) and lfs.rmdir(folder))
  end)
end)

-- What a search saves that has looked at nothing.
local function nothing_yet() return { request = "x", length = 1, done = { upto = 0, beyond = {} }, state = {} } end

-- A new checkpoint file.
local function new_file()
  local path = os.tmpname()
  os.remove(path)
  return checkpoint_file.open(path, { i = 1, n = 1 })
end

describe("a checkpoint whose name is a link", function()
  it("is what is removed, the link stays", function()
    local target, link = os.tmpname(), os.tmpname()
    assert(os.remove(target) and os.remove(link) and lfs.link(target, link, true))
    local kept = checkpoint_file.open(link, { i = 1, n = 1 })
    kept:save(1, nothing_yet())
    assert.equal("file", lfs.attributes(target, "mode"))
    kept:remove()
    assert.is_nil(lfs.attributes(target))
    assert.equal("link", lfs.symlinkattributes(link, "mode"))
    os.remove(link)
  end)
end)

describe("a checkpoint that is being written", function()
  it("lets a Ctrl-C through, and warns of nothing", function()
    local kept = new_file()
    local methods = getmetatable(io.stdout).__index
    local write = methods.write
    methods.write = function(...)
      methods.write = write
      return interrupted.after(write)(...)
    end
    assert.is_true(interrupted.raised(kept.save, kept, 1, nothing_yet()))
    assert.is_nil(kept.failure)
    kept:remove()
  end)
end)

describe("what a checkpoint holds", function()
  it("is not called no search where a Ctrl-C comes as it is given", function()
    local kept = new_file()
    assert.is_true(interrupted.raised(kept.give, kept, { add = interrupted.after(function() end) }, {}))
  end)
end)
