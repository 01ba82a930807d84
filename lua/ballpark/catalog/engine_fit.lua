-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it); written by tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.1735, launch = 0.3143, moe = 0.9108, sequence_s = 1.781e-05, stream = 1.014 },
  sglang = { eager_kernel_s = 9e-06, front_s = 0.06453, front_sequence_s = 0.0005067, kernel_s = 1.925e-06, lag_steps = 2.112, step_s = 0.001312, stream_wait = 0.4194, submit_s = 0.0007835 },
  trtllm = { eager_kernel_s = 8.528e-06, front_s = 0.04209, front_sequence_s = 0.0005372, kernel_s = 1.498e-06, lag_steps = 1.543, step_s = 0.001096, stream_wait = 0.266, submit_s = 0.002103 },
  vllm = { eager_kernel_s = 9e-06, front_s = 0.02644, front_sequence_s = 0.0003773, kernel_s = 2.935e-06, lag_steps = 2.342, step_s = 0.0002246, stream_wait = 0.05536, submit_s = 0.002095 },
}
