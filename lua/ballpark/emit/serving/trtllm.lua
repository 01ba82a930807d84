-- TensorRT-LLM: a shell script around `trtllm-serve`; what it has no flag for goes into a YAML file.
local backwards = require("ballpark.emit.backwards")
local rows = require("ballpark.emit.serving.rows")
local script = require("ballpark.emit.serving.script")
local write = require("ballpark.emit.write")

local trtllm = { title = "TensorRT-LLM", engine = "trtllm", length = "max_seq_len",
  plain = { ["yaml:cache_transceiver_config.backend"] = true, ["yaml:cache_transceiver_config.max_tokens_in_buffer"] = true,
    ["yaml:speculative_config.decoding_type"] = true },
  versions = { { name = "0004396" } } }

-- Settings of the YAML file are marked by this in front of their path.
local YAML <const> = "yaml:"

-- All ranks of a stage; with attention in groups each group is one of them.
local function groups(value, c)
  local set = { { "tp_size", c.plan.tp * value } }
  if value > 1 and c.plan.tp == 1 then set[2] = { YAML .. "enable_attention_dp", true } end
  return set
end

local function cannot_groups(value, c)
  return value > 1 and c.plan.tp > 1 and "enable_attention_dp makes groups of one rank only" or nil
end

local function evicts(value)
  return { { YAML .. "scheduler_config.capacity_scheduler_policy",
    value and "GUARANTEED_NO_EVICT" or "MAX_UTILIZATION" } }
end

local function drafted(set)
  return set[YAML .. "speculative_config.max_draft_len"] or set[YAML .. "speculative_config.num_nextn_predict_layers"]
end

trtllm.rows = {
  tp = { implied = function() return true end, read = function(set, c) -- with dp
    return set[YAML .. "enable_attention_dp"] and 1 or backwards.times(set.tp_size, c.plan.dp)
  end },
  pp = { name = "pp_size" }, dp = { set = groups, cannot = cannot_groups,
    read = function(set) return set[YAML .. "enable_attention_dp"] and set.tp_size or 1 end }, cp = rows.cp(),
  ep = { usual = 1, name = "ep_size" },
  weights = rows.weights({}), experts = rows.experts(), activations = rows.activations(),
  kv = rows.kv(YAML .. "kv_cache_config.dtype", { bf16 = "bfloat16", fp8 = "fp8" }),
  draft_tokens = rows.draft_tokens("speculative_config of the YAML file", drafted), acceptance = rows.acceptance(),
  policy = rows.policy("mixed"), token_budget = { name = "max_num_tokens" },
  max_running = { name = "max_batch_size" },
  chunked_prefill = { set = function(value) return { { YAML .. "enable_chunked_prefill", value } } end },
  prefix_cache = rows.prefix_cache({ YAML .. "kv_cache_config.enable_block_reuse", false }),
  reserve_output = { set = evicts },
  memory_frac = rows.memory("kv_cache_free_gpu_memory_fraction", "free"),
  block_tokens = { name = YAML .. "kv_cache_config.tokens_per_block" },
  recv_interval = { usual = 1, cannot = "new requests are looked for in every step" },
  stream_interval = { usual = 1, name = YAML .. "stream_interval" },
  batch_wait = { usual = 0, name = YAML .. "batch_wait_timeout_iters" },
  max_loras = rows.adapters(YAML .. "lora_config.max_loras"),
  max_lora_rank = { usual = 16, name = YAML .. "lora_config.max_lora_rank" },
  overlap = rows.overlap(YAML .. "disable_overlap_scheduler"),
  graph_tokens = { name = YAML .. "cuda_graph_config.max_batch_size" },
}

--- Tokens of the KV cache where the file says them.
function trtllm.pool(set) return set[YAML .. "kv_cache_config.max_tokens"] end

--- What belongs to no field: nodes.
function trtllm.shape(c)
  if c.nodes == 1 then return {}, {} end
  return {}, { { field = "cluster.nodes", value = c.nodes,
    reason = "start one process per device with mpirun or srun and trtllm-llmapi-launch" } }
end

-- Lines of YAML, two levels at most; keys of one section follow each other.
local function yaml(settings)
  local order, sections, lines = {}, {}, {}
  for _, pair in ipairs(settings) do
    local section, key = pair[1]:match("^([%w_]+)%.([%w_]+)$")
    local name = section or pair[1]
    if not sections[name] then
      sections[name] = { plain = not section and write.toml(pair[2]) }
      order[#order + 1] = name
    end
    if section then table.insert(sections[name], "  " .. key .. ": " .. write.toml(pair[2])) end
  end
  for _, name in ipairs(order) do
    local section = sections[name]
    lines[#lines + 1] = name .. ":" .. (section.plain and " " .. section.plain or "")
    table.move(section, 1, #section, #lines + 1, lines)
  end
  return table.concat(lines, "\n")
end

--- The command that starts a replica.
function trtllm.body(settings)
  local flags, file = {}, {}
  for _, pair in ipairs(settings) do
    local path = pair[1]:match("^" .. YAML .. "(.*)$")
    if path then file[#file + 1] = { path, pair[2] } else flags[#flags + 1] = pair end
  end
  return script.command(flags, "OPTIONS=$(mktemp --suffix=.yaml)\n"
    .. "cat > \"$OPTIONS\" <<'YAML'\n"
    .. yaml(file) .. "\nYAML\nexec trtllm-serve \"${MODEL:?a checkpoint}\" "
    .. "--extra_llm_api_options \"$OPTIONS\" \"${ARGS[@]}\" \"$@\"\n")
end

--- What sends the KV cache; prefill replicas cannot plan a step while one runs.
function trtllm.connect(role, c)
  local set = { { YAML .. "cache_transceiver_config.backend", "DEFAULT" } }
  if c.longest then set[2] = { YAML .. "cache_transceiver_config.max_tokens_in_buffer", c.longest } end
  if role == "prefill" then set[#set + 1] = { YAML .. "disable_overlap_scheduler", true } end
  return set, "cache_transceiver_config as in TensorRT-LLM's documentation of 1.0 (2025): check it with your version"
end

--- What is in front of both.
trtllm.router = [[
CONFIG=$(mktemp --suffix=.yaml)
servers() {
    printf '%s:\n  num_instances: %d\n  urls:\n' "$1" $(($# - 1))
    printf '    - "%s"\n' "${@:2}"
}
{
    printf 'hostname: 0.0.0.0\nport: 8000\nbackend: pytorch\n'
    servers context_servers ${PROMPTS:?HOST:PORT of each prefill replica}
    servers generation_servers ${ANSWERS:?HOST:PORT of each replica for answers}
} >"$CONFIG"
exec trtllm-serve disaggregated -c "$CONFIG" "$@"
]]
trtllm.router_doubt = "its default deals requests in turn, the estimate looks at the requests in flight"

return trtllm
