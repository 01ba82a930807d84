-- Published throughput of encoders, image networks, recommendation models and vector searches, to set an answer beside:
-- items per second of all devices. `tokens` of a sequence; an image has those of its network. None of them is fitted to
-- here; ballpark.catalog.runtimes says what its coefficients were fitted to.
return {
  { kind = "encoder", model = "bert-large-uncased", tokens = 384, device = "H100-SXM-80GB", devices = 8, per_s = 70661,
    date = "2024-08", source = "MLPerf Inference v4.1 closed, ASUSTeK, bert-99 offline (lengths up to 384, padding removed)" },
  { kind = "encoder", model = "bert-large-uncased", tokens = 384, device = "H100-PCIe-80GB", devices = 8,
    per_s = 45410, date = "2024-08", source = "MLPerf Inference v4.1 closed, ASUSTeK, bert-99 offline" },
  { kind = "encoder", model = "bert-large-uncased", tokens = 384, device = "T4", devices = 1, per_s = 69.3,
    date = "2021", source = "NVIDIA/DeepLearningExamples@729963dd47, BERT on Triton, TensorRT, batch 8" },
  { kind = "encoder", model = "bert-base-uncased", tokens = 128, device = "Inferentia2", devices = 1, per_s = 2674,
    date = "2025", source = "aws-neuron/aws-neuron-sdk@81ce03ae26, inf2 throughput_data_encoder.csv" },
  { kind = "encoder", model = "bert-large-uncased", tokens = 128, device = "Trainium1", devices = 1, per_s = 1104,
    date = "2025", source = "aws-neuron/aws-neuron-sdk@81ce03ae26, trn1 throughput_data_encoder.csv" },
  { kind = "vision", model = "vit-b-16-224", device = "Inferentia2", devices = 1, per_s = 1955, date = "2025",
    source = "aws-neuron/aws-neuron-sdk@81ce03ae26, throughput_data_vision_transformers.csv" },
  { kind = "vision", model = "clip-vit-b-32", device = "Inferentia2", devices = 1, per_s = 6510, date = "2025",
    source = "aws-neuron/aws-neuron-sdk@81ce03ae26, throughput_data_vision_transformers.csv" },
  { kind = "convnet", model = "resnet50", device = "H100-SXM-80GB", devices = 8, per_s = 709920, date = "2024-08",
    source = "MLPerf Inference v4.1 closed, ASUSTeK, resnet50 offline, int8" },
  { kind = "convnet", model = "retinanet", device = "H100-SXM-80GB", devices = 8, per_s = 14433, date = "2024-08",
    source = "MLPerf Inference v4.1 closed, ASUSTeK, retinanet offline" },
  { kind = "convnet", model = "resnet50", device = "V100-16GB-SXM", devices = 1, per_s = 3382, date = "2021",
    source = "NVIDIA/DeepLearningExamples@729963dd47, ResNet-50 v1.5, mixed precision, batch 256" },
  { kind = "recommendation", model = "dlrm-dcnv2", device = "H100-SXM-80GB", devices = 8, per_s = 591476,
    date = "2024-08", source = "MLPerf Inference v4.1 closed, ASUSTeK, dlrm-v2-99 offline; requests" },
  { kind = "recommendation", model = "dlrm-dcnv2", device = "L40S", devices = 4, per_s = 115424, date = "2024-08",
    source = "MLPerf Inference v4.1 closed, Quanta, dlrm-v2-99 offline; requests" },
}
