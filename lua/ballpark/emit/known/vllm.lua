-- vLLM: flags of `vllm serve`.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other
-- names, = default.
return {
  ["48ebd6f"] = {
    ["vllm/config/cache.py"] = [[
block-size int
cpu-offload-gb float =0
gpu-memory-utilization float =0.92
kv-cache-memory-bytes word
num-gpu-blocks-override int
kv-cache-dtype word auto|float16|bfloat16|fp8|fp8_e4m3|fp8_e5m2|fp8_inc|fp8_ds_mla|turboquant_k8v4|turboquant_4bit_nc|turboquant_k3v4_nc|turboquant_3bit_nc|int4_per_token_head|int8_per_token_head|fp8_per_token_head|nvfp4 =auto
no-enable-prefix-caching flag]],
    ["vllm/engine/arg_utils.py"] = [[
enable-lora flag =false]],
    ["vllm/config/lora.py"] = [[
max-lora-rank int =16
max-loras int =1]],
    ["vllm/config/parallel.py"] = [[
data-parallel-size int -dp =1
decode-context-parallel-size int -dcp =1
enable-expert-parallel flag -ep =false
pipeline-parallel-size int -pp =1
tensor-parallel-size int -tp =1]],
    ["vllm/config/vllm.py"] = [[
compilation-config word -cc -O
max-cudagraph-capture-size int
kv-transfer-config word
speculative-config word -sc]],
    ["vllm/config/speculative.py"] = [[
speculative-config.num_speculative_tokens int]],
    ["vllm/config/model.py"] = [[
enforce-eager flag =false
dtype word auto|half|float16|bfloat16|float|float32 =auto
max-model-len int
quantization word -q]],
    ["vllm/config/scheduler.py"] = [[
max-num-batched-tokens int
max-num-seqs int
no-async-scheduling flag
no-enable-chunked-prefill flag
stream-interval int =1]],
  },
}
