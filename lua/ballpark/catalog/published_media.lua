-- Published measurements of models that are no language models, to set an answer beside: the question and its inputs
-- as they were, which figure of the answer was measured, and its value. `recalled` marks what was written down from
-- memory of the source. None of them is fitted to; ballpark.range.media holds most of them.
local MLPERF <const> = "MLPerf Inference v4.1 closed, stable-diffusion-xl offline, "

-- Rates of NVIDIA's TensorRT code of the benchmark: 20 steps of Euler, 1,024 x 1,024; batches are not published.
local function sdxl(device, devices, per_s, submitter)
  return { question = "diffusion", figure = "per_s", value = per_s / devices, unit = "1/s", date = "2024-08",
    source = MLPERF .. submitter,
    input = { model = "sdxl", device = device, batch = 8, steps = 20, runtime = "tensorrt", dtype = "fp8" } }
end

local TRT_PAGE <const> = "Hugging Face page of stabilityai/stable-diffusion-xl-1.0-tensorrt, 30 steps"
local FAST <const> = "PyTorch blog, Accelerating Generative AI Part III: Diffusion, Fast"
local TORCHAO <const> = "github:sayakpaul/diffusers-torchao, README, 28 steps of 1,024 x 1,024"
local function timed(model, device, runtime, seconds, date, source, more)
  local input = { model = model, device = device, runtime = runtime, batch = 1 }
  for key, value in pairs(more or {}) do input[key] = value end
  return { question = "diffusion", figure = "time_s", value = seconds, unit = "s", date = date, source = source,
    recalled = true, input = input }
end

-- Images of 1,024 x 1,024 of diffusers, one at a time, with guidance.
local function by_pixart(model, steps, device, seconds)
  return timed(model, device, "eager", seconds, "2023-11", "github:PixArt-alpha/PixArt-alpha, README, inference speed", { steps = steps })
end

-- Steps of Stable Diffusion 1.5 a second at 512 x 512, one image with guidance.
local function stepped(device, runtime, per_s)
  return { question = "diffusion", figure = "steps_per_s", value = per_s, unit = "1/s", date = "2023-05", recalled = true,
    source = "diffusers documentation, PyTorch 2.0 with scaled dot-product attention",
    input = { model = "sd-1.5", device = device, runtime = runtime, batch = 1 } }
end

local FASTER <const> = "github:SYSTRAN/faster-whisper, README: 13 minutes of sound"
local FAST_HF <const> = "github:Vaibhavs10/insanely-fast-whisper, README: 150 minutes of sound"

local function heard(model, device, software, seconds, minutes, source, date, more)
  local input = { model = model, device = device, software = software, audio_s = 60 * minutes }
  for key, value in pairs(more or {}) do input[key] = value end
  return { question = "transcribe", figure = "time_s", value = seconds, unit = "s", date = date, source = source,
    recalled = true, input = input }
end

-- Pairs of a query and a passage of MS MARCO, about 100 tokens together (assumed), in fp32, as Sentence Transformers loads
-- weights (recalled).
local function scored(model, per_s)
  return { question = "rerank", figure = "documents_per_s", value = per_s, unit = "1/s", date = "2021", recalled = true,
    source = "Sentence Transformers documentation, MS MARCO cross-encoders",
    input = { model = model, device = "V100-16GB-SXM", runtime = "eager", dtype = "fp32", documents = 1000, batch = 32, query_tokens = 10,
      document_tokens = 90 } }
end

-- Delay of the first sound, and live streams that one half of an H100 kept up with.
local function spoken(question, figure, value, unit, date, source, input)
  return { question = question, figure = figure, value = value, unit = unit, date = date, source = source,
    recalled = true, input = input }
end

return {
  spoken("speak", "first_sound_s", 0.2, "s", "2025-03", "github:canopyai/Orpheus-TTS, README; the device of its blog",
    { model = "orpheus-3b", device = "A100-40GB-SXM" }),
  spoken("speak_streams", "most_streams", 24, "", "2025-04", "Baseten, Orpheus on TensorRT-LLM with steady traffic",
    { model = "orpheus-3b", device = "H100-80GB-MIG-3g.40gb", engine = "trtllm", weights = "fp8" }),
  scored("ms-marco-MiniLM-L-6-v2", 1800), scored("ms-marco-MiniLM-L-12-v2", 960),
  heard("whisper-large-v2", "RTX-3070-Ti", "openai-whisper", 143, 13, FASTER, "2024-10"),
  heard("whisper-large-v2", "RTX-3070-Ti", "transformers", 112, 13, FASTER, "2024-10", { beams = 5 }),
  heard("whisper-large-v2", "RTX-3070-Ti", "faster-whisper", 63, 13, FASTER, "2024-10"),
  heard("whisper-large-v2", "RTX-3070-Ti", "faster-whisper", 17, 13, FASTER, "2024-10", { batch = 8 }),
  heard("whisper-large-v2", "A100-80GB-SXM", "faster-whisper", 563, 150, FAST_HF, "2023-11", { beams = 1 }),
  heard("whisper-large-v3", "A100-80GB-SXM", "transformers", 98, 150, FAST_HF, "2023-11", { batch = 24 }),
  heard("distil-large-v2", "A100-80GB-SXM", "transformers", 78, 150, FAST_HF, "2023-11", { batch = 24 }),
  sdxl("H100-SXM-80GB", 8, 16.3484, "NVIDIA"), sdxl("H200-SXM-141GB", 8, 17.4186, "NVIDIA"),
  sdxl("H100-PCIe-80GB", 8, 9.83763, "ASUSTeK"), sdxl("L40S", 2, 1.36759, "Cisco"),
  sdxl("H100-NVL-94GB", 8, 11.827, "Lenovo"), sdxl("GH200-96GB", 1, 2.30033, "NVIDIA"),
  timed("sdxl", "A10", "tensorrt", 8.160, "2023-08", TRT_PAGE, { steps = 30 }),
  timed("sdxl", "A100-80GB-SXM", "tensorrt", 2.742, "2023-08", TRT_PAGE, { steps = 30 }),
  timed("sdxl", "H100-SXM-80GB", "tensorrt", 1.471, "2023-08", TRT_PAGE, { steps = 30 }),
  timed("sdxl", "A10", "eager", 9.399, "2023-08", TRT_PAGE, { steps = 30 }),
  timed("sdxl", "A100-80GB-SXM", "eager", 3.31, "2024-01", FAST, { steps = 30 }),
  timed("sdxl", "A100-80GB-SXM", "compiled", 2.54, "2024-01", FAST, { steps = 30 }),
  by_pixart("sdxl", 25, "T4", 26.5), by_pixart("sdxl", 25, "V100-32GB-SXM", 7.7), by_pixart("sdxl", 25, "A100-80GB-SXM", 3.8),
  by_pixart("pixart-alpha", 14, "T4", 16.0), by_pixart("pixart-alpha", 14, "V100-32GB-SXM", 5.5),
  by_pixart("pixart-alpha", 14, "A100-80GB-SXM", 2.2),
  timed("wan2.1-t2v-1.3b", "RTX-4090", "eager", 240, "2025-02", "github:Wan-Video/Wan2.1, README: 5 s of 480P, about 4 minutes",
    { offload = true }),
  timed("flux.1-dev", "H100-SXM-80GB", "eager", 6.431, "2024-11", TORCHAO, { steps = 28 }),
  timed("flux.1-dev", "H100-SXM-80GB", "compiled", 2.966, "2024-11", TORCHAO, { steps = 28, dtype = "fp8" }),
  stepped("A100-80GB-SXM", "eager", 21.66), stepped("A100-80GB-SXM", "compiled", 44.03),
  stepped("V100-16GB-SXM", "eager", 18.99), stepped("T4", "eager", 6.96),
}
