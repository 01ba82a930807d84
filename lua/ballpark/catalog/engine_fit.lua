-- Coefficients of serving engines, fitted to published measurements (aiconfigurator's silicon table,
-- Apache-2.0, InferenceX among it); written by tools/fit/serving.lua, never by hand.
return {
  common = { collective = 0.09006, launch = 0.4009, moe = 0.8925, sequence_s = 1.393e-05, stream = 1.229 },
  sglang = { eager_kernel_s = 2.218e-05, front_s = 0.07276, front_sequence_s = 0.001019, front_token_s = 2.865e-06, kernel_s = 1.871e-06, lag_steps = 0.2349, step_s = 0.001506, stream_wait = 0.2593, submit_s = 0.001132 },
  trtllm = { eager_kernel_s = 3.703e-05, front_s = 0.01653, front_sequence_s = 0.0003054, front_token_s = 4.113e-06, kernel_s = 9.768e-07, lag_steps = 0.2498, step_s = 0.001302, submit_s = 0.001994 },
  vllm = { eager_kernel_s = 4.907e-06, front_s = 0.01787, front_sequence_s = 0.0003522, front_token_s = 1.001e-05, kernel_s = 2.774e-06, lag_steps = 0.2327, step_s = 0.0001972, submit_s = 0.003742 },
}
