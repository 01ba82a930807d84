-- What turns speech to text with an encoder-decoder: how it cuts the sound, how many hypotheses it follows, and what its
-- host takes for a launch of the decoder. Launches are as the serving kernels count them, fourteen for a layer.
local errors = require("ballpark.errors")
local local_engines = require("ballpark.catalog.local_engines")
local tables = require("ballpark.tables")

local software = {}

-- advance: share of a window of 30 s by which the next one starts later. One after another a window begins at the last
-- timestamp of the one before (a tenth is heard twice, assumed); chunks of Transformers overlap by a sixth at either end
-- (its documentation). launch_s: fitted to two published times each, see published_media; padded: a batch goes on
-- until its longest text is written; alone: windows are not decoded together; together_advance: of windows that are decoded together, cut where nobody speaks;
-- shared_sound: hypotheses read the keys and values of their window's sound once (CTranslate2, attention with a beam
-- size; recalled); voices_s: of a second of sound, before windows that are decoded together are cut where nobody speaks, on the host
-- (Silero's detector: 31 pieces of 32 ms, each some 0.12 ms on one thread; its page says below 1 ms; recalled); feature_s: spectrogram of a window on the host, beside the device (fitted to the time of
-- distil-large-v2, whose decoder hardly takes any).
local entries = {
  ["faster-whisper"] = { source = "github:SYSTRAN/faster-whisper, README (2024; recalled): CTranslate2, beams of 5",
    launch_s = 32e-6, advance = 0.9, together_advance = 1, voices_s = 3.8e-3, beams = 5, padded = true, shared_sound = true },
  ["openai-whisper"] = { source = "github:openai/whisper (2023; recalled): PyTorch, beams of 5, one window at a time",
    launch_s = 88e-6, advance = 0.9, beams = 5, padded = true, alone = true },
  transformers = { source = "Hugging Face Transformers, automatic-speech-recognition pipeline (2024; recalled): greedy",
    launch_s = 66e-6, advance = 2 / 3, beams = 1, padded = true, feature_s = 0.16 },
  ["whisper.cpp"] = { source = "github:ggml-org/whisper.cpp, examples/cli (2024; recalled): beams of 5 that share their window's "
      .. "sound, one window at a time; launch_s by a step of large-v2 on an M2 Ultra, 11 ms (issue 89, recalled)",
    launch_s = 16e-6, advance = 0.9, beams = 5, padded = true, shared_sound = true, alone = true },
  vllm = { source = "vLLM documentation, supported models (2025): captured graphs, continuous batching, greedy",
    advance = 1, beams = 1, engine = "vllm" },
}

local aliases = { ["whisper-cpp"] = "whisper.cpp", whispercpp = "whisper.cpp", ["mlx-whisper"] = "whisper.cpp", whisper = "openai-whisper", openai = "openai-whisper", ctranslate2 = "faster-whisper",
  whisperx = "faster-whisper", ["insanely-fast-whisper"] = "transformers", huggingface = "transformers" }

--- Names of all, sorted.
function software.names() return tables.sorted_keys(entries) end

-- Whom CTranslate2 has kernels of: NVIDIA's cards and processors (its documentation of 2024, recalled).
local FASTER <const>, ELSEWHERE <const> = "faster-whisper", "whisper.cpp"

--- What is run on a device where nobody says: faster-whisper where it runs, else whisper.cpp.
---@param device table
function software.usual(device)
  return (device.vendor == "NVIDIA" or local_engines.is_processor(device)) and FASTER or ELSEWHERE
end

--- What a name does: { name, source, launch_s or engine, advance, beams, padded }.
function software.get(name)
  local known = tostring(name):lower()
  known = aliases[known] or known
  if not entries[known] then errors.choice("software", tostring(name), software.names()) end
  return tables.with(entries[known], { name = known })
end

return software
