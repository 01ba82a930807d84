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

-- Whether the limit, which nobody gave, hides what breaks the SLO at any number of devices.
local function short_of_rate(answer)
  local breaks = answer.breaks or {}
  return tables.contains(breaks, "rate") or tables.contains(breaks, "gpus")
end

-- An answer that no limit was enough for: the search stopped, and more devices may hold what it says of the rate.
local function stopped(answer)
  local about = answer.searched
  local why = ("without a number of devices the search ends at %s: say how many there are"):format(
    units.count(answer.ask.gpus, "device"))
  answer.searched = searched.of(about.size, about.looked_at, about.why and about.why .. "; " .. why or why)
  answer.refused = refusal.of(answer)
  return answer
end

--- run(input), with the first limit on devices that is enough where none was given; answer.ask.gpus_open says so. Where the
--- last is not and more devices would do in the mean, so many are looked at.
---@param input table of serve_search{}
---@param run fun(input: table): table
function open_size.found(input, run)
  if input.gpus ~= nil then return run(input) end
  local function tried(gpus)
    local answer = run(tables.with(input, { gpus = gpus }))
    answer.ask.gpus_open = true
    return answer
  end
  local answer
  for _, gpus in ipairs(LIMITS) do
    answer = tried(gpus)
    if answer.fits or not (lacks_devices(answer) or short_of_rate(answer)) then return answer end
  end
  if answer.enough then answer = tried(ROOM * answer.enough.devices) end
  return not answer.fits and short_of_rate(answer) and stopped(answer) or answer
end

return open_size
