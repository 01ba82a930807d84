-- What is known not to fit into a stack of transformer layers of one shape, and why.
local ENCODER_DECODER = "an encoder-decoder of another kind than T5 and Whisper"
local STATE_SPACE = "a state-space mixer other than Mamba-2"
local CONVOLUTION = "a convolution network"
local TWO_TOWERS = "two encoders of equal rank: give vision_config or text_config as a config of its own "
  .. "(model_type clip_vision_model or clip_text_model)"

return {
  umt5 = ENCODER_DECODER, longt5 = ENCODER_DECODER,
  bart = ENCODER_DECODER, mbart = ENCODER_DECODER, pegasus = ENCODER_DECODER, marian = ENCODER_DECODER,
  m2m_100 = ENCODER_DECODER, blenderbot = ENCODER_DECODER,
  switch_transformers = ENCODER_DECODER, t5gemma = ENCODER_DECODER, florence2 = ENCODER_DECODER,
  resnet = CONVOLUTION, convnext = CONVOLUTION, convnextv2 = CONVOLUTION, efficientnet = CONVOLUTION,
  mobilenet_v1 = CONVOLUTION, mobilenet_v2 = CONVOLUTION, regnet = CONVOLUTION, bit = CONVOLUTION,
  clip = TWO_TOWERS, siglip = TWO_TOWERS, siglip2 = TWO_TOWERS, align = TWO_TOWERS,
  chinese_clip = TWO_TOWERS,
  mamba = STATE_SPACE, falcon_mamba = STATE_SPACE, jamba = STATE_SPACE, rwkv = STATE_SPACE,
  zamba = STATE_SPACE, xlstm = STATE_SPACE, recurrent_gemma = STATE_SPACE,
  zamba2 = "attention whose weights several layers share",
  lfm2 = "short convolutions as mixers",
  lfm2_moe = "short convolutions as mixers",
  kimi_linear = "linear attention other than a gated delta net",
  minimax = "lightning attention", minimax_text_01 = "lightning attention",
  albert = "layers that share their weights",
  funnel = "layers of different widths", swin = "layers of different widths",
  swinv2 = "layers of different widths", pvt = "layers of different widths",
  openelm = "layers of different widths", ["nemotron-nas"] = "layers of different widths",
  deci = "layers of different widths",
  deberta = "relative positions with matrices of their own",
  ["deberta-v2"] = "relative positions with matrices of their own",
  ["transfo-xl"] = "relative positions with matrices of their own",
  xlnet = "relative positions with matrices of their own",
  mllama_text_model = "layers that attend to another model", mllama = "layers that attend to another model",
  gemma3n_text = "layers that reuse the keys of others, and an embedding for every layer",
}
