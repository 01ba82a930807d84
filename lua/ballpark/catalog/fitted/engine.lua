-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it; for experts TensorRT-LLM's published throughput); written by
-- tools/fit/serving.lua, never by hand.
return {
  common = { expert_launch = 0.7234, expert_setup = 0.1099, expert_spread = 0.4642, latent_launches = 15.08, launch = 0.5438, moe = 0.6972, packed_launches = 11.9, scan_launches = 30.7, sequence_s = 7.631e-06, stream = 1.398 },
  sglang = { eager_kernel_s = 4.979e-05, expert_launches = 11.86, front_s = 0.02329, front_sequence_s = 0.0005942, front_token_s = 1.348e-06, kernel_s = 1.65e-06, lag_steps = 0.1635, step_s = 0.001145, stream_wait = 0.2064, submit_s = 0.001016 },
  trtllm = { eager_kernel_s = 4.998e-05, expert_launches = 5.751, front_s = 0.02449, front_sequence_s = 0.0003254, front_token_s = 1.829e-06, kernel_s = 1.934e-06, lag_steps = 0.2398, step_s = 0.0008464, submit_s = 0.001881 },
  vllm = { eager_kernel_s = 5.186e-05, expert_launches = 11.69, front_s = 0.0184, front_sequence_s = 0.0004106, front_token_s = 3.355e-06, kernel_s = 2.429e-06, lag_steps = 0.1885, step_s = 0.0004203, submit_s = 0.002428 },
}
