-- Numbers of an index of vectors that is a graph: links of a vector, candidates of a query.
local mentions = require("ballpark.mentions")

local graphs = {}

local OF_GRAPH <const> = { "hnsw" }
local NAMED <const> = { m = "links", links = "links", ef = "ef", efsearch = "ef", ef_search = "ef", ["ef-search"] = "ef" }

--- "HNSW M=32", "hnsw with ef 128".
function graphs.read(reader, value, text)
  local name = mentions.any(reader.text, OF_GRAPH) and reader:named(NAMED)
  return name and value % 1 == 0 and reader:say(name, math.tointeger(value), text) and 1 or nil
end

return graphs
