-- The nearest name: what "did you mean" says.
local near = {}

-- Edit distance with transpositions (optimal string alignment), on lower-case text; math.huge where it is more
-- than `most`.
local function distance(a, b, most)
  if math.abs(#a - #b) > most then return math.huge end
  local letters_a, letters_b = { a:byte(1, -1) }, { b:byte(1, -1) }
  local before, last, last_least = {}, {}, 0
  for j = 0, #b do last[j] = j end
  for i = 1, #a do
    local current, least, letter = { [0] = i }, i, letters_a[i]
    for j = 1, #b do
      local best = last[j - 1] + (letter == letters_b[j] and 0 or 1)
      if last[j] < best then best = last[j] + 1 end
      if current[j - 1] < best then best = current[j - 1] + 1 end
      if i > 1 and j > 1 and letter == letters_b[j - 1] and letters_a[i - 1] == letters_b[j] then
        best = math.min(best, before[j - 2] + 1)
      end
      current[j] = best
      if best < least then least = best end
    end
    -- What follows goes on from one of two rows.
    if least > most and last_least > most then return math.huge end
    before, last, last_least = last, current, least
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

-- Words of a name in the order of their letters, of names of more words than one; nil of others.
local function words_of(name)
  local words = {}
  for part in name:gmatch("[^%s_%-]+") do words[#words + 1] = part end
  if #words < 2 then return nil end
  table.sort(words)
  return table.concat(words, " ")
end

-- How far name is from word: one of the same words in another order (tp_overlap, overlap_tp) is nearest; a name that has
-- the word as a part (or is one of it) counts as close, one that starts with it as closer. Exact where it is at most
-- `most`.
local function score(word, name, most)
  local words = #word == #name and word ~= name and words_of(word)
  local close = words and words == words_of(name) and 0.5 or math.huge
  if part_of(word, name) then
    local starts = name:sub(1, #word) == word
    close = math.min(close, (starts and 0.8 or 1) + 0.01 * math.abs(#name - #word))
  end
  return math.min(close, distance(word, name, math.min(close, most)))
end

-- What a score may hold for letters that one word has more than the other.
local LENGTH_SLACK <const> = 0.99

-- Edits after which a word of so many letters is another word: one letter may be anything, of a short
-- word one may be wrong, of a long one a third.
local function most_edits(length)
  if length <= 1 then return 0 end
  return length <= 5 and 1 or math.max(2, length // 3)
end

-- Longer than any name: what has more letters is no slip of one, and takes long to compare.
local LONGEST <const> = 128

--- The name in `names` nearest to `word`, or nil when none is near enough to be meant.
---@param word string
---@param names string[]
---@return string|nil
function near.name(word, names)
  word = tostring(word):lower()
  if #word > LONGEST then return nil end
  local best, best_score = nil, most_edits(#word) + LENGTH_SLACK
  for _, name in ipairs(names) do
    local s = score(word, name:lower(), best_score)
    if s < best_score or (s == best_score and (not best or name < best)) then
      best, best_score = name, s
    end
  end
  return best
end

-- Letters and digits of a name, in lower case.
local function letters_of(name) return (name:lower():gsub("[^%w]", "")) end

-- Letters that two names begin with alike.
local function shared_start(a, b)
  local count = 0
  while count < math.min(#a, #b) and a:byte(count + 1) == b:byte(count + 1) do count = count + 1 end
  return count
end

-- Letters that kin begin with alike, at least.
local LEAST_SHARED <const> = 4

--- Names of the kin of `word`: those that begin like it, the longest such beginning first, then the nearest length.
---@param word string
---@param names string[]
---@param most integer how many
---@return string[]
function near.kin(word, names, most)
  local own, list = letters_of(tostring(word):sub(1, LONGEST)), {}
  for _, name in ipairs(names) do
    local other = letters_of(name)
    local shared = shared_start(own, other)
    if shared >= LEAST_SHARED then list[#list + 1] = { name = name, shared = shared, off = math.abs(#other - #own) } end
  end
  table.sort(list, function(a, b)
    if a.shared ~= b.shared then return a.shared > b.shared end
    if a.off ~= b.off then return a.off < b.off end
    return a.name < b.name
  end)
  local kin = {}
  for i = 1, math.min(most, #list) do kin[i] = list[i].name end
  return kin
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
--- more that begin alike: MyTrainer is no HFTrainer): stricter than `near.name`, for words that may as well be right and unknown.
---@param word string
---@param names string[]
---@return string|nil
function near.typo(word, names)
  word = word:lower()
  if #word > LONGEST then return nil end
  for _, name in ipairs(names) do
    local length = math.min(#word, #name)
    local most = length >= TWO_TYPOS and word:byte() == name:lower():byte() and 2 or 1
    if length >= LEAST_TYPED and distance(word, name:lower(), most) <= most then return name end
  end
end

return near
