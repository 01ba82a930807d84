-- The shape of a model that nobody knows but whose name says a size: "koala-13b", "Acme-30B-A3B", "dolphin-mixtral:8x7b".
-- It is that of a catalog's decoder of that size: one whose name begins with the same word, else a Llama, which most
-- tunings of other people begin from, else the nearest in size. No size, no model; and a slip of a known name is none.
local core = require("ballpark.core")
local models = require("ballpark.catalog.models")
local near = require("ballpark.near")
local variants = require("ballpark.catalog.models.variants")

local model_of_size = {}

-- Sizes that are called alike: 6.7 and 7, 32.5 and 30 billion; of what a token uses 3.3 and 3.
local ALIKE <const>, ALIKE_ACTIVE <const> = 0.1, 0.2

local UNITS <const> = { m = 1e6, b = 1e9, t = 1e12 }

--- What a name says: `all` parameters, those that a token uses (`active`), and `experts` ("8x7b"); nothing where it says no
--- size, or several.
function model_of_size.sizes(name)
  local sizes = {}
  for word in name:lower():gmatch("[%w%.]+") do
    local a, digits, unit = word:match("^(a?)(%d+%.?%d*)([bmt])$")
    local field = digits and (a == "a" and "active" or "all") or word:find("^%d+x%d+%.?%d*b$") and "experts"
    if field and sizes[field] then return {} end
    if field then sizes[field] = digits and tonumber(digits) * UNITS[unit] or word end
  end
  return sizes
end

local function digits_of(name) return (name:gsub("[^%d]", "")) end

-- Whether a name is that of a model but for a letter: a wrong digit means another model.
local function is_slip(name)
  local meant = near.typo(name, models.known())
  return meant ~= nil and digits_of(meant) == digits_of(name)
end

local function is_alike(count, wanted, share) return math.abs(count / wanted - 1) <= share end

local known

-- The catalog's decoders with what they count, but those with parameters of a kind that others of the size do not have:
-- attention across, embeddings of every layer.
local function decoders()
  if known then return known end
  known = {}
  for _, name in ipairs(models.names()) do
    local model = models.get(name)
    local plain = (model.cross_layers or 0) == 0 and (model.layer_embedding or 0) == 0
    if (model.arch or "decoder") == "decoder" and model.lm_head ~= false and plain then
      local params = core.params({ model = model })
      known[#known + 1] = { name = name, family = (model.family or ""):lower(), has_experts = (model.experts or 0) > 0,
        all = params.total_params - params.encoder - params.extra, active = params.active_params }
    end
  end
  return known
end

local function first_word(name) return name:lower():match("^%a+") end

-- How well an entry stands in: kin first, then Llamas, then any.
local function rank(entry, name)
  if first_word(entry.name) == first_word(name) then return 2 end
  return entry.family:find("^llama") and 1 or 0
end

local function is_of_size(entry, sizes)
  if sizes.experts then return entry.has_experts and model_of_size.sizes(entry.name).experts == sizes.experts end
  if entry.has_experts ~= (sizes.active ~= nil) or not is_alike(entry.all, sizes.all, ALIKE) then return false end
  return not sizes.active or is_alike(entry.active, sizes.active, ALIKE_ACTIVE)
end

local function nearest(name, sizes)
  local best, best_rank, best_gap
  for _, entry in ipairs(decoders()) do
    if is_of_size(entry, sizes) then
      local own, gap = rank(entry, name), math.abs(entry.all - (sizes.all or entry.all))
      if not best or own > best_rank or own == best_rank and gap < best_gap then
        best, best_rank, best_gap = entry, own, gap
      end
    end
  end
  return best
end

--- The model of an unknown name, and a sentence without a full stop that says what was assumed; nil where the name says
--- no size, is a slip of a known one, or means a shape that is known to be another.
---@param name string
---@param params number|nil all parameters, where they are counted
---@return table|nil model
---@return string|nil said
function model_of_size.get(name, params)
  local short = name:match("([^/]+)$") or name
  local sizes = model_of_size.sizes(short)
  if params then sizes = { all = params, active = sizes.active } end
  if not (sizes.all or sizes.experts) or models.unrepresented(short) or is_slip(short) then return nil end
  local entry = nearest(short, sizes)
  if not entry then return nil end
  local model = models.get(entry.name)
  model.name, model.quantization = short, variants.format(short)
  return model, ("%s is not in the catalog: the shape of %s, which has its size; its config.json would say more"):format(
    short, entry.name)
end

return model_of_size
