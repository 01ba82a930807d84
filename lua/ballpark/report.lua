-- From a result to text: one module per format, each a function (result, options) -> string.
local errors = require("ballpark.errors")
local printable = require("ballpark.printable")

local report = {}

report.formats = { "table", "markdown", "csv", "json", "jsonl", "html" }

-- What a file name says about the format people want.
local by_extension = { csv = "csv", html = "html", json = "json", jsonl = "jsonl", md = "markdown", txt = "table" }

--- The extensions that say a format, sorted, each with its dot.
function report.extensions()
  local list = {}
  for extension in pairs(by_extension) do list[#list + 1] = "." .. extension end
  table.sort(list)
  return list
end

--- The format a file's extension stands for, or nil.
function report.format_of(path)
  local extension = path and path:match("%.(%w+)$")
  return extension and by_extension[extension:lower()]
end

--- The result as text in the named format.
---@param r table see ballpark.result
---@param format string|nil one of report.formats, default "table"
---@param options {color: boolean|nil, width: integer|nil, table: string|nil, version: string|nil,
--- lines: integer|nil (of a table report: the first screen only), rows: integer|nil (of its first table, that stand there), more: string|nil (the option that shows the rest)}|nil
---@return string
function report.render(r, format, options)
  format = format or "table"
  for _, known in ipairs(report.formats) do
    if known == format then
      printable.all(r)
      return require("ballpark.report." .. format)(r, options or {})
    end
  end
  errors.choice("--format", format, report.formats)
end

return report
