-- A search carried out by the ranks of mpirun. The first gives out chunks and takes some itself; the others
-- ask for the next one before they begin the last, and report now and then what they have found, so that
-- the first has all of it for the checkpoint. In the end everybody gets the whole and can answer.
--
-- Texts to the first rank: ASK with the digest of what is searched, or a report as JSON: { chunks, state, last?, rest?,
-- interrupted?, failure? }. Texts from it: "n begin upto", NONE, STOP, or the whole as JSON: { state, interrupted?,
-- failure? }. Both ways: core.ranks.ended, of a rank whose program has ended.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local interrupt = require("ballpark.interrupt")
local json = require("ballpark.json")
local periodic = require("ballpark.search.periodic")
local progress = require("ballpark.search.progress")
local tables = require("ballpark.tables")

local ranks = {}

local ASK <const>, NONE <const>, STOP <const> = "?", "-", "!"

local APART <const> = ": all ranks have to be given the same command, files and version of the program"

-- A function of the library in C has no code to tell it apart by.
local function code_digest(fn)
  local is_lua, code = pcall(string.dump, fn, true)
  return core.digest(is_lua and code or "C")
end

-- Digest of what a rank searches. Rules that are functions of the scenario are told apart by their code.
local function digest_of(asked)
  local same = tables.with(asked)
  same.threads, same.rules = nil, {}
  for i, rule in ipairs(asked.rules or {}) do
    local parts = {}
    for _, name in ipairs(tables.sorted_keys(rule)) do
      local value = rule[name]
      if type(value) == "function" then value = code_digest(value) end
      parts[#parts + 1] = name .. "=" .. (type(value) == "table" and "table" or tostring(value))
    end
    same.rules[i] = table.concat(parts, "\0")
  end
  return core.digest(core.sources .. json.encode(same))
end

-- Seconds to wait for what others have found when all are to stop. The launcher kills a second after it
-- has told the ranks to end, and the answer has to be printed in it.
local GRACE_S <const>, HURRIED_S <const> = 5, 0.4
local WAIT_S <const> = 0.05

-- The exit code of an error of ours.
local INTERNAL <const> = 70

-- An error as others can raise it again.
local function failure_of(e)
  if errors.is(e) then return { kind = e.kind, path = e.path, message = e.message } end
  return { kind = interrupt.is(e) and "interrupted" or nil, message = tostring(e) }
end

local function raise(failure)
  if failure.kind == "interrupted" then error(core.interruption, 0) end
  if failure.kind == "input" then errors.input(failure.path, failure.message) end
  if failure.kind then errors[failure.kind](failure.message) end
  error(failure.message, 0)
end

-- The first rank -----------------------------------------------------------------------------------

-- scheduler: progress, of the search; digest, of what is searched; last, ranks that have reported for the last time; rests, what was found
-- in chunks that were cut short; ended, when no more chunks are given.
local function give_chunk(scheduler, to)
  if scheduler.ended then return end
  local n, begin, upto = scheduler.progress.chunks:next()
  core.ranks.send(to, n and ("%d %d %d"):format(n, begin, upto) or NONE)
end

local function take_report(scheduler, report, from)
  if report.state and scheduler.progress then scheduler.progress:add(report.chunks, report.state) end
  if report.rest then scheduler.rests[#scheduler.rests + 1] = report.rest end
  scheduler.last[from] = scheduler.last[from] or report.last
  if scheduler.ended then return end
  if report.failure then
    scheduler.failure = report.failure
    raise(report.failure)
  end
  if report.interrupted then error(core.interruption, 0) end
end

-- Where ranks found other files, each would search something else and report it as the same.
local function check_same(scheduler, digest, from)
  if digest ~= scheduler.digest and not scheduler.ended then
    errors.usage(("rank %d searches something else than rank 0%s"):format(from, APART))
  end
end

-- A rank that ended before the search did.
local function take_end(scheduler, from)
  local reported = scheduler.last[from]
  scheduler.last[from] = true
  if not (reported or scheduler.ended) then
    errors.usage(("rank %d has ended and does not search%s"):format(from, APART))
  end
end

-- Whether anything came within so many seconds.
local function serve(scheduler, seconds)
  local text, from = core.ranks.receive(seconds)
  local came = text ~= nil
  while text do
    if text == core.ranks.ended then
      take_end(scheduler, from)
    elseif text:sub(1, #ASK) == ASK then
      check_same(scheduler, text:sub(#ASK + 1), from)
      give_chunk(scheduler, from)
    else
      take_report(scheduler, json.decode(text, "rank " .. from), from)
    end
    text, from = core.ranks.receive(0)
  end
  return came
end

local function each_other(fn)
  for rank = 1, core.ranks.size - 1 do fn(rank) end
end

local function is_awaiting(scheduler)
  for rank = 1, core.ranks.size - 1 do
    if not scheduler.last[rank] then return true end
  end
  return false
end

local function go(scheduler, open)
  scheduler.progress = open(core.ranks.size)
  scheduler.progress:all(function() serve(scheduler, 0) end)
  while is_awaiting(scheduler) do serve(scheduler, WAIT_S) end
end

-- Saves first: there may be no time for more.
local function stop(scheduler)
  scheduler.ended = true
  if scheduler.progress then scheduler.progress:save() end
  each_other(function(rank)
    if not scheduler.last[rank] then core.ranks.send(rank, STOP) end
  end)
  local left = core.ranks.is_ending() and HURRIED_S or GRACE_S
  while is_awaiting(scheduler) and left > 0 do
    if not serve(scheduler, WAIT_S) then left = left - WAIT_S end
  end
  if scheduler.progress then scheduler.progress:save() end
end

local function add_rests(scheduler)
  local looked_at = scheduler.progress:looked_at()
  for _, rest in ipairs(scheduler.rests) do
    scheduler.progress.search:add(rest.state)
    looked_at = looked_at + rest.looked_at
  end
  return { looked_at = looked_at, size = scheduler.progress.chunks.size }
end

local function code_of(whole)
  if not whole.failure then return errors.codes.interrupted end
  return errors.codes[whole.failure.kind or ""] or INTERNAL
end

-- What is left of the ranks gets the whole; those that did not answer will be ended.
local function tell_all(scheduler, whole)
  local text, missing = json.encode(whole), false
  each_other(function(rank)
    if scheduler.last[rank] then core.ranks.send(rank, text) else missing = true end
  end)
  if whole.failure or whole.interrupted then core.ranks.share_interrupt() end
  core.ranks.abandon(missing and code_of(whole) or 0)
end

local function run_first(asked, open)
  local scheduler, whole = { last = {}, rests = {}, digest = digest_of(asked) }, {}
  local ok, e = pcall(go, scheduler, open)
  if not ok then
    stop(scheduler)
    if interrupt.ends_here(e) and scheduler.progress then
      whole.interrupted = add_rests(scheduler)
    else
      whole.failure = scheduler.failure or failure_of(e)
    end
  end
  if not whole.failure then whole.state = scheduler.progress.search:state() end
  tell_all(scheduler, whole)
  if whole.failure then error(e, 0) end
  return scheduler.progress.search, whole.interrupted
end

-- The others ---------------------------------------------------------------------------------------

-- Raised where the first rank has said that all are to stop.
local stopped = {}

-- Raised where the first rank has ended.
local deserted = {}

local function refuse_desertion()
  core.ranks.abandon(0) -- nobody waits for this rank
  errors.usage("rank 0 has ended and does not search" .. APART)
end

local function chunk_of(text)
  if text == core.ranks.ended then error(deserted, 0) end
  if text == STOP then error(stopped, 0) end
  if text == NONE then return false end
  local n, begin, upto = text:match("^(%d+) (%d+) (%d+)$")
  return { n = math.tointeger(n), begin = math.tointeger(begin), upto = math.tointeger(upto) }
end

-- worker: progress, of the search; chunks, those gone through since the last report; next, a chunk in advance.
local function receive_chunk(worker)
  local text = core.ranks.receive(0)
  if text then worker.next = chunk_of(text) end
end

local function next_chunk(worker)
  while worker.next == nil do
    local text = core.ranks.receive(WAIT_S)
    if text then worker.next = chunk_of(text) end
  end
  local chunk = worker.next
  worker.next = nil
  return chunk
end

-- changing: chunks and what was found in them may not agree, should a Ctrl-C come.
local function report(worker)
  worker.changing = true
  core.ranks.send(0, json.encode({ chunks = worker.chunks, state = worker.progress.search:take() }))
  worker.chunks = {}
  worker.changing = false
end

local function work(worker, asked)
  worker.progress = progress.open(asked, { workers = 1 })
  local reports, ask = periodic.new(), ASK .. digest_of(asked)
  core.ranks.send(0, ask)
  for chunk in function() return next_chunk(worker) or nil end do
    core.ranks.send(0, ask)
    worker.progress:work(chunk.begin, chunk.upto, function() receive_chunk(worker) end)
    worker.changing = true
    worker.progress:keep()
    worker.chunks[#worker.chunks + 1] = chunk.n
    worker.changing = false
    if reports:is_due() then reports:run(report, worker) end
  end
end

-- The last report, of whole chunks and of one that was cut short; e ended the work if it is not nil.
local function report_last(worker, e)
  local is_cut = e ~= nil and (e == stopped or interrupt.ends_here(e))
  local text = { chunks = worker.changing and {} or worker.chunks, last = true,
    interrupted = is_cut and e ~= stopped or nil, failure = e ~= nil and not is_cut and failure_of(e) or nil }
  if worker.progress and not worker.changing then text.state = worker.progress.search:take() end
  if worker.progress then
    if is_cut then text.rest = { looked_at = worker.progress:partial(), state = worker.progress:rest() } end
  end
  core.ranks.send(0, json.encode(text))
end

-- A Ctrl-C that comes while this rank has nothing more to do is one for the first; chunks given in advance
-- and STOP are for nobody.
local function receive_whole()
  while true do
    local ok, text = pcall(core.ranks.receive, WAIT_S)
    if not ok then
      interrupt.ends_here(text)
      core.ranks.send(0, json.encode({ interrupted = true }))
    end
    if ok and text == core.ranks.ended then refuse_desertion() end
    if ok and text and text:sub(1, 1) == "{" then return json.decode(text, "rank 0") end
  end
end

local function run_other(asked)
  local worker = { chunks = {} }
  local ok, e = pcall(work, worker, asked)
  if e == deserted then refuse_desertion() end
  report_last(worker, not ok and e or nil)
  local whole = receive_whole()
  if whole.failure or whole.interrupted then core.ranks.share_interrupt() end
  core.ranks.abandon(0)
  if whole.failure then raise(whole.failure) end
  -- A Ctrl-C may have come before this rank had opened its search.
  local own = worker.progress or progress.open(asked, { workers = 1 })
  own.search:add(whole.state)
  return own.search, whole.interrupted
end

--- The open search with all that was found, at every rank, and how far an interrupt let it come. open
--- (workers) gives the first rank its run; `asked` is the request of the others.
function ranks.run(asked, open)
  core.ranks.abandon(INTERNAL) -- should this rank end before it can tell the others
  if core.ranks.rank == 0 then return run_first(asked, open) end
  return run_other(asked)
end

return ranks
