-- The nearest name: what "did you mean" says.
local near = {}

-- Edit distance with transpositions (optimal string alignment), on lower-case text.
local function distance(a, b)
  local before, last = {}, {}
  for j = 0, #b do last[j] = j end
  for i = 1, #a do
    local current = { [0] = i }
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      local best = math.min(last[j] + 1, current[j - 1] + 1, last[j - 1] + cost)
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        best = math.min(best, before[j - 2] + 1)
      end
      current[j] = best
    end
    before, last = last, current
  end
  return last[#b]
end

-- Whether the shorter of two words begins or ends the longer, or is half of it somewhere inside.
local function part_of(word, name)
  local short, long = word, name
  if #short > #long then short, long = long, short end
  if #short < 3 or not long:find(short, 1, true) then return false end
  return long:sub(1, #short) == short or long:sub(-#short) == short or 2 * #short >= #long
end

-- How far name is from word: a name that has the word as a part (or is one of it) counts as close, one
-- that starts with it as closer.
local function score(word, name)
  local d = distance(word, name)
  if part_of(word, name) then
    local starts = name:sub(1, #word) == word
    d = math.min(d, (starts and 0.8 or 1) + 0.01 * math.abs(#name - #word))
  end
  return d
end

-- What a score may hold for letters that one word has more than the other.
local LENGTH_SLACK <const> = 0.99

-- Edits after which a word of so many letters is another word: one letter may be anything, of a short
-- word one may be wrong, of a long one a third.
local function most_edits(length)
  if length <= 1 then return 0 end
  return length <= 5 and 1 or math.max(2, length // 3)
end

--- The name in `names` nearest to `word`, or nil when none is near enough to be meant.
---@param word string
---@param names string[]
---@return string|nil
function near.name(word, names)
  word = tostring(word):lower()
  local best, best_score
  for _, name in ipairs(names) do
    local s = score(word, name:lower())
    if not best_score or s < best_score or (s == best_score and name < best) then
      best, best_score = name, s
    end
  end
  if best and best_score <= most_edits(#word) + LENGTH_SLACK then return best end
  return nil
end

--- What is said of a name that a catalog with `names` does not have, and which of them is nearest.
---@param word string
---@param names string[]
---@return string
function near.missing(word, names)
  local nearest = near.name(word, names)
  return ("'%s' is not in the catalog%s"):format(word, nearest and ", the nearest is " .. nearest or "")
end

-- Shorter words have too many neighbours that mean something else.
local LEAST_TYPED <const>, TWO_TYPOS <const> = 4, 8

--- The name that `word` is but for a letter wrong, missing, too many or exchanged (two of them in eight letters or
--- more): stricter than `near.name`, for words that may as well be right and unknown.
---@param word string
---@param names string[]
---@return string|nil
function near.typo(word, names)
  word = word:lower()
  for _, name in ipairs(names) do
    local length = math.min(#word, #name)
    if length >= LEAST_TYPED and distance(word, name:lower()) <= (length >= TWO_TYPOS and 2 or 1) then return name end
  end
end

return near
