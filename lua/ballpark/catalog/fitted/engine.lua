-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it); written by tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.143, expert_launch = 0.7189, expert_setup = 0.2894, expert_spread = 0.4954, launch = 0.4192, moe = 0.7173, sequence_s = 1.403e-05, stream = 1.221 },
  sglang = { eager_kernel_s = 1.734e-05, front_s = 0.09135, front_sequence_s = 0.0008797, front_token_s = 1.984e-06, kernel_s = 1.627e-06, lag_steps = 0.3335, step_s = 0.001695, stream_wait = 0.2188, submit_s = 0.001403 },
  trtllm = { eager_kernel_s = 4.157e-05, front_s = 0.01528, front_sequence_s = 0.0003288, front_token_s = 4.295e-06, kernel_s = 8.928e-07, lag_steps = 0.2503, step_s = 0.001258, submit_s = 0.002515 },
  vllm = { eager_kernel_s = 5.809e-06, front_s = 0.02053, front_sequence_s = 0.0003608, front_token_s = 9.958e-06, kernel_s = 2.544e-06, lag_steps = 0.2175, step_s = 0.0002327, submit_s = 0.002737 },
}
