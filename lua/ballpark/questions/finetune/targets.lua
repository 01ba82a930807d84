-- Matrices that have adapters, as people write them: the core's words, or the names of modules that PEFT takes.
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local tables = require("ballpark.tables")

local targets = {}

-- Modules of Transformers, each with the matrices of a layer that it is: q, k, v, o of attention; g (gate), u (up) and
-- d (down) of the dense feed-forward part.
local MODULES <const> = { q_proj = "q", k_proj = "k", v_proj = "v", o_proj = "o", out_proj = "o", dense = "o",
  query_key_value = "qkv", qkv_proj = "qkv", wqkv = "qkv", w_pack = "qkv", c_attn = "qkv", query = "q", key = "k", value = "v",
  wq = "q", wk = "k", wv = "v", wo = "o", gate_proj = "g", up_proj = "u", down_proj = "d", gate_up_proj = "gu", fc1 = "gu",
  fc2 = "d", w1 = "g", w2 = "d", w3 = "u", dense_h_to_4h = "gu", dense_4h_to_h = "d" }

-- Sets of them that the core has a word for.
local WORDS <const> = { dgkoquv = "all", koqv = "attention", kqv = "qkv", qv = "qv", dgu = "mlp" }

-- PEFT's word for every linear layer but the head.
local ALL <const> = tables.set({ "all-linear", "all_linear" })

-- The word of a list of modules; nil where one is not known.
local function of_modules(text)
  local found = {}
  for name in text:gmatch("[%w_]+") do
    local matrices = MODULES[name]
    if not matrices then return nil, name end
    for letter in matrices:gmatch(".") do found[letter] = true end
  end
  return WORDS[table.concat(tables.sorted_keys(found))]
end

--- The core's word for matrices with adapters.
---@param text string all, attention, qkv, qv, mlp, outputs; all-linear; or modules: "q_proj,v_proj"
---@param path string of the field, for what is refused
---@return string
function targets.of(text, path)
  if type(text) ~= "string" then errors.input(path, "must be text, got " .. type(text)) end
  local known = fields.by_name(fields.input("train_step", "plan")).lora_targets.names
  local said = text:lower()
  if tables.contains(known, said) then return said end
  if ALL[said] then return "all" end
  local word, unknown = of_modules(said)
  if word then return word end
  if unknown then errors.choice(path, text, known) end
  errors.input(path, ("'%s': adapters are counted on %s; say the one that is nearest"):format(text, table.concat(known, ", ")))
end

return targets
