-- One page that needs nothing else: the answer, pictures with their tables, what was assumed, the scenario, versions.
local files = require("ballpark.files")
local json = require("ballpark.json")
local pictures = require("ballpark.report.pictures")
local text = require("ballpark.report.text")
local units = require("ballpark.units")

-- Cells of a table on the page; machine formats have all.
local MOST_CELLS <const> = 2400
-- Bytes of the page: what it has no room for it leaves to machine formats, and says so.
local MOST_BYTES <const> = 700000
-- Bytes kept for the frame of the page, and for headings and notes of a block of which nothing else is left.
local FRAME <const>, BLOCK <const> = 4000, 1000

local ENTITIES <const> = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;" }

local function escaped(s) return (tostring(s):gsub("[&<>\"']", ENTITIES)) end

-- A text inside <script>: nothing that ends it.
local function data(value) return (json.encode(value):gsub("<", "\\u003c"):gsub("&", "\\u0026")) end

-- Style and program of the page, from beside this file.
local function part(name)
  local here = package.searchpath("ballpark.report.html", package.path):match("^(.*)%.lua$")
  return files.read(here .. "/" .. name)
end

local function add(out, template, ...)
  local values = table.pack(...)
  for i = 1, values.n do values[i] = escaped(values[i]) end
  out[#out + 1] = template:format(table.unpack(values, 1, values.n))
end

-- Whether so many bytes more find room on the page; what stands on it already is counted here.
local function has_room(out, bytes)
  for i = out.counted + 1, #out do out.room = out.room - #out[i] - 1 end
  out.counted = #out
  return out.room >= bytes
end

-- Figures that people ask about first, those of the answer without a range and of other facts of an answer.
local MAIN <const> = { "mfu_frac", "run_s", "cost_usd", "cost", "devices", "cost_usd_month", "cost_usd_h", "seen_ttft_s", "seen_tpot_s", "percentile_s",
  "step_s", "bubble_frac", "need_bytes" }
-- Figures with a range that hardly anybody asks about first.
local LAST <const> = { kv_tokens = true }
-- Tiles of a row on a wide screen.
local TILES <const> = 6

-- Large figures: those of the answer with a range, then main ones of it and of what stands behind it.
local function tiles_of(r, answer)
  local list, seen = {}, {}
  local function take(fact)
    if #list < TILES and not seen[fact.title] and type(fact.value) == "number" and fact.title ~= fact.name then
      seen[fact.title], list[#list + 1] = true, fact
    end
  end
  for _, fact in ipairs(answer.items) do
    if fact.range and not fact.hide and not LAST[fact.name] then take(fact) end
  end
  for _, name in ipairs(MAIN) do
    for _, block in ipairs(r.blocks) do
      for _, fact in ipairs(block.items or {}) do
        if fact.name == name and (block == answer or fact.range) then take(fact) end
      end
    end
  end
  for _, fact in ipairs(answer.items) do
    if fact.range and not fact.hide then take(fact) end
  end
  return list
end

-- The number of a text, and its unit, which is written smaller.
local function with_small_unit(shown)
  local value, unit = shown:match("^(%S+)( .+)$")
  return value and escaped(value) .. "<small>" .. escaped(unit) .. "</small>" or escaped(shown)
end

-- Ends of a range: of inputs that are uncertain and of the model, where there are such inputs.
local function ends_of(r, fact)
  local both = r.ranges and r.ranges[fact.name]
  return both and both.low and both or fact.range
end

-- The answer at a glance.
local function add_tiles(out, r, answer)
  local tiles = {}
  for i, fact in ipairs(tiles_of(r, answer)) do
    local range, unit = ends_of(r, fact), fact.stored and "stored" or fact.unit
    local value, ends
    if range then value, ends = units.ranged(fact.value, range.low, range.high, unit):match("^(.-) %((.*)%)$") end
    tiles[i] = ('<li><span class="name">%s</span> <span class="value">%s</span> <span class="range">%s</span></li>'):format(
      escaped(fact.title), with_small_unit(value or units.format(fact.value, unit)), escaped(ends or ""))
  end
  if not tiles[1] then return end
  out[#out + 1] = '<ul class="tiles" aria-label="Main figures, with their 80 % ranges">' .. table.concat(tiles) .. "</ul>"
end

local function add_facts(out, block)
  local shown = {}
  for _, fact in ipairs(block.items) do
    if not fact.hide then
      add(shown, "<div><dt>%s</dt><dd>%s</dd></div>", fact.title, text.fact(fact, block))
    end
  end
  if shown[1] then out[#out + 1] = "<dl>" .. table.concat(shown) .. "</dl>" end
end

-- Letters of a cell that may be broken into lines, of one that a phone keeps whole words of, and of a row that finds room
-- beside a chart.
local LONG <const>, SOME <const>, NARROW <const> = 40, 8, 62

-- The attribute of a cell by how it is set.
local function set_as(cell, is_number)
  if is_number then return ' class="n"' end
  local letters = text.width(cell)
  return letters > LONG and ' class="long"' or letters > SOME and ' class="some"' or ""
end

local function row_of(columns, i)
  local cells = {}
  for j, column in ipairs(columns) do
    local cell = column.cells[i]
    local is_head = j == 1 and not column.right
    local how = set_as(cell, column.right)
    add(cells, (is_head and '<th scope="row"' .. how .. ">%s</th>" or "<td" .. how .. ">%s</td>"), cell)
  end
  return "<tr>" .. table.concat(cells) .. "</tr>"
end

-- Whether a table is too wide to stand beside a chart.
local function is_wide(block)
  local letters = 0
  for _, column in ipairs(text.columns(block)) do
    local widest = text.width(column.header)
    for _, cell in ipairs(column.cells) do widest = math.max(widest, text.width(cell)) end
    letters = letters + widest + 2
  end
  return letters > NARROW
end

-- Columns of a block, without those that draw in letters what a picture beside them draws.
local function columns_of(block, drawn)
  local kept = {}
  for _, column in ipairs(text.columns(block)) do
    if not (drawn and column.drawn) then kept[#kept + 1] = column end
  end
  return kept
end

-- The table of a block; beside a picture it has rows too that a terminal leaves out.
local function add_table(out, block, label)
  local columns, header, rows, left = columns_of(block, label), {}, 0, 0
  for _, column in ipairs(columns) do
    if column.header == "" then
      header[#header + 1] = "<td></td>"
    else
      add(header, '<th scope="col"' .. (column.right and ' class="n"' or "") .. ">%s</th>", column.header)
    end
  end
  add(out, '<div class="scroll" tabindex="0" role="region" aria-label="%s"><table>', label or "Table: " .. (block.title or block.name))
  out[#out + 1] = "<thead><tr>" .. table.concat(header) .. "</tr></thead><tbody>"
  for i = 1, #block.rows do
    local row = (label or not block.skip[i]) and row_of(columns, i)
    if row and left == 0 and rows * #columns < MOST_CELLS and has_room(out, #row) then
      out[#out + 1], rows = row, rows + 1
    elseif row then
      left = left + 1
    end
  end
  out[#out + 1] = "</tbody></table></div>"
  if left > 0 then add(out, '<p class="more">%s more rows: -f csv --table %s has all.</p>', left, block.name) end
end

-- The box of a chart, which the program of the page fills, with a sentence below where no table is beside it.
local function add_chart(out, drawn, picture, heading, says)
  local encoded = data(picture)
  if not has_room(out, #encoded + 2 * #picture.about + 300) then
    add(out, '<p class="more">%s: %s It is not drawn, to keep the file small.</p>', picture.title, picture.about)
    return
  end
  drawn[#drawn + 1], out.room = encoded, out.room - #encoded - 1
  out[#out + 1] = "<figure>"
  if picture.title ~= heading then add(out, "<figcaption>%s</figcaption>", picture.title) end
  add(out, '<div class="chart" id="%s" role="img" aria-label="%s"></div>', "chart-" .. #drawn, picture.title .. ". " .. picture.about)
  if says then add(out, '<p class="about">%s</p>', picture.about) end
  out[#out + 1] = "</figure>"
end

-- Pictures of a table: the first beside the table, or above where that is wide; the others below, side by side.
local function add_pictures(out, drawn, list, heading, beside)
  out[#out + 1] = beside and is_wide(beside) and '<div class="pair wide">' or '<div class="pair">'
  add_chart(out, drawn, list[1], heading, not beside)
  if beside then add_table(out, beside, ("Table beside chart %d: %s"):format(#drawn, list[1].title)) end
  out[#out + 1] = "</div>"
  if not list[2] then return end
  out[#out + 1] = '<div class="others">'
  for i = 2, #list do add_chart(out, drawn, list[i], heading, true) end
  out[#out + 1] = "</div>"
end

-- A block of the report. `shown` has the tables that stand somewhere already.
local function add_block(out, drawn, block, of_block, named, shown)
  if not of_block and (block.hide or shown[block]) then return end
  local heading = block.title or of_block and block.name:gsub("^%l", string.upper)
  out[#out + 1] = "<section>"
  if heading then add(out, "<h2>%s</h2>", heading) end
  if of_block then
    local beside = of_block[1].beside and named[of_block[1].beside] or not of_block[1].beside and block or nil
    add_pictures(out, drawn, of_block, heading, not shown[beside] and beside)
    if beside then shown[beside] = true end
  elseif block.kind == "facts" then
    add_facts(out, block)
  else
    add_table(out, block)
  end
  out[#out + 1] = "</section>"
end

local function add_list(out, title, list, open)
  if #list == 0 then return end
  add(out, "<details" .. (open and " open" or "") .. "><summary>%s (%s)</summary><ul>", title, #list)
  for _, item in ipairs(list) do add(out, "<li>%s</li>", item) end
  out[#out + 1] = "</ul></details>"
end

local function expectations(r)
  local list = {}
  for i, e in ipairs(r.expectations) do list[i] = (e.ok and "holds: " or "FAILED: ") .. text.expectation(e) end
  return list
end

local function add_asked(out, r)
  if not r.asked then return end
  if r.asked.command then
    add(out, '<details><summary>The command</summary><pre tabindex="0">%s</pre></details>', r.asked.command)
  end
  if r.asked.text then
    add(out, '<details><summary>The scenario: %s</summary><pre tabindex="0">%s</pre></details>', r.asked.path, r.asked.text)
  end
end

-- The first facts that people read: the answer.
local function answer_of(r)
  for _, block in ipairs(r.blocks) do
    if block.kind == "facts" and not block.hide then
      for _, fact in ipairs(block.items) do
        if not fact.hide then return block end
      end
    end
  end
end

local function add_answer(out, r, answer)
  add(out, "<h1>%s</h1>", r.title or answer and answer.title or "Ballpark")
  for _, warning in ipairs(r.warnings) do add(out, '<p class="warning" role="note"><b>Warning</b> %s</p>', warning) end
  if not answer then return end
  if r.title and answer.title and answer.title ~= r.title then add(out, "<h2>%s</h2>", answer.title) end
  add_tiles(out, r, answer)
  add_facts(out, answer)
end

local function page(title, body, drawn, version)
  local scripts = ""
  if drawn[1] then
    scripts = "<script>" .. part("echarts.js") .. '</script>\n<script type="application/json" id="pictures">['
      .. table.concat(drawn, ",") .. "]</script>\n<script>" .. part("charts.js") .. "</script>\n"
  end
  return table.concat({ '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>', escaped(title), "</title>\n<style>",
    part("page.css"), "</style>\n</head>\n<body>\n", body, "\n<footer><p>ballpark ", escaped(version or ""), " · ",
    _VERSION, drawn[1] and " · charts by Apache ECharts (Apache-2.0, its licence stands in this file)" or "",
    "</p></footer>\n", scripts, "</body>\n</html>\n" })
end

-- What stands behind an answer: assumptions, notes, the question itself.
local function add_behind(out, r, lines)
  out[#out + 1] = '<section class="behind"><h2>Behind it</h2>'
  add_list(out, "Check", text.check(r), true)
  add_list(out, "Assumed", r.assumed)
  add_list(out, "Notes", r.notes)
  add_list(out, "Expected", expectations(r), r:failed() > 0)
  local bytes = text.bytes_line(lines)
  if bytes then add(out, "<p>%s</p>", bytes) end
  add_asked(out, r)
  out[#out + 1] = "</section></main>"
end

-- Tables that a picture of another block has beside it, and that have no picture of their own.
local function beside_others(r, found, named)
  local taken = {}
  for _, block in ipairs(r.blocks) do
    local list = found[block.name]
    local other = list and list[1].beside and named[list[1].beside]
    if other and not found[other.name] then taken[other] = true end
  end
  return taken
end

local function length(list) return #table.concat(list, "\n") end

-- Bytes that a block takes in any case: its heading, and facts.
local function least_of(block)
  local facts = {}
  if block.kind == "facts" and not block.hide then add_facts(facts, block) end
  return BLOCK + length(facts)
end

-- Room for tables and charts, beside what stands on the page in any case.
local function room_of(r, head, behind)
  local room = MOST_BYTES - FRAME - length(head) - length(behind)
  for _, name in ipairs({ "echarts.js", "charts.js", "page.css" }) do room = room - #part(name) end
  for _, block in ipairs(r.blocks) do room = room - least_of(block) end
  return room
end

--- The page. options: version (of the program).
return function(r, options)
  local head, out, behind, drawn, named, shown = {}, { counted = 0 }, {}, {}, {}, {}
  local found, answer = pictures.of(r), answer_of(r)
  head[1] = '<main>\n<header id="answer">'
  add_answer(head, r, answer)
  head[#head + 1] = "</header>"
  for _, block in ipairs(r.blocks) do named[block.name] = block end
  add_behind(behind, r, head)
  out.room = room_of(r, head, behind)
  local taken = beside_others(r, found, named)
  for _, block in ipairs(r.blocks) do
    out.room = out.room + least_of(block)
    if block ~= answer and not taken[block] then add_block(out, drawn, block, found[block.name], named, shown) end
  end
  local body = table.concat({ table.concat(head, "\n"), table.concat(out, "\n"), table.concat(behind, "\n") }, "\n")
  return page(r.title or answer and answer.title or "Ballpark", body, drawn, options.version)
end
