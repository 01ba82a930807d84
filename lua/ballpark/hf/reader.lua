-- A config with its types checked as it is read. It remembers which keys were looked at, so that what
-- nobody understood can be named, and what was filled in without being written in the file.
local errors = require("ballpark.errors")
local json = require("ballpark.hf.json")

local Reader = {}
Reader.__index = Reader

-- Larger than any size in a model, and far from where a double stops counting whole numbers.
local LARGEST = 1000000000000000

local function shown(value)
  if type(value) == "string" then return "'" .. value .. "'" end
  if type(value) == "table" then return "a list or object" end
  return tostring(value)
end

--- A reader over the decoded object `config`; `defaults` are what its architecture takes for missing
--- keys; sentences about what was filled in go to the list `assumed`.
function Reader.new(config, where, defaults, assumed)
  return setmetatable({
    config = config, where = where, defaults = defaults or {}, assumed = assumed, seen = {}, told = {},
  }, Reader)
end

function Reader:fail(key, message)
  errors.input(self.where .. ": " .. key, message)
end

--- The config is understood but its model cannot be represented.
function Reader:refuse(reason)
  errors.input(self.where, "cannot be represented: " .. reason)
end

function Reader:assume(format, ...)
  self.assumed[#self.assumed + 1] = format:format(...)
end

--- Value of the first key in `keys` (a name or a list of names) that is written, or the
--- architecture's default for it (which is then said); and the key.
function Reader:get(keys)
  keys = type(keys) == "table" and keys or { keys }
  for _, key in ipairs(keys) do
    self.seen[key] = true
  end
  for _, key in ipairs(keys) do
    local value = self.config[key]
    if value == json.null then return nil, key end
    if value ~= nil then return value, key end
  end
  for _, key in ipairs(keys) do
    local default = self.defaults[key]
    if default ~= nil then
      if not self.told[key] then
        self:assume("%s is not given: %s, as this architecture has by default", key, shown(default))
        self.told[key] = true
      end
      return default, key
    end
  end
  return nil, keys[1]
end

local function check_count(self, key, value)
  local whole = math.type(value) and math.tointeger(value)
  if not whole then self:fail(key, "must be a whole number, got " .. shown(value)) end
  if whole < 0 or whole > LARGEST then
    self:fail(key, ("must be from 0 to %d, got %d"):format(LARGEST, whole))
  end
  return whole
end

--- A count, or nil where the key is missing or null; and the key.
function Reader:count(keys)
  local value, key = self:get(keys)
  if value == nil then return nil, key end
  return check_count(self, key, value), key
end

--- A count of which there is at least 1 where it is written, or nil; and the key.
function Reader:size(keys)
  local value, key = self:count(keys)
  if value and value < 1 then self:fail(key, "must be at least 1, got " .. value) end
  return value, key
end

--- A count that has to be there and be at least 1.
function Reader:needed(keys)
  local value, key = self:size(keys)
  if not value then self:fail(key, "is missing") end
  return value
end

--- true or false; false where the key is missing.
function Reader:flag(keys)
  local value, key = self:get(keys)
  if value == nil then return false end
  if type(value) ~= "boolean" then self:fail(key, "must be true or false, got " .. shown(value)) end
  return value
end

--- Text, or nil.
function Reader:text(keys)
  local value, key = self:get(keys)
  if value == nil then return nil end
  if type(value) ~= "string" then self:fail(key, "must be text, got " .. shown(value)) end
  return value
end

--- A list, or nil.
function Reader:list(keys)
  local value, key = self:get(keys)
  if value == nil then return nil end
  if type(value) ~= "table" then self:fail(key, "must be a list, got " .. shown(value)) end
  return value
end

--- A reader of a nested object (empty where it is missing); shares the list of what was assumed.
function Reader:nested(key, defaults)
  return Reader.new(self:list(key) or {}, self.where .. ": " .. key, defaults, self.assumed)
end

--- How often each value occurs in a list, which must have one entry per layer.
function Reader:tally(keys, entries)
  local list, key = self:list(keys), type(keys) == "table" and keys[1] or keys
  if not list then return nil end
  if entries and #list ~= entries then
    self:fail(key, ("must have one entry per layer, %d, got %d"):format(entries, #list))
  end
  local counts = {}
  for _, value in ipairs(list) do
    counts[value] = (counts[value] or 0) + 1
  end
  return counts
end

return Reader
