-- How many devices: a search without a limit looks at more and more of them until a fleet holds the SLO.
local refusal = require("ballpark.questions.serve.refusal")
local searched = require("ballpark.search.searched")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local open_size = {}

-- Limits that are tried one after another.
local LIMITS <const> = { 64, 512, 4096 }

--- Devices that a search without a limit looks at.
open_size.MOST = LIMITS[#LIMITS]

-- What is looked at, over what would do in the mean: percentiles take more.
local ROOM <const> = 2

-- Whether more devices may help an answer that does not hold: where the search stopped at the limit, they may.
local function lacks_devices(answer)
  return answer.helped or not answer.searched.complete
end

--- Whether more devices would do something about one of the parts of the SLO that are broken, or of what a fleet is planned
--- for.
---@param breaks string[]
function open_size.is_short(breaks)
  return tables.contains(breaks, "rate") or tables.contains(breaks, "room") or tables.contains(breaks, "gpus")
end

-- Whether the limit, which nobody gave, hides what breaks the SLO at any number of devices.
local function short_of_rate(answer) return open_size.is_short(answer.breaks or {}) end

-- An answer that no limit was enough for: the search stopped, and more devices may hold what it says of the rate.
local function stopped(answer)
  local about = answer.searched
  local why = ("without a number of devices the search ends at %s: say how many there are"):format(
    units.count(answer.ask.gpus, "device"))
  answer.searched = searched.of(about.size, about.looked_at, about.why and about.why .. "; " .. why or why)
  answer.refused = refusal.of(answer)
  return answer
end

--- USD an hour of what an answer chose; infinite where it chose nothing, or nobody knows a price.
---@param answer table
---@return number
function open_size.cost_of(answer) return (answer.winner or answer).cost_usd_h or math.huge end

-- The cheaper of what was found and of what the next limit holds: of several devices or terms a cheaper one may need more
-- than those that were enough.
local function cheaper(found, limit, tried)
  if not (found.fits and limit and #found.ask.pools > 1) then return found end
  local larger = tried(limit)
  return larger.fits and open_size.cost_of(larger) < open_size.cost_of(found) and larger or found
end

--- run(input), with the first limit on devices that is enough where none was given, or the next where that is cheaper;
--- answer.ask.gpus_open says so. Where the last is not and more devices would do in the mean, so many are looked at.
---@param input table of serve_search{}
---@param run fun(input: table): table
function open_size.found(input, run)
  if input.gpus ~= nil then return run(input) end
  local function tried(gpus)
    local answer = run(tables.with(input, { gpus = gpus }))
    answer.ask.gpus_open = true
    answer.refused = answer.refused and refusal.of(answer)
    return answer
  end
  local answer
  for i, gpus in ipairs(LIMITS) do
    answer = tried(gpus)
    if answer.fits or not (lacks_devices(answer) or short_of_rate(answer)) then return cheaper(answer, LIMITS[i + 1], tried) end
  end
  if answer.ask.space.replicas then return answer end -- of so many, no number of devices is short
  if answer.enough then answer = tried(ROOM * answer.enough.devices) end
  return not answer.fits and short_of_rate(answer) and stopped(answer) or answer
end

return open_size
