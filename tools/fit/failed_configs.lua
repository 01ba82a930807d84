-- Tells configurations that failed from those of the same sweep that ran, by the chance that they fit.
--
--   build/ballpark lua tools/fit/failed_configs.lua DATA_DIR
--
-- DATA_DIR holds training_failed_configs.csv and training_runs.csv. Runs that succeeded are the rows of
-- the second with a `source` of the first; of them the columns that the first has are read, and nobody is told which
-- ran. A configuration that cannot run at all (more stages than layers, heads that do not divide) counts as flagged.
-- Not every failure was for lack of memory: the source does not tell crashes apart.
local core = require("ballpark.core")
local csv = require("ballpark.csv")
local files = require("ballpark.files")
local validate = require("ballpark.validate")

-- Columns that the table of failures has, by their names in the other.
local stated = { "source", "model", "params_b", "layers", "hidden", "heads", "ffn_hidden", "vocab", "seq_len", "gpu", "gpus",
  "dp", "tp", "pp", "micro_batch", "zero", "global_batch_seqs" }

-- Columns of the two tables that mean the same.
local renamed = { gpus = "gpus_total" }

local function records(path)
  local _, list = csv.records(files.read(path), path)
  return list
end

local function quote(text) return '"' .. (text or ""):gsub('"', '""') .. '"' end

-- A table as `validate` reads it, from records, all as if they had failed: what is open is then filled alike.
local function table_of(list)
  local lines = { table.concat(stated, ",") .. ",status" }
  for i, record in ipairs(list) do
    local cells = {}
    for j, name in ipairs(stated) do cells[j] = quote(record.cells[name] or record.cells[renamed[name]]) end
    lines[i + 1] = table.concat(cells, ",") .. ",failed"
  end
  return table.concat(lines, "\n") .. "\n"
end

-- Chance of fitting of every configuration; impossible ones have none, below any chance.
local function chances(list)
  local cases, refused = validate.cases((validate.read(table_of(list), "configurations")))
  local result = {}
  for i = 1, #refused do result[i] = -1 end
  for _, case in ipairs(cases) do
    result[#result + 1] = core.train_step(case.input).memory.fit_probability
  end
  return result, #refused
end

local function split(failed, runs)
  local sources, ran = {}, {}
  for _, record in ipairs(failed) do sources[record.cells.source] = true end
  for _, record in ipairs(runs) do
    if sources[record.cells.source] then ran[#ran + 1] = record end
  end
  return ran
end

-- Area under the curve: how often a run that succeeded has the higher chance (ties count half).
local function area(good, bad)
  local wins = 0
  for _, g in ipairs(good) do
    for _, b in ipairs(bad) do wins = wins + (g > b and 1 or g == b and 0.5 or 0) end
  end
  return wins / (#good * #bad)
end

local function share_above(list, limit)
  local count = 0
  for _, chance in ipairs(list) do count = count + (chance >= limit and 1 or 0) end
  return count / #list
end

local function print_at(limit, good, bad)
  local kept, flagged = share_above(good, limit), 1 - share_above(bad, limit)
  print(string.format("chance >= %.2f: %5.1f %% of failures flagged, %5.1f %% of successes kept, accuracy %.3f", limit,
    100 * flagged, 100 * kept, (kept * #good + flagged * #bad) / (#good + #bad)))
end

local function main(directory)
  local failed = records(directory .. "/training_failed_configs.csv")
  local ran = split(failed, records(directory .. "/training_runs.csv"))
  local good, refused = chances(ran)
  local bad, impossible = chances(failed)
  print(string.format("%d succeeded (%d refused), %d failed (%d impossible)", #good, refused, #bad, impossible))
  print(string.format("area under the curve %.4f", area(good, bad)))
  for _, limit in ipairs({ 0.1, 0.25, 0.5, 0.75, 0.9 }) do print_at(limit, good, bad) end
end

main(arg[1])
