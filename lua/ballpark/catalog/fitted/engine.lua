-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it; for experts TensorRT-LLM's published throughput); written by
-- tools/fit/serving.lua, never by hand.
return {
  common = { expert_launch = 0.8103, expert_setup = 0.104, expert_spread = 0.4728, latent_launches = 139.9, launch = 0.4269, moe = 0.7282, packed_launches = 65.77, scan_launches = 198.4, sequence_s = 1.263e-05, stream = 1.42 },
  sglang = { eager_kernel_s = 7.703e-06, expert_launches = 51.58, front_s = 0.111, front_sequence_s = 0.0007358, front_token_s = 1.74e-06, kernel_s = 1.632e-06, lag_steps = 0.2238, step_s = 0.001317, stream_wait = 0.1289, submit_s = 0.001359 },
  trtllm = { eager_kernel_s = 1.076e-05, expert_launches = 7.291, front_s = 0.02749, front_sequence_s = 0.000442, front_token_s = 3.446e-06, kernel_s = 1.576e-06, lag_steps = 0.34, step_s = 0.00103, submit_s = 0.001583 },
  vllm = { eager_kernel_s = 8.32e-06, expert_launches = 102.5, front_s = 0.01727, front_sequence_s = 0.0004056, front_token_s = 2.804e-06, kernel_s = 2.661e-06, lag_steps = 0.2579, step_s = 0.0003548, submit_s = 0.001935 },
}
