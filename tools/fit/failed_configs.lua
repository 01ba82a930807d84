-- Tells configurations that failed from those of the same sweep that ran, by the chance that they fit.
--
--   build/ballpark lua tools/fit/failed_configs.lua DATA_DIR
--
-- DATA_DIR holds training_failed_configs.csv and training_runs.csv. Runs that succeeded are the rows of
-- the second with a `source` of the first. What the table of failures does not state (software, year,
-- format, attention) is as in the successes; nobody recomputes. A configuration that cannot run at all
-- (more stages than layers, heads that do not divide) counts as flagged. Not every failure was for lack
-- of memory: the source does not tell crashes apart.
local core = require("ballpark.core")
local csv = require("ballpark.csv")
local files = require("ballpark.files")
local validate = require("ballpark.validate")

-- Columns of the two tables that mean the same.
local renamed = { gpus = "gpus_total" }

local stated = { "model", "params_b", "layers", "hidden", "heads", "ffn_hidden", "vocab", "seq_len", "gpus", "dp",
  "tp", "pp", "micro_batch", "zero", "global_batch_seqs" }

local habits = { "arch", "gpu", "gpus_per_node", "precision", "flash", "framework", "year" }

local function records(path)
  local _, list = csv.records(files.read(path), path)
  return list
end

local function quote(text) return '"' .. (text or ""):gsub('"', '""') .. '"' end

-- A table as `validate` reads it, from records; `fill` gives the habits.
local function table_of(list, fill)
  local header = table.move(habits, 1, #habits, #stated + 1, table.move(stated, 1, #stated, 1, {}))
  local lines = { "case_id,recompute,peak_mem," .. table.concat(header, ",") }
  for i, record in ipairs(list) do
    local cells = { "row-" .. i, "none", "1" }
    for _, name in ipairs(stated) do
      cells[#cells + 1] = quote(record.cells[name] or record.cells[renamed[name]])
    end
    for _, name in ipairs(habits) do cells[#cells + 1] = quote(fill.cells[name]) end
    lines[#lines + 1] = table.concat(cells, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

-- Chance of fitting of every configuration; impossible ones have none, below any chance.
local function chances(list, fill)
  local cases, refused = validate.cases((validate.read(table_of(list, fill), "configurations")))
  local result, impossible = {}, #refused
  for _ = 1, #refused do result[#result + 1] = -1 end
  for _, case in ipairs(cases) do
    local ok, out = pcall(core.train_step, case.input)
    impossible = impossible + (ok and 0 or 1)
    result[#result + 1] = ok and out.memory.fit_probability or -1
  end
  return result, impossible
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
  local good, refused = chances(ran, ran[1])
  local bad, impossible = chances(failed, ran[1])
  print(string.format("%d succeeded (%d refused), %d failed (%d impossible)", #good, refused, #bad, impossible))
  print(string.format("area under the curve %.4f", area(good, bad)))
  for _, limit in ipairs({ 0.1, 0.25, 0.5, 0.75, 0.9 }) do print_at(limit, good, bad) end
end

main(arg[1])
