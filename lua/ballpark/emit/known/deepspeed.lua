-- DeepSpeed: keys of its JSON configuration. optimizer.type is one of its own optimizers, whatever the case, or a class
-- of torch.optim.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other
-- names, = default.
return {
  ["0.19.5"] = {
    ["deepspeed/runtime/activation_checkpointing/config.py"] = [[
activation_checkpointing.cpu_checkpointing flag =false
activation_checkpointing.partition_activations flag =false]],
    ["deepspeed/runtime/precision_config.py"] = [[
bf16.enabled flag =false
fp16.enabled flag =false]],
    ["deepspeed/runtime/constants.py"] = [[
data_types.grad_accum_dtype word
gradient_accumulation_steps int
optimizer.type word
sequence_parallel_size int =1
train_batch_size int
train_micro_batch_size_per_gpu int]],
    ["deepspeed/runtime/zero/config.py"] = [[
zero_optimization.mics_shard_size int =-1
zero_optimization.overlap_comm flag
zero_optimization.zero_hpz_partition_size int =1
zero_optimization.zero_quantized_gradients flag =false
zero_optimization.zero_quantized_weights flag =false
zero_optimization.stage int 0|1|2|3 =0]],
    ["deepspeed/runtime/tensor_parallel/config.py"] = [[
tensor_parallel.autotp_size int =0]],
    ["deepspeed/runtime/zero/offload_config.py"] = [[
zero_optimization.offload_optimizer.device word none|cpu|nvme =none
zero_optimization.offload_optimizer.nvme_path word
zero_optimization.offload_optimizer.pipeline_read flag =false
zero_optimization.offload_optimizer.pipeline_write flag =false
zero_optimization.offload_optimizer.ratio float =1.0
zero_optimization.offload_param.device word none|cpu|nvme =none
zero_optimization.offload_param.nvme_path word]],
  },
}
