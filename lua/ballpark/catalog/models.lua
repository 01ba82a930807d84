-- Shapes of models, by name. Each entry says where its shape was read; published_params is there where
-- the authors state a count to two digits or more that mean something, or the tensors of the checkpoint
-- give it to the last digit, and is never what our own count says.
local errors = require("ballpark.errors")
local name_length = require("ballpark.name_length")
local near = require("ballpark.near")
local remembered = require("ballpark.remembered")
local stored = require("ballpark.catalog.models.stored")
local tables = require("ballpark.tables")
local unrepresented = require("ballpark.catalog.models.unrepresented")
local variants = require("ballpark.catalog.models.variants")

local models = {}

local files = {
  "code", "deepseek", "dense", "encoder_decoder", "encoders", "gemma", "gpt", "hybrid", "llama", "megatron", "mistral", "moe", "papers",
  "qwen", "vision_language",
}

-- Names compare without case and separators; the dot stays, 1.3B is not 13B.
local function plain(name) return (name:lower():gsub("[%s_%-%(%)]", "")) end

-- Without the organisation of a Hugging Face id.
local function without_owner(name) return name:match("^[^/]+/(.+)$") or name end

local entries, by_plain, names, words = {}, {}, {}, {}

local function index(word, name)
  local key = plain(word)
  if by_plain[key] and by_plain[key] ~= name then
    error(("catalog/models: '%s' means both %s and %s"):format(word, by_plain[key], name))
  end
  by_plain[key], words[word] = name, name
end

-- Models by bare names, made when one is asked; what two models share means neither.
local by_bare
local function of_bare(bare)
  if not by_bare then
    by_bare = {}
    for word, name in pairs(words) do
      local key = variants.bare(word)
      by_bare[key] = (by_bare[key] == nil or by_bare[key] == name) and name
    end
  end
  return by_bare[bare]
end

local function add(entry, common)
  for field, value in pairs(common) do
    if entry[field] == nil then entry[field] = value end
  end
  index(entry.name, entry.name)
  for _, alias in ipairs(entry.aliases or {}) do index(alias, entry.name) end
  entries[entry.name] = entry
  names[#names + 1] = entry.name
end

for _, file in ipairs(files) do
  for _, group in ipairs(require("ballpark.catalog.models." .. file)) do
    for _, entry in ipairs(group.models) do add(entry, group.common) end
  end
end
table.sort(names)

-- A name that is known, or else the longest beginning of a family's names.
-- What stands in a name behind so many characters that are no separators.
local function behind(name, count)
  local at = 0
  while count > 0 do
    at = at + 1
    if plain(name:sub(at, at)) ~= "" then count = count - 1 end
  end
  return name:sub(at + 1):lower()
end

-- Whether a name begins with that of a family. A number at its end is not one that goes on as a size: "GPT 5B" is a GPT
-- of five billion parameters, T5-11B a T5.
local function begins(name, family)
  local known = plain(family)
  if plain(name):sub(1, #known) ~= known then return false end
  return not (known:find("%d$") and behind(name, #known):find("^%d*%.?%d*[bmt]%f[%A]"))
end

local function unrepresented_as(name)
  local wanted, best = plain(without_owner(name)), nil
  for known, reason in pairs(unrepresented.models) do
    if plain(known) == wanted then return known, reason end
  end
  for family in pairs(unrepresented.families) do
    if begins(without_owner(name), family) and (not best or #plain(family) > #plain(best)) then best = family end
  end
  return without_owner(name), unrepresented.families[best]
end

--- Why a model of that name is no stack of equal layers, or nil.
---@param name string
---@return string|nil
models.unrepresented = remembered(function(name) return (select(2, unrepresented_as(name))) end)

--- Whether a model is one whose makers do not publish its shape.
---@param name string
function models.is_unpublished(name) return models.unrepresented(name) == unrepresented.UNPUBLISHED end

--- What is said of a name that `resolve` does not know: why no entry can be, or else which name is nearest.
---@param name string
---@return string
function models.missing(name)
  name_length.check("model", name)
  local known, reason = unrepresented_as(name)
  if reason then return ("'%s' cannot be represented: %s"):format(known, reason) end
  return near.missing(without_owner(name), models.known())
end

-- Shorter beginnings mean a family: "llama-3", "gpt".
local LEAST_BEGINNING <const> = 6

local by_beginning

-- The model that a beginning of a name means, up to a dash of it: "bge-large" is bge-large-en-v1.5, "qwen3-coder-30b" is
-- Qwen3-Coder-30B-A3B; nil where several begin so.
local function beginning_of(short, bare)
  if not by_beginning then
    by_beginning = {}
    for known, name in pairs(words) do
      for dash in known:gmatch("()%-") do
        local start = plain(known:sub(1, dash - 1))
        if #start >= LEAST_BEGINNING then by_beginning[start] = (by_beginning[start] == nil or by_beginning[start] == name) and name end
      end
    end
  end
  return by_beginning[plain(short)] or by_beginning[bare] or nil
end

-- The model of a whole name.
local function named(name)
  local short = without_owner(name)
  local bare = variants.bare(short)
  return by_plain[plain(name)] or by_plain[plain(short)] or by_plain[bare] or of_bare(bare) or nil
end

-- The model of a name whose points are written as separators (qwen2_5_7b, t5-v1_1-xl, pythia-2-8b): nil where the name
-- with a point at the first or at the last such place is of no model, as of llama3_8b.
local function with_a_point(name)
  local short = without_owner(name)
  return named((short:gsub("(%d)[_%-](%d)", "%1.%2", 1))) or named((short:gsub("^(.*%d)[_%-](%d)", "%1.%2")))
end

local resolved = remembered(function(name)
  local short = without_owner(name)
  return words[name] or with_a_point(name) or named(name) or beginning_of(short, variants.bare(short))
end)

--- The name in the catalog that a name, alias or Hugging Face id means, or nil. What says only how a
--- checkpoint was tuned or packed (Instruct, FP8, AWQ, a date) may be more or less than in the catalog, and a beginning
--- that one model alone has stands for it.
---@param name string
---@return string|nil
function models.resolve(name) return resolved(tostring(name)) end

-- How many names an unknown one is compared with, and what to do where none of them is meant.
local KIN <const> = 3
local CONFIG <const> = "its config.json is a model, too: say the file or the folder that has it"

-- Models of other kinds, by the part of the catalog that has them, and the commands that answer about them.
local ELSEWHERE <const> = { { "diffusion", "draws images: ballpark diffusion, ballpark fit" }, { "voices", "speaks: ballpark speak" },
  { "networks", "sees images or texts once: ballpark encode" } }

local function unknown(name)
  for _, row in ipairs(ELSEWHERE) do
    if require("ballpark.catalog." .. row[1]).resolve(name) then
      errors.input("model." .. name, "is no language model, but one that " .. row[2])
    end
  end
  local known = models.known()
  local meant = near.name(name, known)
  local kin = meant and {} or near.kin(name, known, KIN)
  errors.input("model." .. name, "unknown model, " .. (meant and ("did you mean '%s'?"):format(meant)
    or kin[1] and ("near it are %s;"):format(table.concat(kin, ", ")) or ("none of %d is near it;"):format(#known))
    .. " " .. CONFIG)
end

--- A copy of the entry called `name`; fields of a model, without its aliases. A weight format in the name is
--- the one it is stored in, by what packed it.
---@param name string
---@return table
function models.get(name)
  name = name_length.check("model", tostring(name))
  local known = models.resolve(name)
  if not known then
    if models.unrepresented(name) then errors.input("model", models.missing(name)) end
    unknown(without_owner(name))
  end
  local copy = {}
  for field, value in pairs(entries[known]) do
    copy[field] = type(value) == "table" and tables.with(value, {}) or value
  end
  copy.aliases = nil
  local said = stored.read({ quantization = variants.format(name) or copy.quantization })
  said.packer = said.weights == "int4" and variants.packer(name) or said.packer
  said.kv = variants.kv_format(name) or said.kv
  copy.quantization = stored.words(said)
  return copy
end

--- Other names of an entry, as written.
function models.aliases(name)
  local list = entries[models.get(name).name].aliases or {}
  return table.move(list, 1, #list, 1, {})
end

--- Names of all entries, sorted.
function models.names() return table.move(names, 1, #names, 1, {}) end

local known = models.names()
for _, name in ipairs(names) do
  for _, alias in ipairs(entries[name].aliases or {}) do known[#known + 1] = alias end
end
table.sort(known)

--- Names and aliases, sorted: what an unknown name is compared with.
function models.known() return table.move(known, 1, #known, 1, {}) end

return models
