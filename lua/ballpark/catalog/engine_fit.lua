-- Coefficients of serving engines; written by tools/fit/serving.lua, never by hand.
return {
  common = { launch = 0.28, stream = 1.17, moe = 1.1, collective = 0.5, sequence_s = 1e-5 },
  sglang = { step_s = 2e-3, kernel_s = 2.5e-6, front_s = 0.1, submit_s = 3e-3, lag_steps = 1 },
  trtllm = { step_s = 1.2e-3, kernel_s = 2e-6, front_s = 0.04, submit_s = 3e-3, lag_steps = 4 },
  vllm = { step_s = 1.1e-3, kernel_s = 2.7e-6, front_s = 0.025, submit_s = 3e-3, lag_steps = 1 },
}
