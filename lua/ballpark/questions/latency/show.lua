-- How a latency budget becomes blocks of a result.
local show = {}

local function facts(answer)
  local list = { name = "latency", title = "Latency budget" }
  local function fact(name, value, unit, title, more)
    local item = { name = name, value = value, unit = unit, title = title, hide = title == nil }
    for key, extra in pairs(more or {}) do item[key] = extra end
    list[#list + 1] = item
  end
  local percentile = ("P%g"):format(answer.percentile)
  fact("sla_s", answer.sla_s, "s", "SLO")
  fact("median_s", answer.median_s, "s")
  fact("mean_s", answer.mean_s, "s")
  fact("value_s", answer.value_s, "s", percentile .. " of the sum",
    { text = "{value_s}; median {median_s}, mean {mean_s}" })
  fact("left_s", answer.left_s, "s", answer.fits and "Left" or "Over by", not answer.fits and
    { text = "{over_s}" } or nil)
  fact("over_s", math.max(0, -answer.left_s), "s")
  fact("fits", answer.fits, "")
  fact("within_frac", answer.within_frac, "frac", "Requests within it", { chance = true })
  fact("stacked_s", answer.stacked_s, "s", "Sum of the parts' " .. percentile,
    { text = "{stacked_s}: what adding percentiles would have said" })
  fact("dominant", answer.dominant, "", "Most to gain")
  return list
end

--- Adds an answer of latency.run to a result.
function show.answer(result, answer)
  result:facts(facts(answer))
  local percentile, rows = ("P%g"):format(answer.percentile), {}
  for i, part in ipairs(answer.parts) do
    rows[i] = { part.name, part.mean_s, part.share, part.percentile_s, part.saves_s }
  end
  result:table({ name = "parts", title = "Parts", rows = rows, columns = { { name = "part", title = "" },
    { name = "mean_s", title = "mean", unit = "s", scale = "time" },
    { name = "share", title = "of the mean", unit = "frac" },
    { name = "percentile_s", title = percentile, unit = "s", scale = "time" },
    { name = "saves_s", title = percentile .. " of the sum without it: less by", unit = "s", scale = "time" } } })
  result:assume("Parts follow one after another and are independent; those given by two numbers are lognormal.")
end

return show
