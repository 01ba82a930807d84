-- A search carried out by the ranks of mpirun: turns go to whoever is free, then all ranks add up what
-- all of them found, so that each has the answer and the first can print it.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local json = require("ballpark.json")

local ranks = {}

-- Turns enough to keep all ranks busy to the end.
local TURNS_EACH <const> = 64
local TURN_MOST <const> = 1 << 22

local function turn_size(size)
  local turns = TURNS_EACH * core.ranks.size
  return math.min((size + turns - 1) // turns, TURN_MOST)
end

local function share(asked)
  local s = core.search_open(asked)
  local size = s:size()
  local turn = turn_size(size)
  local turns = (size + turn - 1) // turn
  for n in function() return core.ranks.next(turns) end do
    s:run(n * turn, math.min((n + 1) * turn, size))
  end
  return json.encode(s:state())
end

-- One rank that fails would leave the others waiting: it says why and ends all.
local function give_up(e)
  io.stderr:write("ballpark: ", tostring(e), "\n")
  core.ranks.abort(errors.is(e) and e.code or 70)
end

--- The answer of core.search, at every rank.
function ranks.run(asked)
  local ok, state = pcall(share, asked)
  if not ok then give_up(state) end
  local sum = core.search_open(asked)
  for i, text in ipairs(core.ranks.all(state)) do sum:add(json.decode(text, "rank " .. i - 1)) end
  return sum:answer()
end

return ranks
