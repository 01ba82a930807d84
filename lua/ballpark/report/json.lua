-- JSON: the whole result in base units, keys sorted.
local json = require("ballpark.json")
local described = require("ballpark.report.document")
local machine_rows = require("ballpark.report.rows")
local ranges = require("ballpark.report.ranges")

local function facts(block)
  local values, units, titles, around = json.object({}), json.object({}), json.object({}), {}
  for _, fact in ipairs(block.items) do
    values[fact.name] = json.or_null(fact.value)
    units[fact.name] = fact.unit
    titles[fact.name] = fact.title
    around[fact.name] = fact.range or nil
  end
  return described.part("facts", { title = block.title, values = values, range = ranges.object(around), units = units,
    titles = titles })
end

local function table_block(block)
  local columns, rows = json.array({}), json.array({})
  local shown, values = machine_rows.machine(block)
  for i, column in ipairs(shown) do
    columns[i] = described.part("column", { name = column.name, unit = column.unit, title = column.title })
  end
  for i, row in ipairs(values) do
    local object = json.object({})
    for j, column in ipairs(shown) do object[column.name] = json.or_null(row[j]) end
    rows[i] = object
  end
  return described.part("table", { title = block.title, columns = columns, rows = rows })
end

local function expectations(list)
  local out = json.array({})
  for i, e in ipairs(list) do
    out[i] = described.part("expectation", { id = e.id, actual = json.or_null(e.actual),
      expected = json.or_null(e.expected), rel = e.rel, least = e.least, most = e.most, ok = e.ok })
  end
  return out
end

local function lints(list)
  local out = json.array({})
  for i, lint in ipairs(list) do
    out[i] = described.part("lint", { code = lint.code, severity = lint.severity, where = lint.where,
      message = lint.message, fix = lint.fix, because = lint.because })
  end
  return out
end

local function texts(list) return json.array(table.move(list, 1, #list, 1, {})) end

return function(r)
  if r.body then return json.encode(r.body, true) .. "\n" end
  local document = described.part("report", {
    title = r.title, command = r.command,
    facts = json.object({}), tables = json.object({}), order = json.array({}),
    assumed = texts(r.assumed), notes = texts(r.notes), warnings = texts(r.warnings),
    expectations = expectations(r.expectations), ranges = r.ranges, lints = lints(r.lints),
    explained = lints(r.explained),
  })
  for i, block in ipairs(r.blocks) do
    document.order[i] = block.name
    if block.kind == "facts" then
      document.facts[block.name] = facts(block)
    else
      document.tables[block.name] = table_block(block)
    end
  end
  return json.encode(document, true) .. "\n"
end
