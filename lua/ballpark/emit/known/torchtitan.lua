-- torchtitan: section.key of its TOML file or of its command line.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other names.
return {
  ["238fa99"] = {
    ["torchtitan/config/job_config.py"] = [[
activation_checkpoint.mode word selective|full|memory_budget|none
activation_checkpoint.selective_ac_option word
compile.enable flag
optimizer.name word
parallelism.context_parallel_degree int
parallelism.data_parallel_replicate_degree int
parallelism.data_parallel_shard_degree int
parallelism.enable_async_tensor_parallel flag
parallelism.expert_parallel_degree int
parallelism.expert_tensor_parallel_degree int
parallelism.fsdp_reshard_after_forward word default|always|never
parallelism.pipeline_parallel_degree int
parallelism.pipeline_parallel_layers_per_stage int
parallelism.pipeline_parallel_microbatch_size int
parallelism.pipeline_parallel_schedule word
parallelism.tensor_parallel_degree int
training.dtype word bfloat16|float32
training.enable_cpu_offload flag
training.global_batch_size int
training.local_batch_size int
training.mixed_precision_param word bfloat16|float32
training.seq_len int
training.steps int]],
  },
  ["b5bcd76"] = {
    ["torchtitan/distributed/activation_checkpoint.py"] = [[
activation_checkpoint word selective|full|memory-budget|none]],
    ["torchtitan/config/configs.py"] = [[
compile.enable flag
compile.enable_async_tensor_parallel flag
parallelism.context_parallel_degree int
parallelism.data_parallel_replicate_degree int
parallelism.data_parallel_shard_degree int
parallelism.enable_sequence_parallel flag
parallelism.expert_parallel_degree int
parallelism.fsdp_reshard_after_forward word default|always|never
parallelism.num_pp_microbatches int
parallelism.pipeline_parallel_degree int
parallelism.pipeline_parallel_layers_per_stage int
parallelism.pipeline_parallel_schedule word
parallelism.tensor_parallel_degree int
training.dtype word bfloat16|float32
training.enable_cpu_offload flag
training.max_context_length int
training.mixed_precision_param word bfloat16|float32
training.num_tokens_per_microbatch_per_dp_rank int
training.num_tokens_per_train_step int
training.steps int]],
    ["torchtitan/components/optimizer/optimizer.py"] = [[
optimizer.implementation word for-loop|foreach|fused|fused_opt_states_bf16]],
  },
}
