-- MaxText: keys of its YAML configuration.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other
-- names, = default.
return {
  ["0.2.4"] = {
    ["src/maxtext/configs/base.yml"] = [[
attention word =autoselected
base_emb_dim int =2048
base_mlp_dim int =7168
base_moe_mlp_dim int =-1
base_num_decoder_layers int =16
base_num_kv_heads int =16
base_num_query_heads int =16
dcn_context_parallelism int =1
dcn_data_parallelism int =-1
dcn_expert_parallelism int =1
dcn_fsdp_parallelism int =1
dcn_pipeline_parallelism int =1
dcn_tensor_parallelism int =1
dcn_tensor_sequence_parallelism int =1
dtype word bfloat16|float32|float16 =bfloat16
grad_dtype word bfloat16|float32|float16 =float32
gradient_accumulation_steps int =1
head_dim int =128
ici_context_parallelism int =1
ici_data_parallelism int =1
ici_expert_parallelism int =1
ici_fsdp_parallelism int =-1
ici_pipeline_parallelism int =1
ici_tensor_parallelism int =1
ici_tensor_sequence_parallelism int =1
logits_via_embedding flag =false
max_target_length int =2048
mu_dtype word
num_experts int =1
num_experts_per_tok int =1
num_layers_per_pipeline_stage int =1
num_pipeline_microbatches int =-1
num_pipeline_repeats int =-1
opt_type word adamw|adam_pax|sgd|muon =adamw
optimizer_memory_host_offload flag =false
parameter_memory_host_offload flag =false
per_device_batch_size float =12.0
quantization word ""|fp4|int4|int8|intmp|fp8_e5m2|fp8_e4m3|fp8|nanoo_fp8|fp8_nanoo|fp8_gpu|fp8_full|te_fp8_delayedscaling|te_fp8_currentscaling|te_mxfp8|te_nvfp4|te_nvfp4_no_rht
remat_policy word full|minimal|save_dot_with_context_except_mlp|save_dot_except_mlpwi|save_dot_except_mlp|save_qkv_proj|qkv_proj_offloaded|custom|minimal_offloaded|save_out_proj =full
rope_max_timescale int =10000
shard_optimizer_over_data flag =false
steps int =150001
vocab_size int =32000
weight_dtype word bfloat16|float32|float16 =float32]],
  },
}
