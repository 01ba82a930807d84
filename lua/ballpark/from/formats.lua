-- Launch files as settings by name: scripts and command lines of a shell, Python assignments, JSON; TOML and YAML have
-- files of their own. They are data: nothing in them is run.
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local literal = require("ballpark.from.literal")
local tables = require("ballpark.tables")

local formats = {}

-- Shell --------------------------------------------------------------------------------------------------

local function is_assigned(head) return head:find("^[%a_][%w_]*%+?$") ~= nil end

-- Options that a script keeps in a variable, in quotes, as a line of their own: they are for the command that it starts.
local function unquoted(text)
  for _, quote in ipairs({ '"', "'" }) do
    local pattern = ("\n[ \t]*([^\n=\"' \t][^\n=\"']*)=Q([^Q]*)Q"):gsub("Q", quote)
    text = ("\n" .. text):gsub(pattern, function(head, body)
      local holds_options = (" " .. body):find("%s%-%-%a") ~= nil
      if holds_options and is_assigned(head:gsub("^export%s+", "")) then return "\n" .. body:gsub("\\?\n", " ") end
    end)
  end
  return text
end

-- A product of whole numbers, worth what a shell makes of it; nil where it is something else.
local function product(text, known)
  text = text:gsub("[%a_][%w_]*", known)
  if not (text:find("^%s*%d+[%d%s*/]*$")) then return nil end
  local value = math.tointeger(tonumber(text:match("%d+")))
  for op, number in text:gmatch("([*/])%s*(%d+)") do
    number = math.tointeger(tonumber(number))
    if not value or not number or op == "/" and number == 0 then return nil end
    value = op == "*" and value * number or value // number
  end
  return value and tostring(value)
end

-- Letters of a word that holds a setting's value; longer ones stay as they are.
local LONGEST <const> = 4096

-- $NAME, ${NAME} and ${NAME:-default} where they are known; numbers may be multiplied in $((A * B)).
local function expanded(word, known)
  local function value_of(name, default) return known[name] or default end
  for _ = 1, 4 do
    if #word > LONGEST or not word:find("$", 1, true) then return word end
    word = word:gsub("%${([%a_][%w_]*):?%-([^}]*)}", value_of)
    word = word:gsub("%${([%a_][%w_]*)}", function(name) return known[name] end)
    word = word:gsub("%$([%a_][%w_]*)", function(name) return known[name] end)
  end
  return (word:gsub("%$%(%(([^()]*)%)%)", function(text) return product(text, known) end))
end

-- Assignments NAME=value at the start of a line, for $NAME further on.
local function variables(text)
  local known = {}
  for line in ("\n" .. text):gmatch("\n%s*([^\n]*)") do
    local name, value = line:gsub("^export%s+", ""):match("^([%a_][%w_]*)=(.*)$")
    value = value and (value:match("^%$%(%([^()]*%)%)") or value:match("^[^%s(]*"))
    value = name and expanded((value:gsub("^[\"'](.*)[\"']$", "%1")), known)
    if value and #value <= LONGEST then known[name] = value end
  end
  return known
end

-- The words of a line as a shell parts them, quotes taken off.
local function words_of(line)
  local words, word, quote, in_sum, at = {}, nil, nil, false, 1
  local function close()
    if word then words[#words + 1] = table.concat(word) end
    word = nil
  end
  local function add(text)
    word = word or {}
    word[#word + 1] = text
  end
  while at <= #line do
    local char = line:sub(at, at)
    local taken = char
    if quote then
      if char == quote then quote = nil else add(char) end
    elseif in_sum then
      if line:sub(at, at + 1) == "))" then in_sum, taken = false, "))" end
      add(taken)
    elseif line:sub(at, at + 2) == "$((" then
      in_sum, taken = true, "$(("
      add(taken)
    elseif char == "'" or char == '"' then
      quote, word = char, word or {}
    elseif char:find("[%s()]") then
      close()
    elseif char == "#" and not word then
      break
    else
      add(char)
    end
    at = at + #taken
  end
  close()
  return words
end

local function take_values(set, name, list)
  if #list == 0 then set[name] = true end
  if #list == 1 then set[name] = literal.of_word(list[1]) end
  if #list > 1 then
    set[name] = {}
    for i, item in ipairs(list) do set[name][i] = literal.of_word(item) end
  end
end

-- Whether a word begins another setting: a dash, and not a number.
local function is_option(word) return word:find("^%-%-?[%a]") ~= nil end

-- Where a command ends and other words begin that belong to no option.
local function is_end(word) return word:find("^[|;&<>]") or word:find("^%$") or word == "exec" or word == "cat" end

-- What starts a program of training or a server.
local PROGRAMS <const> = { "%.py%f[%s\"'\0]", "vllm%.entrypoints%.", "vllm%-openai[%s:]", "%f[%w]vllm%s+serve%f[%s\0]",
  "sglang%.launch_server%f[%s\0]", "trtllm%-serve%f[%s\0]" }

local function starts_program(line)
  for _, pattern in ipairs(PROGRAMS) do
    if line:find(pattern) then return true end
  end
  return false
end

--- Settings of all commands in a shell script or of a command line, by name without dashes; a setting without a value is
--- true, several values are a list. Words that belong to none are `loose`. The commands that start a program also by
--- themselves.
---@param text string
---@return table<string, any> settings
---@return string[] loose
---@return { set: table<string, any>, loose: string[] }[] commands
function formats.shell(text)
  local known, set, loose, commands = variables(text), {}, {}, {}
  text = unquoted(text:gsub("<<'?(%u+)'?\n.-\n%1\n", "\n")):gsub("\\\r?\n", " ")
  for line in text:gmatch("[^\n]+") do
    local own, name, list = { set = {}, loose = {} }, nil, nil
    local function close()
      if name then take_values(own.set, name, list) end
      name = nil
    end
    line = line:gsub("^#SBATCH%s+", "")
    for _, word in ipairs(words_of(line)) do
      word = expanded(word, known)
      if is_option(word) then
        close()
        local given, value = word:match("^%-+([^=]+)=?(.*)$")
        name, list = given, value ~= "" and { value } or {}
        if value ~= "" then close() end
      elseif name and not is_end(word) and not (#list > 0 and word:find("%.py$")) then
        list[#list + 1] = word
      else
        close()
        own.loose[#own.loose + 1] = word
      end
    end
    close()
    for key, value in pairs(own.set) do set[key] = value end
    table.move(own.loose, 1, #own.loose, #loose + 1, loose)
    if starts_program(line) then commands[#commands + 1] = own end
  end
  return set, loose, commands
end

-- Assignments --------------------------------------------------------------------------------------------

--- Settings that Python assigns to parts of a recipe, and those of a command line NAME=value without dashes.
function formats.python(text)
  local set = {}
  for line in text:gmatch("[^\n]+") do
    local name, value = line:match("^%s*[%w_]*recipe%.([%w_.]+)%s*=%s*(.+)$")
    if not name then name, value = line:match("^%s*([%a_]+%.[%w_.]+)%s*=%s*([^=%s\\][^\\]*)") end
    if name then set[name] = literal.read(value) end
  end
  return set
end

local function flatten(value, path, set)
  for _, key in ipairs(tables.sorted_keys(value)) do
    local item = value[key]
    local name = (path and path .. "." or "") .. tostring(key)
    if type(item) == "table" and #item == 0 then flatten(item, name, set) else set[name] = item end
  end
  return set
end

--- Settings of a JSON file, keys of inner levels joined by points.
function formats.json(text, name)
  local ok, value = pcall(json.decode, text)
  if not ok or type(value) ~= "table" then errors.usage(name .. " is not a JSON object") end
  return flatten(value, nil, {})
end

return formats
