-- Fields of a plan as columns of a table of plans.
local plan_columns = {}

-- {field, usual value, title, unit}. Where all plans have the usual value people do not see the column.
local COLUMNS = {
  { "tp" }, { "pp" }, { "vpp", 1 }, { "dp" }, { "cp", 1 }, { "ep", 1 }, { "etp", 1 },
  { "first_layers", 0, "first" }, { "last_layers", 0, "last" },
  { "micro_batch", nil, "mb" }, { "zero", nil, "ZeRO" }, { "recompute", "none" },
  { "schedule", "1f1b" }, { "precision", "bf16" }, { "sequence_parallel", true },
  { "shard", nil, "sharded over" }, { "recompute_share", 1, "recomputed", "frac" },
  { "recompute_norms", false, "norms again" }, { "recompute_activation", false, "activation again" },
  { "recompute_up_proj", false, "up-projection again" }, { "recompute_mlp", false, "MLP again" },
  { "recompute_moe", false, "MoE again" }, { "recompute_shared", false, "shared experts again" },
  { "flash", true }, { "cross_entropy", "plain" }, { "overlap_dp", true }, { "overlap_tp", false },
  { "overlap_ep", false }, { "optimizer", "adam" }, { "grad_bytes", 4, "gradients", "B" },
  { "master_bytes", 4, "master copy", "B" }, { "quantized_params", false, "quantized" }, { "offload", "none" },
  { "offload_activations", 0, "activations offloaded", "frac" },
  { "lora_rank", 0, "LoRA" }, { "base_bits", 16, "base bits" }, { "rank_order", "tp-cp-dp-pp", "ranks" },
  { "split", "layers" },
}

-- States are sharded over all data-parallel ranks unless a plan says less.
local function usual_of(column, plan)
  if column[1] == "shard" then return plan.zero == 0 and plan.shard or plan.dp * plan.cp end
  return column[2]
end

local function differs(plans, column)
  for _, plan in ipairs(plans) do
    if plan[column[1]] ~= usual_of(column, plan) then return true end
  end
  return false
end

local function always(column) return column[2] == nil and column[1] ~= "shard" end

--- The columns of a table of these plans: { name, title, unit, hide }.
function plan_columns.of(plans)
  local list = {}
  for i, column in ipairs(COLUMNS) do
    list[i] = { name = column[1], title = column[3] or column[1], unit = column[4],
      hide = not always(column) and not differs(plans, column) }
  end
  return list
end

--- Puts the fields of a plan into a row of that table.
function plan_columns.fill(row, plan)
  for _, column in ipairs(COLUMNS) do row[column[1]] = plan[column[1]] end
end

return plan_columns
