-- The checkpoint file of a command that searches: what each of its searches has found so far, and in which
-- chunks. Whoever goes on from it may be as many threads or ranks as they like.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local interrupt = require("ballpark.interrupt")
local periodic = require("ballpark.search.periodic")
local sealed = require("ballpark.sealed")

local checkpoint = {}

local Checkpoint = {}
Checkpoint.__index = Checkpoint

local KIND <const> = "search checkpoint"

local function is_whole(value, least) return math.type(value) == "integer" and value >= least end

-- What a search saved: its digest says that this is what was written, this says that a search wrote it.
local function is_search(saved)
  local done = type(saved) == "table" and saved.done
  if type(done) ~= "table" or type(saved.request) ~= "string" or type(saved.state) ~= "table"
    or not is_whole(saved.length, 1) or not is_whole(done.upto, 0) or type(done.beyond) ~= "table" then
    return false
  end
  for _, n in ipairs(done.beyond) do
    if not is_whole(n, 0) then return false end
  end
  return true
end

local function load(path, shard)
  local saved = sealed.read(path, "--checkpoint: " .. path, "a checkpoint")
  if type(saved) ~= "table" or saved.kind ~= KIND or type(saved.searches) ~= "table" then
    errors.usage("--checkpoint: " .. path .. " is not a checkpoint of a search")
  end
  for _, search in ipairs(saved.searches) do
    if not is_search(search) then errors.usage("--checkpoint: " .. path .. " is not a checkpoint of a search") end
  end
  if saved.shard ~= shard.i or saved.shards ~= shard.n then
    errors.usage(("--checkpoint: %s is of shard %s/%s; remove it to start this one"):format(path,
      tostring(saved.shard), tostring(saved.shards)))
  end
  return saved.searches
end

-- A small checkpoint's size: a disk that has no room for it is full.
local TRIED_BYTES <const> = 64 << 10

--- The checkpoint at `path`, with what is there already. An input/output error where none can be written.
function checkpoint.open(path, shard)
  local folder = files.folder(path)
  if not files.exists(folder) then errors.io(("cannot write %s: there is no folder %s"):format(path, folder)) end
  files.try_write(path, (" "):rep(TRIED_BYTES))
  return setmetatable({ path = path, shard = shard, periodic = periodic.new(),
    searches = files.exists(path) and load(path, shard) or {} }, Checkpoint)
end

--- What is saved of the k-th search of the command: { request, length, done, state }; nil when nothing is.
function Checkpoint:of(k, request)
  local saved = self.searches[k]
  if saved and saved.request ~= request then
    errors.usage("--checkpoint: " .. self.path .. " is of another search, or of another version of the program; remove it to start this one")
  end
  return saved
end

--- Gives what was saved to the search.
function Checkpoint:give(search, state)
  local ok, e = pcall(search.add, search, state, true)
  interrupt.pass_on(e)
  if not ok then errors.usage(("--checkpoint: %s is not a checkpoint of a search: %s"):format(self.path, tostring(e))) end
end

--- Whether it is time to save again.
function Checkpoint:is_due() return self.periodic:is_due() end

local function write(self)
  files.write(self.path, sealed.text({ kind = KIND, shard = self.shard.i, shards = self.shard.n,
    searches = self.searches }))
end

-- The search is worth more than its checkpoint: what cannot be saved now is said once, and tried again.
local function write_or_warn(self)
  local failure, e = errors.catch(write, self)
  if failure and not errors.is(e) then error(e, 0) end
  if failure and not self.failure then
    io.stderr:write("ballpark: warning: no checkpoint: ", failure, "; the search goes on\n")
  end
  self.failure = failure
end

--- Sets what is to be saved of the k-th search, and saves all. `failure` says why the last time did not succeed.
function Checkpoint:save(k, search)
  self.searches[k] = search
  self.periodic:run(write_or_warn, self)
end

--- Takes the file away: nothing is left to go on with.
function Checkpoint:remove() files.remove(self.path) end

return checkpoint
