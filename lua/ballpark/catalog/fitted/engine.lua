-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it; for experts TensorRT-LLM's published throughput); written by
-- tools/fit/serving.lua, never by hand.
return {
  common = { expert_launch = 0.8412, expert_setup = 0.1099, expert_spread = 0.515, latent_launches = 157.7, launch = 0.5689, moe = 0.7515, packed_launches = 77.42, scan_launches = 238.9, sequence_s = 1.256e-05, stream = 1.448 },
  sglang = { eager_kernel_s = 7.89e-06, expert_launches = 66.7, front_s = 0.0818, front_sequence_s = 0.0008048, front_token_s = 2.457e-06, kernel_s = 1.6e-06, lag_steps = 0.2147, step_s = 0.00125, stream_wait = 0.1627, submit_s = 0.001424 },
  trtllm = { eager_kernel_s = 1.004e-05, expert_launches = 8.526, front_s = 0.02261, front_sequence_s = 0.0004664, front_token_s = 3.56e-06, kernel_s = 1.619e-06, lag_steps = 0.4094, step_s = 0.001, submit_s = 0.001462 },
  vllm = { eager_kernel_s = 7.825e-06, expert_launches = 110.8, front_s = 0.01684, front_sequence_s = 0.0004076, front_token_s = 2.563e-06, kernel_s = 2.473e-06, lag_steps = 0.2007, step_s = 0.000373, submit_s = 0.002062 },
}
