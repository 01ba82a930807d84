-- Markdown: the same answer as the table report, for documents and issues.
local text = require("ballpark.report.text")

-- What a page would take for HTML, or for a line of its own; and for the end of a cell.
local function plain(s) return (s:gsub("<([%a/!?])", "&lt;%1"):gsub("\n", " ")) end

local function escaped(s) return (plain(s):gsub("|", "\\|")) end

local function add_table(out, block)
  local columns = text.columns(block)
  local header, rule = {}, {}
  for i, column in ipairs(columns) do
    header[i] = escaped(column.header)
    rule[i] = column.right and "---:" or "---"
  end
  out[#out + 1] = "| " .. table.concat(header, " | ") .. " |"
  out[#out + 1] = "| " .. table.concat(rule, " | ") .. " |"
  for i = 1, #block.rows do
    local cells = {}
    for j, column in ipairs(columns) do cells[j] = escaped(column.cells[i]) end
    if not block.skip[i] then out[#out + 1] = "| " .. table.concat(cells, " | ") .. " |" end
  end
end

local function add_facts(out, block)
  out[#out + 1] = "| | |"
  out[#out + 1] = "| --- | --- |"
  for _, fact in ipairs(block.items) do
    if not fact.hide then
      out[#out + 1] = "| " .. escaped(fact.title) .. " | " .. escaped(text.fact(fact, block)) .. " |"
    end
  end
end

local function add_list(out, title, list, show)
  if #list == 0 then return end
  out[#out + 1] = ""
  out[#out + 1] = "**" .. title .. "**"
  out[#out + 1] = ""
  for _, item in ipairs(list) do out[#out + 1] = "- " .. (show and show(item) or plain(item)) end
end

local function expectation(e) return (e.ok and "ok " or "**failed** ") .. plain(text.expectation(e)) end

return function(r)
  local out = {}
  if r.title then out[1] = "# " .. plain(r.title) end
  local blocks = text.blocks(r)
  for _, block in ipairs(blocks) do
    if #out > 0 then out[#out + 1] = "" end
    if block.title then
      out[#out + 1] = "## " .. plain(block.title)
      out[#out + 1] = ""
    end
    if block.kind == "facts" then add_facts(out, block) else add_table(out, block) end
  end
  local bytes = text.bytes_line(out)
  if bytes then
    local at = (r.title or blocks[1].title) and 2 or 1
    table.insert(out, at, at == 2 and "" or bytes)
    table.insert(out, at + 1, at == 2 and bytes or "")
  end
  add_list(out, "Warnings", r.warnings)
  add_list(out, "Check", text.check(r))
  add_list(out, "Assumed", r.assumed)
  add_list(out, "Notes", r.notes)
  add_list(out, "Expected", r.expectations, expectation)
  return #out > 0 and (table.concat(out, "\n") .. "\n") or ""
end
