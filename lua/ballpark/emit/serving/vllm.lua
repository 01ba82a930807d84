-- vLLM: a shell script around `vllm serve`.
local rows = require("ballpark.emit.serving.rows")
local script = require("ballpark.emit.serving.script")

local vllm = { title = "vLLM", engine = "vllm", length = "max-model-len", plain = rows.plain,
  versions = { { name = "48ebd6f", date = "2026-07-26" } } }

-- Experts are dealt to all ranks of a stage or sliced over them.
local function ep(value, c)
  return value > 1 and value == c.plan.tp * c.plan.dp and { { "enable-expert-parallel", true } } or nil
end

local function cannot_ep(value, c)
  return value > 1 and value ~= c.plan.tp * c.plan.dp
    and "--enable-expert-parallel deals experts to all tensor- and data-parallel ranks" or nil
end

-- Tokens that a draft writes ahead, by a text of JSON or by its key alone.
local function drafted(set)
  return set["speculative-config.num_speculative_tokens"]
    or tostring(set["speculative-config"] or ""):match('"num_speculative_tokens"%s*:%s*(%d+)')
end

vllm.rows = {
  tp = { name = "tensor-parallel-size" }, pp = { name = "pipeline-parallel-size" },
  dp = { name = "data-parallel-size" }, cp = rows.cp(),
  ep = { usual = 1, set = ep, cannot = cannot_ep, read = function(set, c)
    return set["enable-expert-parallel"] and c.plan.tp * c.plan.dp or 1
  end },
  weights = rows.weights({ fp8 = "fp8" }, "quantization"), experts = rows.experts(),
  activations = rows.activations(), kv = rows.kv("kv-cache-dtype", { bf16 = "bfloat16", fp8 = "fp8", half = "float16" }),
  draft_tokens = rows.draft_tokens("--speculative-config", drafted), acceptance = rows.acceptance(),
  policy = rows.policy("mixed"), token_budget = { name = "max-num-batched-tokens" },
  max_running = { name = "max-num-seqs" },
  chunked_prefill = { usual = true, set = function() return { { "no-enable-chunked-prefill", true } } end },
  prefix_cache = rows.prefix_cache({ "no-enable-prefix-caching", true }),
  reserve_output = { usual = false, cannot = "memory is given as answers grow" },
  memory_frac = rows.memory("gpu-memory-utilization", "device"), block_tokens = { name = "block-size" },
  recv_interval = { usual = 1, cannot = "new requests are looked for in every step" },
  stream_interval = { usual = 1, name = "stream-interval" },
  batch_wait = { usual = 0, cannot = "prompts do not wait for company" },
  max_loras = rows.adapters("max-loras", "enable-lora"), max_lora_rank = { usual = 16, name = "max-lora-rank" },
  overlap = rows.overlap("no-async-scheduling"),
  graph_tokens = rows.graphs("enforce-eager", { usual = 512, cannot = "set the sizes of captured graphs in --compilation-config" }),
}

--- Tokens of the KV cache where the file says its blocks.
function vllm.pool(set, c)
  return set["num-gpu-blocks-override"] and set["num-gpu-blocks-override"] * c.engine.block_tokens
end

--- What belongs to no field: 16 bit of a device without bf16, and nodes.
function vllm.shape(c)
  local found = rows.half(c)
  if c.nodes == 1 then return found, {} end
  return found, { { field = "cluster.nodes", value = c.nodes,
    reason = "join the nodes first (a Ray cluster, or one process per node)" } }
end

--- The command that starts a replica; one that sends the KV cache, or takes it, says where it is reached.
function vllm.body(settings, _, is_apart)
  local channel = is_apart and "export VLLM_NIXL_SIDE_CHANNEL_HOST=\"${HOST:?the address of this node}\"\n" or ""
  return script.command(settings, channel .. "exec vllm serve \"${MODEL:?a checkpoint}\" \"${ARGS[@]}\" \"$@\"\n")
end

--- What sends the KV cache from prefill to decode: the same for both, the router tells them apart.
function vllm.connect()
  return { { "kv-transfer-config", '{"kv_connector":"NixlConnector","kv_role":"kv_both"}' } },
    "NixlConnector as in vLLM's documentation of 2025; needs the package nixl: check both with your version"
end

--- What is in front of both: vLLM's example of one.
vllm.router = [[
read -ra prompts <<<"${PROMPTS:?HOST:PORT of each prefill replica}"
read -ra answers <<<"${ANSWERS:?HOST:PORT of each replica for answers}"
exec python3 "${VLLM:?its sources}/tests/v1/kv_connector/nixl_integration/toy_proxy_server.py" \
    --prefiller-hosts "${prompts[@]%:*}" --prefiller-ports "${prompts[@]##*:}" \
    --decoder-hosts "${answers[@]%:*}" --decoder-ports "${answers[@]##*:}" "$@"
]]
vllm.router_doubt = "the proxy of vLLM's own tests, to try it out: for users take the router of your platform"

return vllm
