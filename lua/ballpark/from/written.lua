-- Settings that a target's rows write for what was read.
local case = require("ballpark.emit.serving.case")
local interrupt = require("ballpark.interrupt")
local launch = require("ballpark.emit.launch")

local written = {}

-- Settings that a row writes for a value; nil where what they need besides is not known of a file.
local function written_by(row, value, c)
  local name = row.name or type(row.read) == "string" and row.read
  if name then return { { name, value } } end
  if not row.set or row.usual ~= nil and value == row.usual then return {} end
  local ok, list = pcall(row.set, value, c)
  interrupt.pass_on(list)
  return ok and (list or {}) or nil
end

--- Fields that a target may write of what was read: those of a plan, or of a replica.
---@param read table
---@return table[]
function written.fields(read) return read.kind == "training" and launch.plan_fields() or case.fields() end

--- Settings that the plan or engine would be written with, by name.
---@param target table of emit
---@param read table what was read, with its `case`
---@return table<string, any>
---@return boolean is_whole whether what every row needs is known
function written.of(target, read)
  local found, is_whole = {}, true
  for _, field in ipairs(written.fields(read)) do
    local row, group = target.rows[field.name], read[field.group or "plan"]
    local list = not row and {} or written_by(row, group[field.name], read.case)
    is_whole = is_whole and list ~= nil
    for _, pair in ipairs(list or {}) do found[pair[1]] = pair[2] end
  end
  return found, is_whole
end

return written
