-- Fields that the head of a file of ours says, and that its settings say otherwise since somebody changed them.
local backwards = require("ballpark.emit.backwards")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")
local written = require("ballpark.from.written")

local edited = {}

-- What settings say of a field; nil also where they say nothing that can be read.
local function value_of(row, field, set, group, c)
  local ok, value = errors.attempt(backwards.value, row, field, set, group, c)
  return ok and value or nil
end

--- The head without what the settings contradict, the same where they contradict nothing: what is read of them differs from what would be read of the settings
--- that we write for the same plan.
---@param head table of heading.read
---@param target table of emit
---@param set table<string, any> settings by name
---@param read table what was read of them and the head
---@param as_flags fun(set: table<string, any>): table<string, any>
---@return table head
function edited.without(head, target, set, read, as_flags)
  local ours, is_whole = written.of(target, read)
  if not is_whole then return head end
  local missing, own, found, c = head.missing, as_flags(ours), as_flags(set), read.case
  local kept, is_edited = tables.with(missing), false
  for _, field in ipairs(written.fields(read)) do
    local group = field.group or "plan"
    local path, row = group .. "." .. field.name, (target.read_rows or target.rows)[field.name]
    if missing[path] ~= nil and row then
      local said = value_of(row, field, found, read[group], c)
      if said ~= nil and said ~= missing[path] and said ~= value_of(row, field, own, read[group], c) then
        kept[path], is_edited = nil, true
      end
    end
  end
  return is_edited and tables.with(head, { missing = kept }) or head
end

return edited
