-- Settings that a target declares and that a file states, of which nothing came into what was read: their value is not
-- the program's default, the plan that was read would not be written with it, and without them it would be the same.
local errors = require("ballpark.errors")
local known = require("ballpark.emit.known")
local lua_source = require("ballpark.lua_source")
local settings_of = require("ballpark.from.settings")
local tables = require("ballpark.tables")
local written = require("ballpark.from.written")

local untaken = {}

local function alike(one, two)
  if type(one) == "table" and type(two) == "table" then return lua_source.of(one) == lua_source.of(two) end
  return tostring(one):lower() == tostring(two):lower() or tonumber(one) ~= nil and tonumber(one) == tonumber(two)
end

-- Whether a value is one of those that say what is read without it, or its setting one that says nothing here.
local function is_plain(target, name, value)
  local plain = (target.plain or {})[name]
  if type(plain) == "function" then return plain(value) end
  if type(plain) ~= "table" then return plain == true end
  if type(value) == "table" and #value == 1 then value = value[1] end
  for _, one in ipairs(plain) do
    if alike(one, value) then return true end
  end
  return false
end

-- What of a reading the scenario is made of.
local function digest(read)
  return lua_source.of({ read.plan, read.engine or {}, read.job or {}, read.shape or {},
    { model = read.model_name or "", devices = read.devices or 0, node = read.node_size or 0, most = read.max_model_len or 0,
      pool = read.pool_tokens or 0 } })
end

-- Whether what is read differs without a setting; what cannot be read without it does.
local function matters(name, set, whole, again)
  local without = tables.copy(set)
  without[name] = nil
  local ok, read = errors.attempt(again, without)
  return not ok or digest(read) ~= whole
end

local function text_of(name, value)
  if value == true then return name end
  if type(value) ~= "table" then return name .. " " .. tostring(value) end
  local words = {}
  for i, item in ipairs(value) do words[i] = tostring(item) end
  return name .. " " .. table.concat(words, " ")
end

--- Those settings, sorted, each with its value.
---@param target table of emit
---@param where string its name
---@param set table<string, any> settings by name
---@param read table what was read of them, with its `case`
---@param again fun(set: table<string, any>): table reads others
---@return string[]
function untaken.of(target, where, set, read, again)
  local declared, list, own, whole = known.of(where, target.version.name), {}, nil, nil
  for _, name in ipairs(tables.sorted_keys(set)) do
    local value, setting = set[name], declared[name]
    local is_default = setting and setting.default ~= nil and alike(setting.default, value)
    if setting and value ~= "auto" and not settings_of.is_around(name, where) and not is_default
      and not is_plain(target, name, value) and not (read.case.is_ours and (target.own or {})[name]) then
      own, whole = own or written.of(target, read), whole or digest(again(set))
      local is_written = own[name] ~= nil and alike(own[name], value)
      if not is_written and not matters(name, set, whole, again) then list[#list + 1] = text_of(name, value) end
    end
  end
  return list
end

return untaken
