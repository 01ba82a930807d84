-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it); written by tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.2647, launch = 0.3383, moe = 0.925, sequence_s = 1.416e-05, stream = 1.191 },
  sglang = { eager_kernel_s = 9e-06, front_s = 0.03846, front_sequence_s = 0.0007787, kernel_s = 1.44e-06, lag_steps = 7.131, step_s = 0.001899, submit_s = 0.0006522 },
  trtllm = { eager_kernel_s = 9.737e-06, front_s = 0.04013, front_sequence_s = 0.0004415, kernel_s = 1.33e-06, lag_steps = 2.032, step_s = 0.00121, submit_s = 0.001957 },
  vllm = { eager_kernel_s = 9e-06, front_s = 0.02809, front_sequence_s = 0.0005142, kernel_s = 2.628e-06, lag_steps = 1.964, step_s = 0.000449, submit_s = 0.001497 },
}
