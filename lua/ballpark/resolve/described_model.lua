-- Which model a description means: a catalog model by name or shape, else the stated figures, else usual
-- proportions of the stated size.
local errors = require("ballpark.errors")
local models = require("ballpark.catalog.models")
local model_of_size = require("ballpark.resolve.model_of_size")
local names = require("ballpark.resolve.model_names")
local shapes = require("ballpark.resolve.shapes")
local tables = require("ballpark.tables")

local described_model = {}

local index

local function catalog()
  if index then return index end
  index = {}
  for _, name in ipairs(models.names()) do
    local model = models.get(name)
    index[#index + 1] = { name = name, parsed = names.parse(name), model = model }
    for _, alias in ipairs(models.aliases(name)) do
      index[#index + 1] = { name = name, parsed = names.parse(alias), model = model }
    end
  end
  return index
end

local function same(stated, known) return not stated or not known or known == 0 or stated == known end

-- What a row states of the shape does not contradict the catalog; layers may be trimmed.
local function agrees(row, model)
  if not (same(row.hidden, model.hidden) and same(row.heads, model.heads)) then return false end
  if (row.arch or ""):lower():find("dense") and (model.experts or 0) > 0 then return false end
  if row.hidden or row.experts then
    if (row.experts or 0) ~= (model.experts or 0) and row.experts then return false end
  end
  return not row.ffn_hidden or row.ffn_hidden == model.ffn_hidden or row.ffn_hidden == model.moe_ffn
end

local function close_params(row, model, slack)
  if not row.params_b then return true end
  local stated = row.params_b * 1e9
  return math.abs(shapes.params(model) / stated - 1) <= math.max(slack, row.params_rounding_b / row.params_b)
end

-- A name without a size does not mean a model of another one than is stated with it: "GPT3 5B" is not GPT-3.
local function has_size(row, entry)
  local billions = entry.parsed and not entry.parsed.sized and not row.layers and names.stated(row.model)
  return not billions or math.abs(shapes.params(entry.model) / (billions * 1e9) - 1) <= 0.25
end

local function is_meant(row, entry)
  return agrees(row, entry.model) and has_size(row, entry) and (row.layers or close_params(row, entry.model, 0.2))
end

-- How far apart models may be that one name stands for.
local SAME_SIZE <const> = 1.25

-- A name without a size of which there are several sizes means none of them: "Llama 2".
local function check_size(row, meant)
  local least, most = math.huge, 0
  for _, entry in ipairs(meant) do
    local params = shapes.params(entry.model)
    least, most = math.min(least, params), math.max(most, params)
  end
  if most <= SAME_SIZE * least then return end
  local list = {}
  for _, entry in ipairs(meant) do
    if not tables.contains(list, entry.name) then list[#list + 1] = entry.name end
  end
  errors.input("model", ("'%s' has no size, and may be %s"):format(row.model, table.concat(list, ", ", 1, math.min(4, #list))
    .. (#list > 4 and " and others" or "")))
end

-- How near a count of software is to a shape that it was counted of, beyond its rounding.
local COUNTED_ALIKE <const> = 0.001

-- A tied model whose head was made a matrix of its own, as its count says, or nil.
local function untied(row, entry)
  local model = entry.model
  if not row.params_b or not model.tied_embeddings or not agrees(row, model) then return nil end
  local own = tables.with(model, { tied_embeddings = false })
  local slack = COUNTED_ALIKE * row.params_b + row.params_rounding_b
  if row.params_rounding_b > COUNTED_ALIKE * row.params_b or math.abs(shapes.params(own) / 1e9 - row.params_b) > slack then return nil end
  return { name = entry.name, model = own }
end

-- As the catalog reads names (Hugging Face ids and what they say of packing), else as people write them.
local function by_name(row)
  local name = row.model and models.resolve(row.model)
  local exact = name and { name = name, model = models.get(name) }
  local apart = exact and untied(row, exact)
  if apart then return apart end
  if exact and is_meant(row, exact) then return exact end
  local meant = {}
  for _, entry in ipairs(names.candidates(row.model or "", catalog())) do
    if is_meant(row, entry) then meant[#meant + 1] = entry end
  end
  if #meant > 1 then check_size(row, meant) end
  return meant[1]
end

-- A title as words: "Gemma4_(26B_A4B)-Vision.ipynb" as "Gemma4  26B A4B -Vision".
local function words_of(title) return (title:gsub("%.%a%w*$", ""):gsub("(%d)_(%d)", "%1.%2"):gsub("[_%(%)]", " ")) end

--- Whether a description's name is that of a model of the catalog.
---@param stated table of described_model.of
function described_model.is_named(stated) return by_name(stated) ~= nil end

--- The catalog's name of the model that a title begins with and whose parameters are as stated, or nil: a notebook
--- "Gemma4_(26B_A4B)-Vision.ipynb" of 25.9 billion.
---@param title string
---@param params_b number
---@return string|nil
function described_model.titled(title, params_b)
  local text = words_of(title)
  local stated = { params_b = params_b, params_rounding_b = 0 }
  while text:find("%S") do
    for _, entry in ipairs(names.candidates(text, catalog())) do
      if is_meant(tables.with(stated, { model = text }), entry) then return entry.name end
    end
    text = text:match("^(.-)%W+%w+%W*$") or ""
  end
end

-- A shape without vocabulary is not told apart from its neighbours by a rounded count.
local function tells_vocab(row, model)
  if row.vocab then return close_params(row, model, 0.03) end
  return row.params_b and math.abs(shapes.params(model) / (row.params_b * 1e9) - 1) <= 0.005
end

local function by_shape(row)
  if not (row.layers and row.hidden and row.heads) then return nil end
  for _, entry in ipairs(catalog()) do
    local m = entry.model
    if m.layers == row.layers and m.hidden == row.hidden and m.heads == row.heads
      and same(row.kv_heads, m.kv_heads) and same(row.vocab, m.vocab)
      and (row.experts or 0) == (m.experts or 0) and agrees(row, m) and (m.arch or "decoder") == "decoder"
      and tells_vocab(row, m) then
      return entry
    end
  end
  return nil
end

-- Counts of layers of a kind, which shrink with a trimmed model; a kind that is there stays there.
local kinds_of_layer = { "dense_layers", "window_layers", "index_layers", "compress_layers", "cross_layers",
  "linear_layers", "mamba_layers" }

-- Where mixers and feed-forward parts are layers of their own, state space is what the others leave.
local function trim_parts(model, layers)
  local share = layers / model.layers
  model.ffn_layers = math.max(1, math.floor(model.ffn_layers * share + 0.5))
  model.attention_layers = math.max(1, math.floor(model.attention_layers * share + 0.5))
  model.mamba_layers = math.max(0, layers - model.ffn_layers - model.attention_layers)
end

local function trim(model, layers)
  local share, mixed = layers / model.layers, false
  for _, kind in ipairs(kinds_of_layer) do
    local count = model[kind]
    if count and count > 0 then
      model[kind] = math.max(1, math.floor(count * share + 0.5))
      mixed = true
    end
  end
  if (model.ffn_layers or 0) > 0 then trim_parts(model, layers) else model.attention_layers = nil end
  model.mtp_layers = nil -- proxies leave prediction layers away
  model.layers = layers
  return ("cut to %d layers%s"):format(layers, mixed and ", kinds of layer in proportion" or "")
end

local blank_columns = { "layers", "hidden", "heads", "kv_heads", "ffn_hidden", "vocab" }

local function blanks(row)
  local list = {}
  for _, column in ipairs(blank_columns) do
    if not row[column] then list[#list + 1] = column end
  end
  return list
end

local function from_catalog(row, entry, how)
  local model = tables.with(entry.model)
  local said = {}
  if row.layers and row.layers ~= model.layers then
    said[#said + 1] = trim(model, row.layers)
  end
  model.kv_heads = row.kv_heads or model.kv_heads
  model.vocab = row.vocab or model.vocab
  local missing = blanks(row)
  if #missing > 0 or (model.experts or 0) > 0 then
    said[#said + 1] = ("%sas catalog model %s (same %s)"):format(
      #missing > 0 and (table.concat(missing, ", ") .. " ") or "details ", entry.name, how)
  end
  return model, said
end

-- Kinds of model that names say where nobody else does, and whose size alone is no shape.
local KINDS <const> = { "moe", "mixtral", "bert", "t5", "vit", "dit", "diffusion", "clip", "whisper", "llava", "mamba", "switch",
  "glam", "jamba", "rwkv" }

local function is_of_kind(name)
  for _, kind in ipairs(KINDS) do
    if name:lower():find(kind, 1, true) then return true end
  end
  return false
end

--- The shape of the catalog's decoder that comes nearest to a model that it does not have: of as many parameters, and of
--- kin where the name, or a title that has words in place of it, says so; nil without one.
---@param name string
---@param params_b number
---@return table|nil model
---@return string|nil said
function described_model.kin(name, params_b)
  if is_of_kind(name) then return nil end
  local model, said = model_of_size.get(words_of(name):gsub("^%s+", ""), params_b * 1e9)
  return model, said and "model: " .. said
end

-- Whether a name without anything else may be of a dense decoder: of none of these kinds, and no slip of a known name but
-- another size of it.
local function may_be_dense(name)
  if is_of_kind(name) then return false end
  return names.is_bare_size(name) or names.is_other_size(name, catalog()) or not models.missing(name):find("the nearest is", 1, true)
end

-- The row with the layers of a trimmed model that only its name says.
local function with_layers(row)
  local _, _, layers = names.stated(row.model or "")
  if not layers or row.layers then return row end
  return tables.with(row, { layers = layers, trimmed = true })
end

-- The row with the size of a dense model that only its name says.
local function with_size(row)
  local billions, rounding = names.stated(row.model or "")
  local dense = row.arch and row.arch:lower():find("dense") or not row.arch and may_be_dense(row.model or "")
  if not billions or row.params_b or row.experts or not dense then return row, {} end
  return tables.with(row, { params_b = billions, params_rounding_b = rounding }),
    { ("%g B parameters, by its name"):format(billions) }
end

local function of_figures(row, length)
  local reason = models.unrepresented(row.model or "")
  if shapes.is_stated(row) then
    local model, said = shapes.from_columns(row, length)
    if reason then said[#said + 1] = "layers taken to be equal, though " .. reason end
    return model, said
  end
  if row.params_b and not reason and not row.experts and (row.arch or "dense"):lower():find("dense") then
    local model = shapes.from_params(row, length)
    return model, { ("%d layers of width %d, usual proportions of %g B parameters"):format(
      model.layers, model.hidden, row.params_b) }
  end
  errors.input("model", "no shape, and " .. models.missing(row.model or ""))
end

local function build(stated, length)
  local row = with_layers(stated)
  local entry = by_name(row)
  if entry then return from_catalog(row, entry, "name") end
  local sized, by_its_name = with_size(row)
  entry = by_shape(sized)
  if entry then return from_catalog(sized, entry, "shape") end
  local model, said = of_figures(sized, length)
  return model, table.move(said, 1, #said, #by_its_name + 1, by_its_name)
end

local known = {}

-- What the shape goes by.
local SHAPE <const> = { "model", "arch", "params_b", "params_rounding_b", "layers", "hidden", "heads", "kv_heads",
  "ffn_hidden", "vocab", "experts", "topk", "tp", "pp" }

--- What people read of how a shape is found.
described_model.says = "blank parts of the shape and details that nobody states (shared experts, leading dense layers, "
  .. "MLA ranks, tied embeddings) come from the catalog model of the same name, else of the same "
  .. "shape; without one: heads of width 128 (64 below a width of 2048), kv_heads = heads, ffn_hidden "
  .. "4 hidden, vocab what params_b leaves or 51,200, and the MLP gated or not and embeddings tied "
  .. "or not as reproduces params_b, which may say that every other or every fourth layer has experts; without params_b an MLP of at least 3.95 hidden has two "
  .. "matrices and tied embeddings, any other is gated; layers or hidden of a dense model, where one is blank, as "
  .. "params_b leaves, layers a multiple of pp; without both, a dense model 128 times as wide as deep"

--- The whole model that a description means. Descriptions with the same words share one table.
---@param stated table { model = published name, arch, params_b, params_rounding_b, layers, hidden, heads, kv_heads,
--- ffn_hidden, vocab, experts, topk, tp (ranks that must share the heads), pp (stages that share the layers) }, any of them nil
---@param length integer tokens of a sequence, which learned positions reach
---@return table model
---@return string|nil said what was assumed of it
function described_model.of(stated, length)
  local key = { length }
  for i, name in ipairs(SHAPE) do key[i + 1] = stated[name] or "" end
  local id = table.concat(key, "\0")
  if not known[id] then
    local built, said = build(stated, length)
    known[id] = { model = built, said = #said > 0 and "model: " .. table.concat(said, "; ") or nil }
  end
  return known[id].model, known[id].said
end

return described_model
