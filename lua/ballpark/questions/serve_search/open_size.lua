-- How many devices: a search without a limit looks at more and more of them until a fleet holds the SLO.
local tables = require("ballpark.tables")

local open_size = {}

-- Limits that are tried one after another.
local LIMITS <const> = { 64, 512, 4096 }

--- Devices that a search without a limit looks at.
open_size.MOST = LIMITS[#LIMITS]

-- Whether more devices may help an answer that does not hold: where the search stopped at the limit, they may.
local function lacks_devices(answer)
  return answer.helped or not answer.searched.complete
end

-- Whether the limit, which nobody gave, hides what breaks the SLO at any number of devices.
local function short_of_rate(answer)
  local breaks = answer.breaks or {}
  return tables.contains(breaks, "rate") or tables.contains(breaks, "gpus")
end

--- run(input), with the first limit on devices that is enough where none was given; answer.ask.gpus_open says so.
---@param input table of serve_search{}
---@param run fun(input: table): table
function open_size.found(input, run)
  if input.gpus ~= nil then return run(input) end
  local answer
  for _, gpus in ipairs(LIMITS) do
    answer = run(tables.with(input, { gpus = gpus }))
    answer.ask.gpus_open = true
    if answer.fits or not (lacks_devices(answer) or short_of_rate(answer)) then break end
  end
  return answer
end

return open_size
