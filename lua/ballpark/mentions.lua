-- Whether a text has one of several words, where it matters that they are there and not what they say.
local mentions = {}

--- Whether one of the patterns is found in the text, in its own case.
---@param text string
---@param patterns string[]
---@return boolean
function mentions.found(text, patterns)
  for _, pattern in ipairs(patterns) do
    if text:find(pattern) then return true end
  end
  return false
end

--- Whether one of the patterns is found in the text, whatever its case; false without a text.
---@param text string|nil
---@param patterns string[] of lower-case letters
---@return boolean
function mentions.any(text, patterns)
  return mentions.found((text or ""):lower(), patterns)
end

--- The name of the first row of { name, patterns } of which a pattern is found in the text; nil of none.
---@param text string|nil
---@param rows table[]
---@return string|nil
function mentions.first(text, rows)
  for _, row in ipairs(rows) do
    if mentions.any(text, row[2]) then return row[1] end
  end
  return nil
end

--- Patterns of which each is found as a whole word.
---@param words string[]
---@return string[]
function mentions.whole(words)
  local patterns = {}
  for i, word in ipairs(words) do patterns[i] = "%f[%a]" .. word .. "%f[%A]" end
  return patterns
end

--- The first of names that stands in the text as a whole word; nil of none.
---@param text string|nil
---@param names string[]
---@return string|nil
function mentions.named(text, names)
  for i, pattern in ipairs(mentions.whole(names)) do
    if mentions.any(text, { pattern }) then return names[i] end
  end
  return nil
end

return mentions
