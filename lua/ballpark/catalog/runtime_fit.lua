-- Coefficients of inference runtimes; written by tools/fit/runtimes.lua, never by hand. Fitted to 789 questions
-- answered by FasterTransformer's guides, NVIDIA DeepLearningExamples, MLPerf inference v4.1 and AWS Neuron. errors: of
-- the times, every (source, device) predicted without it; spread: their 80 % ranges, measured over predicted.
return {
  common = { conv = 0.5551, gather = 0.4265, launch = 0.7895, score_passes = 8.849 },
  tensorrt = { call_s = 0.0002278, conv = 0.7449, host_kernel_s = 3e-06, matmul = 1.012, passes = 3.281 },
  fastertransformer = { call_s = 0.0007351, host_kernel_s = 4.051e-06, matmul = 1.186, passes = 15.52, quantize = 0.8707 },
  compiled = { call_s = 0.0001249, host_kernel_s = 1.934e-05, matmul = 0.9483, passes = 75.68 },
  xla = { call_s = 0.0002589, host_kernel_s = 1.386e-05, matmul = 1.027, passes = 43.71 },
  eager = { call_s = 0.00838, conv = 1.248, host_kernel_s = 1.229e-05, matmul = 1.047, passes = 35.11 },
  neuron = { call_s = 0.0001041, host_kernel_s = 5e-06, matmul = 1.028, passes = 9.003 },
  triton = { call_s = 0.0007945, input_bytes_s = 1.5e+09 },
  triton_concurrent = { call_s = 0.001021, input_bytes_s = 5.482e+09 },
  errors = { convnet = { mean = 0.256, median = 0.173 }, encoder = { mean = 0.245, median = 0.188 }, recommendation = { mean = 0.296, median = 0.270 }, vision = { mean = 0.214, median = 0.176 } },
  spread = { convnet = { 0.776, 2.004 }, encoder = { 0.750, 1.429 }, recommendation = { 0.623, 1.271 }, vision = { 0.715, 1.281 } },
}
