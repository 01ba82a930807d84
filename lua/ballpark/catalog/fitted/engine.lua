-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it; for experts TensorRT-LLM's published throughput); written by
-- tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.2097, expert_launch = 0.7, expert_setup = 0.1176, expert_spread = 0.4753, latent_launches = 150.6, launch = 0.4188, moe = 0.7203, packed_launches = 70.78, scan_launches = 193.2, sequence_s = 1.253e-05, stream = 1.354 },
  sglang = { eager_kernel_s = 7.835e-06, expert_launches = 44.34, front_s = 0.1066, front_sequence_s = 0.0006439, front_token_s = 1.622e-06, kernel_s = 1.772e-06, lag_steps = 0.2209, step_s = 0.001455, stream_wait = 0.1453, submit_s = 0.001037 },
  trtllm = { eager_kernel_s = 9.584e-06, expert_launches = 5.718, front_s = 0.02944, front_sequence_s = 0.000311, front_token_s = 3.386e-06, kernel_s = 1.531e-06, lag_steps = 0.2066, step_s = 0.001083, submit_s = 0.001298 },
  vllm = { eager_kernel_s = 7.84e-06, expert_launches = 107.4, front_s = 0.02131, front_sequence_s = 0.0004, front_token_s = 3.367e-06, kernel_s = 2.856e-06, lag_steps = 0.1297, step_s = 0.0003471, submit_s = 0.002588 },
}
