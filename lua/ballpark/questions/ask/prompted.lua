-- What was read of a prompt that another question answers: the facts given, those proposed with their reasons, and the words
-- that nothing read. It stands above that question's own report.
local given_show = require("ballpark.questions.ask.given_show")
local titles = require("ballpark.questions.ask.titles")
local units = require("ballpark.units")

local prompted = {}

local function shown(entry)
  if type(entry.value) ~= "number" then return tostring(entry.value) end
  local unit = entry.row.stored and "stored" or entry.row.unit or ""
  if not entry.low then return units.format(entry.value, unit) end
  if entry.row.type ~= "integer" then return units.ranged(entry.value, entry.low, entry.high, unit) end
  return ("%s (%s to %s)"):format(units.format(entry.value, unit), units.format(entry.low), units.format(entry.high))
end

-- A number as an option takes it.
local function plain(value) return ("%.10g"):format(value) end

--- Adds it to a result.
---@param r ballpark.result
---@param prompt { title: string, text: string|nil, known: table, unread: string[], notes: string[], question: string, about: string, given: table }
---@param headline string|nil the answer in a few words
function prompted.show(r, prompt, headline)
  local given, middles, list = {}, {}, { name = "prompt", title = r.title and prompt.title } -- beside others it has a title of its own
  r.title = r.title or (prompt.title .. (prompt.text and ": " .. prompt.text or ""))
  if headline then list[1] = { name = "headline", title = "Answer", value = headline } end
  list[#list + 1] = { name = "about", value = prompt.about, hide = true }
  list[#list + 1] = { name = "answered_by", value = prompt.question, hide = true }
  for _, name in ipairs(prompt.known.order) do
    local entry = prompt.known:entry(name)
    local title = titles.within_line(entry.row.title or name)
    if entry.given then
      given[#given + 1] = ("%s %s"):format(title, shown(entry))
      if entry.low then middles[#middles + 1] = ("%s=%s..%s"):format(name, plain(entry.low), plain(entry.high)) end
    elseif not entry.follows then
      r:assume(("Proposed, as nobody said it: %s %s (%s)."):format(title, shown(entry), entry.why))
    end
  end
  if middles[1] then
    r:assume(("What is said as a range is taken at its middle: with --set %s the answer has the range that comes of it."):format(
      table.concat(middles, " --set ")))
  end
  for _, note in ipairs(prompt.notes) do r:assume(note) end
  if given[1] then list[#list + 1] = { name = "read", title = "Read", value = table.concat(given, ", ") } end
  if prompt.unread[1] then
    list[#list + 1] = { name = "unread", title = "Not read", value = table.concat(prompt.unread, ", ") }
  end
  r:facts(list)
  given_show.add(r, prompt.given, prompt.known:spans())
end

return prompted
