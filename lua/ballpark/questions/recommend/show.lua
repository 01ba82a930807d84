-- A recommendation model in a report.
local calls = require("ballpark.questions.comparables.calls")
local comparables = require("ballpark.questions.comparables.show")
local parts = require("ballpark.questions.inference.show")

local show = {}

-- Published rates are of large batches; a call of a few requests is like none of them.
local COMPARED_FROM <const> = 64

local RECOMMEND_PARTS <const> = { { "lookup_s", "lookups" }, { "dense_s", "dense layers" },
  { "exchange_s", "exchange" }, { "host_s", "host, launches" }, { "input_s", "bringing inputs in" } }

--- Adds an answer of recommend{} to a result.
function show.answer(result, answer)
  local out, model = answer.out, answer.input.model
  local list, fact = parts.facts_list("recommend", ("%s on %d x %s"):format(model.name or "model", answer.input.devices,
    answer.input.device.name or "device"))
  parts.call_facts(fact, answer, "Items")
  fact("requests_per_s", out.requests_per_s, "1/s", "Requests per second", answer.range.requests_per_s)
  fact("table_bytes", out.table_bytes, "B", "All tables")
  fact("devices_needed", out.devices_needed, "", "Devices that hold them")
  if not result.numbers_only and out.fits and answer.requests >= COMPARED_FROM then
    comparables.call(fact, result, calls.nearest_recommender({ model = model, device = answer.input.device,
      per_s_device = out.requests_per_s / answer.input.devices }))
  end
  result:facts(list)
  result:table(parts.parts_table(answer, RECOMMEND_PARTS))
  parts.fleet_facts(result, answer)
  if not out.fits then result:warn("the tables do not fit: spread them over more devices, or store rows narrower") end
  parts.said(result, answer)
  result:assume(parts.MEASURED_RANGES)
end

return show
