-- Slips of units that make a figure wrong by a factor which people know: what a ratio of two figures for one thing looks
-- like. A slip is a guess at how somebody went wrong; the ratio itself is arithmetic.
local slips = {}

-- How near a ratio comes to the factor of its slip.
local SLACK <const> = 0.03
-- Of whole powers of ten it is a matter of rounding.
local ROUND_SLACK <const> = 0.12

-- Factor, code, units of figures that may slip so (nil: any), slack, what is said.
local KNOWN <const> = {
  { 365, "years_for_days", { s = true }, SLACK, "as years are to days" },
  { 12, "years_for_months", { s = true, USD = true }, 0.01, "as years are to months" },
  { 24, "days_for_hours", { s = true }, SLACK, "as days are to hours" },
  { 3600, "hours_for_seconds", { s = true, ["1/s"] = true }, SLACK, "as hours are to seconds" },
  { 60, "per_minute_for_per_second", { ["1/s"] = true, s = true, ["tok/s"] = true }, SLACK,
    "as a rate per second is to one per minute" },
  { 8, "bits_for_bytes", { B = true, ["B/s"] = true }, SLACK, "as bits are to bytes" },
  { 2, "mac_for_flop", { FLOP = true }, SLACK, "as a multiply-accumulate is to its two FLOP" },
  { 2, "sparse_for_dense", { ["FLOP/s"] = true, frac = true }, SLACK, "as a sparse peak is to a dense one" },
  { 2, "both_directions", { ["B/s"] = true }, SLACK, "as both directions of a link are to one" },
  { 1000, "thousands", nil, ROUND_SLACK, "a prefix off: thousands" },
  { 1e6, "millions", nil, ROUND_SLACK, "two prefixes off: millions" },
}

--- The slip that makes `said` of `right`: { code, text, factor }, or nil where the ratio is none that is known.
---@param said number
---@param right number
---@param unit string|nil base unit of both
function slips.of(said, right, unit)
  if not (said > 0 and right > 0) then return nil end
  local ratio = math.max(said / right, right / said)
  for _, known in ipairs(KNOWN) do
    if (not known[3] or known[3][unit or ""]) and math.abs(math.log(ratio / known[1])) <= known[4] then
      return { code = known[2], factor = known[1], text = ("off by %.4g, %s"):format(ratio, known[5]) }
    end
  end
end

--- What to do about any of them.
slips.FIX = "give the figure with its unit: days(30), per_minute(0.35), TFLOP_s(989)"

--- Codes of all.
function slips.codes()
  local list = {}
  for i, known in ipairs(KNOWN) do list[i] = known[2] end
  return list
end

return slips
