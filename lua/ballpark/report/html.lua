-- One page that needs nothing else: the answer, pictures with their tables, what was assumed, the scenario, versions.
local files = require("ballpark.files")
local json = require("ballpark.json")
local pictures = require("ballpark.report.pictures")
local text = require("ballpark.report.text")
local units = require("ballpark.units")

-- Cells of a table on the page; machine formats have all.
local MOST_CELLS <const> = 2400

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

-- Figures with a range, large: the answer at a glance.
local function add_tiles(out, block)
  local tiles = {}
  for _, fact in ipairs(block.items) do
    local range = fact.range
    if range and not fact.hide and type(fact.value) == "number" then
      local unit = fact.stored and "stored" or fact.unit
      local value, ends = units.ranged(fact.value, range.low, range.high, unit):match("^(.-) %((.*)%)$")
      add(tiles, '<li><span class="name">%s</span> <span class="value">%s</span> <span class="range">%s</span></li>',
        fact.title, value or units.format(fact.value, unit), ends or "")
    end
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

-- Letters of a cell that may be broken into lines, and of a row that finds room beside a chart.
local LONG <const>, NARROW <const> = 40, 62

local function row_of(columns, i)
  local cells = {}
  for j, column in ipairs(columns) do
    local cell = column.cells[i]
    add(cells, (j == 1 and not column.right and '<th scope="row">%s</th>' or column.right and '<td class="n">%s</td>'
      or text.width(cell) > LONG and '<td class="long">%s</td>' or "<td>%s</td>"), cell)
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

-- The table of a block; `all` shows rows too that a terminal leaves out.
local function add_table(out, block, all, label)
  local columns, header, rows, left = text.columns(block), {}, {}, 0
  for _, column in ipairs(columns) do
    if column.header == "" then
      header[#header + 1] = "<td></td>"
    else
      add(header, '<th scope="col"' .. (column.right and ' class="n"' or "") .. ">%s</th>", column.header)
    end
  end
  for i = 1, #block.rows do
    local wanted = all or not block.skip[i]
    if wanted and #rows * #columns < MOST_CELLS then
      rows[#rows + 1] = row_of(columns, i)
    elseif wanted then
      left = left + 1
    end
  end
  add(out, '<div class="scroll" tabindex="0" role="region" aria-label="%s"><table>', label or "Table: " .. (block.title or block.name))
  out[#out + 1] = "<thead><tr>" .. table.concat(header) .. "</tr></thead><tbody>" .. table.concat(rows) .. "</tbody></table></div>"
  if left > 0 then add(out, '<p class="more">%s more rows: -f csv has all.</p>', left) end
end

-- A chart and what stands beside it, or below where that is wide. The program of the page fills the empty box.
local function add_picture(out, drawn, picture, heading, beside)
  drawn[#drawn + 1] = picture
  out[#out + 1] = beside and is_wide(beside) and '<div class="pair wide">' or '<div class="pair">'
  out[#out + 1] = "<figure>"
  if picture.title ~= heading then add(out, "<figcaption>%s</figcaption>", picture.title) end
  add(out, '<div class="chart" id="%s" role="img" aria-label="%s"></div></figure>', "chart-" .. #drawn,
    picture.title .. ". " .. picture.about)
  if beside then
    add_table(out, beside, true, ("Table beside chart %d: %s"):format(#drawn, picture.title))
  else
    add(out, '<p class="about">%s</p>', picture.about)
  end
  out[#out + 1] = "</div>"
end

local function add_block(out, drawn, block, of_block, named)
  if not of_block and block.hide then return end
  local heading = block.title or of_block and block.name:gsub("^%l", string.upper)
  out[#out + 1] = "<section>"
  if heading then add(out, "<h2>%s</h2>", heading) end
  if of_block then
    local beside = named[of_block[1].beside] or block
    for i, picture in ipairs(of_block) do add_picture(out, drawn, picture, heading, i == 1 and beside) end
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
  add_tiles(out, answer)
  add_facts(out, answer)
end

local function page(title, body, drawn, version)
  local scripts = ""
  if drawn[1] then
    scripts = "<script>" .. part("echarts.js") .. '</script>\n<script type="application/json" id="pictures">' .. data(drawn)
      .. "</script>\n<script>" .. part("charts.js") .. "</script>\n"
  end
  return table.concat({ '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>', escaped(title), "</title>\n<style>",
    part("page.css"), "</style>\n</head>\n<body>\n", body, "\n<footer><p>ballpark ", escaped(version or ""), " · ",
    _VERSION, drawn[1] and " · charts by Apache ECharts (Apache-2.0, its licence stands in this file)" or "",
    "</p></footer>\n", scripts, "</body>\n</html>\n" })
end

--- The page. options: version (of the program).
return function(r, options)
  local out, drawn, found, answer = {}, {}, pictures.of(r), answer_of(r)
  out[1] = "<main>"
  out[2] = '<header id="answer">'
  add_answer(out, r, answer)
  out[#out + 1] = "</header>"
  local named = {}
  for _, block in ipairs(r.blocks) do named[block.name] = block end
  for _, block in ipairs(r.blocks) do
    if block ~= answer then add_block(out, drawn, block, found[block.name], named) end
  end
  out[#out + 1] = '<section class="behind"><h2>Behind it</h2>'
  add_list(out, "Check", text.check(r), true)
  add_list(out, "Assumed", r.assumed)
  add_list(out, "Notes", r.notes)
  add_list(out, "Expected", expectations(r), r:failed() > 0)
  local bytes = text.bytes_line(out)
  if bytes then add(out, "<p>%s</p>", bytes) end
  add_asked(out, r)
  out[#out + 1] = "</section></main>"
  return page(r.title or answer and answer.title or "Ballpark", table.concat(out, "\n"), drawn, options.version)
end
