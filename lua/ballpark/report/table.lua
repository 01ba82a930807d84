-- The report people read on a terminal: titles, aligned facts and tables, then what was assumed.
local blanks = require("ballpark.blanks")
local term = require("ballpark.term")
local text = require("ballpark.report.text")
local units = require("ballpark.units")

local WIDTH = 100

local INDENT, BETWEEN = "  ", "  "
-- Sentences narrower than this are not worth wrapping.
local LEAST_WRAP = 24

local function facts_lines(block, style, width)
  local out, widest = {}, 0
  for _, fact in ipairs(block.items) do
    if not fact.hide then widest = math.max(widest, text.width(fact.title)) end
  end
  for _, fact in ipairs(block.items) do
    if not fact.hide then
      local lines = text.wrap(text.fact(fact, block), math.max(LEAST_WRAP, width - widest - 4))
      out[#out + 1] = "  " .. style.dim(text.pad(fact.title, widest)) .. "  " .. (lines[1] or "")
      for i = 2, #lines do out[#out + 1] = string.rep(" ", widest + 4) .. lines[i] end
    end
  end
  return out
end

local function measure(columns)
  local total = #INDENT
  for j, column in ipairs(columns) do
    column.width = text.width(column.header)
    for _, cell in ipairs(column.cells) do
      column.width = math.max(column.width, text.width(cell))
    end
    total = total + column.width + (j > 1 and #BETWEEN or 0)
  end
  return total
end

-- The last column gives way when it holds sentences and the table is too wide.
local function fit_last(columns, width)
  local total, last = measure(columns), columns[#columns]
  if total <= width or not last or last.right then return end
  last.width = math.max(LEAST_WRAP, last.width - (total - width))
end

local function add_row(out, columns, i)
  local cells, last = {}, #columns
  for j, column in ipairs(columns) do
    cells[j] = j < last and text.pad(column.cells[i], column.width, column.right) or ""
  end
  local before = INDENT .. table.concat(cells, BETWEEN)
  local column = columns[last]
  local parts = column.right and { column.cells[i] } or text.wrap(column.cells[i], column.width)
  for p = 1, math.max(1, #parts) do
    local lead = p == 1 and before or string.rep(" ", text.width(before))
    out[#out + 1] = lead .. text.pad(parts[p] or "", column.width, column.right)
  end
end

local function table_lines(block, style, width)
  local columns, header = text.columns(block), {}
  if #columns == 0 then return {} end
  fit_last(columns, width)
  for j, column in ipairs(columns) do
    header[j] = text.pad(column.header, column.width, column.right)
  end
  local out = { INDENT .. style.dim(table.concat(header, BETWEEN)) }
  for i = 1, #block.rows do
    if not block.skip[i] then add_row(out, columns, i) end
  end
  return out
end

local function block_lines(block, style, width)
  local lines = block.kind == "facts" and facts_lines(block, style, width)
    or table_lines(block, style, width)
  if block.title then table.insert(lines, 1, style.bold(block.title)) end
  return lines
end

local function visible(line) return text.width((line:gsub("\27%[[%d;]*m", ""))) end

local GAP = "    "

-- The lines of two blocks next to each other.
local function side_by_side(left, right)
  local widest, out = 0, {}
  for _, line in ipairs(left) do widest = math.max(widest, visible(line)) end
  for i = 1, math.max(#left, #right) do
    local line = left[i] or ""
    if right[i] then
      line = line .. string.rep(" ", widest - visible(line)) .. GAP .. right[i]
    end
    out[i] = line
  end
  return out
end

local function widest_of(lines)
  local widest = 0
  for _, line in ipairs(lines) do widest = math.max(widest, visible(line)) end
  return widest
end

-- Blocks as groups of lines; one that stands beside its neighbour joins it where there is room.
local function grouped(blocks, style, width)
  local groups = {}
  for _, block in ipairs(blocks) do
    local lines, last = block_lines(block, style, width), groups[#groups]
    if block.beside and last and widest_of(last) + #GAP + widest_of(lines) <= width then
      groups[#groups] = side_by_side(last, lines)
    else
      groups[#groups + 1] = lines
    end
  end
  return groups
end

local function add_lines(out, lines, apart)
  if apart then out[#out + 1] = "" end
  for _, line in ipairs(lines) do out[#out + 1] = blanks.cut_end(line) end
end

local function add_list(out, title, list, width)
  if #list == 0 then return end
  out[#out + 1] = ""
  out[#out + 1] = title
  for _, item in ipairs(list) do
    for i, line in ipairs(text.wrap(item, width - 4)) do
      out[#out + 1] = (i == 1 and "  · " or "    ") .. line
    end
  end
end

local function add_expectations(out, r, style)
  if #r.expectations == 0 then return end
  out[#out + 1] = ""
  local failed = r:failed()
  out[#out + 1] = style.bold("Expected") .. "  " .. (#r.expectations - failed) .. " hold, "
    .. failed .. " failed"
  for _, e in ipairs(r.expectations) do
    if not e.ok then out[#out + 1] = "  " .. style.red("failed") .. " " .. text.expectation(e) end
  end
end

-- Lines that a table has to have to be worth showing: a blank one, its title and header, two rows.
local LEAST_TABLE <const> = 5

-- A blank line, the title and the header above rows that were asked for.
local ABOVE_ROWS <const> = 3

-- The groups as far as `room` lines go: of the first, the answer, so much that the second finds room to begin. Says in
-- one line that there is more.
local function first_screen(out, groups, apart, room, more, least)
  local left = room - #out - (apart and 1 or 0) - 1
  local cut = false
  for i, lines in ipairs(groups) do
    local blank = (i > 1 or apart) and 1 or 0
    local most = i == 1 and groups[2] and left - math.min(least, #groups[2] + 1) or left - blank
    if i > 1 and most < math.min(LEAST_TABLE - 1, #lines) then
      cut = true
      break
    end
    local shown = table.move(lines, 1, math.min(#lines, math.max(1, most)), 1, {})
    add_lines(out, shown, blank == 1)
    left, cut = left - #shown - (i > 1 and 1 or 0), cut or #shown < #lines
  end
  out[#out + 1] = (cut or more.count > 0) and more.line or nil
end

local function add_count(list, count, what)
  if count > 0 then list[#list + 1] = units.count(count, what) end
end

-- What a first screen leaves to the whole report.
local function left_over(r, option, style)
  local parts = {}
  add_count(parts, #text.check(r), "lint")
  add_count(parts, #r.assumed, "assumption")
  add_count(parts, #r.notes, "note")
  return { count = #parts, line = style.dim(option .. " shows the rest" .. (parts[1] and ", with " or "")
    .. table.concat(parts, ", ")) }
end

local function render_first(r, options, style, width)
  local out, blocks = {}, text.blocks(r)
  if r.title then out[1] = style.bold(r.title) end
  local groups = grouped(blocks, style, width)
  for _, warning in ipairs(r.warnings) do
    for i, line in ipairs(text.wrap(warning, width - 11)) do
      out[#out + 1] = (i == 1 and style.yellow("Warning") .. "  " or "         ") .. line
    end
  end
  local all = {}
  for _, lines in ipairs(groups) do all[#all + 1] = table.concat(lines, "\n") end
  local bytes = text.bytes_line(all)
  if bytes then table.insert(out, r.title and 2 or 1, style.dim(bytes)) end
  local under_title = r.title and blocks[1] and not blocks[1].title
  first_screen(out, groups, not under_title and #out > 0, options.lines, left_over(r, options.more, style),
    math.max(LEAST_TABLE, options.rows and options.rows + ABOVE_ROWS or 0))
  return table.concat(out, "\n") .. "\n"
end

return function(r, options)
  local style = term.style(options.color)
  local width = options.width or WIDTH
  if options.lines then return render_first(r, options, style, width) end
  local out = {}
  if r.title then out[1] = style.bold(r.title) end
  local blocks = text.blocks(r)
  for i, lines in ipairs(grouped(blocks, style, width)) do
    local under_title = i == 1 and r.title and not blocks[1].title
    add_lines(out, lines, not under_title and #out > 0)
  end
  local bytes = text.bytes_line(out)
  if bytes then table.insert(out, (r.title or blocks[1].title) and 2 or 1, style.dim(bytes)) end
  add_list(out, style.yellow("Warnings"), r.warnings, width)
  add_list(out, style.yellow("Check"), text.check(r), width)
  add_list(out, style.bold("Assumed"), r.assumed, width)
  add_list(out, style.bold("Notes"), r.notes, width)
  add_expectations(out, r, style)
  return #out > 0 and (table.concat(out, "\n") .. "\n") or ""
end
