-- Predicts whole training runs that their authors gave device-hours or days for:
--   build/ballpark lua tools/headline.lua RUNS.csv
-- Columns: source, model, params_b, arch, tokens_b, seq_len, gpu, gpus, gpu_hours, days, notes. The plan is the
-- best one of the search, as nobody states it, by software of the year that the source is of; what else is blank
-- follows from the rules below. Notes are printed beside runs that are not met within 2x.
local batch = require("ballpark.resolve.training.batch")
local clusters = require("ballpark.catalog.clusters")
local core = require("ballpark.core")
local csv = require("ballpark.csv")
local described_model = require("ballpark.resolve.described_model")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local labels = require("ballpark.measured.labels")
local profiles = require("ballpark.catalog.profiles")
local statistics = require("ballpark.validate.statistics")
local searching = require("ballpark.questions.search.run")

-- Batches grow with about the cube root of size: 0.5 M tokens at 125 M parameters and 3.2 M at 175 B
-- (Brown et al., arXiv:2005.14165, table 2.1).
local function batch_tokens(params) return 0.5e6 * (params / 125e6) ^ 0.26 end

-- Devices for those who do not say: the run would take two months at 40 % of the dense peak.
local function usual_devices(flop, peak)
  local wanted = flop / (0.4 * peak * 60 * 86400)
  return math.max(8, 8 * 2 ^ math.floor(math.log(wanted / 8, 2) + 0.5)) // 1 | 0
end

-- The year of the software: that of the paper that is cited ("et al. 2021") or of the release ("tag 23.05"); 2024
-- where the source says none, as `validate` takes it.
local function year_of(source)
  local release = source:match("tag (%d%d)%.%d%d")
  return tonumber(source:match("et al%. (20%d%d)")) or release and 2000 + tonumber(release) or 2024
end

-- Megatron-LM recomputes attention alone, splits activations along the sequence (arXiv:2205.05198, May 2022) and
-- shards optimizer states (its distributed optimizer; year recalled) since 2022.
local SHARDING_YEAR <const> = 2022

-- The software of the source in its year, and what a search may vary of it.
local function software_of(cells, device)
  local year, class = year_of(cells.source), profiles.classify(cells.source, device.vendor)
  class = class == "generic" and "megatron" or class
  local older = class == "megatron" and year < SHARDING_YEAR
  return { software = { name = class, year = year },
    space = older and { recompute = { "none", "full" }, zero = 0 } or nil }
end

local function number(cells, column) return tonumber(cells[column]) end

local function model_of(cells)
  local seq_len = number(cells, "seq_len") or batch.usual_length()
  return described_model.of({ model = cells.model, params_b = number(cells, "params_b"), params_rounding_b = 1,
    arch = cells.arch }, seq_len), seq_len
end

local function predicted_hours(cells)
  local model, seq_len = model_of(cells)
  local device = devices.get(labels.resolve(cells.gpu) or cells.gpu)
  local params, tokens = core.params({ model = model }).active_params, number(cells, "tokens_b") * 1e9
  local count = number(cells, "gpus") or usual_devices(6 * params * tokens, device.bf16_flop_s)
  count = math.tointeger(count)
  local sequences = math.max(1, math.floor(batch_tokens(params) / seq_len / 64 + 0.5)) * 64
  while sequences < count and params > 10e9 do sequences = sequences * 2 end
  local software = software_of(cells, device)
  local answer = searching.run({
    model = model, top = 1, cluster = clusters.make({ device = device.name, devices = count }),
    software = software.software, space = software.space,
    job = { global_batch = math.max(sequences, 64), seq_len = math.tointeger(seq_len), tokens = tokens },
  })
  if not answer.best then errors.infeasible("no plan fits") end
  return answer.best.run.device_s / 3600, answer.best
end

local function measured_hours(cells)
  local hours, days, count = number(cells, "gpu_hours"), number(cells, "days"), number(cells, "gpus")
  return hours or days and count and days * 24 * count
end

-- What a run does not state without which there is nothing to predict or to compare with, or nil.
local function missing(cells)
  for _, column in ipairs({ "tokens_b", "params_b" }) do
    if not number(cells, column) then return column end
  end
  return not measured_hours(cells) and "gpu_hours, or days and gpus" or nil
end

-- What the source says of a run that is missed by more than a factor of two.
local function remark(cells, ratio)
  return (ratio < 0.5 or ratio > 2) and cells.notes ~= "" and "  " .. cells.notes or ""
end

local off, within, total = {}, 0, 0
local _, records = csv.records(csv.read(arg[1]), arg[1])
for _, record in ipairs(records) do
  local cells = record.cells
  local unstated = missing(cells)
  if unstated then
    print(("%-36s skipped: no %s"):format(cells.model, unstated))
  else
    local measured = measured_hours(cells)
    local ok, hours, best = pcall(predicted_hours, cells)
    if ok then
      local ratio = hours / measured
      total = total + 1
      off[total] = math.abs(ratio - 1)
      if ratio >= 0.5 and ratio <= 2 then within = within + 1 end
      print(("%-36s %12.0f h measured %12.0f h predicted  %5.2f  mfu %.2f%s"):format(cells.model, measured, hours,
        ratio, best.time.mfu_frac, remark(cells, ratio)))
    else
      print(("%-36s not predicted: %s"):format(cells.model, tostring(hours)))
    end
  end
end
print(("%d runs: median error %.0f %%, %d within 2x"):format(total, 100 * statistics.median(off), within))
