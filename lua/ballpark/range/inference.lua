-- The range of a predicted time of inference that is no language model: what published results were over what was
-- predicted for them, by kind of network (ballpark.catalog.fitted.runtime, ballpark.catalog.fitted.vector_search).
local range = require("ballpark.range")
local runtimes = require("ballpark.catalog.runtimes")
local search_hosts = require("ballpark.catalog.search_hosts")

local inference = {}

-- Graph indexes are in no table of published times here: factors of time within which they are expected, for the
-- share of random reads that a processor hides, and how they slow down when all threads read (assumption).
local GRAPH_TIME <const> = { 0.5, 2 }

-- Building an index locks, and nobody published times of it (assumption).
local BUILD <const> = 3

--- The range of a time as factors on it.
---@param kind string encoder, vision, convnet, recommendation, or search: of an index
---@param index string|nil of a search
---@return ballpark.range
function inference.of(kind, index)
  local ends = kind ~= "search" and runtimes.spread(kind) or select(2, search_hosts.law())
  if index == "hnsw" or index == "hnsw_pq" then
    return range.new(1, GRAPH_TIME[1], GRAPH_TIME[2], { range.beyond("no published times of graph indexes") })
  elseif index == "binary" then
    return range.new(1, GRAPH_TIME[1], GRAPH_TIME[2], { range.beyond("no published times of binary codes") })
  end
  return range.new(1, ends[1], ends[2])
end

--- Ranges of a call of a network, by name.
---@param kind string
---@param out {time_s: number, per_s: number}
---@return table<string, ballpark.range>
function inference.of_call(kind, out)
  local time = inference.of(kind)
  return { time_s = range.times(time, out.time_s), per_s = range.under(time, out.per_s) }
end

--- Ranges of a call of an index, by name.
---@param index string|nil
---@param out table of core.vector_search
---@return table<string, ballpark.range>
function inference.of_search(index, out)
  local time = inference.of("search", index)
  return { time_s = range.times(time, out.time_s), per_s = range.under(time, out.per_s),
    busy_per_s = range.under(time, out.busy_per_s),
    recall = range.new(out.recall, out.recall_low, out.recall_high),
    build_s = range.new(out.build_s, out.build_s / BUILD, out.build_s * BUILD,
      { range.beyond("no published times of building") }) }
end

return inference
