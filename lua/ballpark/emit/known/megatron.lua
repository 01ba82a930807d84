-- Megatron-LM: flags of pretrain_gpt.py.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other names.
return {
  ["d98e8a6"] = {
    ["megatron/core/transformer/transformer_config.py"] = [[
account-for-embedding-in-pipeline-split flag
account-for-loss-in-pipeline-split flag
add-qkv-bias flag
attention-backend word flash|fused|unfused|local|auto
disable-bias-linear flag
ffn-hidden-size int
fp4-format word e2m1
fp4-recipe word nvfp4|custom
fp8-format word e4m3|hybrid
fp8-recipe word tensorwise|delayed|mxfp8|blockwise|custom
hidden-size int
kv-channels int
moe-ffn-hidden-size int
moe-grouped-gemm flag
moe-router-enable-expert-bias flag
moe-router-group-topk int
moe-router-num-groups int
moe-router-pre-softmax flag
moe-router-score-function word softmax|sigmoid|sqrtsoftplus
moe-router-topk int
moe-router-topk-scaling-factor float
moe-shared-expert-intermediate-size int
moe-token-dispatcher-type word allgather|alltoall|flex
mtp-num-layers int
multi-latent-attention flag
normalization word LayerNorm|RMSNorm
num-attention-heads int
num-layers int
num-query-groups int
qk-layernorm flag
recompute-granularity word full|selective
recompute-method word uniform|block
recompute-modules list
recompute-num-layers int]],
    ["megatron/training/arguments.py"] = [[
accumulate-allreduce-grads-in-fp32 flag
cp-comm-type word
data-parallel-sharding-strategy word no_shard|optim|optim_grads|optim_grads_params
decoder-first-pipeline-num-layers int
decoder-last-pipeline-num-layers int
exp-avg-dtype word fp32|fp16|bf16|fp8
exp-avg-sq-dtype word fp32|fp16|bf16|fp8
fp8-param-gather flag
grad-reduce-in-bf16 flag
group-query-attention flag
kv-lora-rank int
max-position-embeddings int
moe-layer-freq word
num-distributed-optimizer-instances int
num-experts int
num-layers-per-virtual-pipeline-stage int
num-virtual-stages-per-pipeline-rank int
optimizer word adam|sgd|muon|dist_muon|lion|soap|adaptive_muon
optimizer-cpu-offload flag
optimizer-offload-fraction float
overlap-grad-reduce flag
overlap-param-gather flag
pipeline-model-parallel-layout word
position-embedding-type word learned_absolute|rope|yarn|mrope|relative|none
q-lora-rank int
qk-head-dim int
qk-pos-emb-head-dim int
recompute-activations flag
rope-scaling-factor float
rotary-base int
rotary-percent float
rotary-seq-len-interpolation-factor int
seq-length int
sgd-momentum float
swiglu flag
untie-embeddings-and-output-weights flag
use-distributed-optimizer flag
use-precision-aware-optimizer flag
use-rope-scaling flag
v-head-dim int]],
    ["megatron/core/model_parallel_config.py"] = [[
bf16 flag
context-parallel-size int
cpu-offloading-num-layers int
cross-entropy-loss-fusion flag
delay-wgrad-compute flag
expert-model-parallel-size int
expert-tensor-parallel-size int
fp16 flag
microbatch-group-size-per-virtual-pipeline-stage int
overlap-moe-expert-parallel-comm flag
pipeline-model-parallel-size int
sequence-parallel flag
tensor-model-parallel-size int
tp-comm-overlap flag]],
    ["megatron/training/config/training_config.py"] = [[
ckpt-format word torch|torch_dist|torch_dcp|fsdp_dtensor
global-batch-size int
micro-batch-size int
train-iters int
vocab-size int]],
    ["megatron/training/config/common_config.py"] = [[
use-megatron-fsdp flag
use-tp-pp-dp-mapping flag]],
  },
}
