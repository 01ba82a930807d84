-- Memory coefficients of training software, written by tools/fit/memory.lua; do not edit.
-- Fitted to 138 published peaks; priors are in tools/fit/memory_coefficients.lua.
return {
  deepspeed = {
    activation_copies = 1.106,
    backward_grad_bytes = 2.104,
    context_bytes = 7.361e+09,
    fragmentation = 1.32,
    logit_bytes = 12.07,
    memory_spread = 0.1338,
  },
  internevo = {
    activation_copies = 1.15,
    backward_grad_bytes = 2,
    context_bytes = 1.074e+09,
    fragmentation = 1.1,
    logit_bytes = 12,
    memory_spread = 0.1338,
  },
  megatron = {
    activation_copies = 1.04,
    logit_bytes = 6.658,
    memory_spread = 0.09165,
    working_grad_bytes = 1.678,
  },
  nanotron = {
    activation_copies = 1.325,
    backward_grad_bytes = 1.988,
    context_bytes = 9.095e+08,
    fragmentation = 1.079,
    logit_bytes = 10.53,
    memory_spread = 0.1338,
  },
  unseen = {
    memory_spread = 0.1338,
  },
}
