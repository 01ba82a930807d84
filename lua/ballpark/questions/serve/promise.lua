-- What is promised of a service (its SLO): the times of which so many requests in a hundred stay below limits.
local errors = require("ballpark.errors")

local promise = {}

--- The name of a part of the SLO in what a simulation says.
promise.part = { ttft_s = "ttft", tpot_s = "tpot", e2e_s = "e2e" }

local NAMES <const> = { "ttft_s", "tpot_s", "e2e_s" }
local LOWEST <const>, HIGHEST <const> = 1, 99.9 -- percentiles that the simulation answers

-- Requests in a hundred that an SLO holds for, where nobody says.
local PERCENTILE <const> = 90

--- An SLO as it is asked for: { limits = seconds by name, percentile, percentile_open = whether nobody said it }.
---@param given {ttft_s?: number, tpot_s?: number, e2e_s?: number, percentile?: number}
function promise.of(given)
  local allowed = table.move(NAMES, 1, #NAMES, 2, { "percentile" })
  errors.named("sla", given, allowed)
  local sla = { limits = {}, percentile = given.percentile or PERCENTILE, percentile_open = not given.percentile }
  local any = false
  for _, name in ipairs(NAMES) do
    if given[name] ~= nil then
      sla.limits[name], any = errors.positive("sla." .. name, given[name]), true
    end
  end
  if not any then errors.input("sla", "has no latency: give ttft_s, tpot_s or e2e_s") end
  if not (errors.positive("sla.percentile", sla.percentile) >= LOWEST and sla.percentile <= HIGHEST) then
    errors.input("sla.percentile", ("must be from %g to %g, got %s"):format(LOWEST, HIGHEST, sla.percentile))
  end
  return sla
end

--- What simulated requests break: value over limit per part of the SLO.
---@param seen table of core.serve, at the percentile of the SLO
---@param sla table of promise.of
---@return table<string, number>
function promise.broken(seen, sla)
  local list = {}
  for name, limit in pairs(sla.limits) do
    local value = seen[promise.part[name]].at_s
    if value > limit then list[name] = value / limit end
  end
  return list
end

return promise
