-- Logs of jobs: CSV with submit, start, end and devices, or what Slurm's sacct prints (with -P, or in columns). Jobs that
-- never ran, still run or held no device are left out and counted; what cannot be is an error with its line.
local blanks = require("ballpark.blanks")
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local near = require("ballpark.near")
local tables = require("ballpark.tables")

local job_trace = {}

-- Columns by the names that logs give them, small letters without marks.
local NAMES <const> = {
  submit = { "submit", "submits", "submittime", "submittimes", "submitted", "arrivals", "arrival" },
  start = { "start", "starts", "starttime", "starttimes", "started" },
  ends = { "end", "ends", "endtime", "endtimes", "ended", "finish", "finishs" },
  devices = { "devices", "gpus", "gpu", "numgpus", "gpunum", "ngpus", "alloctres", "reqtres", "allocgres", "reqgres", "tres" },
  cpus = { "cpus", "cpucores", "alloccpus", "ncpus", "numcpus", "reqcpus", "cores" },
  bytes = { "bytes", "outputbytes", "writtenbytes" },
  id = { "jobid", "id", "job", "jobidraw" },
  class = { "class", "kind", "type" },
  partition = { "partition", "queue", "vc" },
  account = { "account", "project", "group" },
  user = { "user", "uid" },
}

--- Columns that can tell classes of jobs apart, the one that is taken first.
job_trace.groups = { "class", "partition", "account", "user" }

local function plain_name(text) return (text:lower():gsub("[^%a]", "")) end

-- Names that logs give things which are not there, and the things by them.
local function names_without(found)
  local names, thing_of = {}, {}
  for _, thing in ipairs(tables.sorted_keys(NAMES)) do
    for _, word in ipairs(found[thing] and {} or NAMES[thing]) do
      names[#names + 1], thing_of[word] = word, thing
    end
  end
  return names, thing_of
end

-- A column that is a slip of the pen of one that is not there is an error: it would be left out without a word.
local function check_slips(header, found, name)
  local used, names, thing_of = {}, names_without(found)
  for _, column in pairs(found) do used[column] = true end
  for _, column in ipairs(header) do
    local word = plain_name(column)
    local meant = not used[column] and not thing_of[word] and near.typo(word, names)
    if meant then errors.input(name .. ":1", ("column '%s' is not known, did you mean '%s'?"):format(column, meant)) end
  end
end

-- The header's column for each thing, by the order of its names.
local function columns_of(header, name)
  local known, found = {}, {}
  for _, column in ipairs(header) do known[plain_name(column)] = known[plain_name(column)] or column end
  for thing, names in pairs(NAMES) do
    for _, word in ipairs(names) do found[thing] = found[thing] or known[word] end
  end
  check_slips(header, found, name)
  local missing = {}
  for _, thing in ipairs({ "submit", "start", "ends", "devices" }) do
    if not found[thing] then missing[#missing + 1] = thing == "ends" and "end" or thing end
  end
  if #missing > 0 then
    local meant = near.name(missing[1], header)
    errors.input(name .. ":1", ("needs columns submit, start, end and devices; %s missing: %s; it has %s%s"):format(
      #missing == 1 and "one is" or "some are", table.concat(missing, ", "), table.concat(header, ", "),
      meant and (" (did you mean '" .. meant .. "'?)") or ""))
  end
  return found
end

-- Days from 1970-01-01 of a date of the Gregorian calendar (Fliegel and Van Flandern, 1968).
local function days_of(year, month, day)
  local a = (14 - month) // 12
  local y, m = year + 4800 - a, month + 12 * a - 3
  return day + (153 * m + 2) // 5 + 365 * y + y // 4 - y // 100 + y // 400 - 32045 - 2440588
end

local function days_in(year, month)
  local next_year, next_month = year + month // 12, month % 12 + 1
  return days_of(next_year, next_month, 1) - days_of(year, month, 1)
end

-- "2026-01-31T10:20:30" in seconds, with an offset of its time zone where it has one.
local function stamp(text)
  local year, month, day, hour, minute, second, zone =
    text:match("^(%d%d%d%d)-(%d%d)-(%d%d)[T ](%d%d):(%d%d):(%d%d%.?%d*)(.*)$")
  if not year then return nil end
  year, month, day = math.tointeger(year), math.tointeger(month), math.tointeger(day)
  hour, minute = math.tointeger(hour), math.tointeger(minute)
  if month < 1 or month > 12 or day < 1 or day > days_in(year, month) or hour > 23 or minute > 59 then return nil end
  local at = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + tonumber(second)
  if zone == "" or zone == "Z" then return at end
  local sign, hours, minutes = zone:match("^([+-])(%d%d):?(%d%d)$")
  return sign and at - (sign == "+" and 1 or -1) * (math.tointeger(hours) * 3600 + math.tointeger(minutes) * 60)
end

-- What logs write where something has not happened.
local NEVER <const> = tables.set({ "", "unknown", "none", "n/a", "nan", "null", "-" })

-- The year 5138: what is later counts milliseconds.
local LATEST_S <const> = 1e11

-- Seconds; nil where the log says that there is none; false where it makes no sense.
local function time_of(text)
  text = blanks.cut(text)
  if NEVER[text:lower()] then return nil end
  local value = csv.number(text) or stamp(text)
  if not value or not (math.abs(value) <= LATEST_S) then return false end
  return value
end

-- Devices that no job has more of (assumption), as a whole number; false where it makes no sense.
local MOST_DEVICES <const> = 10000000

local function whole(text)
  local count = csv.number(text)
  count = count and math.tointeger(count)
  return count and count >= 0 and count < MOST_DEVICES and count or false
end

-- Devices of every type, "gres/gpu:a100=4,gres/gpu:v100=2" or "gpu:a100:4,gpu:v100:2", added up; nil where there are none.
local function devices_by_type(text)
  for _, pattern in ipairs({ "gres/gpu:[^=,]+=([^,]*)", "gpu:[%w_%.%-]*%a[%w_%.%-]*:(%d+)" }) do
    local sum
    for count in text:gmatch(pattern) do
      count = whole(count)
      if not count then return false end
      sum = (sum or 0) + count
    end
    if sum then return sum end
  end
end

-- "billing=8,gres/gpu=4,gres/gpu:a100=4" is 4; "gpu:a100:4" is 4; false where it makes no sense, as where sacct has cut
-- it off.
local function devices_of(text)
  text = blanks.cut(text)
  if csv.number(text) then return whole(text) end
  if text == "" or NEVER[text:lower()] then return 0 end
  if text:find("%+$") then return false end
  local total, typed = text:match("gres/gpu=([^,]*)"), nil
  if not total then typed = devices_by_type(text) end
  if typed ~= nil then return typed end
  local count = total or text:match("gpu:(%d+)") or text:match("gpu=([^,]*)")
  if count then return whole(count) end
  return text:find("=", 1, true) and 0 or false
end

-- CPU cores of a job, of a column of their own or "cpu=8" among its resources; nil where nothing says it.
local function cpus_of(cells, columns)
  return csv.number(columns.cpus and cells[columns.cpus] or cells[columns.devices]:match("%f[%a]cpu=(%d+)"))
end

-- Fields of lines between bars, as sacct -P prints them.
local function barred(text, name)
  local rows, header, number = {}, nil, 0
  for line in (text .. "\n"):gmatch("(.-)\r?\n") do
    number = number + 1
    local cells = {}
    for cell in (line .. "|"):gmatch("([^|]*)|") do cells[#cells + 1] = cell end
    if line ~= "" and not header then
      header = cells
    elseif line ~= "" and #cells ~= #header then
      errors.input(name .. ":" .. number, ("%d fields, the header has %d"):format(#cells, #header))
    elseif line ~= "" then
      local by = {}
      for i, column in ipairs(header) do by[column] = cells[i] end
      rows[#rows + 1] = { line = number, cells = by }
    end
  end
  return header, rows
end

-- Columns as wide as the dashes below their names.
local function ruled(text)
  local rows, header, places, number = {}, {}, {}, 0
  for line in (text .. "\n"):gmatch("(.-)\r?\n") do
    number = number + 1
    if number == 1 then
      header.text = line
    elseif number == 2 then
      for from, to in line:gmatch("()%-+()") do
        places[#places + 1] = { from, to - 1 }
        header[#header + 1] = blanks.cut(header.text:sub(from, to - 1))
      end
    elseif line ~= "" then
      local by = {}
      for i, place in ipairs(places) do by[header[i]] = blanks.cut(line:sub(place[1], place[2])) end
      rows[#rows + 1] = { line = number, cells = by }
    end
  end
  header.text = nil
  return header, rows
end

-- Of two columns of one name only one would be read. A bar at the end of lines makes one without a name.
local function check_twice(header, name)
  local seen = {}
  for _, column in ipairs(header) do
    if column ~= "" and seen[column] then errors.input(name .. ":1", "column '" .. column .. "' is there twice") end
    seen[column] = true
  end
end

local function records_of(text, name)
  local first = text:match("^[^\r\n]*")
  if first:find("|", 1, true) and not first:find(",", 1, true) then return barred(text, name) end
  if text:match("^[^\r\n]*\r?\n[%- ]*%-%-[%- ]*\r?\n") then return ruled(text) end
  return csv.records(text, name)
end

-- What is wrong with a job, or nil.
local function fault_of(job)
  for _, column in ipairs({ "submit", "start", "ends", "devices" }) do
    local word = column == "ends" and "end" or column
    if job[column] == false then return word, ("%s: '%s' is %s"):format(word, job.texts[column],
      column ~= "devices" and (csv.number(job.texts[column]) and "no time in seconds" or "no time") or job.texts[column]:find("%+%s*$") and "cut off, print it with sacct -P"
        or "no number of devices") end
  end
  if job.submit == nil then return "submit", "submit is missing" end
  if job.start and job.start < job.submit then return "start", "starts before it is submitted" end
  if job.bytes and not (job.bytes >= 0 and job.bytes < math.huge) then return "bytes", "bytes must be a size, at least 0" end
  if job.ends and not job.start then return nil end
  if job.ends and job.start and job.ends < job.start then return "end", "ends before it starts" end
end

-- Why a job is left out, or nil.
local function left_out(job)
  if not job.start then return "never started" end
  if not job.ends then return "still running" end
  if job.devices == 0 then return "without devices" end
end

local function job_of(record, columns, group)
  local cells, texts = record.cells, {}
  for _, thing in ipairs({ "submit", "start", "ends", "devices" }) do texts[thing] = cells[columns[thing]] end
  return { texts = texts, submit = time_of(texts.submit), start = time_of(texts.start), ends = time_of(texts.ends),
    devices = devices_of(texts.devices), cpus = cpus_of(cells, columns),
    bytes = columns.bytes and csv.number(cells[columns.bytes]), line = record.line, class = group and cells[group] or "jobs" }
end

local function group_of(columns, by, name)
  if by then
    if not tables.contains(job_trace.groups, by) then errors.choice("by", by, job_trace.groups) end
    if not columns[by] then errors.input("by", ("%s has no column for %s"):format(name, by)) end
    return columns[by], by
  end
  for _, thing in ipairs(job_trace.groups) do
    if columns[thing] then return columns[thing], thing end
  end
end

local function refuse(damaged, name)
  local lines = {}
  for i = 2, math.min(6, #damaged) do lines[#lines + 1] = tostring(damaged[i][1]) end
  local more = #damaged > 1 and ("; %d more row%s cannot be, line%s %s%s"):format(#damaged - 1, #damaged == 2 and "" or "s",
    #damaged == 2 and "" or "s", table.concat(lines, ", "), #damaged > 6 and ", …" or "") or ""
  errors.input(name .. ":" .. damaged[1][1], damaged[1][2] .. more .. "; skip_damaged leaves such rows out")
end

local function by_submission(a, b)
  if a.submit ~= b.submit then return a.submit < b.submit end
  return a.line < b.line
end

-- "; 3 never started, 2 without devices" of rows that are no jobs.
local function left_out_words(counts)
  local parts = {}
  for _, why in ipairs(tables.sorted_keys(counts)) do parts[#parts + 1] = counts[why] .. " " .. why end
  return parts[1] and ": " .. table.concat(parts, ", ") or ""
end

--- The jobs of a log by submission: { submit, start, ends (seconds), devices, class, line, cpus and bytes where the log has
--- them }; with `left_out`, counts by reason of rows that are no jobs, `group`, what their classes are, and `name`, the
--- file's. Steps of jobs ("17.batch") are no rows.
---@param text string
---@param name string of the file
---@param options table|nil by (class, partition, account, user), skip_damaged
function job_trace.read(text, name, options)
  options = options or {}
  local header, records = records_of(text, name)
  check_twice(header or {}, name)
  local columns = columns_of(header or {}, name)
  local group, thing = group_of(columns, options.by, name)
  local list, damaged = { left_out = {}, group = thing, name = name }, {}
  local function leave_out(why) list.left_out[why] = (list.left_out[why] or 0) + 1 end
  for _, record in ipairs(records) do
    local id = columns.id and record.cells[columns.id] or ""
    if not id:find("^%d[_%+%d%[%]%-,%%]*%.") then
      local job = job_of(record, columns, group)
      local column, fault = fault_of(job)
      local why = not column and left_out(job)
      if column then
        damaged[#damaged + 1] = { job.line, fault }
      elseif why then
        leave_out(why)
      else
        job.texts = nil
        list[#list + 1] = job
      end
    end
  end
  if #damaged > 0 and not options.skip_damaged then refuse(damaged, name) end
  if #damaged > 0 then list.left_out.damaged = #damaged end
  if #list == 0 then errors.input(name, "has no job that ran on a device and ended" .. left_out_words(list.left_out)) end
  table.sort(list, by_submission)
  return list
end

return job_trace
