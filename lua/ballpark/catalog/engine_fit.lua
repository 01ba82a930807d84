-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it); written by tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.2135, launch = 0.2967, moe = 0.9312, sequence_s = 1.691e-05, stream = 1.172 },
  sglang = { eager_kernel_s = 9e-06, front_s = 0.05074, front_sequence_s = 0.0005359, kernel_s = 1.799e-06, lag_steps = 1.998, step_s = 0.001687, stream_wait = 0.4715, submit_s = 0.0007937 },
  trtllm = { eager_kernel_s = 8.562e-06, front_s = 0.03702, front_sequence_s = 0.0005437, kernel_s = 1.77e-06, lag_steps = 1.569, step_s = 0.001028, stream_wait = 0.3404, submit_s = 0.00171 },
  vllm = { eager_kernel_s = 9e-06, front_s = 0.02899, front_sequence_s = 0.0003741, kernel_s = 3.128e-06, lag_steps = 2.104, step_s = 0.0003071, stream_wait = 0.07549, submit_s = 0.002767 },
}
