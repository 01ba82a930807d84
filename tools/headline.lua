-- Predicts whole training runs that their authors gave device-hours or days for:
--   build/ballpark lua tools/headline.lua RUNS.csv
-- Columns: model, params_b, arch, tokens_b, seq_len, gpu, gpus, gpu_hours, days. The plan is the best
-- one of the search, as nobody states it; what else is blank follows from the rules below.
local clusters = require("ballpark.catalog.clusters")
local core = require("ballpark.core")
local csv = require("ballpark.csv")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local labels = require("ballpark.validate.labels")
local model_rules = require("ballpark.validate.rules.model")
local training = require("ballpark.estimate.training")

-- Batches grow with about the cube root of size: 0.5 M tokens at 125 M parameters and 3.2 M at 175 B
-- (Brown et al., arXiv:2005.14165, table 2.1).
local function batch_tokens(params) return 0.5e6 * (params / 125e6) ^ 0.26 end

-- Devices for those who do not say: the run would take two months at 40 % of the dense peak.
local function usual_devices(flop, peak)
  local wanted = flop / (0.4 * peak * 60 * 86400)
  return math.max(8, 8 * 2 ^ math.floor(math.log(wanted / 8, 2) + 0.5)) // 1 | 0
end

local function number(cells, column) return tonumber(cells[column]) end

local function model_of(cells)
  local case = { row = { model = cells.model, params_b = number(cells, "params_b"), params_rounding_b = 1,
    arch = cells.arch, seq_len = number(cells, "seq_len") }, year = 2024 }
  for _, rule in ipairs(model_rules) do rule.apply(case) end
  return case.model, case.seq_len
end

local function predicted_hours(cells)
  local model, seq_len = model_of(cells)
  local device = devices.get(labels.resolve(cells.gpu) or cells.gpu)
  local params, tokens = core.params({ model = model }).active_params, number(cells, "tokens_b") * 1e9
  local count = number(cells, "gpus") or usual_devices(6 * params * tokens, device.bf16_flop_s)
  count = math.tointeger(count)
  local batch = math.max(1, math.floor(batch_tokens(params) / seq_len / 64 + 0.5)) * 64
  while batch < count and params > 10e9 do batch = batch * 2 end
  local answer = training.search({
    model = model, top = 1, cluster = clusters.make({ device = device.name, devices = count }),
    job = { global_batch = math.max(batch, 64), seq_len = math.tointeger(seq_len), tokens = tokens },
  })
  if not answer.best then errors.infeasible("no plan fits") end
  return answer.best.run.device_s / 3600, answer.best
end

local function measured_hours(cells)
  local hours, days, count = number(cells, "gpu_hours"), number(cells, "days"), number(cells, "gpus")
  return hours or days and count and days * 24 * count
end

local function median(values)
  table.sort(values)
  return values[(#values + 1) // 2]
end

local off, within, total = {}, 0, 0
local _, records = csv.records(csv.read(arg[1]), arg[1])
for _, record in ipairs(records) do
  local cells = record.cells
  local measured = number(cells, "tokens_b") and number(cells, "params_b") and measured_hours(cells)
  if measured then
    local ok, hours, best = pcall(predicted_hours, cells)
    if ok then
      local ratio = hours / measured
      total = total + 1
      off[total] = math.abs(ratio - 1)
      if ratio >= 0.5 and ratio <= 2 then within = within + 1 end
      print(("%-36s %12.0f h measured %12.0f h predicted  %5.2f  mfu %.2f"):format(cells.model, measured, hours,
        ratio, best.time.mfu_frac))
    else
      print(("%-36s not predicted: %s"):format(cells.model, tostring(hours)))
    end
  end
end
print(("%d runs: median error %.0f %%, %d within 2x"):format(total, 100 * median(off), within))
