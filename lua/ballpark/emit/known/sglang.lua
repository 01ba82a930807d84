-- SGLang: flags of its server.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other
-- names, = default.
return {
  ["c18919f"] = {
    ["python/sglang/srt/server_args.py"] = [[
chunked-prefill-size int
cpu-offload-gb int =0
context-length int
cuda-graph-max-bs-decode int
disable-cuda-graph flag =false
disable-overlap-schedule flag =false
disable-radix-cache flag =false
disaggregation-mode word null|prefill|decode
disaggregation-transfer-backend word mooncake|nixl|ascend|fake|mori|mooncake_tcp =mooncake
dist-init-addr word --nccl-init-addr
dp-size int --data-parallel-size =1
enable-dp-attention flag =false
enable-lora flag =false
ep-size int --expert-parallel-size --ep =1
dtype word auto|half|float16|bfloat16|float|float32 =auto
kv-cache-dtype word auto|fp8_e5m2|fp8_e4m3|mxfp8|bf16|bfloat16|nvfp4|fp4_mx_block16|fp4_e2m1 =auto
max-lora-rank int
max-loras-per-batch int =8
max-prefill-tokens int =16384
max-running-requests int
max-total-tokens int
mem-fraction-static float
model-path word --model
nnodes int =1
node-rank int =0
page-size int
pp-size int --pipeline-parallel-size =1
quantization word awq|fp8|mxfp8|gptq|marlin|gptq_marlin|awq_marlin|bitsandbytes|gguf|modelopt|modelopt_fp8|modelopt_fp4|nvfp4_online|modelopt_mixed|petit_nvfp4|w8a8_int8|w8a8_fp8|moe_wna16|w4afp8|mxfp4|auto-round|auto-round-int8|compressed-tensors|modelslim|mxfp_w4a8|quark|quark_int4fp8_moe|quark_mxfp4|mlx_q4|mlx_q8|unquant|humming
scheduler-recv-interval int =1
speculative-algorithm word
speculative-eagle-topk int
speculative-num-draft-tokens int
speculative-num-steps int
stream-interval int =1
tp-size int --tensor-parallel-size =1]],
  },
}
