-- torchtitan: section.key of its TOML file or of its command line.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other
-- names, = default.
return {
  ["238fa99"] = {
    ["torchtitan/config/job_config.py"] = [[
activation_checkpoint.mode word selective|full|memory_budget|none =selective
activation_checkpoint.selective_ac_option word =2
compile.enable flag =false
model.flavor word
model.name word
optimizer.name word =AdamW
parallelism.context_parallel_degree int =1
parallelism.data_parallel_replicate_degree int =1
parallelism.data_parallel_shard_degree int =-1
parallelism.enable_async_tensor_parallel flag =false
parallelism.expert_parallel_degree int =1
parallelism.expert_tensor_parallel_degree int =1
parallelism.fsdp_reshard_after_forward word default|always|never =default
parallelism.pipeline_parallel_degree int =1
parallelism.pipeline_parallel_layers_per_stage int
parallelism.pipeline_parallel_microbatch_size int =1
parallelism.pipeline_parallel_schedule word =1F1B
parallelism.tensor_parallel_degree int =1
training.dtype word bfloat16|float32 =float32
training.enable_cpu_offload flag =false
training.global_batch_size int =-1
training.local_batch_size int =8
training.mixed_precision_param word bfloat16|float32 =bfloat16
training.seq_len int =2048
training.steps int =10000]],
  },
  ["b5bcd76"] = {
    ["torchtitan/distributed/activation_checkpoint.py"] = [[
activation_checkpoint word selective|full|memory-budget|none =selective]],
    ["torchtitan/config/configs.py"] = [[
compile.enable flag =false
compile.enable_async_tensor_parallel flag =false
parallelism.context_parallel_degree int =1
parallelism.data_parallel_replicate_degree int =1
parallelism.data_parallel_shard_degree int =-1
parallelism.enable_sequence_parallel flag =true
parallelism.expert_parallel_degree int =1
parallelism.fsdp_reshard_after_forward word default|always|never =default
parallelism.num_pp_microbatches int =1
parallelism.pipeline_parallel_degree int =1
parallelism.pipeline_parallel_layers_per_stage int
parallelism.pipeline_parallel_schedule word =1F1B
parallelism.tensor_parallel_degree int =1
training.dtype word bfloat16|float32 =float32
training.enable_cpu_offload flag =false
training.max_context_length int =2048
training.mixed_precision_param word bfloat16|float32 =bfloat16
training.num_tokens_per_microbatch_per_dp_rank int =16384
training.num_tokens_per_train_step int =-1
training.steps int =10000]],
    ["torchtitan/components/optimizer/optimizer.py"] = [[
optimizer.implementation word for-loop|foreach|fused|fused_opt_states_bf16 =fused]],
  },
}
