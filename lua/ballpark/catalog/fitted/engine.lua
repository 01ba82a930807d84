-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it; for experts TensorRT-LLM's published throughput); written by
-- tools/fit/serving.lua, never by hand.
return {
  common = { expert_launch = 0.7197, expert_setup = 0.1199, expert_spread = 0.4894, latent_launches = 15.53, launch = 0.5255, moe = 0.6959, packed_launches = 12.2, scan_launches = 30.15, sequence_s = 6.893e-06, stream = 1.329 },
  sglang = { eager_kernel_s = 5.011e-05, expert_launches = 12.4, front_s = 0.02322, front_sequence_s = 0.0005425, front_token_s = 1.173e-06, kernel_s = 1.734e-06, lag_steps = 0.2313, step_s = 0.001125, stream_wait = 0.1805, submit_s = 0.001013 },
  trtllm = { eager_kernel_s = 5.431e-05, expert_launches = 4.945, front_s = 0.0227, front_sequence_s = 0.0004282, front_token_s = 1.298e-06, kernel_s = 1.958e-06, lag_steps = 0.159, step_s = 0.0009536, submit_s = 0.002369 },
  vllm = { eager_kernel_s = 5.049e-05, expert_launches = 11.96, front_s = 0.01857, front_sequence_s = 0.0003993, front_token_s = 2.778e-06, kernel_s = 2.458e-06, lag_steps = 0.1577, step_s = 0.0004351, submit_s = 0.002076 },
}
