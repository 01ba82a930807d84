-- Memory coefficients of training software, written by tools/fit/memory.lua; do not edit.
-- Fitted to 138 published peaks; priors are in tools/fit/memory_coefficients.lua.
return {
  deepspeed = {
    activation_copies = 1.103,
    backward_grad_bytes = 2.199,
    context_bytes = 7.542e+09,
    fragmentation = 1.306,
    logit_bytes = 12,
    memory_spread = 0.1328,
  },
  internevo = {
    activation_copies = 1.15,
    backward_grad_bytes = 2,
    context_bytes = 1.074e+09,
    fragmentation = 1.1,
    logit_bytes = 12,
    memory_spread = 0.1328,
  },
  megatron = {
    activation_copies = 1.037,
    logit_bytes = 6.781,
    memory_spread = 0.09265,
    working_grad_bytes = 1.674,
  },
  nanotron = {
    activation_copies = 1.318,
    backward_grad_bytes = 1.996,
    context_bytes = 8.943e+08,
    fragmentation = 1.079,
    logit_bytes = 10.57,
    memory_spread = 0.1328,
  },
  unseen = {
    memory_spread = 0.1328,
  },
}
