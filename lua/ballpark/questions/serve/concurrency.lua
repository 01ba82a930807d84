-- What requests see of one replica by how many of them are in flight, by closed forms: what a picture shows beside a load.
local core = require("ballpark.core")
local resolved_load = require("ballpark.resolve.serving.load")
local tables = require("ballpark.tables")

local concurrency = {}

-- Requests in flight: powers of two, and as many as run at one time.
local function steps_of(most)
  local list, at = {}, 1
  while at < most do
    list[#list + 1] = at
    at = 2 * at
  end
  list[#list + 1] = most
  return list
end

--- The table "concurrency" for a result that is illustrated: TTFT and TPOT in the mean.
---@param setup table of a replica, as core.infer_load takes it
---@param means {input_tokens: number, output_tokens: number}
---@param load table of serve{}
---@param most integer requests that run at one time
function concurrency.table(setup, means, load, most)
  local rows = {}
  for i, at in ipairs(steps_of(math.max(1, math.floor(most)))) do
    local seen = core.infer_load(tables.with(setup, { concurrency = at, input_tokens = means.input_tokens,
      output_tokens = means.output_tokens, prefix_tokens = load.prefix_tokens,
      shared_tokens = resolved_load.held_once(load, means.input_tokens) }))
    rows[i] = { at, seen.ttft_s, seen.tpot_s, seen.e2e_s > 0 and at / seen.e2e_s or nil }
  end
  return { name = "concurrency", title = "One replica by requests in flight; means of closed forms", hide = true, rows = rows,
    columns = { { name = "clients", title = "in flight" }, { name = "ttft_s", title = "TTFT", unit = "s" },
      { name = "tpot_s", title = "TPOT", unit = "s" }, { name = "requests_per_s", title = "requests", unit = "1/s" } } }
end

return concurrency
