-- An answer of ask{} as a page: head, five steps, levers; or ten lines of it.
local given_show = require("ballpark.questions.ask.given_show")
local page = require("ballpark.questions.ask.page")
local questions = require("ballpark.questions")
local ratio = require("ballpark.questions.comparables.ratio")
local tables = require("ballpark.tables")
local titles = require("ballpark.questions.ask.titles")
local units = require("ballpark.units")
local unled = require("ballpark.questions.ask.unled")

local show = {}

local COLUMNS <const> = { { name = "name", hide = true }, { name = "line", title = "" },
  { name = "shown", title = "value", human = true }, { name = "value", hide = true }, { name = "unit", hide = true },
  { name = "low", hide = true }, { name = "high", hide = true }, { name = "basis", hide = true },
  { name = "how", title = "formula, assumption, source" }, { name = "source", hide = true } }

local function row_of(line)
  local value = line.value
  if type(value) == "boolean" then value = value and 1 or 0 end
  return { line.name, line.title, page.shown(line), value, line.unit, line.low, line.high, line.basis, line.how, line.source }
end

local function comparable_line(answer)
  local near = answer.comparable
  if not near then
    return { name = "comparable_ratio", title = "Comparable", unit = "", basis = "published", how = answer.rests_on
      and "no system, but kernels that were timed: " .. answer.rests_on or "nothing published is near in kind, size and device" }
  end
  return { name = "comparable_ratio", title = "Comparable", value = near.ratio, unit = "", basis = "published", brief = true,
    how = ("times %s of %s (%s)"):format(answer.what or "the speed of a device", near.text, near.date),
    source = near.source }
end

local function add_steps(r, answer)
  for _, step in ipairs(page.STEPS) do
    local rows = {}
    for _, line in ipairs(answer.lines[step[1]]) do rows[#rows + 1] = row_of(line) end
    if step[1] == "sanity" then rows[#rows + 1] = row_of(comparable_line(answer)) end
    if rows[1] then
      r:table({ name = step[1], title = step[2], rows = rows, columns = COLUMNS, hide = answer.brief })
    end
  end
end

local function names_of(proposed)
  local list = {}
  for i, item in ipairs(proposed) do
    local unit = item[4].unit or ""
    list[i] = ("%s %s"):format(titles.within_line(item[4].title or item[1]),
      type(item[2]) == "number" and units.format(item[2], unit) or tostring(item[2]))
  end
  return table.concat(list, ", ")
end

local function driver_text(drivers)
  local list = {}
  for i = 1, math.min(3, #drivers) do
    list[i] = ("%s %s"):format(titles.within_line(drivers[i].name), units.format(drivers[i].share, "frac"))
  end
  return table.concat(list, ", ")
end

-- The lever that saves most, in words; nil where none saves anything.
local function best_lever(answer)
  local best = answer.levers[1]
  if not best or (best.saves_frac or 0) <= 0 then return nil end
  return ("%s: saves %s; %s"):format(best.title, units.format(best.saves_frac, "frac"), best.costs)
end

local function add_best_lever(list, answer)
  local said = best_lever(answer)
  if said then list[#list + 1] = { name = "lever_line", title = "Best lever", value = said } end
end

local function brief_lines(list, answer)
  for _, step in ipairs(page.STEPS) do
    for _, line in ipairs(answer.lines[step[1]]) do
      if line.brief then list[#list + 1] = { name = line.name .. "_line", title = line.title, value = page.shown(line)
        .. (line.how ~= "" and ": " .. line.how or "") } end
    end
  end
end

local function contradictions(list, answer)
  for i, item in ipairs(answer.contradictions) do
    list[#list + 1] = { name = "contradiction_" .. i, title = i == 1 and "Does not go" or "", value = item.text }
  end
end

-- What goes on from an answer, in the head: a line each, with what does not go.
local function stages_in_head(list, answer)
  for i, stage in ipairs(answer.stages) do
    list[#list + 1] = { name = ("then_%d_line"):format(i), title = i == 1 and "Then" or "", value = ("%s: %s"):format(stage.text,
      stage.headline or "") }
    for j, item in ipairs(stage.contradictions) do
      list[#list + 1] = { name = ("then_%d_contradiction_%d"):format(i, j), title = "Does not go", value = item.text }
    end
  end
end

-- What goes on from an answer, on a page of its own lines.
local function stages(r, answer)
  for i, stage in ipairs(answer.stages) do
    local list = { name = "then_" .. i, title = "Then: " .. stage.text, hide = answer.brief }
    list[1] = { name = "headline", title = "Answer", value = stage.headline or "" }
    contradictions(list, stage)
    for _, name in ipairs(stage.changed) do
      local entry = stage.known:entry(name)
      list[#list + 1] = { name = name .. "_changed", title = entry.row.title or name, value = type(entry.value) == "number"
        and units.format(entry.value, entry.row.stored and "stored" or entry.row.unit or "") or entry.value }
    end
    local before = i == 1 and answer or answer.stages[i - 1]
    for _, step in ipairs(page.STEPS) do
      for _, line in ipairs(step[1] ~= "scope" and stage.lines[step[1]] or {}) do
        if line.brief or step[1] == "sanity" or line.value ~= before.values[line.name] then
          list[#list + 1] = { name = line.name .. "_line", title = line.title, value = page.shown(line)
            .. (line.how ~= "" and ": " .. line.how or "") }
        end
      end
    end
    add_best_lever(list, stage)
    for _, name in ipairs(tables.sorted_keys(stage.values)) do
      list[#list + 1] = { name = name, value = stage.values[name], hide = true }
    end
    r:facts(list).hide = answer.brief
  end
end

-- The head: what came out, what does not go, what drives it.
local function head(r, answer)
  local list = { name = "answer", title = r.title and answer.title }
  r.title = r.title or (answer.title .. (answer.text and ": " .. answer.text or ""))
  list[1] = { name = "headline", title = "Answer", value = (answer.headline or "") .. (answer.aside and "; " .. answer.aside or "") }
  contradictions(list, answer)
  stages_in_head(list, answer)
  if answer.unread[1] then
    list[#list + 1] = { name = "unread", title = "Not read", value = table.concat(answer.unread, ", ") }
  end
  if answer.missing and answer.missing[1] then
    list[#list + 1] = { name = "missing", title = "Not said", value = table.concat(answer.missing, ", ") }
  end
  list[#list + 1] = { name = "about", value = answer.about, hide = true }
  list[#list + 1] = { name = "fits", value = answer.fits, hide = true }
  -- One driver alone is seen from the ranges of the lines.
  if #answer.drivers > 0 and not (answer.brief and #answer.drivers == 1) then
    list[#list + 1] = { name = "drivers", title = "Range from", value = driver_text(answer.drivers) }
  end
  if answer.brief then
    brief_lines(list, answer)
    if answer.comparable then
      list[#list + 1] = { name = "comparable_line", title = "Comparable", value = ("%.3g %s"):format(answer.comparable.ratio,
        comparable_line(answer).how) }
    end
    add_best_lever(list, answer)
    if answer.proposed[1] then
      list[#list + 1] = { name = "proposed", title = "Proposed", value = names_of(answer.proposed) }
    end
  end
  r:facts(list)
end

-- All numbers of the page as facts, for what compares and sweeps.
local function all_values(r, answer)
  local list = { name = "values", title = "Values" }
  for _, step in ipairs(page.STEPS) do
    for _, line in ipairs(answer.lines[step[1]]) do
      list[#list + 1] = { name = line.name, value = line.value, unit = line.unit, title = line.title, stored = line.stored,
        hide = not (line.brief or step[1] == "sanity") or line.basis == "given" or nil,
        range = line.low and { low = line.low, high = line.high, why = {} } or nil }
    end
  end
  if answer.comparable then
    list[#list + 1] = { name = "comparable_ratio", value = answer.comparable.ratio, title = "Over the comparable", hide = true }
  end
  list[#list + 1] = { name = "best_lever", value = best_lever(answer), hide = true }
  local block = r:facts(list)
  block.hide = true
end

local function levers(r, answer)
  if not answer.levers[1] then return end
  local rows = {}
  for i, lever in ipairs(answer.levers) do
    rows[i] = { lever.title, lever.cost_usd_month, lever.cost_usd, lever.saves_frac, lever.costs }
  end
  r:table({ name = "levers", title = "Levers, one at a time, each evaluated", rows = rows, hide = answer.brief,
    columns = { { name = "lever", title = "" }, { name = "cost_usd_month", title = "a month", unit = "USD" },
      { name = "cost_usd", title = "run", unit = "USD" }, { name = "saves_frac", title = "saves", unit = "frac" },
      { name = "costs", title = "it costs" } } })
end

local function remarks(r, answer)
  local near = answer.comparable
  local verdict = near and ratio.verdict(near.ratio)
  if verdict == "suspect" then
    r:warn(("%.2g times what was published for %s: one of the two is wrong"):format(near.ratio, near.text))
  elseif verdict == "notable" then
    r:note(("%.2g times what was published for %s"):format(near.ratio, near.text))
  end
  for _, text in ipairs(answer.warnings) do r:warn(text) end
  for _, text in ipairs(answer.brief and {} or answer.assumed) do r:assume(text) end
  for _, text in ipairs(answer.notes) do r:note(text) end
  if not answer.brief and answer.proposed[1] then
    r:assume("Proposed, as nobody said it: " .. names_of(answer.proposed) .. ". Give a better one by name.")
    r:assume("Ranges of products: their terms are independent and lognormal.")
  end
end

-- Choices of which each has its page.
local MOST_PAGES <const> = 4

-- The parts whose pages are shown: all, and of many choices that of the best.
local function shown_parts(answer)
  if not answer.is_choice or #answer.parts <= MOST_PAGES then return answer.parts end
  return { answer.best or answer.parts[1] }
end

local function mix(r, answer)
  local rows = {}
  for i, part in ipairs(answer.parts) do
    rows[i] = { part.title, part.headline, part.values.cost_usd_month, part.values.cost, part.fits }
  end
  r.title = r.title or answer.text or "A mix of questions"
  local list = { name = "answer" }
  contradictions(list, answer)
  if answer.is_choice then
    list[#list + 1] = { name = "headline", title = not answer.is_each and (answer.values.cost_usd_month or answer.values.cost) and "Cheapest" or "Answer",
      value = answer.headline }
    if answer.unread[1] then list[#list + 1] = { name = "unread", title = "Not read", value = table.concat(answer.unread, ", ") } end
  else
    local once = answer.values.cost > 0
    list[#list + 1] = { name = "cost_usd_month", title = "All a month", unit = "USD", value = answer.values.cost_usd_month }
    list[#list + 1] = { name = "cost", title = "Runs, once", unit = "USD", value = once and answer.values.cost or nil, hide = not once }
  end
  list[#list + 1] = { name = "fits", value = answer.fits, hide = true }
  r:facts(list)
  r:table({ name = "parts", title = answer.is_choice and "To choose from" or "Parts", rows = rows, columns = { { name = "part", title = "" },
    { name = "headline", title = "answer" }, { name = "cost_usd_month", title = "a month", unit = "USD" },
    { name = "cost", title = "run", unit = "USD" }, { name = "fits", hide = true } } })
  for _, text in ipairs(answer.notes or {}) do r:note(text) end
  if answer.brief then return end
  for _, part in ipairs(shown_parts(answer)) do
    if part.other then questions.show(r, part.other) else show.answer(r, part) end
  end
end

--- Adds an answer of ask{} to a result.
function show.answer(r, answer)
  if answer.parts then return mix(r, answer) end
  local first = #r.blocks + 1
  head(r, answer)
  add_steps(r, answer)
  levers(r, answer)
  stages(r, answer)
  given_show.add(r, answer.given, answer.spans)
  all_values(r, answer)
  if not answer.stages[1] then unled.complete(r, first, answer.words, answer.given, answer.known) end
  remarks(r, answer)
end

return show
