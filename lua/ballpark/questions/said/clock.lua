-- Hours of a day by the clock: "between 9 and 17", "9am-6pm", "from 9 to 5". They are written as what they last, "in a window of
-- 8 hours", which is read as everywhere.
local tables = require("ballpark.tables")
local vocabulary = require("ballpark.questions.said.vocabulary")

local clock = {}

local HALF_DAY <const>, DAY <const> = 12, 24
-- Hours of a working day at least and at most, and when it begins: what a pair of plain numbers may be (assumption).
local LEAST <const>, MOST <const>, FIRST <const>, LAST <const> = 4, 16, 5, 12

local BETWEEN <const> = { "^%s*%-%s*()", "^%s+to%s+()", "^%s+and%s+()", "^%s+until%s+()", "^%s+till%s+()", "^%-to%-()" }
local LEADS <const> = tables.set({ "between", "from" })
-- Words behind which a pair is one of lengths of runs, or of counts, and no time of the day.
local LASTS <const> = tables.set({ "take", "takes", "last", "lasts", "run", "runs", "vary", "varies", "size", "sizes", "rank", "batch", "go", "scale", "scaling", "grow", "grows", "growing" })
-- Words of a day in which people work.
local WORKING <const> = { "working hours", "office hours", "business hours", "opening hours", "weekdays?", "work%-?%s?days?", "working day" }

-- A time at a place: hours from midnight, where it ends, what marks it as one ("am", "pm", ":", "h"); nil where none stands.
local function time_at(text, at)
  local digits, behind = text:match("^(%d%d?)()", at)
  if not digits or text:find("^[%d%.,]*%d", behind) then return nil end
  local hour, mark = tonumber(digits), nil
  local minutes, further = text:match("^:(%d%d)()%f[%D]", behind)
  if minutes and tonumber(minutes) < 60 then hour, behind, mark = hour + tonumber(minutes) / 60, further, ":" end
  local half, last = text:match("^%s?([ap])%.?m%f[%A]%.?()", behind)
  if half and hour <= HALF_DAY then
    hour, behind, mark = hour % HALF_DAY + (half == "p" and HALF_DAY or 0), last, half
  else
    local said = text:match("^%s?h%f[%W]()", behind) or text:match("^%s?o'clock%f[%W]()", behind)
    behind, mark = said or behind, mark or said and "h" or nil
  end
  if hour > DAY then return nil end
  return hour, behind, mark
end

local function between(text, at)
  for _, pattern in ipairs(BETWEEN) do
    local further = text:match(pattern, at)
    if further then return further end
  end
end

-- How a rate ends behind which a pair says when it comes: "2M requests a day between 9 and 17", "40 rps from 9 to 5".
local RATES <const> = { "%f[%a]day%s+$", "%f[%a]daily%s+$", "%f[%a][qr]ps%s+$", "requests/s%s+$", "requests/min%s+$", "requests per second%s+$", "requests per minute%s+$", "requests per hour%s+$" }

local function is_behind_rate(text, from)
  for _, pattern in ipairs(RATES) do
    if text:sub(1, from - 1):find(pattern) then return true end
  end
  return false
end

local function has_people(text)
  for _, pattern in ipairs(WORKING) do
    if text:find(pattern) then return true end
  end
  for word in text:gmatch("%a+") do
    if vocabulary.NOUNS[word] == "users" then return true end
  end
  return false
end

-- Whether something that is counted or measured stands behind a place: "between 8 and 16 GPUs".
local function is_counted(text, at)
  local word = text:match("^%s*%-?(%a[%w%-]*)", at)
  return text:find("^%s?[%%x/]", at) ~= nil or word ~= nil and not vocabulary.LINKING[word] and not text:find("^%s*[,;%.]", at)
end

-- Whether a pair is one of times of the day by its signs, or by what stands around it.
local function are_times(text, from, behind, lead, first, second)
  if first.mark == ":" and second.mark == ":" or second.mark == "a" or second.mark == "p" then return true end
  if not (has_people(text) or lead and is_behind_rate(text, from)) or LASTS[text:sub(1, from - 1):match("(%a+)%s*$") or ""] then return false end
  local hours = (second.hour - first.hour) % DAY
  if hours > HALF_DAY and second.hour <= HALF_DAY then hours = hours - HALF_DAY end
  local is_day = first.hour >= FIRST and first.hour <= LAST and hours >= LEAST and hours <= MOST
  local is_nine_to_five = first.hour == 9 and second.hour == 5
  return is_day and (lead or is_nine_to_five) and (second.mark ~= nil or not is_counted(text, behind))
end

-- How long it is from one time to the next: of "9 to 5" the second is one of the afternoon, of "9-5 pm" the first one of the morning.
local function lasts(first, second)
  local hours = (second.hour - first.hour) % DAY
  local is_plain = not second.mark and second.hour <= HALF_DAY and second.hour <= first.hour
  if is_plain then hours = (second.hour + HALF_DAY - first.hour) % DAY end
  return hours == 0 and DAY or hours
end

-- A pair of times at a place and where it ends; nil where none stands.
local function pair_at(text, at)
  local hour, behind, mark = time_at(text, at)
  local further = hour and between(text, behind)
  if not further then return nil end
  local second, last, second_mark = time_at(text, further)
  if not second then return nil end
  return { hour = hour, mark = mark }, { hour = second, mark = second_mark }, last
end

--- A text in small letters with windows in the place of times by the clock.
---@param text string
---@param notes string[] gets how they were read
---@return string
function clock.plain(text, notes)
  local out, at = {}, 1
  for place in text:gmatch("()%f[%w]%d") do
    local first, second, behind
    if place >= at then first, second, behind = pair_at(text, place) end
    if first then
      local lead, from = nil, place
      local word_at, word = text:sub(at, place - 1):match("()(%a+)%s+$")
      if LEADS[word or ""] then lead, from = word, at + word_at - 1 end
      if are_times(text, from, behind, lead, first, second) then
        local said = ("%g hours"):format(lasts(first, second))
        notes[#notes + 1] = ("'%s' is read as %s of the day."):format(text:sub(place, behind - 1), said)
        out[#out + 1] = text:sub(at, from - 1) .. "in a window of " .. said .. " "
        at = behind
      end
    end
  end
  return table.concat(out) .. text:sub(at)
end

return clock
