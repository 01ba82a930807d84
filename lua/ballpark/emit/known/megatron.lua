-- Megatron-LM: flags of pretrain_gpt.py.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other
-- names, = default.
return {
  ["d98e8a6"] = {
    ["megatron/core/transformer/transformer_config.py"] = [[
account-for-embedding-in-pipeline-split flag =false
account-for-loss-in-pipeline-split flag =false
add-qkv-bias flag =false
attention-backend word flash|fused|unfused|local|auto =5
disable-bias-linear flag =true
ffn-hidden-size int
fp4-format word e2m1
fp4-recipe word nvfp4|custom =nvfp4
fp8-format word e4m3|hybrid
fp8-recipe word tensorwise|delayed|mxfp8|blockwise|custom =delayed
hidden-size int
kv-channels int
moe-ffn-hidden-size int
moe-grouped-gemm flag =false
moe-router-enable-expert-bias flag =false
moe-router-group-topk int
moe-router-num-groups int
moe-router-pre-softmax flag =false
moe-router-score-function word softmax|sigmoid|sqrtsoftplus =softmax
moe-router-topk int =2
moe-router-topk-scaling-factor float
moe-shared-expert-intermediate-size int
moe-token-dispatcher-type word allgather|alltoall|flex =allgather
mtp-num-layers int
multi-latent-attention flag =false
normalization word LayerNorm|RMSNorm =LayerNorm
num-attention-heads int
num-layers int
num-query-groups int =1
qk-layernorm flag =false
recompute-granularity word full|selective
recompute-method word uniform|block
recompute-modules list
recompute-num-layers int]],
    ["megatron/training/arguments.py"] = [[
accumulate-allreduce-grads-in-fp32 flag =false
cp-comm-type word
data-parallel-sharding-strategy word no_shard|optim|optim_grads|optim_grads_params =optim_grads_params
decoder-first-pipeline-num-layers int
decoder-last-pipeline-num-layers int
exp-avg-dtype word fp32|fp16|bf16|fp8 =fp32
exp-avg-sq-dtype word fp32|fp16|bf16|fp8 =fp32
main-grads-dtype word fp32|bf16 =fp32
main-params-dtype word fp32|fp16 =fp32
fp8-param-gather flag =false
grad-reduce-in-bf16 flag =false
group-query-attention flag =false
kv-lora-rank int =32
max-position-embeddings int
moe-layer-freq word =1
num-distributed-optimizer-instances int =1
num-experts int
num-layers-per-virtual-pipeline-stage int
num-virtual-stages-per-pipeline-rank int
optimizer word adam|sgd|muon|dist_muon|lion|soap|adaptive_muon =adam
optimizer-cpu-offload flag =false
optimizer-offload-fraction float =1.0
overlap-grad-reduce flag =false
overlap-param-gather flag =false
pipeline-model-parallel-layout word
position-embedding-type word learned_absolute|rope|yarn|mrope|relative|none =learned_absolute
q-lora-rank int
qk-head-dim int =128
qk-pos-emb-head-dim int =64
recompute-activations flag =false
rope-scaling-factor float =8.0
rotary-base int =10000
rotary-percent float =1.0
rotary-seq-len-interpolation-factor int
seq-length int
sgd-momentum float =0.9
swiglu flag =false
untie-embeddings-and-output-weights flag =false
use-distributed-optimizer flag =false
use-precision-aware-optimizer flag =false
use-rope-scaling flag =false
v-head-dim int =128]],
    ["megatron/core/model_parallel_config.py"] = [[
bf16 flag =false
context-parallel-size int =1
cpu-offloading-num-layers int =0
cross-entropy-loss-fusion flag =false
delay-wgrad-compute flag =false
expert-model-parallel-size int =1
expert-tensor-parallel-size int
fp16 flag =false
microbatch-group-size-per-virtual-pipeline-stage int
overlap-moe-expert-parallel-comm flag =false
pipeline-model-parallel-size int =1
sequence-parallel flag =false
tensor-model-parallel-size int =1
tp-comm-overlap flag =false]],
    ["megatron/training/config/training_config.py"] = [[
ckpt-format word torch|torch_dist|torch_dcp|fsdp_dtensor =torch_dist
global-batch-size int
micro-batch-size int
train-iters int
train-samples int
vocab-size int]],
    ["megatron/training/config/common_config.py"] = [[
use-megatron-fsdp flag =false
use-tp-pp-dp-mapping flag =false]],
  },
}
