-- The report people read on a terminal: titles, aligned facts and tables, then what was assumed.
local term = require("ballpark.term")
local text = require("ballpark.report.text")

local WIDTH = 100

local function add_facts(out, block, style)
  local widest = 0
  for _, fact in ipairs(block.items) do
    if not fact.hide then widest = math.max(widest, text.width(fact.title)) end
  end
  for _, fact in ipairs(block.items) do
    if not fact.hide then
      local lines = text.wrap(text.fact(fact), math.max(30, WIDTH - widest - 4))
      out[#out + 1] = "  " .. style.dim(text.pad(fact.title, widest)) .. "  " .. (lines[1] or "")
      for i = 2, #lines do
        out[#out + 1] = string.rep(" ", widest + 4) .. lines[i]
      end
    end
  end
end

local function trimmed(line) return (line:gsub("%s+$", "")) end

local function add_table(out, block, style)
  local columns = text.columns(block)
  local header = {}
  for j, column in ipairs(columns) do
    column.width = text.width(column.header)
    for _, cell in ipairs(column.cells) do
      column.width = math.max(column.width, text.width(cell))
    end
    header[j] = text.pad(column.header, column.width, column.right)
  end
  out[#out + 1] = "  " .. style.dim(trimmed(table.concat(header, "  ")))
  for i = 1, #block.rows do
    local cells = {}
    for j, column in ipairs(columns) do
      cells[j] = text.pad(column.cells[i], column.width, column.right)
    end
    out[#out + 1] = trimmed("  " .. table.concat(cells, "  "))
  end
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

return function(r, options)
  local style = term.style(options.color)
  local width = options.width or WIDTH
  local out = {}
  if r.title then out[1] = style.bold(r.title) end
  for _, block in ipairs(r.blocks) do
    if #out > 0 then out[#out + 1] = "" end
    if block.title then out[#out + 1] = style.bold(block.title) end
    if block.kind == "facts" then
      add_facts(out, block, style)
    else
      add_table(out, block, style)
    end
  end
  add_list(out, style.yellow("Warnings"), r.warnings, width)
  add_list(out, style.bold("Assumed"), r.assumed, width)
  add_list(out, style.bold("Notes"), r.notes, width)
  add_expectations(out, r, style)
  return #out > 0 and (table.concat(out, "\n") .. "\n") or ""
end
