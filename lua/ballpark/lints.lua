-- Mistakes that people make in estimates, each a record of the folder lints/records: code, severity (warning or note), why
-- in one line, fix in one line, and find(log) → { { where, message } }. Slips of units are found by their factor.
local lfs = require("lfs")
local slips = require("ballpark.lints.slips")
local tables = require("ballpark.tables")
local words = require("ballpark.lints.words")

local lints = {}

local function records()
  local list = {}
  for name in lfs.dir(package.searchpath("ballpark.lints", package.path):gsub("%.lua$", "") .. "/records") do
    if name:find("%.lua$") then list[#list + 1] = require("ballpark.lints.records." .. name:gsub("%.lua$", "")) end
  end
  table.sort(list, function(a, b) return a.code < b.code end)
  return list
end

--- All records in the order of their codes.
lints.records = records()

--- Codes of all lints and slips, sorted.
function lints.codes()
  local codes = tables.set(slips.codes())
  for _, record in ipairs(lints.records) do codes[record.code] = true end
  return tables.sorted_keys(codes)
end

-- What two figures for one thing differ by.
local function of_slips(log)
  local list = {}
  for _, pair in ipairs(log.slips) do
    local slip = slips.of(pair.said, pair.right, pair.unit)
    if slip then
      list[#list + 1] = { code = slip.code, severity = "warning", where = pair.where,
        because = pair.shown and "shown as what somebody said" or nil, message = ("%.6g is said, and it is "
        .. "%.6g: %s"):format(pair.said, pair.right, slip.text), fix = slips.FIX }
    end
  end
  return list
end

--- What is wrong with what a log holds: list of { code, severity, where, message, fix } in the order of the codes; those
--- that `accepted` (by code: the reason) explains are left out, and come as the second list with their reasons.
---@param log table of ballpark.lints.log
---@param accepted table<string, string>|nil
function lints.of(log, accepted)
  accepted = accepted or {}
  local found, explained = of_slips(log), {}
  for _, record in ipairs(lints.records) do
    for _, place in ipairs(record.find(log)) do
      found[#found + 1] = { code = record.code, severity = record.severity, where = place.where,
        message = place.message and (place.message .. ": " .. record.why) or record.why, fix = record.fix }
    end
  end
  local left = {}
  for _, lint in ipairs(found) do
    local because = lint.because or accepted[lint.code]
    if because then
      explained[#explained + 1] = tables.with(lint, { because = because })
    else
      left[#left + 1] = lint
    end
  end
  return left, explained
end

--- The lints of an estimate in prose, as lints.of has them.
---@param text string
function lints.of_text(text)
  local made, list = tables.set(words.of(text)), {}
  for _, record in ipairs(lints.records) do
    if made[record.code] then
      list[#list + 1] = { code = record.code, severity = record.severity, where = "text", message = record.why,
        fix = record.fix }
    end
  end
  return list
end

return lints
