-- C source as the checks look at it.
local c_text = {}

-- Everything but the line ends becomes blank, so that line numbers stay.
local function blank(text) return (text:gsub("[^\n]", " ")) end

-- End of the comment, string or character literal that starts at `at`, or nil when none does.
local function literal_end(text, at)
  local two = text:sub(at, at + 1)
  if two == "/*" then return select(2, text:find("*/", at + 2, true)) or #text end
  if two == "//" then return (text:find("\n", at, true) or #text + 1) - 1 end
  local quote = text:sub(at, at)
  if quote ~= '"' and quote ~= "'" then return nil end
  local i = at + 1
  while i <= #text and text:sub(i, i) ~= quote do
    i = i + (text:sub(i, i) == "\\" and 2 or 1)
  end
  return i
end

--- `text` with comments (and the inside of strings, unless kept) blanked out.
function c_text.code(text, keep_strings)
  local parts, at = {}, 1
  while at <= #text do
    local start = text:find("[/\"']", at) or #text + 1
    parts[#parts + 1] = text:sub(at, start - 1)
    local stop = literal_end(text, start)
    if not stop then
      parts[#parts + 1] = text:sub(start, start)
      stop = start
    elseif text:sub(start, start) == "/" then
      parts[#parts + 1] = blank(text:sub(start, stop))
    else
      local inside = text:sub(start + 1, stop - 1)
      parts[#parts + 1] = text:sub(start, start) .. (keep_strings and inside or blank(inside))
        .. text:sub(stop, stop)
    end
    at = stop + 1
  end
  return table.concat(parts)
end

--- Number of the line that holds position `at`.
function c_text.line_of(text, at)
  return select(2, text:sub(1, at):gsub("\n", "")) + 1
end

--- The lines as a list.
function c_text.lines(text)
  local lines = {}
  for line in (text .. "\n"):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  return lines
end

-- The comment that ends on line `last`, which may have begun above.
local function comment_ending(lines, last)
  local first = last
  while first > 1 and not lines[first]:find("/*", 1, true) do first = first - 1 end
  return table.concat(lines, "\n", first, last)
end

--- The comments that end on line `number` or above it in the same block of lines, as one text; nil when
--- there is none.
function c_text.comments(lines, number)
  local found
  for i = number, 1, -1 do
    if not lines[i]:find("%S") then break end
    if lines[i]:find("*/", 1, true) then found = (found or "") .. "\n" .. comment_ending(lines, i) end
  end
  return found
end

return c_text
