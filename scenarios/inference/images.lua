-- Image networks on one device: convolutional, transformer, hierarchy, and both towers of CLIP.
title "Image networks at batch 64"

local gpu = param("gpu", "A100", "device")

local list = {}
for i, name in ipairs { "resnet50", "resnet152", "swin-base", "vit-b-16-224", "vit-l-16-224", "clip-vit-l-14" } do
  local at = encode { model = name, device = gpu, runtime = "tensorrt", dtype = "fp16", batch = 64 }
  list[i] = { name, at.out.item_flop, at.out.time_s, at.out.per_s, at.out.bound }
end
rows {
  name = "networks", title = "One device, fp16",
  columns = { { name = "network" }, { name = "flop", unit = "FLOP", title = "of an image" },
    { name = "time_s", unit = "s", title = "batch of 64" }, { name = "per_s", unit = "1/s", title = "images" },
    { name = "bound", title = "bound by" } },
  rows = list,
}
assume "FLOP count multiply and add as two: twice the MAC that papers call FLOPs."
expect("ResNet-50 has 4.1 billion MAC", list[1][2] / 2, { equals = 4.1e9, rel = 5e-3 })
expect("ViT-L/16 has 61.6 billion MAC", list[5][2] / 2, { equals = 61.6e9, rel = 5e-3 })
expect("the larger, the slower", list[2][3] > list[1][3] and list[5][3] > list[4][3], { equals = true })
-- An order of magnitude that people quote: 1,200 images/s of ViT-L/16 on an A100 at batch 32.
if gpu == "A100" then expect("ViT-L/16", list[5][4], { least = 600, most = 2400 }) end

-- CLIP encodes an image and its caption; the text tower is small beside it.
local image = encode { model = "clip-vit-l-14", device = gpu, dtype = "fp16", runtime = "tensorrt", batch = 64 }
local text = encode { model = "clip-vit-l-14-text", device = gpu, dtype = "fp16", runtime = "tensorrt", batch = 64,
  tokens = 77 }
facts("CLIP ViT-L/14, 64 pairs", {
  { "image_s", image.out.time_s, "s", "Images" },
  { "text_s", text.out.time_s, "s", "Captions" },
})
expect("captions take a small part", text.out.time_s / image.out.time_s, { most = 0.25 })
