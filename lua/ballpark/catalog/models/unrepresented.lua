-- Shapes that are no stack of equal transformer layers: known by name, and why they have no entry.
local T5 = "encoder and decoder with attention between them, %s parameters "
  .. "(github:google-research/text-to-text-transfer-transformer@e081111ccd:t5/models/gin/models)"

return {
  ["t5-small"] = T5:format("60,506,624"),
  ["t5-base"] = T5:format("222,903,552"),
  ["t5-large"] = T5:format("737,668,096"),
  ["t5-3b"] = T5:format("2,851,598,336"),
  ["t5-11b"] = T5:format("11,307,321,344"),
  ["t5-v1.1-xl"] = T5:format("2,849,757,184"),
  ["t5-v1.1-xxl"] = T5:format("11,135,332,352"),
  ["DeciLM-7B"] = "its key/value heads differ from layer to layer (Hugging Face config.json; recalled, not read again)",
  resnet50 = "convolution network, 25,557,032 parameters, 4.089 GMAC per image of 224 x 224 (torchvision resnet.py)",
  ["dlrm-dcnv2-mlperf"] = "recommendation model, 26 tables of width 128 with 204,184,588 rows, 26,151,671,809 "
    .. "parameters (github:facebookresearch/dlrm@090956ee23:torchrec_dlrm/README.MD)",
  ["dlrm-dle-small"] = "recommendation model of 15 GB "
    .. "(github:NVIDIA/DeepLearningExamples:PyTorch/Recommendation/DLRM/README.md)",
}
