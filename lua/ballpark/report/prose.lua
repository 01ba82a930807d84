-- Markdown as plain text for a terminal: paragraphs and lists wrapped, code indented, tables aligned. It knows what
-- the pages of the manual use: titles, paragraphs, lists of one level, fenced blocks, tables and comments.
local blanks = require("ballpark.blanks")
local result = require("ballpark.result")
local table_report = require("ballpark.report.table")
local term = require("ballpark.term")
local text = require("ballpark.report.text")

local WIDTH <const> = 88

-- Kinds of blocks by how their first line starts, the first that matches.
local KINDS = { { "code", "^```" }, { "title", "^#+ " }, { "table", "^|" }, { "item", "^%* " },
  { "comment", "^<!%-%-" }, { "blank", "^%s*$" }, { "paragraph", "" } }

local function kind_of(line)
  for _, kind in ipairs(KINDS) do
    if line:find(kind[2]) then return kind[1] end
  end
end

-- What ends a block that goes over several lines.
local function goes_on(kind, line)
  local next_kind = kind_of(line)
  if kind == "item" then return line:find("^  %S") ~= nil end
  return (kind == "paragraph" or kind == "table") and next_kind == kind
end

-- The blocks of a text: list of { kind, lines }.
local function blocks_of(source)
  local lines, blocks = {}, {}
  for line in (source .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
  local i = 1
  while i <= #lines do
    local block = { kind = kind_of(lines[i]), lines[i] }
    i = i + 1
    if block.kind == "code" then
      while lines[i] and not lines[i]:find("^```") do
        block[#block + 1], i = lines[i], i + 1
      end
      i = i + 1
    else
      while lines[i] and goes_on(block.kind, lines[i]) do
        block[#block + 1], i = lines[i], i + 1
      end
    end
    blocks[#blocks + 1] = block
  end
  return blocks
end

-- Marks inside a sentence: **strong** and [text](link).
local function inline(s, style)
  s = s:gsub("%[([^%]]+)%]%b()", "%1")
  return (s:gsub("%*%*(.-)%*%*", function(strong) return style.bold(strong) end))
end

local function cells_of(line)
  local cells = {}
  for cell in line:gmatch("|([^|]*)%f[|]") do cells[#cells + 1] = blanks.cut(cell) end
  return cells
end

local function table_text(block, style)
  local r, columns, rows = result.new({}), {}, {}
  for i, header in ipairs(cells_of(block[1])) do columns[i] = { name = "c" .. i, title = header } end
  for i = 3, #block do
    local row = cells_of(block[i])
    for j = 1, #columns do row[j] = inline(row[j] or "", style) end
    rows[#rows + 1] = row
  end
  r:table({ columns = columns, rows = rows })
  return table_report(r, { width = WIDTH })
end

local function wrapped(block, first, rest, style)
  local lines = text.wrap(inline((table.concat(block, " "):gsub("^%* ", "")), style), WIDTH - #first)
  for i, line in ipairs(lines) do lines[i] = (i == 1 and first or rest) .. line end
  return table.concat(lines, "\n") .. "\n"
end

local function code_text(block)
  local lines = {}
  for i = 2, #block do lines[#lines + 1] = block[i] == "" and "" or "    " .. block[i] end
  return table.concat(lines, "\n") .. "\n"
end

local show = {
  code = code_text,
  title = function(block, style) return style.bold((block[1]:gsub("^#+ ", ""))) .. "\n" end,
  table = table_text,
  item = function(block, style) return wrapped(block, "  * ", "    ", style) end,
  paragraph = function(block, style) return wrapped(block, "", "", style) end,
  blank = function() return "\n" end,
  comment = function() return "" end,
}

--- The text for a terminal. `options.color` marks titles and what is strong.
---@param source string Markdown
---@param options {color: boolean|nil}|nil
---@return string
return function(source, options)
  local style, out = term.style((options or {}).color), {}
  for _, block in ipairs(blocks_of(source)) do out[#out + 1] = show[block.kind](block, style) end
  return (table.concat(out):gsub("\n\n\n+", "\n\n"):gsub("\n*$", "\n"))
end
