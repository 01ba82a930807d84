-- Whether stated numbers can be meant as they are: what is far from all that the catalog has is a warning, what no unit
-- but another one explains is an error. A number without a unit is in the base unit of its field, which is where most
-- such slips come from.
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local plausible = {}

-- The catalog is read when something is compared with it, not when the program starts.
local function devices() return require("ballpark.catalog.devices") end
local function prices() return require("ballpark.catalog.prices") end

-- Beyond the catalog by this factor a number is strange, by that one it is a slip: assumptions. Between two
-- generations of hardware lie factors of 2 to 3.
local STRANGE <const>, ABSURD <const> = 5, 1000

-- What people mean who leave the unit out or take the wrong one, by field: the unit of data sheets.
local USUAL <const> = { ["B/s"] = "GB_s", ["FLOP/s"] = "TFLOP_s", B = "GB", W = "W", ["USD/h"] = "USD_h" }
local USUAL_OF <const> = { nic_bytes_s = "Gbit_s" }

-- " - Gbit_s(400) is 400 Gbit/s", where the number reads well in the unit of data sheets.
local function hint(field, unit, value, least, most)
  local name = USUAL_OF[field] or USUAL[unit]
  local meant = name and units[name](value)
  if not meant or meant == value or meant < least / STRANGE or meant > most * STRANGE then return "" end
  return ("; %s(%.6g) is %s"):format(name, value, units.format(meant, unit))
end

local function beyond(value, least, most) return math.max(least / value, value / most) end

local function span_words(least, most, unit)
  return ("%s to %s"):format(units.format(least, unit), units.format(most, unit))
end

-- Checks one number against the ends of what the catalog has.
local function check(path, field, value, unit, least, most, warn)
  if type(value) ~= "number" or value <= 0 or not least then return end
  local factor = beyond(value, least, most)
  if factor <= STRANGE then return end
  local text = ("%s is %s what the catalog has: %s%s"):format(units.format(value, unit),
    value < least and "far below" or "far above", span_words(least, most, unit), hint(field, unit, value, least, most))
  if factor > ABSURD then errors.input(path, text) end
  warn(path .. ": " .. text)
end

-- A network's rate in bits that was written as bytes: beyond the fastest by more than two generations, and a rate of
-- the catalog when it is taken as bits.
local function check_bits(path, value, least, most)
  if type(value) ~= "number" or value <= 2 * most or value / 8 > most or value / 8 < least then return end
  errors.input(path, ("takes bytes per second per device, got %s, which is %.4g Gbit/s; a NIC of %.4g Gbit/s (bits per "
    .. "second) is Gbit_s(%.4g)"):format(units.format(value, "B/s"), value * 8 / 1e9, value / 1e9, value / 1e9))
end

-- Peaks of a device of the catalog that somebody stated as twice the dense one.
local SPARSE_TIMES <const>, NEAR <const> = 2, 0.01

local function check_sparse(path, field, value, known, warn)
  local dense = known and known[field]
  if not dense or not field:find("_flop_s$") or math.abs(value / dense / SPARSE_TIMES - 1) > NEAR then return end
  warn(("%s: %s is twice the dense peak of %s in the catalog, %s: a peak with sparsity"):format(path,
    units.format(value, "FLOP/s"), known.name, units.format(dense, "FLOP/s")))
end

local function check_device(device, warn)
  if type(device) ~= "table" then return end
  local name = device.name and devices().resolve(device.name)
  local known = name and devices().get(name)
  for _, field in ipairs(tables.sorted_keys(device)) do
    local value = device[field]
    if type(value) == "number" and value > 0 and not (known and known[field] == value) then
      local path, unit = "device." .. field, fields.unit(field)
      local least, most = devices().span(field)
      if USUAL[unit] then
        if field == "nic_bytes_s" then check_bits(path, value, least, most) end
        check(path, field, value, unit, least, most, warn)
        check_sparse(path, field, value, known, warn)
      end
    end
  end
end

local function check_cluster(cluster, warn)
  if type(cluster) ~= "table" then return end
  check_device(cluster.device, warn)
  local spec = type(cluster.spec) == "table" and cluster.spec or cluster
  local least, most = devices().span("nic_bytes_s")
  if type(spec.nic_bytes_s) == "number" then
    check_bits("cluster.nic_bytes_s", spec.nic_bytes_s, least, most)
    check("cluster.nic_bytes_s", "nic_bytes_s", spec.nic_bytes_s, "B/s", least, most, warn)
  end
  least, most = prices().span()
  check("cluster.price", "price", spec.price, "USD/h", least, most, warn)
end

-- The longest that people wait, by field of an SLO. For a first token 10 s, after which people turn to something else
-- (Nielsen, Usability Engineering, 1993, recalled); for a token 0.5 s, a third of the speed of reading (assumption).
local LONGEST_S <const> = { ttft_s = 10, tpot_s = 0.5 }

local function check_slo(path, slo, warn)
  for _, field in ipairs(tables.sorted_keys(LONGEST_S)) do
    local value = type(slo) == "table" and slo[field]
    if type(value) == "number" and value > LONGEST_S[field] then
      warn(("%s.%s: %s is longer than people at a screen wait, %s%s"):format(path, field, units.format(value, "s"),
        units.format(LONGEST_S[field], "s"),
        value < 1e4 and ("; ms(%.6g) is %s"):format(value, units.format(value / 1e3, "s")) or ""))
    end
  end
end

--- Checks what a question was given, everything made; warn(text) is called for what is strange. Raises for what is
--- absurd.
---@param input table
---@param warn fun(text: string)
function plausible.check(input, warn)
  check_cluster(input.cluster, warn)
  check_device(input.device, warn)
  check_slo("sla", input.sla, warn)
  local least, most = prices().span()
  for _, field in ipairs({ "price", "price_usd_h" }) do check(field, field, input[field], "USD/h", least, most, warn) end
end

-- No run of any kind takes this long: beyond it an input is not what was meant.
local LONGEST_RUN_YEARS <const> = 10000

--- Raises for a run so long that an input must be wrong.
---@param run_s number|nil
function plausible.check_run(name, run_s)
  if run_s and run_s > units.years(LONGEST_RUN_YEARS) then
    errors.input(name, ("the run would take %s: an input is not in the unit that its field takes ('ballpark help units')")
      :format(run_s < math.huge and units.format(run_s, "s") or "longer than any number"))
  end
end

return plausible
