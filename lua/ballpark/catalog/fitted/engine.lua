-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it; for experts TensorRT-LLM's published throughput); written by
-- tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.3263, expert_launch = 0.6148, expert_setup = 0.1025, expert_spread = 0.3466, launch = 0.4191, moe = 0.65, sequence_s = 1.266e-05, stream = 1.381 },
  sglang = { eager_kernel_s = 8.752e-06, expert_launches = 60.91, front_s = 0.107, front_sequence_s = 0.0008565, front_token_s = 1.82e-06, kernel_s = 1.483e-06, lag_steps = 0.2328, latent_launches = 58.23, packed_launches = 40, step_s = 0.001599, stream_wait = 0.2019, submit_s = 0.001266 },
  trtllm = { eager_kernel_s = 9.212e-06, expert_launches = 11.65, front_s = 0.02531, front_sequence_s = 0.0002651, front_token_s = 3.335e-06, kernel_s = 1.11e-06, lag_steps = 0.2446, latent_launches = 156.8, packed_launches = 196.8, step_s = 0.001143, submit_s = 0.0009746 },
  vllm = { eager_kernel_s = 7.939e-06, expert_launches = 60.87, front_s = 0.02318, front_sequence_s = 0.0005925, front_token_s = 3.212e-06, kernel_s = 2.248e-06, lag_steps = 0.1992, latent_launches = 28, packed_launches = 12.46, step_s = 0.0005529, submit_s = 0.001672 },
}
