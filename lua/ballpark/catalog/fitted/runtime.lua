-- Coefficients of inference runtimes, written by tools/fit/runtimes.lua; do not edit.
-- Fitted to FasterTransformer's guides, NVIDIA DeepLearningExamples, MLPerf inference v4.1 and AWS Neuron.
-- errors: of the times, every (source, device) predicted without it; spread: their 80 % ranges, measured
-- over predicted.
return {
  common = {
    conv = 0.555,
    gather = 0.4275,
    launch = 0.7446,
    score_passes = 8.806,
  },
  compiled = {
    call_s = 0.0001294,
    host_kernel_s = 1.904e-05,
    matmul = 0.9396,
    passes = 49.52,
  },
  eager = {
    call_s = 0.006005,
    conv = 1.228,
    host_kernel_s = 3.313e-05,
    matmul = 1.037,
    passes = 53.33,
  },
  errors = {
    convnet = {
      mean = 0.255,
      median = 0.173,
    },
    encoder = {
      mean = 0.2255,
      median = 0.1708,
    },
    recommendation = {
      mean = 0.326,
      median = 0.3219,
    },
    vision = {
      mean = 0.2269,
      median = 0.1753,
    },
  },
  fastertransformer = {
    call_s = 0.0006013,
    host_kernel_s = 5.621e-06,
    matmul = 1.174,
    passes = 17.28,
    quantize = 1.009,
  },
  neuron = {
    call_s = 0.000111,
    host_kernel_s = 5e-06,
    matmul = 1.027,
    passes = 9.208,
  },
  questions = 789,
  spread = {
    convnet = {
      0.7758,
      1.995,
    },
    encoder = {
      0.7839,
      1.409,
    },
    recommendation = {
      0.5976,
      1.26,
    },
    vision = {
      0.6901,
      1.259,
    },
  },
  tensorrt = {
    call_s = 0.0002382,
    conv = 0.7453,
    host_kernel_s = 3e-06,
    matmul = 1.012,
    passes = 3.27,
  },
  triton = {
    call_s = 0.0007954,
    input_bytes_s = 1.501e+09,
  },
  triton_concurrent = {
    call_s = 0.001023,
    input_bytes_s = 5.484e+09,
  },
  xla = {
    call_s = 0.0004911,
    host_kernel_s = 1.136e-05,
    matmul = 1.034,
    passes = 48.41,
  },
}
