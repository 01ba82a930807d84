-- Shapes that are no stack of equal transformer layers: known by name, and why they have no entry.
local unrepresented = {}

local TWO_STACKS = "encoder and decoder with attention between them, whose shape is not in the catalog; a config.json "
  .. "of T5 or Whisper is read"
local STATE_SPACE = "its state-space layers are of the first kind of Mamba, whose scan is not counted"
local RECURRENT = "its layers are recurrent and of a kind that is not counted"
local TRANSDUCER = "it hears with convolutions between attention and writes without a decoder as Whisper has, which is not counted"
local SEARCHED = "its layers differ from one another: widths and attention were searched layer by layer"
local UNPUBLISHED <const> = "its shape is not published; name an open model, as DeepSeek-V3 or Llama-3.1-405B, or say a size "
  .. "that you take it to have, as '200B' or 'a 1.8T MoE with 280B active'"

--- The reason of models whose makers say nothing of their shape.
unrepresented.UNPUBLISHED = UNPUBLISHED

--- Name -> reason.
unrepresented.models = {
  ["DeciLM-7B"] = "its key/value heads differ from layer to layer (Hugging Face config.json; recalled, not read again)",
  ["mamba-130m"] = STATE_SPACE, ["mamba-370m"] = STATE_SPACE, ["mamba-790m"] = STATE_SPACE,
  ["mamba-1.4b"] = STATE_SPACE, ["mamba-2.8b"] = STATE_SPACE,
  resnet50 = "convolution network, 25,557,032 parameters, 4.089 GMAC per image of 224 x 224 (torchvision resnet.py)",
  ["dlrm-dcnv2-mlperf"] = "recommendation model, 26 tables of width 128 with 204,184,588 rows, 26,151,671,809 "
    .. "parameters (github:facebookresearch/dlrm@090956ee23:torchrec_dlrm/README.MD)",
  ["dlrm-dle-small"] = "recommendation model of 15 GB "
    .. "(github:NVIDIA/DeepLearningExamples:PyTorch/Recommendation/DLRM/README.md)",
}

--- What names of a family begin with -> reason; of what the models are, recalled and not read again.
unrepresented.families = {
  ["gpt-4"] = UNPUBLISHED, ["gpt-5"] = UNPUBLISHED, ["chatgpt"] = UNPUBLISHED, ["claude"] = UNPUBLISHED,
  ["gemini"] = UNPUBLISHED,
  ["t5-"] = TWO_STACKS, ["flan-t5"] = TWO_STACKS, ["mt5"] = TWO_STACKS, ["byt5"] = TWO_STACKS, ["ul2"] = TWO_STACKS,
  ["flan-ul2"] = TWO_STACKS, ["bart-"] = TWO_STACKS, ["mbart"] = TWO_STACKS, ["nllb"] = TWO_STACKS,
  ["m2m100"] = TWO_STACKS, ["switch-"] = TWO_STACKS, ["whisper"] = TWO_STACKS,
  ["jamba"] = STATE_SPACE, ["AI21-Jamba"] = STATE_SPACE, ["falcon-mamba"] = STATE_SPACE,
  ["hymba"] = "attention and state space side by side in every layer, with keys that layers share",
  ["zamba"] = "its layers share weights of attention", ["rwkv"] = RECURRENT, ["xlstm"] = RECURRENT,
  ["recurrentgemma"] = RECURRENT, ["kimi-linear"] = RECURRENT, ["minimax-text"] = RECURRENT,
  ["minimax-m1"] = RECURRENT,
  ["LongCat-Flash"] = "a layer has attention twice beside its experts, of which a token may visit some that do nothing",
  ["parakeet"] = TRANSDUCER, ["canary-"] = TRANSDUCER, ["wav2vec2"] = TRANSDUCER, ["hubert"] = TRANSDUCER,
  ["moonshine"] = "its encoder hears recordings of any length as waves, and no windows of 30 s; whisper-base is near in size",
  ["Hunyuan-Large"] = "two layers share keys and values",
  ["Llama-3_3-Nemotron-Super"] = SEARCHED, ["Llama-3.3-Nemotron-Super"] = SEARCHED,
  ["Llama-3_1-Nemotron-Ultra"] = SEARCHED, ["Llama-3.1-Nemotron-Ultra"] = SEARCHED, ["OpenELM"] = SEARCHED,
}

return unrepresented
