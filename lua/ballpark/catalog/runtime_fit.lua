-- Coefficients of inference runtimes, written by tools/fit/runtimes.lua; do not edit.
-- Fitted to FasterTransformer's guides, NVIDIA DeepLearningExamples, MLPerf inference v4.1 and AWS Neuron.
-- errors: of the times, every (source, device) predicted without it; spread: their 80 % ranges, measured
-- over predicted.
return {
  common = {
    conv = 0.5551,
    gather = 0.4269,
    launch = 0.7571,
    score_passes = 8.753,
  },
  compiled = {
    call_s = 0.0001232,
    host_kernel_s = 1.934e-05,
    matmul = 0.9483,
    passes = 76.32,
  },
  eager = {
    call_s = 0.008399,
    conv = 1.248,
    host_kernel_s = 1.203e-05,
    matmul = 1.046,
    passes = 35.52,
  },
  errors = {
    convnet = {
      mean = 0.2561,
      median = 0.1728,
    },
    encoder = {
      mean = 0.2325,
      median = 0.1676,
    },
    recommendation = {
      mean = 0.2897,
      median = 0.261,
    },
    vision = {
      mean = 0.2282,
      median = 0.1804,
    },
  },
  fastertransformer = {
    call_s = 0.0005857,
    host_kernel_s = 5.747e-06,
    matmul = 1.171,
    passes = 17.37,
    quantize = 1.011,
  },
  neuron = {
    call_s = 0.0001103,
    host_kernel_s = 5e-06,
    matmul = 1.028,
    passes = 9.191,
  },
  questions = 789,
  spread = {
    convnet = {
      0.7761,
      2.003,
    },
    encoder = {
      0.765,
      1.41,
    },
    recommendation = {
      0.6286,
      1.272,
    },
    vision = {
      0.6952,
      1.258,
    },
  },
  tensorrt = {
    call_s = 0.0002327,
    conv = 0.7453,
    host_kernel_s = 3e-06,
    matmul = 1.012,
    passes = 3.27,
  },
  triton = {
    call_s = 0.0007966,
    input_bytes_s = 1.499e+09,
  },
  triton_concurrent = {
    call_s = 0.001024,
    input_bytes_s = 5.481e+09,
  },
  xla = {
    call_s = 0.00026,
    host_kernel_s = 1.385e-05,
    matmul = 1.026,
    passes = 44.09,
  },
}
