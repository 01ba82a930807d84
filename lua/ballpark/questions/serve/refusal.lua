-- Why an answer about serving has nothing to run, in a line.
local units = require("ballpark.units")
local words = require("ballpark.questions.serve.words")

local refusal = {}

-- What can be had of a part of the SLO, beside the SLO.
local function at_best(answer, part)
  local limit, best = answer.ask.sla.limits[part], answer.reachable[part]
  if part == "rate" and answer.reachable_per_s then
    return (" (%.4g per s of %.4g)"):format(answer.reachable_per_s, answer.ask.load.rate_per_s)
  end
  return limit and best and (" (SLO %.4g s, %.4g s at best in the mean)"):format(limit, best) or ""
end

-- The devices, or the replicas where somebody stated how many there are.
local function size_of(ask)
  local devices = units.count(ask.gpus, "device")
  local all = ask.space and ask.space.replicas
  if not all then return devices end
  local counts = {}
  for i, count in ipairs(all) do counts[i] = ("%d"):format(count) end
  local replicas = table.concat(counts, " or ") .. (#all == 1 and all[1] == 1 and " replica" or " replicas")
  return ask.gpus_open and replicas or ("%s on at most %s"):format(replicas, devices)
end

local function of_search(answer)
  local parts = {}
  for i, part in ipairs(answer.breaks) do parts[i] = words.parts[part] .. at_best(answer, part) end
  return (answer.searched.complete and "no fleet of %s meets the SLO; what breaks it is %s"
    or "no fleet of %s that meets the SLO was found before the search stopped; what breaks it is %s"):format(
    size_of(answer.ask), table.concat(parts, ", then "))
end

local function of_mix(answer)
  local lengths = {}
  for i, b in ipairs(answer.nobody) do
    local bucket = answer.ask.load.buckets[b]
    lengths[i] = ("%g and %g"):format(bucket.input_tokens, bucket.output_tokens)
  end
  if not lengths[1] then
    local enough = answer.enough and ("; by closed forms %s in all would do"):format(units.count(answer.enough.devices, "device"))
    return (answer.searched.complete and "no pools of %s meet the SLO"
      or "no pools of %s that meet the SLO were found before the search stopped"):format(size_of(answer.ask)) .. (enough or "")
  end
  return "no replica meets the SLO for requests of " .. table.concat(lengths, ", or ") .. " tokens"
end

--- Why an answer of serving.search or serving.mix that does not fit has nothing to run.
function refusal.of(answer)
  return answer.kind == "serving_mix" and of_mix(answer) or of_search(answer)
end

return refusal
