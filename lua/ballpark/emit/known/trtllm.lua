-- TensorRT-LLM: flags of trtllm-serve and keys of its YAML file, those with yaml: in front.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other
-- names, = default.
return {
  ["0004396"] = {
    ["tests/unittest/api_stability/references/trtllm_serve_cli.yaml, of 029e223"] = [[
ep_size int --moe_expert_parallel_size
kv_cache_free_gpu_memory_fraction float --free_gpu_memory_fraction =0.9
max_batch_size int =2048
max_num_tokens int =8192
max_seq_len int
pp_size int --pipeline_parallel_size =1
tp_size int --tensor_parallel_size =1]],
    ["tensorrt_llm/llmapi/llm_args.py"] = [[
yaml:batch_wait_timeout_iters int =0
yaml:cache_transceiver_config.backend word DEFAULT|UCX|NIXL|MOONCAKE|MPI
yaml:cache_transceiver_config.max_tokens_in_buffer int
yaml:cuda_graph_config.max_batch_size int
yaml:disable_overlap_scheduler flag =false
yaml:enable_attention_dp flag =false
yaml:enable_chunked_prefill flag =false
yaml:kv_cache_config.dtype word auto|float16|bfloat16|float32|fp8|fp8_ds_mla|nvfp4 =auto
yaml:kv_cache_config.enable_block_reuse flag =true
yaml:kv_cache_config.tokens_per_block int =32
yaml:kv_cache_config.max_tokens int
yaml:lora_config.max_lora_rank int
yaml:lora_config.max_loras int
yaml:scheduler_config.capacity_scheduler_policy word MAX_UTILIZATION|GUARANTEED_NO_EVICT|STATIC_BATCH =GUARANTEED_NO_EVICT
yaml:speculative_config.decoding_type word
yaml:speculative_config.max_draft_len int
yaml:speculative_config.num_nextn_predict_layers int
yaml:stream_interval int =1]],
  },
}
