#include "kernel/registry.h"

/* Declared here, not in headers: nobody but this list needs them. Keep both lists sorted. */
/* kernels begin */
extern const struct bp_kernel bp_activation_rule_kernel;
extern const struct bp_kernel bp_attention_kernel;
extern const struct bp_kernel bp_backlog_kernel;
extern const struct bp_kernel bp_batch_queue_kernel;
extern const struct bp_kernel bp_batching_kernel;
extern const struct bp_kernel bp_bubble_kernel;
extern const struct bp_kernel bp_budget_kernel;
extern const struct bp_kernel bp_checkpoints_kernel;
extern const struct bp_kernel bp_cold_start_kernel;
extern const struct bp_kernel bp_collective_kernel;
extern const struct bp_kernel bp_convnet_forward_kernel;
extern const struct bp_kernel bp_diffusion_kernel;
extern const struct bp_kernel bp_embedding_store_kernel;
extern const struct bp_kernel bp_encode_kernel;
extern const struct bp_kernel bp_flops_kernel;
extern const struct bp_kernel bp_gemm_kernel;
extern const struct bp_kernel bp_goodput_kernel;
extern const struct bp_kernel bp_guardrail_kernel;
extern const struct bp_kernel bp_infer_load_kernel;
extern const struct bp_kernel bp_infer_memory_kernel;
extern const struct bp_kernel bp_infer_step_kernel;
extern const struct bp_kernel bp_jobs_kernel;
extern const struct bp_kernel bp_kv_cache_kernel;
extern const struct bp_kernel bp_latency_budget_kernel;
extern const struct bp_kernel bp_load_kernel;
extern const struct bp_kernel bp_local_inference_kernel;
extern const struct bp_kernel bp_matmul_kernel;
extern const struct bp_kernel bp_matmul_split_kernel;
extern const struct bp_kernel bp_mfu_kernel;
extern const struct bp_kernel bp_moe_kernel;
extern const struct bp_kernel bp_params_kernel;
extern const struct bp_kernel bp_pp_or_tp_kernel;
extern const struct bp_kernel bp_queue_kernel;
extern const struct bp_kernel bp_recommend_kernel;
extern const struct bp_kernel bp_replicas_kernel;
extern const struct bp_kernel bp_request_rule_kernel;
extern const struct bp_kernel bp_retention_kernel;
extern const struct bp_kernel bp_ring_rule_kernel;
extern const struct bp_kernel bp_run_kernel;
extern const struct bp_kernel bp_states_kernel;
extern const struct bp_kernel bp_sweep_size_kernel;
extern const struct bp_kernel bp_throughput_kernel;
extern const struct bp_kernel bp_train_step_kernel;
extern const struct bp_kernel bp_training_rule_kernel;
extern const struct bp_kernel bp_vector_search_kernel;
extern const struct bp_kernel bp_weights_kernel;
/* kernels end */

const struct bp_kernel *const bp_kernels[] = {
    &bp_activation_rule_kernel,
    &bp_attention_kernel,
    &bp_backlog_kernel,
    &bp_batch_queue_kernel,
    &bp_batching_kernel,
    &bp_bubble_kernel,
    &bp_budget_kernel,
    &bp_checkpoints_kernel,
    &bp_cold_start_kernel,
    &bp_collective_kernel,
    &bp_convnet_forward_kernel,
    &bp_diffusion_kernel,
    &bp_embedding_store_kernel,
    &bp_encode_kernel,
    &bp_flops_kernel,
    &bp_gemm_kernel,
    &bp_goodput_kernel,
    &bp_guardrail_kernel,
    &bp_infer_load_kernel,
    &bp_infer_memory_kernel,
    &bp_infer_step_kernel,
    &bp_jobs_kernel,
    &bp_kv_cache_kernel,
    &bp_latency_budget_kernel,
    &bp_load_kernel,
    &bp_local_inference_kernel,
    &bp_matmul_kernel,
    &bp_matmul_split_kernel,
    &bp_mfu_kernel,
    &bp_moe_kernel,
    &bp_params_kernel,
    &bp_pp_or_tp_kernel,
    &bp_queue_kernel,
    &bp_recommend_kernel,
    &bp_replicas_kernel,
    &bp_request_rule_kernel,
    &bp_retention_kernel,
    &bp_ring_rule_kernel,
    &bp_run_kernel,
    &bp_states_kernel,
    &bp_sweep_size_kernel,
    &bp_throughput_kernel,
    &bp_train_step_kernel,
    &bp_training_rule_kernel,
    &bp_vector_search_kernel,
    &bp_weights_kernel,
    NULL,
};
