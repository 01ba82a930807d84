-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it); written by tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.1171, launch = 0.4052, moe = 0.8903, sequence_s = 1.311e-05, stream = 1.176 },
  sglang = { eager_kernel_s = 1.966e-05, front_s = 0.07868, front_sequence_s = 0.0009406, front_token_s = 2.533e-06, kernel_s = 1.653e-06, lag_steps = 0.2563, step_s = 0.001432, stream_wait = 0.2487, submit_s = 0.00125 },
  trtllm = { eager_kernel_s = 3.911e-05, front_s = 0.01473, front_sequence_s = 0.000324, front_token_s = 4.158e-06, kernel_s = 8.315e-07, lag_steps = 0.2787, step_s = 0.001329, submit_s = 0.001422 },
  vllm = { eager_kernel_s = 7.107e-06, front_s = 0.01875, front_sequence_s = 0.0003557, front_token_s = 9.843e-06, kernel_s = 2.797e-06, lag_steps = 0.2293, step_s = 0.000131, submit_s = 0.003678 },
}
