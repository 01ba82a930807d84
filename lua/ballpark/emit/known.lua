-- The settings of a target that are emitted or read, as the program that takes them declares them (emit/known).
local known = {}

local cached = {}

local function default_of(kind, text)
  if kind == "flag" then return text == "true" end
  return kind ~= "word" and tonumber(text) or text
end

-- "name kind a|b --other =default": a setting.
local function setting(line, file)
  local name, kind, rest = line:match("^(%S+) (%S+)%s*(.*)$")
  local made = { name = name, kind = kind, file = file, aliases = {} }
  for word in rest:gmatch("%S+") do
    if word:sub(1, 1) == "=" then
      made.default = default_of(kind, word:sub(2))
    elseif word:sub(1, 1) == "-" then
      made.aliases[#made.aliases + 1] = word:gsub("^%-+", "")
    else
      made.choices = {}
      for choice in word:gmatch("[^|]+") do made.choices[#made.choices + 1] = choice end
    end
  end
  return made
end

--- Settings by name: {name, kind = flag, int, float, word or list, choices = nil or words, default = nil where the
--- program works it out or wants it said, aliases, file}.
---@param name string a target, as emit.names()
---@param version string as in its list of versions
---@return table<string, table>
function known.of(name, version)
  local key = name .. "@" .. version
  if cached[key] then return cached[key] end
  local settings = {}
  -- A batch script holds the flags of what it starts.
  for file, lines in pairs(require("ballpark.emit.known." .. (name == "slurm" and "megatron" or name))[version]) do
    for line in lines:gmatch("[^\n]+") do
      local made = setting(line, file)
      settings[made.name] = made
    end
  end
  cached[key] = settings
  return settings
end

local TAKES <const> = {
  flag = function(value) return type(value) == "boolean" end,
  int = function(value) return math.type(value) == "integer" end,
  float = function(value) return type(value) == "number" end,
  word = function(value) return type(value) == "string" end,
  list = function(value) return type(value) == "table" end,
}

--- What is wrong with a value of a setting, in words; nil where nothing is.
---@param settings table<string, table> of known.of
---@param name string
---@param value any
---@return string|nil
function known.fault(settings, name, value)
  local made = settings[name]
  if not made then return name .. " is not a setting of this version" end
  if not TAKES[made.kind](value) then return ("%s takes a %s, not %s"):format(name, made.kind, tostring(value)) end
  for _, choice in ipairs(made.choices or {}) do
    if tostring(value) == choice then return nil end
  end
  if made.choices then return ("%s is not %s"):format(name, tostring(value)) end
end

return known
