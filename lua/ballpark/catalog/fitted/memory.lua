-- Memory coefficients of training software, written by tools/fit/memory.lua; do not edit.
-- Fitted to 1006 published peaks; priors are in tools/fit/memory_coefficients.lua.
return {
  deepspeed = {
    activation_copies = 1.115,
    backward_grad_bytes = 1.848,
    context_bytes = 8.17e+09,
    fragmentation = 1.279,
    logit_bytes = 12.08,
    memory_spread = 0.06093,
  },
  internevo = {
    activation_copies = 1.162,
    backward_grad_bytes = 2.94,
    context_bytes = 1.188e+09,
    fragmentation = 1.516,
    logit_bytes = 10.16,
    memory_spread = 0.3083,
  },
  megatron = {
    activation_copies = 1.052,
    logit_bytes = 5.462,
    memory_spread = 0.03397,
    working_grad_bytes = 1.719,
  },
  nanotron = {
    activation_copies = 1.345,
    backward_grad_bytes = 2.022,
    context_bytes = 8.863e+08,
    fragmentation = 1.084,
    logit_bytes = 10.72,
    memory_spread = 0.1412,
  },
  unseen = {
    memory_spread = 0.1689,
  },
}
