-- Models that speak: the shape of the language model that writes tokens of sound, and how many it writes for a second.
--
-- tokens_per_s follows from the codec. SNAC at 24 kHz has frames of 2,048 samples with 1 + 2 + 4 tokens: 24,000 / 2,048 * 7
-- (Siuzdak et al., arXiv:2410.14411). Sizes of vocabularies are those of the tokenizers with their tokens of sound, to a
-- thousand (recalled). X-codec 2 and BiCodec have one token for 20 ms (arXiv:2502.04128, arXiv:2503.01710;
-- recalled). first_tok: tokens that the first piece of sound is made of.
local tables = require("ballpark.tables")
local unpriced = require("ballpark.catalog.unpriced")

local voices = {}

local SNAC_TOK_S <const> = 24000 / 2048 * 7

local entries = {
  ["orpheus-3b"] = { shape = "llama-3.2-3b", vocab = 156940, tokens_per_s = SNAC_TOK_S, first_tok = 28,
    source = "github:canopyai/Orpheus-TTS, README and decoder.py (2025-03; recalled): SNAC, four frames at a time" },
  ["llasa-3b"] = { shape = "llama-3.2-3b", vocab = 193800, tokens_per_s = 50, first_tok = 25,
    source = "arXiv:2502.04128 (2025; recalled): X-codec 2, half a second at first (assumption)" },
  ["llasa-1b"] = { shape = "llama-3.2-1b", vocab = 193800, tokens_per_s = 50, first_tok = 25,
    source = "arXiv:2502.04128 (2025; recalled): X-codec 2, half a second at first (assumption)" },
  ["llasa-8b"] = { shape = "llama-3.1-8b", vocab = 193800, tokens_per_s = 50, first_tok = 25,
    source = "arXiv:2502.04128 (2025; recalled): X-codec 2, half a second at first (assumption)" },
  ["neutts-air"] = { shape = "qwen2.5-0.5b", vocab = 217216, tokens_per_s = 50, first_tok = 25,
    source = "github:neuphonic/neutts-air, README (2025; recalled): NeuCodec, half a second at first (assumption)" },
  ["outetts-0.2-500m"] = { shape = "qwen2.5-0.5b", vocab = 155800, tokens_per_s = 75, first_tok = 38,
    source = "github:edwko/OuteTTS, README (2024; recalled): WavTokenizer of 75 tokens a second, half a second at first "
      .. "(assumption)" },
  ["cosyvoice2-0.5b"] = { shape = "qwen2.5-0.5b", vocab = 158500, tokens_per_s = 25, first_tok = 15,
    source = "arXiv:2412.10117 (2024; recalled): 25 tokens a second, chunks of 15; the model that makes a spectrogram of "
      .. "them is not counted" },
  ["spark-tts-0.5b"] = { shape = "qwen2.5-0.5b", vocab = 166000, tokens_per_s = 50, first_tok = 57,
    source = "arXiv:2503.01710 (2025; recalled): BiCodec, 32 tokens of the speaker and half a second (assumption)" },
}

-- What names of voices begin with that no language model writes token by token, or two decoders; recalled.
local ALL_AT_ONCE <const>, TWO <const> = "it makes all sound at once, and no tokens", "two decoders write its tokens, one in the other"
local NEAR <const> = "near in size and known are neutts-air and orpheus-3b"
local not_estimated = { { "kokoro", ALL_AT_ONCE, NEAR }, { "f5", ALL_AT_ONCE, NEAR }, { "e2-tts", ALL_AT_ONCE, NEAR },
  { "styletts", ALL_AT_ONCE, NEAR }, { "vits", ALL_AT_ONCE, NEAR }, { "piper", ALL_AT_ONCE, NEAR },
  { "xtts", "a model of sound behind its decoder is not counted", NEAR }, { "bark", TWO, NEAR }, { "csm", TWO, NEAR },
  { "sesame", TWO, NEAR }, { "dia-", TWO, NEAR } }

-- Names compare without the organisation of a Hugging Face id.
local function plain(name) return (name:lower():gsub("^.*/", "")) end

--- Why a voice is not estimated, in words; nil of others.
---@param name string
---@param is_whole boolean|nil
function voices.unpriced(name, is_whole) return unpriced.words(plain(name), not_estimated, is_whole) end

--- Names of all, sorted.
function voices.names() return tables.sorted_keys(entries) end

--- The name of the entry that a name or Hugging Face id means, or nil.
function voices.resolve(name)
  local known = plain(name)
  return entries[known] and known or nil
end

--- { name, shape, vocab, tokens_per_s, first_tok, source }, or nil where the name is no voice's.
---@param name string
---@return table|nil
function voices.get(name)
  local known = voices.resolve(name)
  return known and tables.with(entries[known], { name = known }) or nil
end

return voices
