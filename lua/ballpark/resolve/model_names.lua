-- Finds the catalog model that a published name means: "Llama-3.1 405B (4 layers)", "meta-llama/
-- Llama-3.1-405B" and "llama_3.1_405b" are one. A name is cut into words, which must be the same, and
-- sizes (405B, A22B, 8x7B, 128E), of which one must be shared where both names have any.
local name_length = require("ballpark.name_length")
local variants = require("ballpark.catalog.models.variants")

local names = {}

-- Words that say how a model was used or written about, not which one it is.
local noise = {
  proxy = true, model = true, style = true, like = true, pretrain = true, finetune = true, full = true,
  lora = true, qlora = true, sft = true, pre = true, training = true, pretraining = true, long = true, context = true,
  dropless = true,
}

-- The length of sequences in thousands ("128k") is none of the shape.
local function is_noise(word)
  return noise[word] or word:find("^%d+k$") or variants.published[word] or variants.is_packing(word) or variants.is_release(word)
end

local size_patterns = { "^a?%d+%.?%d*[bmt]$", "^%d+x%d+%.?%d*[bm]$", "^%d+e$", "^%d+experts$" }

local function is_size(word)
  for _, pattern in ipairs(size_patterns) do
    if word:find(pattern) then return true end
  end
  return false
end

-- "meta-llama/Llama-3.1-8B" without its owner; the slash of "ViT-L/16" has no name behind it.
local function without_owner(text)
  local rest = text:match("^[%w%-_%.]+/(.+)$")
  return rest and rest:find("%a%a") and rest or text
end

--- { words = "llama3.1", sizes = { ["405b"] = true }, sized = true } of a name.
function names.parse(name)
  name_length.check("model", name)
  -- ms-swift writes Qwen1.5 as qwen1half.
  local text = without_owner(name:lower()):gsub("(%d)half", "%1.5"):gsub("%b()", " "):gsub("%b[]", " "):gsub("(%d[bm])x(%d+e)%f[%W]", "%1 %2")
    :gsub("%f[%w](%d+)([bm])(%d)%f[%W]", "%1.%3%2") -- BLOOM writes 7.1 billion as 7b1
  local words, sizes, sized = {}, {}, false
  for word in text:gmatch("[%w%.]+") do
    if is_size(word) then
      sizes[(word:gsub("^a", ""))] = true
      sized = true
    elseif not is_noise(word) then
      words[#words + 1] = word
    end
  end
  return { words = table.concat(words), sizes = sizes, sized = sized }
end

--- Billions of parameters that a name states as its only size ("GPT-3 13B", "MPT-760m"), their rounding, and layers
--- ("Llama-3.1 405B (4 layers)"); nil where it does not.
---@param name string
---@return number|nil billions
---@return number|nil rounding half a unit of the last digit, in billions
---@return integer|nil layers
function names.stated(name)
  name_length.check("model", name)
  local lower = without_owner(name:lower())
  local layers = math.tointeger(tonumber(lower:match("%((%d+) layers%)")))
  local found, units = {}, { m = 1e-3, b = 1, t = 1e3 }
  for word in lower:gmatch("[%w%.]+") do
    if is_size(word) then found[#found + 1] = word end
  end
  local digits, decimals, unit = (found[1] or ""):match("^(%d+)%.?(%d*)([bmt])$")
  if #found ~= 1 or not digits then return nil, nil, layers end
  return tonumber(digits .. "." .. decimals .. "0") * units[unit], 0.5 * 10.0 ^ -#decimals * units[unit], layers
end

-- Whether a size of whole units is another rounded: 7b of 7.1b.
local function is_rounded(size, other)
  local whole, unit = size:match("^(%d+)([bmt])$")
  local exact, same = other:match("^(%d+%.%d+)([bmt])$")
  return whole and exact and unit == same and math.floor(tonumber(exact) + 0.5) == tonumber(whole)
end

-- Sizes that both names have, one that is the other's rounded as half of one.
local function shared_sizes(a, b)
  local count = 0
  for size in pairs(a.sizes) do
    if b.sizes[size] then
      count = count + 1
    else
      for other in pairs(b.sizes) do
        if is_rounded(size, other) then count = count + 0.5 end
      end
    end
  end
  return count
end

-- Entries of the catalog of that name, those sharing most sizes only.
local function of_name(wanted, catalog)
  local found, most = {}, 0
  for _, entry in ipairs(catalog) do
    if entry.parsed.words == wanted.words and wanted.words ~= "" then
      local shared = shared_sizes(wanted, entry.parsed)
      local unsized = not (wanted.sized and entry.parsed.sized)
      if shared > most then found, most = {}, shared end
      if shared == most and (shared > 0 or unsized) then found[#found + 1] = entry end
    end
  end
  return found
end

--- Whether a name is a size and nothing else: "13B".
function names.is_bare_size(name)
  local parsed = names.parse(name)
  return parsed.sized and parsed.words == ""
end

--- Whether a name differs from one of a dense model of `catalog` in nothing but its size: "Llama-2 34B".
function names.is_other_size(name, catalog)
  local wanted = names.parse(name)
  if not wanted.sized or wanted.words == "" then return false end
  for _, entry in ipairs(catalog) do
    local same = entry.parsed.words == wanted.words and entry.parsed.sized
    if same and (entry.model.experts or 0) == 0 then return true end
  end
  return false
end

--- Names of `catalog` ({ name, parsed } in order) that `name` may mean: of the same words, else without the word moe.
function names.candidates(name, catalog)
  local found = of_name(names.parse(name), catalog)
  if #found > 0 then return found end
  return of_name(names.parse((name:lower():gsub("%f[%w]moe%f[%W]", " "))), catalog)
end

return names
