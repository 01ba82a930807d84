-- Texts of others as a terminal, a page or a line may show them: control characters and marks that turn the direction
-- of writing are spelled out, what is no UTF-8 becomes the replacement character.
local printable = {}

local REPLACEMENT <const> = "\u{FFFD}"

local function hex(c) return ("\\x%02x"):format(c:byte(-1)) end

local function code(c) return ("\\u{%04x}"):format(utf8.codepoint(c)) end

-- What is spelled out. Line feeds and tabs are layout.
local HARMFUL <const> = {
  { "[%z\1-\8\11-\31\127]", hex },
  { "\xC2[\x80-\x9F]", hex }, -- the same once more, with the eighth bit
  { "\xD8\x9C", code }, { "\xE2\x80[\x8E\x8F\xA8-\xAE]", code }, { "\xE2\x81[\xA6-\xA9]", code },
}

--- The text as valid UTF-8.
---@param text string
---@return string
function printable.utf8(text)
  if utf8.len(text) then return text end
  local parts, at = {}, 1
  while at <= #text do
    local _, bad = utf8.len(text, at)
    parts[#parts + 1] = text:sub(at, (bad or #text + 1) - 1)
    if not bad then break end
    parts[#parts + 1] = REPLACEMENT
    at = bad + 1
  end
  return table.concat(parts)
end

--- The text without what a terminal would obey.
---@param text string
---@return string
function printable.text(text)
  if not text:find("[%c\x80-\xFF]") then return text end
  text = printable.utf8(text)
  for _, rule in ipairs(HARMFUL) do text = text:gsub(rule[1], rule[2]) end
  return text
end

--- The same as one line.
---@param text string
---@return string
function printable.line(text) return (printable.text(text):gsub("\n", "\\n")) end

local function clean(value, seen)
  if seen[value] then return end
  seen[value] = true
  for key, item in next, value do
    if type(item) == "string" then
      local text = printable.text(item)
      if text ~= item then rawset(value, key, text) end
    elseif type(item) == "table" then
      clean(item, seen)
    end
  end
end

--- All texts in a table and in the tables in it, in their place.
---@param value table
function printable.all(value) clean(value, {}) end

return printable
