-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it); written by tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.08875, launch = 0.421, moe = 0.8832, sequence_s = 1.241e-05, stream = 1.211 },
  sglang = { eager_kernel_s = 2.068e-05, front_s = 0.05965, front_sequence_s = 0.000951, front_token_s = 2.564e-06, kernel_s = 1.566e-06, lag_steps = 0.3178, plan_s = 0.001, step_s = 0.001541, stream_wait = 0.3007, submit_s = 0.001641 },
  trtllm = { eager_kernel_s = 2.772e-05, front_s = 0.01546, front_sequence_s = 0.0003415, front_token_s = 3.748e-06, kernel_s = 9.89e-07, lag_steps = 0.2485, plan_s = 0.001, step_s = 0.001266, stream_wait = 0.05811, submit_s = 0.004002 },
  vllm = { eager_kernel_s = 5.514e-06, front_s = 0.01872, front_sequence_s = 0.0003395, front_token_s = 9.61e-06, kernel_s = 2.646e-06, lag_steps = 0.2274, plan_s = 0.002299, step_s = 0.0001183, stream_wait = 0.03511, submit_s = 0.003971 },
}
