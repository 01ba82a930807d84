-- NeMo 2 and Megatron Core: fields of a recipe.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other
-- names, = default.
return {
  ["8cfedd7"] = {
    ["nemo/collections/llm/gpt/data/pre_training.py"] = [[
data.global_batch_size int =8
data.micro_batch_size int =4
data.seq_length int =2048]],
    ["megatron/core/transformer/transformer_config.py"] = [[
model.config.account_for_embedding_in_pipeline_split flag =false
model.config.account_for_loss_in_pipeline_split flag =false
model.config.add_bias_linear flag =true
model.config.add_qkv_bias flag =false
model.config.attention_backend word flash|fused|unfused|local|auto =5
model.config.cp_comm_type word
model.config.ffn_hidden_size int
model.config.gated_linear_unit flag =false
model.config.hidden_size int =0
model.config.kv_channels int
model.config.kv_lora_rank int =512
model.config.moe_ffn_hidden_size int
model.config.moe_grouped_gemm flag =false
model.config.moe_layer_freq list =1
model.config.moe_router_enable_expert_bias flag =false
model.config.moe_router_group_topk int
model.config.moe_router_num_groups int
model.config.moe_router_pre_softmax flag =false
model.config.moe_router_score_function word softmax|sigmoid|sqrtsoftplus =softmax
model.config.moe_router_topk int =2
model.config.moe_router_topk_scaling_factor float
model.config.moe_shared_expert_intermediate_size int
model.config.moe_token_dispatcher_type word allgather|alltoall|flex =allgather
model.config.mtp_num_layers int
model.config.multi_latent_attention flag =false
model.config.normalization word LayerNorm|RMSNorm =LayerNorm
model.config.num_attention_heads int =0
model.config.num_layers int =0
model.config.num_layers_in_first_pipeline_stage int
model.config.num_layers_in_last_pipeline_stage int
model.config.num_moe_experts int
model.config.num_query_groups int
model.config.q_lora_rank int =512
model.config.qk_head_dim int =128
model.config.qk_layernorm flag =false
model.config.qk_pos_emb_head_dim int =64
model.config.recompute_granularity word full|selective
model.config.recompute_method word uniform|block
model.config.recompute_modules list
model.config.recompute_num_layers int
model.config.v_head_dim int =128]],
    ["megatron/core/model_parallel_config.py"] = [[
model.config.cpu_offloading flag =false
model.config.cpu_offloading_num_layers int =0
model.config.delay_wgrad_compute flag =false
model.config.overlap_moe_expert_parallel_comm flag =false
model.config.tp_comm_overlap flag =false]],
    ["nemo/collections/llm/gpt/model/base.py"] = [[
model.config.cross_entropy_loss_fusion flag =true
model.config.position_embedding_type word learned_absolute|rope =learned_absolute
model.config.rotary_base int =10000
model.config.rotary_percent float =1.0
model.config.seq_len_interpolation_factor float
model.config.seq_length int =1024
model.config.share_embeddings_and_output_weights flag =true
model.config.vocab_size int]],
    ["nemo/collections/llm/gpt/model/deepseek.py"] = [[
model.config.max_position_embeddings int]],
    ["nemo/collections/llm/gpt/model/llama.py"] = [[
model.config.scale_factor float =8.0]],
    ["megatron/core/optimizer/optimizer_config.py"] = [[
optim.config.exp_avg_dtype word =float32
optim.config.exp_avg_sq_dtype word =float32
optim.config.optimizer word =adam
optim.config.optimizer_cpu_offload flag =false
optim.config.optimizer_offload_fraction float =0.0
optim.config.sgd_momentum float =0.9
optim.config.use_precision_aware_optimizer flag =false]],
    ["nemo/collections/llm/peft/lora.py"] = [[
peft.dim int =32
peft.dropout float =0.0]],
    ["lightning, Trainer"] = [[
trainer.devices int
trainer.max_steps int
trainer.num_nodes int]],
    ["nemo/lightning/pytorch/plugins/mixed_precision.py"] = [[
trainer.plugins.fp4 word
trainer.plugins.fp4_recipe word =nvfp4
trainer.plugins.fp8 word
trainer.plugins.fp8_recipe word =delayed
trainer.plugins.precision word 16-mixed|bf16-mixed|32]],
    ["nemo/lightning/pytorch/strategies/megatron_strategy.py"] = [[
trainer.strategy.context_parallel_size int =1
trainer.strategy.expert_model_parallel_size int =1
trainer.strategy.expert_tensor_parallel_size int
trainer.strategy.microbatch_group_size_per_vp_stage int
trainer.strategy.num_distributed_optimizer_instances int =1
trainer.strategy.pipeline_model_parallel_layout word
trainer.strategy.pipeline_model_parallel_size int =1
trainer.strategy.save_ckpt_format word =torch_dist
trainer.strategy.sequence_parallel flag =false
trainer.strategy.tensor_model_parallel_size int =1
trainer.strategy.use_tp_pp_dp_mapping flag =false
trainer.strategy.virtual_pipeline_model_parallel_size int]],
    ["megatron/core/distributed/distributed_data_parallel_config.py"] = [[
trainer.strategy.ddp.data_parallel_sharding_strategy word =no_shard
trainer.strategy.ddp.fp8_param_gather flag =false
trainer.strategy.ddp.grad_reduce_in_fp32 flag =false
trainer.strategy.ddp.num_distributed_optimizer_instances int =1
trainer.strategy.ddp.overlap_grad_reduce flag =false
trainer.strategy.ddp.overlap_param_gather flag =false
trainer.strategy.ddp.use_distributed_optimizer flag =false
trainer.strategy.ddp.use_megatron_fsdp flag =false]],
  },
}
