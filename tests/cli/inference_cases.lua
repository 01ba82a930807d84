-- Encoders, recommendation and search from scenarios, and published results against estimates.
return function(t)
  t:write("encode.lua", 'show(encode { model = "resnet50", device = "A100", batch = 8 })\n')
  t:case("encode reports time, rate and bound", { "run", "encode.lua",
    out = { "resnet50 on A100%-80GB%-SXM, batch 8", "Time of a call", "Bound by", "By batch", "Runtime tensorrt" } })
  t:case("encode with other fields", { "run", "encode.lua", "-D", "encode.batch=64", "-D", "device=H100",
    out = { "resnet50 on H100%-SXM%-80GB, batch 64" } })
  t:case("encode as JSON in base units", { "run", "encode.lua", "-f", "json", out = { '"time_s":0%.', '"bound":"' } })
  t:write("slo.lua", 'show(encode { model = "vit-l-16-224", device = "A100", dtype = "fp16", runtime = "tensorrt",'
    .. " load = { rate_per_s = 100, sla_s = 1e-5 } })\n")
  t:case("an SLO that nothing keeps", { "run", "slo.lua", code = 1,
    out = { "no number of replicas keeps 10 µs" } })
  t:write("field.lua", 'encode {\n model = "resnet50",\n devic = "A100" }\n')
  t:case("a misspelt field", { "run", "field.lua", code = 2, out = "", err = { "did you mean 'device'" } })
  t:write("vectors.lua", "show(vector_search { vectors = 1e6, dim = 96, index = 'ivf_pq', probes = 8 })\n")
  t:case("search shows recall against time", { "run", "vectors.lua",
    out = { "Nearest found first", "Recall against time" } })
  for option, wrong in pairs({ [{ "--price", "-1" }] = "price_usd_h: must be a number of at least 0",
    [{ "--price", "2" }] = "price_usd_h: is of a load", [{ "--vectors", "1.5" }] = "vectors: must be a whole number",
    [{ "--rate", "-1" }] = "rate_per_s: must be a number above 0",
    [{ "--index", "ivf", "--lists", "1e7" }] = "lists: 10000000 are more than the 1000000 vectors" }) do
    local list = t.with({ "vector-search", "--vectors", "1e6", "--dim", "96" }, option)
    list.code, list.out, list.err = 2, "", "^ballpark: [^\n]*" .. wrong .. "[^\n]*\n$"
    t:case("vector search with " .. table.concat(option, " "), list)
  end
  t:write("recommend.lua",
    "show(recommend { model = 'dlrm-dcnv2', cluster = { device = 'H100', devices = 8 }, requests = 64 })\n")
  t:case("recommend shows what a call is spent on", { "run", "recommend.lua",
    out = { "lookups", "exchange", "All tables" } })
  t:write("busy.lua", "show(recommend { model = 'dlrm-dcnv2', cluster = { device = 'H100', devices = 1 },"
    .. " dtype = 'int8', requests = 64, load = { rate_per_s = param('rate', 2e5), sla_s = ms(20) } })\n")
  t:case("replicas that always work are not full", { "run", "busy.lua",
    out = "full batches can do +%d+%.?%d* %%.*under way +100.* %%.*takes what has come" })
  t:case("replicas with time to spare say nothing of it", { "run", "busy.lua", "-D", "rate=10",
    check = function(got) assert(got.out:find("under way") and not got.out:find("what has come")) end })

  t:case("a model on one's own machine", { "local", "llama3.1:8b", "--device", "RTX 4090", "--context", "8192",
    out = { "Llama%-3.1%-8B, Q4_K_M, on RTX%-4090", "Longest context", "What would be different", "Q4_K_M, as Ollama pulls llama3.1:8b" } })
  t:case("a model that a device does not hold is dealt to the host", { "local", "llama-3.1-70b:Q4_K_M", "--on", "RTX 3090",
    out = { "With the host +%d+ of 80 layers", "Generation bound by +layers on the host" } })
  t:case("a host with memory of its own", { "local", "gpt-oss-120b", "--on", "RTX 4090", "--host", "EPYC 9654", "-D", "device.memory_bytes=GiB(48)",
    "-D", "host.memory_bytes=GiB(100)", out = { "of 46%.6 GiB usable", "of 90 GiB that its system leaves" } })
  t:case("a host that nobody knows", { "local", "llama-3.1-8b", "--on", "RTX 4090", "--host", "Foo 9", code = 2, out = "", err = "^ballpark: %-%-host Foo 9: host: " })
  t:case("a model that a device does not hold, all of whose layers are wanted there", { "local", "llama-3.1-70b:Q4_K_M",
    "--on", "RTX 3090", "--device-layers", "80", code = 1,
    out = { "What would make it fit", "layers with the host", "does not hold it" } })
  t:case("devices and formats of a model on one's own machine side by side", { "local", "llama-3.1-8b", "--on", "RTX 4090,RTX 3060 12GB",
    "--weights", "F16,Q8_0", "-f", "csv", out = { "^device,format,", "\nRTX%-4090,F16,", "\nRTX%-4090,Q8_0,", "\nRTX%-3060%-12GB,F16,", "\nRTX%-3060%-12GB,Q8_0," } })
  t:case("a static batch on one's own machine", { "local", "llama-3.1-8b", "--on", "A100", "--engine", "transformers",
    "--weights", "BF16", "--sequences", "8", out = { "Generation of 8 sequences", "Each of them", "begin and end together" } })
  t:case("a static batch of nothing", { "local", "llama-3.1-8b", "--on", "A100", "--sequences", "0", code = 2, out = "",
    err = "sequences" })
  t:case("devices counted before their name are those of a replica", { "serve", "--model", "llama-3.1-70b", "--device", "2xH100",
    "--concurrency", "4", "-D", "load.requests=20", out = "on 2 x H100.*tp 2" })
  t:case("they are those there are at most where a fleet is searched", { "batch-job", "--model", "llama-3.1-8b", "--device",
    "2xH100", "--prompts", "1000", "--input-tokens", "100", "--output-tokens", "100", "--deadline", "1", code = 1 })
  for _, words in ipairs({ { "encode", "--model", "bert-base", "--tokens", "128" },
    { "speak", "--model", "orpheus-3b" }, { "transcribe", "--model", "whisper-large-v3" },
    { "rerank", "--model", "bge-reranker-v2-m3" } }) do
    words.code, words.out, words.err = 2, "", "'2xL4' says 2 devices, and this is asked of one: say L4"
    table.move({ "--device", "2xL4" }, 1, 2, #words + 1, words)
    t:case(words[1] .. " has no place for a count of devices", words)
  end
  t:case("one image is made on one device", { "diffusion", "--model", "sdxl", "--device", "2xL4", code = 2, out = "", err = "^[^\n]*devices: [^\n]*\n$" })
  t:case("several devices share the images of a job", { "diffusion", "--model", "sdxl", "--device", "2xL4", "--images", "1000",
    out = "On 2 devices" })
  t:case("a count before the name and another beside it", { "local", "llama-3.1-70b", "--device", "2x RTX 3090", "--devices", "4",
    code = 2, out = "", err = "says 2 devices, and devices 4" })
  t:case("a device whose name begins with a number", { "local", "llama-3.1-8b", "--device", "7900 XTX",
    out = "on RX%-7900%-XTX" })
  t:case("a local model without a device", { "local", "llama3.1:8b", code = 2, out = "", err = "needs %-%-device" })

  t:write("published.csv", "id,model,gpu,precision_weights,engine,batch_or_concurrency,metric_kind,value\n"
    .. "a-1,resnet50,A100,fp16,TensorRT,64,images_per_s,15000\nb-1,Llama-3-8B,A100,fp16,vLLM,1,tokens_per_s,100\n")
  t:case("validate inference", { "validate", "inference", t:path("published.csv"), "--rows",
    out = { "convnet", "a%-1", "Mean and median are of |error|" }, err = { "1 rows are of language models" } })
  t:case("validate inference of nothing", { "validate", "inference", t:write("none.csv",
    "id,model,gpu,precision_weights,engine,batch_or_concurrency,metric_kind,value\n"), code = 1, out = "No row could be predicted" })
  t:case("validate inference by a column that is not there", { "validate", "inference", t:path("published.csv"),
    "--group", "modl", code = 2, out = "", err = { "did you mean 'model'" } })
  t:case("networks of the catalog", { "catalog", "networks", "swin-tiny", out = { "stages", "arXiv:2103.14030" } })
  t:case("questions are explained", { "explain", "encode",
    out = { "encode{...}", "encode takes", "utilization_frac" } })
end
