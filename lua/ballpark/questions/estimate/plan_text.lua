-- A plan in words for people.
local plan_text = {}

-- Fields shown only when they differ from what every plan has.
local ALWAYS = { "tp", "pp", "dp" }
local END_STAGES = { "first", "last" } -- stages whose layers a plan may give
local WHEN_ABOVE_ONE = { "vpp", "cp", "ep", "etp" }

-- What else a plan may have, said where it is not as usual: {field, usual value, words for any other}.
local SELDOM = {
  { "recompute_norms", false, "norms recomputed" },
  { "recompute_activation", false, "activation function recomputed" },
  { "recompute_up_proj", false, "MLA's up-projection recomputed" },
  { "recompute_mlp", false, "MLP recomputed" },
  { "recompute_moe", false, "MoE recomputed" },
  { "recompute_shared", false, "shared experts recomputed" },
  { "flash", true, "no fused attention" },
  { "cross_entropy", "plain", "%s cross-entropy" },
  { "overlap_dp", true, "no overlap of data-parallel traffic" },
  { "overlap_tp", false, "overlap of tensor-parallel traffic" },
  { "overlap_ep", false, "overlap of expert traffic" },
  { "optimizer", "adam", "optimizer %s" },
  { "grad_bytes", 4, "gradients of %d bytes" },
  { "master_bytes", 4, "no master copy" },
  { "quantized_params", false, "quantized weights only" },
  { "offload", "none", "offload %s" },
  { "offload_activations", 0, "activations offloaded (%g of them)" },
  { "lora_rank", 0, "LoRA of rank %d" },
  { "base_bits", 16, "base in %d bits" },
  { "rank_order", "tp-cp-dp-pp", "ranks %s" },
  { "split", "layers", "stages of equal %s" },
}

local function add_seldom(add, plan)
  local shard, ranks = plan.shard or 0, (plan.dp or 1) * (plan.cp or 1)
  if (plan.zero or 0) > 0 and shard > 0 and shard < ranks then add(("sharded over %d"):format(shard)) end
  for _, field in ipairs(SELDOM) do
    local value = plan[field[1]]
    if value ~= nil and value ~= field[2] then add(field[3]:format(value)) end
  end
end

--- Whether backward computes single modules again.
function plan_text.remakes(plan)
  for _, field in ipairs(SELDOM) do
    if field[1]:find("^recompute_") and plan[field[1]] then return true end
  end
  return false
end

local function recompute(plan)
  if plan.recompute == "none" or not plan.recompute then
    return not plan_text.remakes(plan) and "no recompute" or nil
  end
  local share = plan.recompute_share
  if share and share < 1 then
    return string.format("%s recompute of %d %% of layers", plan.recompute, math.floor(100 * share + 0.5))
  end
  return plan.recompute .. " recompute"
end

--- "tp 4, pp 4, dp 8, micro-batch 1, ZeRO 1, no recompute, bf16".
function plan_text.words(plan)
  local words = {}
  local function add(text) words[#words + 1] = text end
  for _, field in ipairs(ALWAYS) do
    if plan[field] ~= 0 then add(field .. " " .. tostring(plan[field] or 1)) end -- a dp that does not exist
  end
  for _, field in ipairs(WHEN_ABOVE_ONE) do
    if (plan[field] or 1) > 1 then add(field .. " " .. tostring(plan[field])) end
  end
  for _, stage in ipairs(END_STAGES) do
    local layers = plan[stage .. "_layers"] or 0
    if layers > 0 then add(("%d layers on the %s stage"):format(layers, stage)) end
  end
  add("micro-batch " .. tostring(plan.micro_batch or 1))
  add(plan.zero == 3 and "ZeRO 3 (FSDP)" or ("ZeRO " .. tostring(plan.zero or 1)))
  local again = recompute(plan)
  if again then add(again) end
  if plan.schedule and plan.schedule ~= "1f1b" then add(plan.schedule) end
  if plan.tp and plan.tp > 1 and plan.sequence_parallel == false then add("no sequence parallel") end
  add(plan.precision or "bf16")
  add_seldom(add, plan)
  return table.concat(words, ", ")
end

--- "tp 4 pp 4 dp 8 mb 1 ZeRO 1 full": for tables.
function plan_text.short(plan)
  local words = {}
  for _, field in ipairs(ALWAYS) do
    if plan[field] ~= 0 then words[#words + 1] = field .. " " .. tostring(plan[field]) end
  end
  for _, field in ipairs(WHEN_ABOVE_ONE) do
    if (plan[field] or 1) > 1 then words[#words + 1] = field .. " " .. tostring(plan[field]) end
  end
  for _, stage in ipairs(END_STAGES) do
    local layers = plan[stage .. "_layers"] or 0
    if layers > 0 then words[#words + 1] = stage .. " " .. layers end
  end
  words[#words + 1] = "mb " .. tostring(plan.micro_batch)
  words[#words + 1] = "ZeRO " .. tostring(plan.zero)
  if plan.recompute ~= "none" then words[#words + 1] = plan.recompute end
  return table.concat(words, " ")
end

return plan_text
