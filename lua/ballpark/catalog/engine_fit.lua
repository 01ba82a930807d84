-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it); written by tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.1787, launch = 0.3291, moe = 0.9242, sequence_s = 1.741e-05, stream = 1.184 },
  sglang = { eager_kernel_s = 9e-06, front_s = 0.05812, front_sequence_s = 0.0004855, kernel_s = 1.86e-06, lag_steps = 2.184, step_s = 0.001517, stream_wait = 0.4427, submit_s = 0.0007522 },
  trtllm = { eager_kernel_s = 9.664e-06, front_s = 0.04115, front_sequence_s = 0.0005406, kernel_s = 1.531e-06, lag_steps = 1.504, step_s = 0.001118, stream_wait = 0.3018, submit_s = 0.002039 },
  vllm = { eager_kernel_s = 9e-06, front_s = 0.02676, front_sequence_s = 0.0004111, kernel_s = 3.074e-06, lag_steps = 2.191, step_s = 0.0002499, stream_wait = 0.05857, submit_s = 0.002859 },
}
