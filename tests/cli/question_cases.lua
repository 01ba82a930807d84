-- Questions without a scenario: latency budgets, encoders, recommendation, search among vectors, mixed lengths.
local json = require("ballpark.json")

return function(t)
  local function case(name, words, wanted)
    local list = table.move(words, 1, #words, 1, {})
    for key, value in pairs(wanted) do list[key] = value end
    t:case(name, list)
  end
  local function refused(name, words, pattern)
    case(name, words, { code = 2, out = "", err = function(text)
      return text:find("^ballpark: [^\n]*\n$") ~= nil and text:find(pattern) ~= nil
    end })
  end

  case("a model without an option to serve", { "serve", "llama-3.1-8b", "--device", "L4", "--rate", "0.1" }, { err = "", out = "Llama%-3.1%-8B on 1 x L4" })
  refused("a question that is no command", { "levers" }, "ask 'ballpark ask'")
  refused("an option by the name of the input", { "fit", "llama-3.1-8b", "--purpose", "full" }, "use %-%-for")
  refused("two models to serve", { "serve", "llama-3.1-8b", "--model", "llama-3.1-70b" }, "the model is given already, llama%-3.1%-8b")
  case("a model without an option in a budget", { "budget", "llama-3.1-8b", "--tokens", "1e12", "--device", "H100", "--budget", "500000",
    "--deadline", "days(30)", "--seq-len", "4096" }, { err = "", out = "H100" })
  case("two devices that are asked about for drawing", { "ask", "sdxl on a 4090 or an L40S" }, { err = "",
    out = { "RTX%-4090 +%d+%.%d+ s a call, ", "L40S +%d+%.%d+ s a call, " } })
  case("two devices that are asked about for speech", { "ask", "whisper on an L4 or a T4" }, { err = "", out = "1 x T4 +.- times its speed" })

  local function latency(...)
    return { "latency", "--sla", "0.4", "--part", "network=fixed:0.02", "--part", "inference=median:0.1,p99:0.3", ... }
  end
  case("a latency budget", latency("-f", "json"), { err = "", check = function(got)
    -- One part varies: P99 of the sum is its own and the fixed one.
    local values = json.decode(got.out).facts.latency.values
    assert(math.abs(values.value_s - 0.32) < 1e-3 and math.abs(values.left_s - 0.08) < 1e-3)
  end })
  case("a latency budget at its median", latency("--percentile", "50"), { err = "", out = "P50 of the sum +120 ms" })
  case("a latency budget that is overdrawn", latency("--part", "features=mean:ms(200),cv:0.5"),
    { code = 1, err = "", out = "longer than the SLO allows" })
  refused("latency without parts", { "latency", "--sla", "1" }, "needs %-%-part")
  refused("latency without an SLO", { "latency", "--part", "a=fixed:1" }, "needs %-%-sla")
  refused("a part that does not read", latency("--part", "b"), "%-%-part b: expected name=fixed")
  refused("a part of an unknown word", latency("--part", "b=fixd:1"), "did you mean 'fixed'")
  refused("a part that is half", latency("--part", "b=median:1"), "%-%-part b=median:1: .*median_s and p99_s")
  refused("a part below zero", latency("--part", "b=fixed:-1"), "%-%-part b=fixed:%-1: .*at least 0")
  refused("a percentile of nothing", latency("--percentile", "100"), "%-%-percentile 100: .*99.9")

  case("an encoder", { "encode", "--model", "vit-l-16-224", "--device", "A100", "--batch", "32", "--rate", "700",
    "--window", "ms(20)", "--sla", "ms(100)", "--spares", "1" }, { err = "",
    out = { "batch 32", "Replicas that meet the SLO", "With spares" } })
  case("an encoder with a flag", { "encode", "--model", "bert-base", "--device", "A100", "--tokens", "128", "--head",
    "--padding", "removed", "--mean-tokens", "64" }, { err = "", out = "Time of a call" })
  refused("an encoder nobody names", { "encode", "--device", "A100" }, "encode needs %-%-model")
  refused("an encoder with a name that is none", { "encode", "--model", "vit-l-16-224", "--device", "A100", "--dtype",
    "fp9" }, "%-%-dtype fp9: .*'fp9' is not one of")
  refused("an encoder under no load", { "encode", "--model", "vit-l-16-224", "--device", "A100", "--rate", "0" },
    "%-%-rate 0: load.rate_per_s")

  t:write("samples.csv", "id,tokens\n1,120\n2,300\n3,80\n")
  t:write("broken.csv", "tokens\n120\nmany\n")
  local function finetuned(...) return t.with({ "finetune", "llama-3.1-8b", "--device", "A100" }, { ... }) end
  refused("fine-tuning on nothing", finetuned(), "needs %-%-examples, such as %-%-examples 10000; memory alone is 'ballpark fit MODEL %-%-for qlora'")
  case("fine-tuning on each of some devices", finetuned("--device", "L4,H100", "--devices", "1,2", "--method", "qlora", "--examples", "1000"),
    { err = "", out = { "Best +1 x H100%-SXM%-80GB, the cheapest of %d that surely fit", "Fastest +2 x H100", "The run on each" } })
  case("fine-tuning with software of another year", finetuned("--examples", "1000", "--year", "2023"), { err = "", out = { "as of 2023" } })
  refused("fine-tuning before there was anything", finetuned("--examples", "1000", "--year", "20"), "2017")
  refused("fine-tuning on a device that is none", finetuned("--device", "L4,A101", "--examples", "10"), "A101")
  refused("a model given twice", finetuned("--model", "llama-3.1-8b", "--examples", "10"), "the model is given already")
  case("fine-tuning on lengths of a file", finetuned("--lengths", "samples.csv", "--batch", "1"), { err = "",
    out = "Examples" })
  case("fine-tuning on a file whose longer samples are dropped", finetuned("--lengths", "samples.csv", "--seq-len", "200", "-D",
    "lengths.longer=dropped"), { err = "", out = "Dropped +1 of 3 examples, those of more than 200 tokens" })
  case("fine-tuning on percentiles", finetuned("--examples", "1000", "--percentiles", "p50=300,p99=2000"), { err = "",
    out = "per USD" })
  refused("lengths of a broken file", finetuned("--lengths", "broken.csv"), "broken.csv:3: tokens: 'many' is not a number")
  case("a model on one device", { "fit", "llama-3.1-8b", "--on", "L4", "-f", "json" }, { err = "", check = function(got)
    local values = json.decode(got.out).facts.fit.values
    assert(values.fits and values.fits_chance > 0.99 and values.max_context_tok > 20000)
  end })
  case("a model on several devices", { "fit", "llama3.1:8b", "--device", "RTX 4090, RX-580,H100", "--for", "qlora" },
    { err = "", out = { "2 of 3 with 90 %%", "RX%-580" } })
  case("a model on a device that is too small", { "fit", "--model", "llama-3.1-70b", "--on", "T4" },
    { code = 1, err = "", out = "under 0.1 %% chance" })
  case("a model over the catalog", { "fit", "llama-3.1-8b", "-f", "markdown" }, { err = "", out = "Cheapest rent" })
  refused("a model twice", { "fit", "llama-3.1-8b", "--model", "qwen2.5-7b" }, "%-%-model: the model is given already")
  refused("a purpose that is none", { "fit", "llama-3.1-8b", "--for", "lorra" }, "%-%-for lorra: .*did you mean 'lora'")
  refused("weights as a report's format", { "fit", "llama-3.1-8b", "--format", "Q4_K_M" }, "use %-%-weights Q4_K_M")

  case("a prompt", { "ask", "train a model of 7B on 1T tokens" }, { err = "", out = { "5 Sanity", "Rule of thumb +42 ZFLOP",
    "Levers", "proposed: " } })
  case("a prompt in ten lines", { "ask", "storage of embeddings for 1B users", "--brief" }, { err = "",
    out = { "Cost a month now", "Best lever" } })
  case("a prompt that cannot be had", { "ask", "train 70B on 2 H100" }, { code = 1, err = "", out = "Does not go" })
  case("facts of a prompt", { "ask", "--facts", "storage" }, { err = "", out = { "growth_month_frac", "Bytes of a value" } })
  case("two prompts", { "ask", "storage for 1B users", "--and", "storage for 2B users" }, { err = "",
    out = { "All a month", "Parts" } })
  refused("a prompt about nothing", { "ask", "hello" }, "does not know what this is about %(it reads English%)")
  case("a prompt with a number nobody reads", { "ask", "chat of 8B, 3 foos" }, { err = "", out = "Not read +3 foos" })
  case("a fact between two numbers as people write them", { "ask", "storage of embeddings", "--set", "users=500M..2B", "--brief" },
    { err = "", out = "All copies +2.3 TB" })
  refused("a fact nobody knows", { "ask", "train 7B", "--set", "tokns=5" }, "did you mean 'tokens'")
  for _, text in ipairs({ "train a 37B MoE with 671B active on 1T tokens", "train a 7B MoE with 70B active on 1T tokens", "train a 37B MoE with 40B active on 1T tokens",
    "how much memory does a 37B model with 671B active need?", "fit a 8B MoE with 160B active on H100" }) do
    refused("more active parameters than in all: " .. text, { "ask", text }, "active parameters are more than all parameters, %d+ billion: are they swapped")
  end
  for _, count in ipairs({ "8e9", "1e15" }) do
    refused("more active parameters by name: " .. count, { "ask", "train a model of 7B on 1T tokens", "--set", "active_params=" .. count },
      "active parameters are more than all parameters, 7 billion")
  end
  refused("more active parameters than are proposed", { "ask", "train a model on 1T tokens", "--set", "active_params=7e13" },
    "active_params: 70 trillion active parameters are more than all parameters")
  refused("more active parameters further on", { "ask", "train a 7B on 1T tokens; then 40B active" }, "active_params: 40 billion active parameters are more")
  refused("a rule that nothing asks for", { "ask", "train a model of 7B on 1T tokens", "--kind", "rule" }, "rule: .*one of all_reduce, bandwidth, bubble,")
  refused("a rule that is none", { "ask", "all-reduce of 140 GB over 400 Gb/s and 64 GPUs", "--set", "rule=bubbel" },
    "rule: 'bubbel' is not one of all_reduce, .*did you mean 'bubble'")
  for name, needs in pairs({ bubble = "pp", all_reduce = "message_bytes or params or model", message = "params or model", transfer = "message_bytes or params or model",
    data_set = "tokens", bandwidth = "params or model", ceiling = "params or model", shape = "layers" }) do
    refused("a rule without what it needs: " .. name, { "ask", "--kind", "rule", "--set", "rule=" .. name }, "rule: " .. name .. " needs " .. needs .. ", ")
  end
  -- Seven of eight stages wait while the first of 32 fill: 7 / 39.
  case("a rule by name", { "ask", "--kind", "rule", "--set", "rule=bubble", "--set", "pp=8", "--set", "micro_batches=32", "--brief" },
    { err = "", out = "17.9 %% of the step" })
  case("a rule after another question", { "ask", "all-reduce of 140 GB over 400 Gb/s and 64 GPUs; then train a 7B on 1T tokens", "--brief" }, { err = "" })
  case("a rule behind another question", { "ask", "train a 7B on 1T tokens; then bubble of a pipeline of 8 stages and 32 micro-batches" },
    { err = "", out = "the bubble is 17.9 %%" })
  for _, fact in ipairs({ "model=true", "engine=-1", "device=7..9" }) do
    refused("a name that is none: " .. fact, { "ask", "how many users can one H100 handle?", "--set", fact }, fact:match("^%a+") .. ": must be a name, got ")
  end
  t:write("model-fact.lua", 'show(ask { text = "how many users can one H100 handle?", facts = { model = model "llama-3.1-8b" } })')
  refused("a model in place of its name", { "run", t:path("model-fact.lua") }, "model%-fact.lua:1: model: must be a name, got a table: write the name alone\n$")
  for name, text in pairs({ word = ("x1 "):rep(33000), digits = ("9"):rep(50000) .. ".." .. ("9"):rep(50000), range = ("1.."):rep(30000) }) do
    case("a fact as long as a file: " .. name, { "ask", "train 7B on 1T tokens", "--set", "devices=" .. text }, { code = 2, out = "",
      err = function(said) return said:find("^ballpark: [^\n]*\n$") ~= nil and #said < 600 end })
  end
  for _, text in ipairs({ "1e999..1e999", "-1e999..1", "1e999..2e999x2" }) do
    refused("a range beyond all numbers: " .. text, { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices", "8", "--global-batch", "8", "--seq-len", "2048",
      "--tp=" .. text }, "%-%-tp: '" .. text:gsub("%p", "%%%0") .. "' is no range")
  end
  refused("a fact without a value", { "ask", "train 7B", "--set", "tokens" }, "expected name=value")
  t:write("other.json", "{}")
  refused("a follow-up of nothing", { "ask", "--follow", t:path("other.json") }, "is no answer of")

  -- Ends of a range go on, whoever said it and however; what another question answers is drawn.
  local RANGE <const> = { err = "", out = { "Tokens +8%.5 billion tok %(6 to 12%)", "Range from +tokens %d%d" } }
  for i, words in ipairs({ { "train 100M on 6B to 12B tokens with 8 H100" }, { "train 100M with 8 H100", "--set", "tokens=6..12B" },
    { "train 100M with 8 H100", "--set", "tokens=range(6e9,12e9)" } }) do
    local file = t:path(("range%d.json"):format(i))
    case("an answer with a range", { "ask", table.unpack(words) }, RANGE)
    case("an answer with a range as a file", { "ask", "-f", "json", "-o", file, table.unpack(words) }, { err = "" })
    case("a follow-up of a range", { "ask", "--follow", file }, RANGE)
  end
  for i, row in ipairs({ { "QLoRA of an 8B on an H100 with 52k examples", "on A100", "A100" }, { "does llama 3.1 70b fit on 2 H100", "on A100", "A100" },
    { "how many tokens per second can 8 H100 generate with a 30B", "on A100", "A100" } }) do
    local file = t:path(("other%d.json"):format(i))
    case("an answer of another question as a file: " .. row[1], { "ask", "-f", "json", "-o", file, row[1] }, { err = "" })
    case("a follow-up of another question: " .. row[1], { "ask", "--follow", file, row[2] }, { out = row[3] })
  end
  case("a context of a million tokens", { "fit", "llama-3.1-8b", "--on", "H200", "--context", "1048576" }, { err = "", code = 1, out = "1,048,576" })
  case("sequences of a million tokens in a launch file", { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices", "64", "--global-batch", "64",
    "--seq-len", "1048576", "--emit", "megatron" }, { err = "", out = "%-%-seq%-length 1048576\n" })
  case("a range of another question", { "ask", "fine-tune llama 3.1 8b with qlora on an RTX 4090", "--set", "examples=50k..100k" },
    { err = "", out = "under uncertain inputs" })
  refused("a range from above", { "ask", "train 7B", "--set", "tokens=2T..1T" }, "starts above its end")
  refused("a time in millions", { "ask", "train 7B", "--set", "time_s=7200M" }, "takes a time, and 'M' is none")
  refused("a second prompt that is none", { "ask", "train 7B on 1T tokens", "--and", "1k" }, "does not understand")

  case("a claim", { "check", "7B on 1T tokens, 512 A100, 5 days" }, { err = "", out = { "MFU +60.9 %%", "Comparable" } })
  refused("a claim with a time in millions", { "check", "--params", "7e9", "--tokens", "1T", "--device", "A100", "--devices", "512", "--time", "7200M" },
    "%-%-time: takes a time, and 'M' in '7200M' is none")
  case("a claim with too few tokens", { "check", "7B on 1M tokens, 512 A100, 5 days" }, { err = "", out = "implausibly low" })
  case("a claim that cannot be", { "check", "70B on 1 A100, 1T tokens, 3 days" }, { code = 1, err = "", out = "above_peak" })
  case("a claim by options", { "check", "--params", "7e9", "--tokens", "1e12", "--device", "A100", "--devices", "2000",
    "--mfu", "0.17" }, { err = "", out = "4.58 days" })
  refused("a claim that lacks facts", { "check", "7B on 1T tokens" }, "needs the device and a time")

  t:write("estimate.txt", "We train 7B on 1T tokens at 17% MFU. On one A100 this takes 25,000 years.\n")
  case("an estimate in prose", { "lint", t:path("estimate.txt") }, { err = "", out = { "thousands %(line 1%)", "no_range" } })
  case("a strict look at it", { "lint", t:path("estimate.txt"), "--strict" }, { code = 1, err = "", out = "thousands" })
  case("lints by code", { "lint", "--codes" }, { err = "", out = { "weights_only", "no_redundancy" } })
  case("a scenario without lints", { "lint", t.root .. "/scenarios/worked/a1-a2-weights.lua", "--strict" }, { err = "",
    out = "Found +0" })
  t:write("nothing.txt", "nothing\n")
  refused("prose without numbers", { "lint", t:path("nothing.txt") }, "no numbers")
  refused("a folder without scenarios", { "run", t.root .. "/core/kernel" }, "has no scenarios")

  case("a recommendation", { "recommend", "--model", "dlrm-dcnv2", "--device", "H100", "--devices", "8", "--requests",
    "256" }, { err = "", out = { "8 x H100", "exchange" } })
  refused("a recommendation on nothing", { "recommend", "--model", "dlrm-dcnv2" }, "recommend needs %-%-device")

  case("images by diffusion", { "diffusion", "--model", "stable-diffusion-xl-base-1.0", "--device", "H100", "--rate", "2",
    "--sla", "20" }, { err = "", out = { "1024 x 1024", "Steps per second", "Replicas that meet the SLO", "Comparable" } })
  case("images that do not fit", { "diffusion", "--model", "flux", "--device", "RTX 4090" }, { code = 1, err = "",
    out = "one part on the device at a time" })
  refused("images of no size", { "diffusion", "--model", "sdxl", "--device", "H100", "--width", "100" },
    "%-%-width 100: .*multiple of 8")
  refused("images by an unknown model", { "diffusion", "--model", "sdlx", "--device", "H100" }, "did you mean 'sdxl'")

  case("speech to text", { "transcribe", "--model", "whisper-large-v3", "--device", "L4", "--audio", "hours(2)", "--batch",
    "8", "--audio-per-s", "500" }, { err = "", out = { "Real%-time factor", "Devices that keep up", "Comparable" } })
  refused("speech to a model of text", { "transcribe", "--model", "llama-3.1-8b", "--device", "L4" }, "encoder of sound")
  case("text to speech", { "speak", "--model", "orpheus-3b", "--device", "L40S", "--voices", "8", "--streams", "100" },
    { err = "", out = { "Streams that keep up", "Devices for the streams", "Comparable" } })
  refused("speech of an unknown codec", { "speak", "--model", "llama-3.2-3b", "--device", "L40S" }, "82 for SNAC")
  case("documents of a query", { "rerank", "--model", "Qwen3-Reranker-0.6B", "--device", "H100", "--rate", "10", "--sla",
    "1" }, { err = "", out = { "Queries per second", "Replicas that meet the SLO" } })
  refused("documents by an image network", { "rerank", "--model", "resnet50", "--device", "L4" }, "must be an encoder")

  case("images in a prompt", { "image-prompt", "--model", "Qwen2.5-VL-7B", "--device", "L4", "--width", "1280", "--height",
    "720" }, { err = "", out = { "1,196 tok", "Vision tower", "By size" } })
  refused("images to a model of text", { "image-prompt", "--model", "llama-3.1-8b", "--device", "L4" }, "no vision tower")

  case("a search among vectors", { "vector-search", "--vectors", "million(100)", "--dim", "128", "--index", "hnsw",
    "--ef", "128", "--rate", "20000" }, { err = "", out = { "100 million", "Replicas for the rate" } })
  case("a search for more than codes can find", { "vector-search", "--vectors", "1e7", "--dim", "768", "--index",
    "ivf_pq", "--recall", "0.99" }, { code = 1, err = "", out = "finds [%d.]+ %% at most" })
  refused("a search among none", { "vector-search", "--vectors", "0", "--dim", "128" }, "%-%-vectors 0: vectors")
  refused("a search in an unknown index", { "vector-search", "--vectors", "1e6", "--dim", "128", "--index", "hnws" },
    "did you mean 'hnsw'")

  local function mixed(...)
    return { "serve", "--model", "llama-3.1-8b", "--device", "H100,L4", "--gpus", "64", "--rate", "60", ... }
  end
  case("requests of different length", mixed("--ttft", "0.8", "--bucket", "share=0.7,input=300,output=150", "--bucket",
    "share=0.3,input=8000,output=400"), { err = "", out = { "pools by length", "8000/400" } })
  refused("buckets without an SLO", { "serve", "--model", "llama-3.1-8b", "--device", "H100", "--rate", "5",
    "--bucket", "share=1,input=300,output=10" }, "%-%-bucket is about a fleet")
  refused("a bucket of nothing", mixed("--ttft", "1", "--bucket", "share=1,input=300,output=0"),
    "%-%-bucket share=1,input=300,output=0: .*above 0")
  refused("a bucket of an unknown word", mixed("--ttft", "1", "--bucket", "share=1,inputs=3"), "did you mean 'input'")
  refused("buckets that are not all", mixed("--ttft", "1", "--bucket", "share=0.7,input=300,output=10"),
    "shares must make 1")
  case("a percentile without an SLO", { "serve", "--model", "llama-3.1-8b", "--device", "H100", "--rate", "5",
    "--percentile", "95" }, { err = "", out = "P95 +" })
end
