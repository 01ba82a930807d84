-- The decoder of which only the size is said, of all parameters and of those that a token meets: a model of the catalog that has
-- it, else a shape of usual proportions.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local models = require("ballpark.catalog.models")
local shapes = require("ballpark.resolve.described_model")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local decoder_of_size = {}

-- A model of the catalog stands for a size that it has to within this share.
local CLOSE <const> = 0.02

--- Whether two counts of parameters are so far apart at most, by the logarithm of their ratio, that one model stands for both.
function decoder_of_size.is_close(apart) return apart < math.log(1 + CLOSE) end

-- Keys and values of a layer in models of today, where heads divide by them (Llama 3, Qwen 3).
local KV_HEADS <const> = 8
-- A width of an MLP is a multiple of this.
local FFN_STEP <const> = 64

--- Gives a shape an MLP of the width with which it has so many parameters.
function decoder_of_size.fit_mlp(shape, params)
  local function count(ffn) return core.params({ model = tables.with(shape, { ffn_hidden = ffn }) }).total_params end
  local least = count(FFN_STEP)
  local a_step = count(2 * FFN_STEP) - least
  shape.ffn_hidden = FFN_STEP * math.max(1, 1 + math.floor((params - least) / a_step + 0.5))
end

-- A decoder of exactly so many parameters: depth and width of usual proportions, gated, its keys and values shared by
-- heads, and an MLP that takes what is left.
local function of_size(params, seq_len)
  local billions = params / 1e9
  local usual = shapes.of({ model = ("%gB"):format(billions), params_b = billions, arch = "dense" }, seq_len)
  local shape = tables.with(usual, { gated_mlp = true, norm = "rms", qkv_bias = false, out_bias = false, mlp_bias = false,
    learned_positions = 0, kv_heads = usual.heads % KV_HEADS == 0 and KV_HEADS or usual.heads })
  shape.name = ("a model of %gB"):format(billions)
  decoder_of_size.fit_mlp(shape, params)
  return shape
end

local function rounded(value, step) return math.tointeger(step * math.max(1, math.floor(value / step + 0.5))) end

-- A width of an expert that ranks can share: a multiple of the power of two nearest below an eighth of it.
local function shared_width(width) return rounded(width, math.max(FFN_STEP, 2 ^ math.floor(math.log(width / 8, 2)))) end

-- A shape with experts of the width and the number that give it so many parameters in all and at a token, a power of two of
-- them, which ranks can share; itself where what every token meets beside the experts is more.
local function with_experts(shape, total, active)
  local counted = core.params({ model = shape })
  local one = (counted.total_params - counted.active_params) / (shape.experts - shape.topk) -- an expert, in all layers
  local base = counted.active_params - shape.topk * one
  if active <= base then return shape end
  local share = (active - base) / (total - base)
  local experts = math.tointeger(2 ^ math.ceil(math.log(shape.topk / share, 2)))
  local field = shape.moe_ffn and "moe_ffn" or "ffn_hidden"
  return tables.with(shape, { name = ("a model of %gB with %gB active"):format(total / 1e9, active / 1e9), experts = experts,
    topk = rounded(experts * share, 1), [field] = shared_width(shape[field] * (total - base) / experts / one) })
end

-- The model of experts of the catalog nearest in all its parameters and in those that a token meets, with its experts made to
-- the size where it is not as near as a model that stands for a size.
local function of_experts(f)
  local best, least
  for _, name in ipairs(models.names()) do
    local model = models.get(name)
    local ok, params = errors.attempt(core.params, { model = model })
    if ok and (model.experts or 0) > 0 then
      local apart = math.abs(math.log(params.total_params / f.params)) + math.abs(math.log(params.active_params / f.active_params))
      if not least or apart < least then best, least = model, apart end
    end
  end
  if decoder_of_size.is_close(least) then
    return best, "the shape of " .. best.name .. ", nearest in all parameters and in those that a token meets"
  end
  local made = with_experts(best, f.params, f.active_params)
  return made, ("the layers of %s, nearest in parameters, with %d experts of width %d"):format(best.name, made.experts, made.moe_ffn or made.ffn_hidden)
end

--- Refuses more parameters that a token meets than there are in all.
---@param path string
---@param params number
---@param active number
---@param hint string|nil what may be meant
function decoder_of_size.check_active(path, params, active, hint)
  if active <= params then return end
  errors.input(path, ("%s active parameters are more than all parameters, %s%s"):format(units.format(active, ""), units.format(params, ""), hint or ""))
end

--- The dense model of the catalog nearest in size, else a shape of usual proportions; of experts where fewer parameters meet a
--- token; and what was assumed.
---@param f {params: number, active_params: number|nil, seq_len: integer|nil}
---@return table model
---@return string said
function decoder_of_size.of(f)
  if f.active_params then
    decoder_of_size.check_active("active_params", f.params, f.active_params)
    return of_experts(f)
  end
  local best, least
  for _, name in ipairs({ "llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "llama-2-13b" }) do
    local model = catalog.model(name)
    local params = core.params({ model = model }).total_params
    local apart = math.abs(math.log(params / f.params))
    if not least or apart < least then best, least = model, apart end
  end
  if decoder_of_size.is_close(least) then return best, "the shape of " .. best.name .. ", nearest in size" end
  local shape = of_size(f.params, f.seq_len or 4096)
  return shape, ("%d layers of width %d, an MLP of %d: usual proportions of that size"):format(shape.layers, shape.hidden,
    shape.ffn_hidden)
end

return decoder_of_size
