-- Coefficients of inference runtimes, written by tools/fit/runtimes.lua; do not edit.
-- Fitted to FasterTransformer's guides, NVIDIA DeepLearningExamples, MLPerf inference v4.1 and AWS Neuron.
-- errors: of the times, every (source, device) predicted without it; spread: their 80 % ranges, measured
-- over predicted.
return {
  common = {
    conv = 0.5546,
    gather = 0.4243,
    launch = 0.7792,
    score_passes = 8.879,
  },
  compiled = {
    call_s = 0.0001327,
    host_kernel_s = 1.9e-05,
    matmul = 0.9362,
    passes = 51.36,
  },
  eager = {
    call_s = 0.001319,
    conv = 1.697,
    host_kernel_s = 2.499e-05,
    matmul = 1.024,
    passes = 59.44,
  },
  errors = {
    convnet = {
      mean = 0.2183,
      median = 0.1708,
    },
    encoder = {
      mean = 0.2167,
      median = 0.1626,
    },
    recommendation = {
      mean = 0.3378,
      median = 0.3341,
    },
    vision = {
      mean = 0.1938,
      median = 0.1644,
    },
  },
  fastertransformer = {
    call_s = 0.0005829,
    host_kernel_s = 5.721e-06,
    matmul = 1.065,
    passes = 12.95,
    quantize = 0.7347,
  },
  neuron = {
    call_s = 0.0001067,
    host_kernel_s = 5e-06,
    matmul = 1.029,
    passes = 8.947,
  },
  pipeline = {
    call_s = 0.005789,
  },
  questions = 789,
  spread = {
    convnet = {
      0.7485,
      1.322,
    },
    encoder = {
      0.8066,
      1.433,
    },
    recommendation = {
      0.5921,
      1.446,
    },
    vision = {
      0.7567,
      1.285,
    },
  },
  tensorrt = {
    call_s = 0.0002098,
    conv = 0.7459,
    host_kernel_s = 3e-06,
    matmul = 1.013,
    passes = 3.274,
  },
  triton = {
    call_s = 0.0008078,
    input_bytes_s = 1.481e+09,
  },
  triton_concurrent = {
    call_s = 0.001032,
    input_bytes_s = 5.465e+09,
  },
  xla = {
    call_s = 0.0008608,
    host_kernel_s = 9.598e-06,
    matmul = 1.02,
    passes = 51.03,
  },
}
