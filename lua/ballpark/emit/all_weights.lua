-- Rows of trainers in whose pre-training every weight learns, in 16 bit or more: what fine-tuning adds has no setting.
local all_weights = {}

local ADAPTERS <const>, FROZEN <const> = "adapters are not a part of its pre-training", "frozen weights are not quantised"

--- The rows of settings.lua for the fields of adapters and of frozen weights.
---@type table<string, table>
all_weights.rows = {
  trained_layers = { usual = 0, cannot = "all weights learn in its pre-training" },
  lora_rank = { usual = 0, cannot = ADAPTERS },
  lora_targets = { usual = "all", cannot = ADAPTERS },
  lora_dropout = { usual = 0, cannot = ADAPTERS },
  lora_ends = { usual = false, cannot = ADAPTERS },
  base_bits = { usual = 16, cannot = FROZEN },
  base_format = { usual = "bitsandbytes", cannot = FROZEN },
}

return all_weights
