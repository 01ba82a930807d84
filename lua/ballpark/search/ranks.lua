-- A search carried out by the ranks of mpirun. The first gives out turns and takes some itself; the others
-- ask for the next one before they begin the last, and report now and then what they have found, so that
-- the first has all of it for the checkpoint. In the end everybody gets the whole and can answer.
--
-- Texts to the first rank: ASK, or a report as JSON: { turns, state, last?, rest?, interrupted?, failure? }.
-- Texts from it: "n begin upto", NONE, STOP, or the whole as JSON: { state, interrupted?, failure? }.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local pace = require("ballpark.search.pace")
local runs = require("ballpark.search.run")

local ranks = {}

local ASK <const>, NONE <const>, STOP <const> = "?", "-", "!"

-- Seconds to wait for what others have found when all are to stop. The launcher kills a second after it
-- has told the ranks to end, and the answer has to be printed in it.
local GRACE_S <const>, HURRIED_S <const> = 5, 0.4
local WAIT_S <const> = 0.05

-- The exit code of an error of ours.
local INTERNAL <const> = 70

-- An error as others can raise it again.
local function failure_of(e)
  if errors.is(e) then return { kind = e.kind, path = e.path, message = e.message } end
  return { message = tostring(e) }
end

local function raise(failure)
  if failure.kind == "input" then errors.input(failure.path, failure.message) end
  if failure.kind then errors[failure.kind](failure.message) end
  error(failure.message, 0)
end

-- The first rank -----------------------------------------------------------------------------------

-- desk: run, what is worked on; last, ranks that have reported for the last time; rests, what was found
-- in turns that were cut short; ended, when no more turns are given.
local function give_turn(desk, to)
  if desk.ended then return end
  local n, begin, upto = desk.run.turns:next()
  core.ranks.send(to, n and ("%d %d %d"):format(n, begin, upto) or NONE)
end

local function take_report(desk, report, from)
  if report.state and desk.run then desk.run:add(report.turns, report.state) end
  if report.rest then desk.rests[#desk.rests + 1] = report.rest end
  desk.last[from] = desk.last[from] or report.last
  if desk.ended then return end
  if report.failure then
    desk.failure = report.failure
    raise(report.failure)
  end
  if report.interrupted then error("interrupted", 0) end
end

-- Whether anything came within so many seconds.
local function serve(desk, seconds)
  local text, from = core.ranks.receive(seconds)
  local came = text ~= nil
  while text do
    if text == ASK then
      give_turn(desk, from)
    else
      take_report(desk, json.decode(text, "rank " .. from), from)
    end
    text, from = core.ranks.receive(0)
  end
  return came
end

local function each_other(fn)
  for rank = 1, core.ranks.size - 1 do fn(rank) end
end

local function is_awaiting(desk)
  for rank = 1, core.ranks.size - 1 do
    if not desk.last[rank] then return true end
  end
  return false
end

local function go(desk, open)
  desk.run = open(core.ranks.size)
  desk.run:all(function() serve(desk, 0) end)
  while is_awaiting(desk) do serve(desk, WAIT_S) end
end

-- Saves first: there may be no time for more.
local function stop(desk)
  desk.ended = true
  if desk.run then desk.run:save() end
  each_other(function(rank)
    if not desk.last[rank] then core.ranks.send(rank, STOP) end
  end)
  local left = core.ranks.is_ending() and HURRIED_S or GRACE_S
  while is_awaiting(desk) and left > 0 do
    if not serve(desk, WAIT_S) then left = left - WAIT_S end
  end
  if desk.run then desk.run:save() end
end

local function add_rests(desk)
  local looked_at = desk.run:looked_at()
  for _, rest in ipairs(desk.rests) do
    desk.run.s:add(rest.state)
    looked_at = looked_at + rest.looked_at
  end
  return { looked_at = looked_at, size = desk.run.turns.size }
end

local function code_of(whole)
  if not whole.failure then return errors.codes.interrupted end
  return errors.codes[whole.failure.kind or ""] or INTERNAL
end

-- What is left of the ranks gets the whole; those that did not answer will be ended.
local function tell_all(desk, whole)
  local text, missing = json.encode(whole), false
  each_other(function(rank)
    if desk.last[rank] then core.ranks.send(rank, text) else missing = true end
  end)
  core.ranks.abandon(missing and code_of(whole) or 0)
end

local function first(open)
  local desk, whole = { last = {}, rests = {} }, {}
  local ok, e = pcall(go, desk, open)
  if not ok then
    stop(desk)
    if runs.is_interrupt(e) and desk.run then
      whole.interrupted = add_rests(desk)
    else
      whole.failure = desk.failure or failure_of(e)
    end
  end
  if not whole.failure then whole.state = desk.run.s:state() end
  tell_all(desk, whole)
  if whole.failure then error(e, 0) end
  return desk.run.s, whole.interrupted
end

-- The others ---------------------------------------------------------------------------------------

-- Raised where the first rank has said that all are to stop.
local stopped = {}

local function turn_of(text)
  if text == STOP then error(stopped, 0) end
  if text == NONE then return false end
  local n, begin, upto = text:match("^(%d+) (%d+) (%d+)$")
  return { n = math.tointeger(n), begin = math.tointeger(begin), upto = math.tointeger(upto) }
end

-- own: s, the open search; turns, those gone through since the last report; next, a turn in advance.
local function look(own)
  local text = core.ranks.receive(0)
  if text then own.next = turn_of(text) end
end

local function next_turn(own)
  while own.next == nil do
    local text = core.ranks.receive(WAIT_S)
    if text then own.next = turn_of(text) end
  end
  local turn = own.next
  own.next = nil
  return turn
end

-- changing: turns and what was found in them may not agree, should a Ctrl-C come.
local function report(own)
  own.changing = true
  core.ranks.send(0, json.encode({ turns = own.turns, state = own.run.s:take() }))
  own.turns = {}
  own.changing = false
end

local function work(own, asked)
  own.run = runs.open(asked, { sharers = 1 })
  local reports = pace.new()
  core.ranks.send(0, ASK)
  for turn in function() return next_turn(own) or nil end do
    core.ranks.send(0, ASK)
    own.run:work(turn.begin, turn.upto, function() look(own) end)
    own.changing = true
    own.run:keep()
    own.turns[#own.turns + 1] = turn.n
    own.changing = false
    if reports:is_due() then reports:go(report, own) end
  end
end

-- The last report, of whole turns and of one that was cut short; e ended the work if it is not nil.
local function report_last(own, e)
  local is_cut = e ~= nil and (e == stopped or runs.is_interrupt(e))
  local text = { turns = own.changing and {} or own.turns, last = true, interrupted = is_cut and e ~= stopped or nil,
    failure = e ~= nil and not is_cut and failure_of(e) or nil }
  if own.run and not own.changing then text.state = own.run.s:take() end
  if own.run then
    if is_cut then text.rest = { looked_at = own.run:partial(), state = own.run:rest() } end
  end
  core.ranks.send(0, json.encode(text))
end

-- A Ctrl-C that comes while this rank has nothing more to do is one for the first; turns given in advance
-- and STOP are for nobody.
local function receive_whole()
  while true do
    local ok, text = pcall(core.ranks.receive, WAIT_S)
    if not ok then core.ranks.send(0, json.encode({ interrupted = true })) end
    if ok and text and text:sub(1, 1) == "{" then return json.decode(text, "rank 0") end
  end
end

local function other(asked)
  local own = { turns = {} }
  local ok, e = pcall(work, own, asked)
  report_last(own, not ok and e or nil)
  local whole = receive_whole()
  core.ranks.abandon(0)
  if whole.failure then raise(whole.failure) end
  own.run.s:add(whole.state)
  return own.run.s, whole.interrupted
end

--- The open search with all that was found, at every rank, and how far an interrupt let it come. open
--- (sharers) gives the first rank its run; `asked` is the request of the others.
function ranks.run(asked, open)
  core.ranks.abandon(INTERNAL) -- should this rank end before it can tell the others
  if core.ranks.rank == 0 then return first(open) end
  return other(asked)
end

return ranks
