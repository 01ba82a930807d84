-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it; for experts TensorRT-LLM's published throughput); written by
-- tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.2323, expert_launch = 0.6412, expert_setup = 0.1005, expert_spread = 0.4172, launch = 0.4146, moe = 0.6901, sequence_s = 1.272e-05, stream = 1.446 },
  sglang = { eager_kernel_s = 8.762e-06, expert_launches = 77.87, front_s = 0.1074, front_sequence_s = 0.0005685, front_token_s = 1.395e-06, kernel_s = 2.196e-06, lag_steps = 0.2069, latent_launches = 72.17, packed_launches = 40, step_s = 0.001386, stream_wait = 0.1802, submit_s = 0.0008826 },
  trtllm = { eager_kernel_s = 9.199e-06, expert_launches = 6.427, front_s = 0.02678, front_sequence_s = 0.0002292, front_token_s = 3.519e-06, kernel_s = 1.299e-06, lag_steps = 0.2324, latent_launches = 168.4, packed_launches = 217, step_s = 0.001143, submit_s = 0.001369 },
  vllm = { eager_kernel_s = 8.079e-06, expert_launches = 64.95, front_s = 0.02482, front_sequence_s = 0.0004825, front_token_s = 2.865e-06, kernel_s = 2.777e-06, lag_steps = 0.1517, latent_launches = 28, packed_launches = 28.86, step_s = 0.0003833, submit_s = 0.001976 },
}
