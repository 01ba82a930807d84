-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it; for experts TensorRT-LLM's published throughput); written by
-- tools/fit/serving.lua, never by hand.
return {
  common = { expert_launch = 0.7208, expert_setup = 0.1169, expert_spread = 0.4911, latent_launches = 16.01, launch = 0.5058, moe = 0.6934, packed_launches = 10.96, scan_launches = 30.87, sequence_s = 7.261e-06, stream = 1.282 },
  sglang = { eager_kernel_s = 5.012e-05, expert_launches = 11.68, front_s = 0.02172, front_sequence_s = 0.00054, front_token_s = 1.3e-06, kernel_s = 1.893e-06, lag_steps = 0.1942, step_s = 0.001084, stream_wait = 0.1777, submit_s = 0.001332 },
  trtllm = { eager_kernel_s = 5.456e-05, expert_launches = 5.102, front_s = 0.02265, front_sequence_s = 0.0004087, front_token_s = 1.291e-06, kernel_s = 2.023e-06, lag_steps = 0.1724, step_s = 0.0009642, submit_s = 0.001242 },
  vllm = { eager_kernel_s = 5.069e-05, expert_launches = 11.82, front_s = 0.01797, front_sequence_s = 0.0004363, front_token_s = 3.471e-06, kernel_s = 2.514e-06, lag_steps = 0.1176, step_s = 0.0004112, submit_s = 0.002193 },
}
