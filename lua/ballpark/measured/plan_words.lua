-- What sources write for parts of a training plan, in the words of frameworks and people, as the plan has them:
-- "float8 rowwise", "gradient checkpointing", "HSDP 4x32", "dp_replicate=8 dp_shard=8", "paged_adamw_8bit". Each reader
-- takes a text and gives a value; nil where the text says nothing of it. What cannot be read is refused by the caller.
local plan_words = {}

-- What the first pattern found in a lower-case text stands for; a pattern without a value means the number it captures.
local function meaning(lower, patterns)
  for _, pattern in ipairs(patterns) do
    local found = lower:match(pattern[1])
    if found then
      if pattern[2] ~= nil then return pattern[2] end
      return tonumber(found)
    end
  end
  return nil
end

-- Number formats. "mx" beside 8 bits is the format of blocks of 32 with a scale each ("FP8-MX" of Megatron-Bridge).
local formats = {
  { "nvfp4", "nvfp4" }, { "mxfp4", "nvfp4" }, { "fp4", "nvfp4" },
  { "mx.?fp8", "mxfp8" }, { "fp8.?mx", "mxfp8" }, { "mx.?float8", "mxfp8" },
  { "fp8", "fp8" }, { "float8", "fp8" }, { "e4m3", "fp8" }, { "int8", "int8" },
  { "bf16", "bf16" }, { "bfloat16", "bf16" }, { "fp16", "fp16" }, { "float16", "fp16" }, { "half", "fp16" },
  { "amp", "fp16" }, { "mixed", "bf16" }, { "16", "bf16" },
  { "tf32", "tf32" }, { "fp32", "fp32" }, { "float32", "fp32" }, { "32", "fp32" },
}

--- The format of the matmuls.
---@param text string
---@return string|nil
function plan_words.precision(text) return meaning(text:lower(), formats) end

-- Recipes of 8 bit; the short names are those of Megatron-Bridge (FP8-DS, FP8-CS, FP8-SC, FP8-MX).
local recipes = {
  { "delayed", "delayed" }, { "row.?wise", "rowwise" }, { "block.?wise", "blockwise" }, { "%d+x%d+", "blockwise" },
  { "blocks?%f[%W]", "blockwise" }, { "sub.?channel", "blockwise" }, { "tensor.?wise", "tensorwise" },
  { "current", "current" }, { "fp8.?ds%f[%W]", "delayed" }, { "fp8.?cs%f[%W]", "current" },
  { "fp8.?sc%f[%W]", "blockwise" },
}

--- How 8-bit matmuls scale their operands, of words for a precision: "float8 rowwise". nil for other formats.
---@param text string
---@return string|nil
function plan_words.fp8_recipe(text)
  return plan_words.precision(text) == "fp8" and meaning(text:lower(), recipes) or nil
end

-- Negations first. Then what keeps a part: policies of MaxText by name (minimal, save_..., ..._proj, custom), PyTorch's
-- by operation. Then whole layers, as Megatron's uniform and block methods recompute them.
local recomputations = {
  { "^none", "none" }, { "^no%f[%W]", "none" }, { "^off$", "none" }, { "^disabled?$", "none" }, { "^false$", "none" },
  { "^0$", "none" }, { "^n$", "none" }, { "^f$", "none" }, { "^without", "none" }, { "^w/o", "none" },
  { "select", "selective" }, { "%f[%w]sac%f[%W]", "selective" }, { "partial", "selective" }, { "policy", "selective" },
  { "minimal", "selective" }, { "^save", "selective" }, { "_proj%f[%W]", "selective" }, { "_proj_", "selective" },
  { "^custom", "selective" }, { "%f[%w]op%f[%W]", "selective" },
  { "full", "full" }, { "uniform", "full" }, { "^block", "full" }, { "^on$", "full" }, { "^enabled?$", "full" },
  { "^true$", "full" }, { "^yes$", "full" }, { "^1$", "full" }, { "^y$", "full" }, { "^t$", "full" },
  { "remat", "full" }, { "checkpoint", "full" }, { "^ac$", "full" }, { "^recompute", "full" },
}

--- What backward computes again: none, selective or full. MaxText's policies are selective, whatever they save.
---@param text string
---@return string|nil
function plan_words.recompute(text) return meaning(text:lower(), recomputations) end

--- Names between plus signs, commas and spaces.
---@param text string
---@return string[]
function plan_words.list(text)
  local list = {}
  for name in text:gmatch("[^+,%s]+") do list[#list + 1] = name end
  return list
end

local shardings = {
  { "zero[%s_-]?(%d)" }, { "stage%s?(%d)" }, { "zero%+%+", 3 }, { "zero.?infinity", 3 }, { "%f[%w]mics%f[%W]", 3 },
  { "grad_op", 2 }, { "no_shard", 0 }, { "fsdp", 3 }, { "full_shard", 3 }, { "full[yi]?.?shard", 3 }, { "hsdp", 3 },
  { "hybrid_shard", 3 }, { "dp_shard", 3 }, { "distributed.?optim", 1 }, { "dist.?opt", 1 }, { "ddp", 0 }, { "none", 0 },
}

--- The ZeRO stage that a label means.
---@param label string
---@return number|nil
function plan_words.zero(label) return meaning(label:lower(), shardings) end

-- Ranks that states are sharded over. FSDP1 and FSDP2 are products; HSDP 4x32 is four replicas of 32 shards each
-- (torchtitan's dp_replicate and dp_shard in that order).
local shards = {
  "dp_shard%s*[=:x ]%s*(%d+)", "shard_degree%s*[=:]?%s*(%d+)", "hybrid_shard%s*[=:]?%s*(%d+)",
  "hsdp%s*[=:(]?%s*%d+%s*[x×*]%s*(%d+)", "partition group%D*(%d+)", "fsdp[%a_]*%s*[x=×:]+%s*([%d%.]+)",
  "fsdp%s+([%d%.]+)", "fsdp(%d+)",
}

--- Ranks that states are sharded over as a label writes them (digits, with the rest of what may be no whole number of
--- them: 0.5, 1e9), or nil; "FSDP x128, DP x2".
---@param label string
---@return string|nil
function plan_words.shard(label)
  local plain = label:lower():gsub("fsdp[%s_]?v?[12]%f[%W]", "fsdp")
  for _, pattern in ipairs(shards) do
    local _, last, found = plain:find(pattern)
    if found then return found .. (plain:match("^e[+-]?%d+", last + 1) or "") end
  end
  return nil
end

--- Replicas of the shards that a label states, or nil: "dp_replicate=8", "HSDP (32 replicas)".
---@param label string
---@return integer|nil
function plan_words.replicas(label)
  local lower = label:lower()
  return math.tointeger(tonumber(lower:match("replicate[^%d,;]*(%d+)") or lower:match("(%d+)%s+replicas")))
end

--- Whether a label says that states are sharded inside a node and copied between nodes, as PyTorch's HYBRID_SHARD does
--- where nobody gives it a mesh.
---@param label string
---@return boolean
function plan_words.hybrid(label)
  local lower = label:lower()
  return lower:find("hybrid_shard", 1, true) ~= nil or lower:find("hsdp", 1, true) ~= nil
end

-- What labels call the ranks of each dimension. MaxText writes ici_tensor_parallelism=8.
local dimensions = {
  tp = { "%f[%a]tp%s*[=:x]?%s*(%d+)", "tensor[%a_]*%s*[=:x]%s*(%d+)" },
  pp = { "%f[%a]pp%s*[=:x]?%s*(%d+)", "pipeline[%a_]*%s*[=:x]%s*(%d+)", "ici_stage%s*[=:]%s*(%d+)" },
  cp = { "%f[%a]cp%s*[=:x]?%s*(%d+)", "context[%a_]*%s*[=:x]%s*(%d+)" },
  ep = { "%f[%a]ep%s*[=:x]?%s*(%d+)", "expert[%a_]*%s*[=:x]%s*(%d+)" },
}

--- Ranks by dimension that a label states beside the sharding: "FSDP 64, TP 8" → { tp = 8 }.
---@param label string
---@return table<string, integer>
function plan_words.ranks(label)
  local lower, found = label:lower(), {}
  for name, patterns in pairs(dimensions) do
    for _, pattern in ipairs(patterns) do
      local count = math.tointeger(tonumber(lower:match(pattern)))
      if count and count >= 1 then found[name] = found[name] or count end
    end
  end
  return found
end

local overlaps = {
  { "^none", false }, { "^no%f[%W]", false }, { "^off$", false }, { "^false$", false }, { "^0$", false },
  { "async", true }, { "user.?buffer", true }, { "%f[%w]ub%f[%W]", true }, { "overlap", true }, { "^on$", true },
  { "^true$", true }, { "^yes$", true }, { "^1$", true },
}

--- Whether tensor-parallel traffic runs under matmuls.
---@param text string
---@return boolean|nil
function plan_words.tp_overlap(text) return meaning(text:lower(), overlaps) end

-- Eight bits in a name are those of the moments: bitsandbytes' adamw_bnb_8bit, paged_adamw_8bit. LAMB has Adam's moments.
local optimizers = {
  { "^adam_bf16$", "adam_bf16" }, { "paged.*8.?bit", "paged_adam_8bit" }, { "8.?bit.*paged", "paged_adam_8bit" },
  { "8.?bit", "adam_8bit" }, { "adafactor", "adafactor" }, { "adam", "adam" }, { "lamb", "adam" }, { "lion", "lion" },
  { "muon", "muon" }, { "momentum", "momentum" }, { "sgd", "sgd" },
}

--- The optimizer of the plan that a name means.
---@param text string
---@return string|nil
function plan_words.optimizer(text) return meaning(text:lower(), optimizers) end

-- Names of schedules in other programs (torch.distributed.pipelining, the zero-bubble paper). Interleaved 1F1B says only
-- that there are virtual stages.
local schedules = {
  { "interleaved.?zero", "zb_h1" }, { "interleave", false }, { "vpp", false }, { "zb.?1p", "zb_h1" },
  { "zb.?2p", "zb_h2" }, { "zb.?h1", "zb_h1" }, { "zb.?h2", "zb_h2" }, { "zb.?v", "zbv" },
  { "dualpipe.?v", "dualpipe_v" }, { "dualpipe", "dualpipe" }, { "gpipe", "gpipe" }, { "looped.?bfs", "breadth_first" },
  { "breadth", "breadth_first" }, { "1f1b", "1f1b" },
}

--- The schedule of the plan that a name means; false where it means one of several chunks and no schedule of its own.
---@param text string
---@return string|false|nil
function plan_words.schedule(text) return meaning(text:lower(), schedules) end

--- Virtual stages as written: a number, "max" for one layer per chunk, or "some" for two or more.
---@param text string
---@return integer|string|nil
function plan_words.stages(text)
  local lower = text:lower()
  local count = math.tointeger(tonumber(lower)) or math.tointeger(tonumber(lower:match("^%a[%a%s=:]*x?%s*(%d+)$")))
  if count and count >= 0 then return math.max(1, count) end -- 0: no more than one
  if lower:find("^max") then return "max" end
  if lower:find("^interleave") or lower == "yes" or lower == "on" then return "some" end
  return (lower:find("^no") or lower == "off") and 1 or nil
end

local dispatchers = {
  { "hybrid.?ep", "hybridep" }, { "deep.?ep", "deepep" }, { "gather", "allgather" }, { "a2a", "alltoall" },
  { "all.?to.?all", "alltoall" },
}

--- How tokens go to experts.
---@param text string
---@return string|nil
function plan_words.dispatcher(text) return meaning(text:lower(), dispatchers) end

-- Megatron Core captures modules of a layer where it is told their names.
local graphs = {
  { "full", "full_iteration" }, { "transformer.?engine", "transformer_engine" }, { "%f[%w]te%f[%W]", "transformer_engine" },
  { "local", "local" }, { "attn", "transformer_engine" }, { "moe", "transformer_engine" },
  { "mlp", "transformer_engine" }, { "^none", "none" }, { "^no%f[%W]", "none" }, { "^off$", "none" }, { "^false$", "none" },
  { "^0$", "none" }, { "^on$", "on" }, { "^yes$", "on" }, { "^true$", "on" }, { "^1$", "on" },
}

--- What captured graphs hold.
---@param text string
---@return string|nil
function plan_words.graphs(text) return meaning(text:lower(), graphs) end

local routings = { { "balanc", "balanced" }, { "forced", "balanced" }, { "uniform", "balanced" },
  { "natural", "natural" }, { "real", "natural" }, { "learned", "natural" } }

--- Whether routing is forced to be even.
---@param text string
---@return string|nil
function plan_words.routing(text) return meaning(text:lower(), routings) end

return plan_words
