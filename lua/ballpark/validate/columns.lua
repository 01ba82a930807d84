-- The columns of a table of measured training runs, and how the text of a cell becomes a value. A
-- blank cell is unknown (nil), never zero and never a default; a cell that does not read is kept as a
-- complaint of its row.
local errors = require("ballpark.errors")

local columns = {}

-- name, kind, what it holds. count: whole number of at least 1; index: of at least 0.
columns.list = {
  { "case_id", "text", "name of the row, unique" },
  { "family", "text", "group that rows belong to (source, series of runs)" },
  { "source", "text", "where it was published" },
  { "year", "count", "year of the software" },
  { "model", "text", "published name of the model" },
  { "arch", "text", "dense, moe, encoder or vision" },
  { "params_b", "number", "parameters in billions, as stated" },
  { "layers", "count", "transformer layers" },
  { "hidden", "count", "width of the residual stream" },
  { "heads", "count", "attention heads" },
  { "kv_heads", "count", "key/value heads" },
  { "ffn_hidden", "count", "width of the feed-forward part; of one expert in a MoE model" },
  { "vocab", "count", "vocabulary rows" },
  { "experts", "index", "routed experts of a MoE layer" },
  { "topk", "index", "experts a token visits" },
  { "seq_len", "count", "tokens of a sequence" },
  { "gpu", "text", "device, a catalog name or a common label" },
  { "gpu_label", "text", "device as the source calls it" },
  { "gpus", "count", "devices in all" },
  { "gpus_per_node", "count", "devices in one host" },
  { "interconnect_intra", "text", "links inside a node, in words" },
  { "interconnect_inter", "text", "network between nodes, in words" },
  { "precision", "text", "format of the matmuls" },
  { "flash", "flag", "fused attention" },
  { "tp", "count", "tensor-parallel ranks" },
  { "pp", "count", "pipeline stages" },
  { "vpp", "text", "virtual stages per device; 'max' = one layer per chunk" },
  { "dp", "count", "ranks that split the batch" },
  { "cp", "count", "context-parallel ranks" },
  { "ep", "count", "expert-parallel ranks" },
  { "zero", "index", "ZeRO stage, 3 for FSDP" },
  { "sharding_label", "text", "sharding in words: 'FSDP x128, DP x2'" },
  { "sequence_parallel", "flag", "activations between tensor-parallel regions are split" },
  { "recompute", "text", "none, selective or full" },
  { "micro_batch", "count", "sequences of a micro-batch" },
  { "global_batch_seqs", "count", "sequences of a step" },
  { "step_s", "number", "measured seconds of a step" },
  { "tokens_per_s_per_gpu", "number", "measured tokens per second and device" },
  { "tflops_per_gpu", "number", "measured TFLOP/s per device, by flops_convention" },
  { "flops_convention", "text", "hw_with_recompute, model or unknown" },
  { "mfu_pct", "number", "measured model FLOP utilisation in percent" },
  { "peak_mem", "number", "measured peak memory per device in GiB" },
  { "framework", "text", "training software" },
}

-- Accepted and not needed: facts beside the numbers.
columns.beside = { "precision_label", "complete", "notes" }

columns.required = { "case_id", "model", "gpu", "gpus", "seq_len", "global_batch_seqs" }

columns.targets = { "tokens_per_s_per_gpu", "step_s", "tflops_per_gpu", "mfu_pct", "peak_mem" }

local flags = { ["1"] = true, ["true"] = true, yes = true, ["0"] = false, ["false"] = false, no = false }

local blanks = { [""] = true, na = true, ["n/a"] = true, nan = true }

local function number_of(text)
  if not text:find("^[+-]?%.?%d[%d%.]*[eE]?[+-]?%d*$") then return nil end
  local value = tonumber(text)
  return value and value < math.huge and value or nil
end

local function whole_of(text, least)
  local value = number_of(text)
  local whole = value and math.tointeger(value)
  return whole and whole >= least and whole or nil
end

-- Value of a cell by its kind, or nil and what was expected.
local readers = {
  text = function(text) return text end,
  number = function(text)
    local value = number_of(text)
    if value and value > 0 then return value end
    return nil, "a number above 0"
  end,
  count = function(text)
    local value = whole_of(text, 1)
    if value then return value end
    return nil, "a whole number of at least 1"
  end,
  index = function(text)
    local value = whole_of(text, 0)
    if value then return value end
    return nil, "a whole number of at least 0"
  end,
  flag = function(text)
    local value = flags[text:lower()]
    if value ~= nil then return value end
    return nil, "1, 0, true or false"
  end,
}

local function is_blank(text, kind)
  return text == "" or (kind ~= "text" and blanks[text:lower()])
end

--- The row of typed values in `cells`; `wrong` is what does not read, or nil. `params_digits` is the
--- rounding of params_b (half a unit of its last digit) in billions.
---@param cells table<string, string>
---@return table row
function columns.row(cells)
  local row = {}
  for _, column in ipairs(columns.list) do
    local name, kind = column[1], column[2]
    local text = (cells[name] or ""):match("^%s*(.-)%s*$")
    if not is_blank(text, kind) then
      local value, expected = readers[kind](text)
      row[name] = value
      if value == nil and not row.wrong then
        row.wrong = ("%s: '%s' is not %s"):format(name, text, expected)
      end
    end
  end
  local decimals = (cells.params_b or ""):match("%.(%d+)%s*$")
  row.params_rounding_b = 0.5 * 10.0 ^ -(decimals and #decimals or 0)
  return row
end

local function contains(list, name)
  for _, known in ipairs(list) do
    if known == name then return true end
  end
  return false
end

local function missing_of(header)
  local missing = {}
  for _, name in ipairs(columns.required) do
    if not contains(header, name) then missing[#missing + 1] = name end
  end
  for _, name in ipairs(columns.targets) do
    if contains(header, name) then return missing end
  end
  missing[#missing + 1] = "one of " .. table.concat(columns.targets, ", ")
  return missing
end

--- Checks a header: missing columns are an error, unknown ones are returned.
---@param header string[]
---@param name string the file's name
---@return string[] ignored
function columns.check(header, name)
  local missing = missing_of(header)
  if #missing > 0 then
    errors.input(name, "columns missing: " .. table.concat(missing, ", "))
  end
  local known = table.move(columns.beside, 1, #columns.beside, 1, {})
  for _, column in ipairs(columns.list) do known[#known + 1] = column[1] end
  local ignored = {}
  for _, column in ipairs(header) do
    if not contains(known, column) then ignored[#ignored + 1] = column end
  end
  return ignored
end

return columns
