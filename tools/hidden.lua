-- What a fact is worth: every column of a table of measured runs is blanked in turn, and the rows that state it are
-- estimated again. Says how far errors grow where nobody states the fact, and whether ranges hold then.
--   build/ballpark lua tools/hidden.lua training|finetuning TABLE.csv [COLUMN...]
-- A line per column: figures (times and peaks) of the rows that state it, their mean error and share inside the 80 % range
-- before and after, in the mean of families of ten figures or more, and how many figures are no longer answered.
local csv = require("ballpark.csv")
local statistics = require("ballpark.validate.statistics")

local tables_of = { training = require("ballpark.validate"), finetuning = require("ballpark.validate.finetuning") }

-- Columns that say what was measured, or name the row.
local KEPT <const> = { case_id = true, family = true, source = true, notes = true, step_s = true, tokens_per_s = true, samples_per_s = true,
  tokens_per_s_per_gpu = true, tflops_per_gpu = true, flops_convention = true, mfu_pct = true, peak_mem = true, train_time_s = true,
  peak_mem_per_gpu_gb = true, peak_mem_total_gb = true, mem_unit = true, mem_stat = true, oom = true, complete = true }

local kind, path = arg[1], arg[2]
if not tables_of[kind or ""] or not path then
  io.stderr:write("tools/hidden.lua: needs training or finetuning, and a table; see its head\n")
  os.exit(2)
end

local header, records = csv.records(csv.read(path), path)

local function quoted(cell) return '"' .. (cell or ""):gsub('"', '""') .. '"' end

local function line_of(cells, hidden)
  local list = {}
  for i, name in ipairs(header) do list[i] = quoted(name ~= hidden and cells[name] or "") end
  return table.concat(list, ",")
end

-- Figures by row and metric of the rows that state `column`, with it or without.
local function figures(column, hidden)
  local lines = { table.concat(header, ",") }
  for _, record in ipairs(records) do
    if (record.cells[column] or "") ~= "" then lines[#lines + 1] = line_of(record.cells, hidden and column) end
  end
  local validate, found = tables_of[kind], {}
  for _, row in ipairs(validate.run((validate.read(table.concat(lines, "\n") .. "\n", path))).rows) do
    if row.status == "ok" and row.error and row.range then found[row.case_id .. "\0" .. row.metric] = row end
  end
  return found, #lines - 1
end

-- Mean |error| and share inside in percent, in the mean of families, of the figures that both have.
local function scored(rows, both)
  local list = {}
  for key in pairs(both) do list[#list + 1] = rows[key] end
  local summary = statistics.summary(list)
  return 100 * (summary.mean_family_mape or 0), 100 * (summary.mean_family_within_interval or 0)
end

local function columns()
  if arg[3] then return table.move(arg, 3, #arg, 1, {}) end
  local list = {}
  for _, name in ipairs(header) do
    if not KEPT[name] then list[#list + 1] = name end
  end
  return list
end

print(("%-24s %7s %8s %7s %8s %7s %5s"):format("column", "figures", "error, %", "hidden", "inside,%", "hidden", "lost"))
for _, column in ipairs(columns()) do
  local before, count = figures(column, false)
  local after = count >= statistics.least_rows and figures(column, true) or {}
  local both, n, all = {}, 0, 0
  for key in pairs(before) do
    all = all + 1
    if after[key] then both[key], n = true, n + 1 end
  end
  if n > 0 then
    local off, inside = scored(before, both)
    local hidden_off, hidden_inside = scored(after, both)
    print(("%-24s %7d %8.1f %7.1f %8.1f %7.1f %5d"):format(column, n, off, hidden_off, inside, hidden_inside, all - n))
  end
end
