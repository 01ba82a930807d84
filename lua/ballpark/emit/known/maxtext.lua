-- MaxText: keys of its YAML configuration.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other names.
return {
  ["0.2.4"] = {
    ["src/maxtext/configs/base.yml"] = [[
attention word
base_emb_dim int
base_mlp_dim int
base_moe_mlp_dim int
base_num_decoder_layers int
base_num_kv_heads int
base_num_query_heads int
dcn_context_parallelism int
dcn_data_parallelism int
dcn_expert_parallelism int
dcn_fsdp_parallelism int
dcn_pipeline_parallelism int
dcn_tensor_parallelism int
dcn_tensor_sequence_parallelism int
dtype word bfloat16|float32|float16
grad_dtype word bfloat16|float32|float16
gradient_accumulation_steps int
head_dim int
ici_context_parallelism int
ici_data_parallelism int
ici_expert_parallelism int
ici_fsdp_parallelism int
ici_pipeline_parallelism int
ici_tensor_parallelism int
ici_tensor_sequence_parallelism int
logits_via_embedding flag
max_target_length int
mu_dtype word
num_experts int
num_experts_per_tok int
num_layers_per_pipeline_stage int
num_pipeline_microbatches int
num_pipeline_repeats int
opt_type word adamw|adam_pax|sgd|muon
optimizer_memory_host_offload flag
parameter_memory_host_offload flag
per_device_batch_size float
quantization word ""|fp4|int4|int8|intmp|fp8_e5m2|fp8_e4m3|fp8|nanoo_fp8|fp8_nanoo|fp8_gpu|fp8_full|te_fp8_delayedscaling|te_fp8_currentscaling|te_mxfp8|te_nvfp4|te_nvfp4_no_rht
remat_policy word full|minimal|save_dot_with_context_except_mlp|save_dot_except_mlpwi|save_dot_except_mlp|save_qkv_proj|qkv_proj_offloaded|custom|minimal_offloaded|save_out_proj
rope_max_timescale int
shard_optimizer_over_data flag
steps int
vocab_size int
weight_dtype word bfloat16|float32|float16]],
  },
}
