-- The words that give a number its meaning, by what they mean: units, nouns, names before and behind it.
local plain_words = require("ballpark.questions.said.plain_words")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local vocabulary = {}

--- Words between things, which never belong to a noun.
vocabulary.LINKING = tables.set(plain_words.linking)

--- Seconds of a unit of time by the words for it.
vocabulary.TIMES = { ms = 1e-3, millisecond = 1e-3, milliseconds = 1e-3, msec = 1e-3, s = 1, sec = 1, secs = 1, second = 1,
  seconds = 1, min = 60, mins = 60, minute = 60, minutes = 60, h = 3600, hr = 3600, hrs = 3600, hour = 3600, hours = 3600,
  d = 86400, day = 86400, days = 86400, week = 604800, weeks = 604800, wk = 604800, month = units.months(1),
  months = units.months(1), mo = units.months(1), quarter = units.months(3), year = units.years(1), years = units.years(1),
  yr = units.years(1) }

--- Rates by one word: "hourly".
vocabulary.EVERY = { hourly = 3600, daily = 86400, nightly = 86400, weekly = 604800, monthly = units.months(1),
  yearly = units.years(1), annually = units.years(1) }

--- "Twice a minute": how often in the time behind it.
vocabulary.SO_OFTEN = { once = 1, twice = 2, thrice = 3 }

--- "Every other minute", "every half hour": so many times the unit behind it.
vocabulary.OF_UNIT = { single = 1, other = 2, second = 2, half = 1 / 2, quarter = 1 / 4 }

vocabulary.BYTES = { kb = 1e3, mb = 1e6, gb = 1e9, tb = 1e12, pb = 1e15, gib = 2^30, tib = 2^40, mib = 2^20,
  megabyte = 1e6, megabytes = 1e6, gigabyte = 1e9, gigabytes = 1e9, terabyte = 1e12, terabytes = 1e12 }

--- Words behind so many bytes that make them those of the host, beside a card with its own.
vocabulary.HOST_MEMORY = tables.set({ "ram", "ddr4", "ddr5", "lpddr4x", "lpddr5", "lpddr5x" })

--- Desktops by the generation of their memory, as have it most often (assumption): what "a CPU" means, and what stands beside
--- a card.
vocabulary.DESKTOPS = { ddr4 = "Ryzen-7-5800X", ddr5 = "Ryzen-9-7950X" }
vocabulary.DESKTOP = "Ryzen-9-7950X"

--- Servers by the generation of their memory: what has more of it than a desktop's board holds (assumption).
vocabulary.SERVERS = { ddr4 = "EPYC-7763", ddr5 = "EPYC-9654" }
vocabulary.SERVER = "EPYC-9654"

--- Processors that are called by their series alone (assumption: those that are met most often).
vocabulary.PROCESSORS = { epyc = "EPYC-9654", xeon = "Xeon-8480+", ryzen = "Ryzen-9-7950X" }

--- Computers by their name alone: their chips, those that are met most often first (assumption); the memory that is said
--- decides among them.
vocabulary.COMPUTERS = { ["mac-studio"] = { "m4-max", "m3-ultra", "m2-ultra" }, ["mac-mini"] = { "m4", "m4-pro" },
  ["macbook-air"] = { "m4", "m3" }, ["macbook-pro"] = { "m4-pro", "m4-max", "m4", "m3-max" }, imac = { "m4" },
  laptop = { "core-ultra-7-155h" }, iphone = { "iphone-16-pro" }, phone = { "snapdragon-8-gen-3", "iphone-16-pro" }, smartphone = { "snapdragon-8-gen-3" },
  android = { "snapdragon-8-gen-3" } }

--- Devices of a node where nobody says (assumption).
vocabulary.NODE_SIZE = 8

--- Speeds of arithmetic: "500 TFLOP/s", "989 teraflops".
vocabulary.FLOPS = { flop = 1, flops = 1, zflop = 1e21, zflops = 1e21, yflop = 1e24, yflops = 1e24, gflop = 1e9, gflops = 1e9, tflop = 1e12, tflops = 1e12, teraflop = 1e12, teraflops = 1e12, pflop = 1e15,
  pflops = 1e15, petaflop = 1e15, petaflops = 1e15, exaflop = 1e18, exaflops = 1e18 }

vocabulary.FORMATS = tables.set({ "bf16", "fp16", "fp32", "fp8", "int8", "int4", "nvfp4", "mxfp4", "awq", "gptq",
  "qat", "nf4", "w4a16", "w8a8", "fp4" })

--- "in 4 bit": formats of so many bits.
vocabulary.BITS = { [4] = "int4", [8] = "int8", [16] = "bf16" }

--- The files of so many bits that people take most often (assumption); of others the bits of each weight are said.
vocabulary.FILE_BITS = { [2] = "q2_k", [3] = "q3_k_m", [5] = "q5_k_m", [6] = "q6_k" }

--- Rates by one word: seconds of one.
vocabulary.RATES = { qps = 1, rps = 1, tps = 1, rpm = 60, qpm = 60, rph = 3600, rpd = 86400, qpd = 86400 }

--- Nouns of what is counted, by what a count of them is; a rate of most is a rate of requests.
vocabulary.NOUNS = {}

local COUNTED <const> = {
  tokens = "tokens token tok toks",
  params = "parameters params parameter param weights",
  devices = "gpus gpu devices device cards accelerators chips",
  nodes = "nodes node hosts servers machines boxes clusters",
  users = "users user people ppl dau employees customers students members developers devs engineers researchers scientists "
    .. "analysts visitors callers agents staff clients seats lawyers doctors nurses teachers colleagues workers subscribers phds",
  monthly_users = "mau maus",
  vectors = "items vectors documents embeddings videos docs passages chunks products songs movies listings skus entities rows",
  requests = "requests request msgs msg queries query uploads images image sequences seq img imgs calls req reqs questions messages "
    .. "samples prompts pages texts reviews descriptions titles tweets sentences records comments posts files pdfs invoices "
    .. "emails tickets chats conversations articles frames pictures photos question message call answers responses replies summaries views pageviews visits clicks impressions times "
    .. "searches tasks clips films lookups predictions inferences transactions faces recommendations",
  turns = "turns", candidates = "candidates",
  jobs = "jobs job runs sweeps experiments workflows finetunes fine-tunes evals evaluations",
  replicas = "replicas copies",
  concurrency = "concurrent simultaneous parallel sessions streams lines ccu",
  pp = "stages", micro_batches = "microbatches micro-batches micro_batches", layers = "layers", dim = "dimensions dim dims dimensional d-dimensional floats float32s", trials = "trials trial ablations", kinds = "kinds types",
  values_each = "values", parameters = "hyperparameters hyperparams hparams knobs", examples = "examples pairs", epochs = "epochs epoch passes", steps = "steps",
  completions = "rollouts completions", pixels = "pixels", kept = "checkpoints",
  -- What a grid has so many of: the trials are their product.
  grid_values = "learning-rates lrs batch-sizes warmups dropouts weight-decays optimizers seeds",
}

for what, words in pairs(COUNTED) do
  for word in words:gmatch("%S+") do vocabulary.NOUNS[word] = what end
end
for word in pairs(vocabulary.RATES) do vocabulary.NOUNS[word] = "rate" end

--- Words of kinds of times, before or behind them.
vocabulary.TIME_OF = { tpot = "tpot_s", itl = "tpot_s", ttft = "ttft_s", p50 = "slo_s", p90 = "slo_s", p95 = "slo_s", p99 = "slo_s",
  latency = "slo_s", slo = "slo_s", sla = "slo_s", within = "within_s", step = "step_s", deadline = "time_s", e2e = "e2e_s", wait = "wait_s",
  waits = "wait_s", waiting = "wait_s" }

--- Words of what people do between an answer and their next request.
vocabulary.THINKS = tables.set({ "think", "thinks", "thinking", "think-time", "pause", "pauses", "pausing" })

--- Words before or behind a number that is that of the peak.
vocabulary.PEAKS = tables.set({ "peak", "peaks", "peaking" })

--- Tokens of an answer of which nobody says the length (assumption).
vocabulary.ANSWER_TOK = 300

--- Words of what only training has in memory.
vocabulary.STATES = { "optimi[sz]er", "%f[%a]adamw?%f[%A]", "%f[%a]gradients?%f[%A]" }

--- Tokens of a prompt for each of its answer: "3 to 1 input to output" (PHRASES).
vocabulary.INPUT_PER_OUTPUT = "input-per-output"

--- Names of a number that stands behind them: "mfu 40", "batch 32".
vocabulary.NAMED = { d_model = "hidden", dmodel = "hidden", ["d-model"] = "hidden", hidden = "hidden", hidden_size = "hidden", ["hidden-size"] = "hidden", vocab = "vocab",
  vocabulary = "vocab", vocab_size = "vocab", ["vocab-size"] = "vocab", d_ff = "ffn", dff = "ffn", ffn = "ffn", intermediate_size = "ffn", mfu = "mfu_frac", batch = "batch", concurrency = "concurrency", seq = "seq_len",
  length = "seq_len", sequence = "seq_len", seq_len = "seq_len", context = "seq_len", dim = "dim", dimension = "dim", horizon = "horizon_s",
  utilization = "utilization_frac", utilisation = "utilization_frac", burst = "peak_ratio", peak = "peak_ratio",
  ["grad-accum"] = "accumulated", ga = "accumulated", ctx = "seq_len", global_batch = "global_batch", rank = "rank", recall = "recall", top = "passages", ["top-k"] = "passages",
  topk = "passages", ngl = "layers", last = "kept", bs = "batch", gbs = "global_batch", batch_size = "batch", ["batch-size"] = "batch",
  global_batch_size = "global_batch", seq_length = "seq_len", ["seq-len"] = "seq_len", seqlen = "seq_len", max_seq_len = "seq_len",
  max_seq_length = "seq_len", ["max-model-len"] = "seq_len", max_model_len = "seq_len", context_length = "seq_len",
  gpu_memory_utilization = "memory_frac", ["gpu-memory-utilization"] = "memory_frac", ["gpu-memory-utilisation"] = "memory_frac",
  mem_fraction_static = "memory_frac", ["mem-fraction-static"] = "memory_frac" }

--- Facts of such names that stand before no count of devices: "rank 16 H100".
vocabulary.OF_NO_DEVICES = tables.set({ "seq_len", "batch", "rank", "global_batch", "concurrency" })

--- Words between such a name and its number: "a batch size of 8", "a context window of 128k".
vocabulary.LINKS = tables.set({ "of", "is", "=", "size", "length", "window", "at", "to", "k", "under", "below", "most", "max", "less",
  "than", "until", "target", "time", "times", "about" })

vocabulary.TIME_LINKS = tables.with(vocabulary.LINKS, { ["in"] = true, within = true, must = true, should = true, stay = true, stays = true,
  staying = true, remain = true, remains = true, be = true, kept = true })

--- Lengths by the word before their number: "prompt 2k, answer 300", "ISL=600", "max_tokens 512".
vocabulary.LENGTHS = { prompt = "input_tokens", prompts = "input_tokens", input = "input_tokens", answer = "output_tokens", answers = "output_tokens", output = "output_tokens",
  isl = "input_tokens", osl = "output_tokens", completion = "output_tokens", response = "output_tokens", reply = "output_tokens",
  generation = "output_tokens", max_tokens = "output_tokens", ["max-tokens"] = "output_tokens", max_new_tokens = "output_tokens",
  ["max-new-tokens"] = "output_tokens", input_tokens = "input_tokens", output_tokens = "output_tokens",
  prompt_tokens = "input_tokens", completion_tokens = "output_tokens", input_len = "input_tokens", output_len = "output_tokens" }

--- Words of money: a number beside them that counts nothing is so many USD.
vocabulary.MONEY = tables.set({ "budget", "bill", "cost", "costs", "spend", "spends", "spending", "pay", "pays", "paying", "price" })

--- "half the budget", "twice the users": what a factor changes.
vocabulary.FACTORS = { half = 0.5, double = 2, twice = 2, triple = 3, third = 1 / 3, quarter = 0.25 }
vocabulary.CHANGED = { budget = "budget", cost = "budget", costs = "budget", bill = "budget", money = "budget",
  price = "budget", users = "users", people = "users", traffic = "rate_per_s", load = "rate_per_s", qps = "rate_per_s",
  rate = "rate_per_s", requests = "rate_per_s", uploads = "rate_per_s", devices = "devices", gpus = "devices",
  tokens = "tokens", data = "tokens", jobs = "jobs_per_s", items = "vectors", vectors = "vectors" }

--- Words between things of which one is to be chosen.
vocabulary.BESIDE = tables.set({ "or", "vs", "versus", "than", "against" })

--- What lies so much time apart: "30 s between messages".
vocabulary.ASKED = tables.set({ "messages", "requests", "questions", "queries", "prompts", "turns" })

--- "/ user", "per request": what one reader sees.
vocabulary.READERS = tables.set({ "user", "request", "stream", "client", "person", "session", "head", "employee", "customer",
  "developer", "researcher", "student", "member", "seat", "agent", "caller", "doctor", "patient", "store", "department", "company", "engineer" })
for word in COUNTED.users:gmatch("%S+") do
  local single = word:match("^(%a+)s$")
  if single then vocabulary.READERS[single] = true end -- "per dev", "per lawyer"
end

--- What somebody or something does with what it counts: "500 stores send 20 images a minute".
vocabulary.SENDS = tables.set({ "send", "sends", "upload", "uploads", "make", "makes", "produce", "produces", "generate", "generates", "submit",
  "issue", "take", "takes", "record", "records", "capture", "captures", "post", "posts", "create", "creates", "stream", "streams" })

--- What takes several requests: "30 calls per task".
vocabulary.TASKS = tables.set({ "task", "workflow", "trajectory", "ticket" })

--- Whose lengths in tokens stand behind "of": "2M documents of 3k tokens".
vocabulary.LENGTH_OF = { prompt = "input_tokens", prompts = "input_tokens", documents = "input_tokens",
  document = "input_tokens", pairs = "input_tokens", rows = "input_tokens", conversations = "input_tokens", chats = "input_tokens",
  dialogues = "input_tokens", records = "input_tokens", messages = "input_tokens", instructions = "input_tokens",
  questions = "input_tokens", queries = "input_tokens", passages = "input_tokens", chunks = "input_tokens", inputs = "input_tokens",
  entries = "input_tokens", calls = "input_tokens", summaries = "output_tokens", pages = "input_tokens", texts = "input_tokens", articles = "input_tokens",
  requests = "input_tokens", examples = "input_tokens", samples = "input_tokens", tickets = "input_tokens",
  emails = "input_tokens", reviews = "input_tokens", transcripts = "input_tokens", answers = "output_tokens",
  answer = "output_tokens", responses = "output_tokens", replies = "output_tokens", outputs = "output_tokens",
  rollouts = "output_tokens", completions = "output_tokens", context = "seq_len", sequences = "seq_len", history = "input_tokens" }
for word in ("comments contracts papers docs files invoices listings tasks lines logs tweets sentences paragraphs"):gmatch("%S+") do
  vocabulary.LENGTH_OF[word] = "input_tokens"
end
for word in ("response reply completion summary essay story poem caption captions"):gmatch("%S+") do vocabulary.LENGTH_OF[word] = "output_tokens" end

--- Words for what many prompts begin with, and a cache has.
vocabulary.COMMON = tables.set({ "shared", "cached", "common", "reused", "identical" })

--- Answers as long as what is asked: patterns of it.
vocabulary.AS_LONG = { "as long as [%a ]-input", "as long as [%a ]-prompt", "same length as [%a ]-input", "same length as [%a ]-prompt" }

--- Words of text that is counted in bytes: "50 MB of text", "a 2 TB corpus".
vocabulary.TEXT_DATA = tables.set({ "text", "texts", "data", "dataset", "datasets", "data-set", "corpus", "corpora", "jsonl", "code",
  "documents", "docs", "logs", "transcripts", "chats", "emails", "books", "articles", "papers", "prose", "wikipedia", "notes" })

--- Bytes of a token of text: about four characters of English (OpenAI, What are tokens and how to count them).
vocabulary.TOKEN_BYTES = 4

--- Words of English text that a token makes (rule of thumb of OpenAI's help pages, recalled).
vocabulary.WORDS_OF_TOKEN = 0.75

--- A speed as those who read think of it.
---@param tokens_per_s number
---@return string
function vocabulary.words_a_minute(tokens_per_s)
  return ("about %s words a minute"):format(units.format(vocabulary.WORDS_OF_TOKEN * tokens_per_s * 60, ""))
end

--- Words of a device's memory.
vocabulary.DEVICE_MEMORY = tables.set({ "memory", "vram", "hbm", "hbm2", "hbm2e", "hbm3", "hbm3e", "gddr6", "gddr6x", "gddr7", "gpu" })

vocabulary.SOUND = tables.set({ "meetings", "interviews", "lectures", "voicemails", "conversations", "audio", "speech", "sound", "recordings", "calls", "podcasts", "voice", "talk" })

--- What is seen, and heard where speech is written down.
vocabulary.FILMS = tables.set({ "video", "videos", "footage", "film", "films", "movies" })

--- Adjectives between a number and its noun.
vocabulary.PASSED = tables.set({ "daily", "monthly", "active", "training", "new", "more", "input", "user", "prompt",
  "output", "of", "the", "peak", "different", "synthetic", "generated", "unique", "clean", "filtered", "total" })

vocabulary.ARTICLES = tables.set({ "a", "an", "the", "total" })

--- Scales that say a number of parameters where nothing else does.
vocabulary.SIZES = tables.set({ "b", "bn", "billion", "t", "m" })

--- "1 billion 768-dim embeddings", "1M 2k-token prompts": the number of another one that stands between.
vocabulary.BETWEEN = { dim = "dim", dimensional = "dim", d = "dim", token = "input_tokens", tok = "input_tokens",
  ["token-long"] = "input_tokens", px = "width", pixel = "width", gpu = "devices_per_job", card = "devices_per_job" }

--- Families that a word stands for where no size is said: the model of the catalog that is usual.
vocabulary.FAMILIES = { clip = "clip-vit-l-14", ["clip-like"] = "clip-vit-l-14", ["vit-l"] = "vit-l-16-224",
  ["vit-b"] = "vit-b-16-224", ["vit-h"] = "vit-h-14-224", bert = "bert-base-uncased", ["bert-base"] = "bert-base-uncased",
  ["bert-large"] = "bert-large-uncased", dlrm = "dlrm-dcnv2",
  distilbert = "distilbert-base-uncased", minilm = "all-MiniLM-L6-v2", roberta = "roberta-base", whisper = "whisper-large-v3", orpheus = "orpheus-3b" }

--- Families of models that write text, as people call them without a size: the model that is then meant, true where there
--- are several (assumption: the one most often asked of).
vocabulary.WRITERS = { mistral = "Mistral-7B-v0.1", mixtral = "Mixtral-8x7B-v0.1", deepseek = "DeepSeek-V3", kimi = "Kimi-K2",
  llama = true, llama2 = true, ["llama-2"] = true, llama3 = true, ["llama-3"] = true, ["llama3.1"] = true, ["llama-3.1"] = true,
  ["llama-3.3"] = "Llama-3.3-70B-Instruct", qwen = true, qwen2 = true, ["qwen2.5"] = true, qwen3 = true, gemma = true, gemma2 = true,
  gemma3 = true, phi = true, ["gpt-oss"] = true, pythia = true }

--- Times that are words: a night's work is done by the morning, and a weekend's by Monday (assumptions).
vocabulary.SPANS = { overnight = 10 * 3600, weekend = 60 * 3600, tomorrow = 24 * 3600 }

--- Days of the week; without the date of today the next of each is at most so many days away.
vocabulary.WEEKDAYS = tables.set({ "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday" })
vocabulary.WEEKDAY_DAYS = 6

--- How a model is trained further, where a word says it.
vocabulary.METHODS = { lora = "lora", qlora = "qlora", adapters = "lora" }
vocabulary.TRAINERS = { unsloth = "unsloth", axolotl = "axolotl", torchtune = "torchtune", litgpt = "litgpt",
  ["llama-factory"] = "llama-factory", llamafactory = "llama-factory", trl = "transformers", peft = "transformers" }

--- What models are trained with from scratch.
vocabulary.FRAMEWORKS = { megatron = "megatron-lm", ["megatron-lm"] = "megatron-lm", ["megatron-core"] = "megatron-lm",
  ["megatron-deepspeed"] = "megatron-deepspeed", nemo = "nemo", deepspeed = "deepspeed", torchtitan = "torchtitan",
  maxtext = "maxtext", nanotron = "nanotron", levanter = "levanter", ["llm-foundry"] = "llm-foundry", ["gpt-neox"] = "gpt-neox",
  olmo = "olmo", ["llm.c"] = "llm.c", nanogpt = "nanogpt", fsdp = "fsdp", fsdp2 = "fsdp" }

--- Engines that serve.
vocabulary.ENGINES = { vllm = "vllm", sglang = "sglang", trtllm = "trtllm", ["tensorrt-llm"] = "trtllm" }

--- Engines of one's own machine, and formats that one of them alone has.
vocabulary.LOCAL_ENGINES = { mlx = "mlx", exllama = "exllama", exllamav2 = "exllama", exllamav3 = "exllama", exl2 = "exllama",
  exl3 = "exllama", mlc = "mlc" }

--- Software that turns speech to text.
vocabulary.HEARERS = { ["whisper.cpp"] = "whisper.cpp", ["faster-whisper"] = "faster-whisper", whisperx = "faster-whisper",
  ["openai-whisper"] = "openai-whisper", ["insanely-fast-whisper"] = "transformers" }

--- Those who rent devices, by the words for them: as the catalog's prices call them, and who has none there.
vocabulary.PROVIDERS = { aws = "AWS", ec2 = "AWS", crusoe = "Crusoe", gcp = "Google", ["lambda-labs"] = "Lambda", nebius = "Nebius", oci = "OCI",
  oracle = "OCI", runpod = "RunPod", azure = "Azure", coreweave = "CoreWeave", ["vast.ai"] = "Vast.ai", ["vast-ai"] = "Vast.ai" }

--- On what terms devices are rented, but on demand (catalog/price_terms.lua).
vocabulary.TERMS = { spot = "spot", preemptible = "spot", reserved = "reserved", ["reserved-3y"] = "reserved_3y" }

--- How states of a training are shared, and that they move to the host.
vocabulary.ZERO = { ["zero-1"] = 1, zero1 = 1, ["zero-2"] = 2, zero2 = 2, ["zero-3"] = 3, zero3 = 3, fsdp = 3, fsdp2 = 3 }
vocabulary.OFFLOADED = tables.set({ "offload", "offloading", "offloaded", "zero-offload" })

vocabulary.TUNINGS = { sft = "sft", dpo = "dpo", orpo = "orpo", kto = "kto", grpo = "grpo", ppo = "ppo", rlhf = "ppo" }

--- What a service of text is used for, where that changes how often and how long people ask.
vocabulary.USES = { copilot = "code", coding = "code", ["code-completion"] = "completion", autocomplete = "completion", autocompletion = "completion", ide = "code" }

--- Indexes of vectors.
vocabulary.INDEXES = { hnsw = "hnsw", ivf = "ivf", ivfpq = "ivf_pq", ["ivf-pq"] = "ivf_pq", ivf_pq = "ivf_pq", ["ivf-flat"] = "ivf",
  flat = "flat" }

--- Bytes of a parameter in a checkpoint of 16-bit weights alone.
vocabulary.WEIGHTS_ONLY_BYTES = 2

--- Several words that mean one: what is replaced in a text before it is read.
--- Words of what is wanted, which are known with a slip in them.
vocabulary.QUANTITIES = tables.set({ "length", "memory", "bandwidth", "throughput", "latency", "context", "electricity", "monthly", "utilization", "parameters", "tokens",
  "inference", "concurrent", "maximum" })

vocabulary.PHRASES = { { "full[%- ]precision fp32", "fp32" }, { "full[%- ]precision %(fp32%)", "fp32" }, { "fp32 full[%- ]precision", "fp32" }, { "(%d+) ?gb? ib", "%1 gbps infiniband" }, { "(%d+) ?gb? infiniband", "%1 gbps infiniband" }, { "(%d+) ?gb? ethernet", "%1 gbps ethernet" }, { "(%d+) ?gb? roce", "%1 gbps roce" }, { "(tok[ens]*)/sec", "%1/s" }, { "(tok[ens]*)/second", "%1/s" }, { "(tok[ens]*) per sec", "%1 per second" }, { "(tok[ens]*) a sec", "%1 a second" }, { "(%d%d%.?%d*)p latency", "p%1 latency" }, { "mean time between failures?", "mtbf" }, { "mean time to failure", "mtbf" }, { "mtbf [ofper]+ [aeno]* ?%a+ [ofwith]+ %d+ %a+", "mtbf" }, { "mtbf [ofper]+ [aeno]+ %a+", "mtbf" }, { "mtbf 1 %a+", "mtbf" },
  { "mtbf [ofper]+ %a+", "mtbf" }, { "spec%.? decod%a*", "speculative decoding" }, { "spec%-dec%a*", "speculative decoding" }, { "cost of 1 ?m[ilon]* tok%a*", "cost per million tokens" }, { "cost of a million tok%a*", "cost per million tokens" },
  { "price of a million tok%a*", "price per million tokens" }, { "1 ?m[ilon]* tokens cost", "cost per million tokens" },
  { "a million tokens cost", "cost per million tokens" }, { "all the parameters", "full-parameter" }, { "all parameters", "full-parameter" }, { "all the weights", "full-parameter" },
  { "all weights", "full-parameter" }, { "every weight", "full-parameter" }, { "every parameter", "full-parameter" },
  { "the whole model", "full-parameter" }, { "the entire model", "full-parameter" }, { "all layers", "full-parameter" },
  { "without quanti[sz]ation", "unquantized" }, { "without quanti[sz]ing", "unquantized" }, { "no quanti[sz]ation", "unquantized" },
  { "not quanti[sz]ed", "unquantized" }, { "unquantised", "unquantized" }, { "full precision", "unquantized" }, { "full%-precision", "unquantized" }, { "non%-quanti[sz]ed", "unquantized" },
  { "chat history", "history" }, { "conversation history", "history" }, { "(tok%a*) of history", "%1 history" }, { "(%d[%d%.]*k?) of history", "%1 tokens history" }, { "(%d[%d%.]*k) history", "%1 tokens history" },
  { "(%d[%d%.]*) ?to ?(%d[%d%.]*) (in)p?[ut]* ?to ?(out)p?[ut]*", "input-per-output %1 / %2" }, { "(%d[%d%.]*) ?: ?(%d[%d%.]*) (in)p?[ut]* ?[to:/]+ ?(out)p?[ut]*", "input-per-output %1 / %2" },
  { "input[ to:/%-]+output ratio[%a ]* (%d[%d%.]*)[ to:]+(%d[%d%.]*)", "input-per-output %1 / %2" },
  { "(%d%d%.?%d*)th[%- ]percentile", "p%1" }, { "time to first token", "ttft" }, { "first%-token latency", "ttft" }, { "first token", "ttft" },
  { "time per output token", "tpot" }, { "inter%-token latency", "tpot" }, { "monthly active users", "mau" },
  { "monthly users", "mau" }, { "daily active users", "dau" }, { "users a month", "mau" }, { "users per month", "mau" },
  { "learning rates", "learning-rates" }, { "batch sizes", "batch-sizes" }, { "weight decays", "weight-decays" },
  { "clip vit%-l/14", "clip-vit-l-14" }, { "clip vit%-l", "clip-vit-l-14" }, { "clip vit%-b", "clip-vit-b-16" }, { "page views", "pageviews" }, { "call cent[er][er] agents", "agents" }, { "call cent[er][er] employees", "employees" }, { "phd students", "phds" }, { "grad students", "students" },
  { "grad%a*[ %-_]?accum%a*[ %-_]steps?", "grad-accum" }, { "grad%a*[ %-_]accum%a*", "grad-accum" }, { "per_device_train_batch_size", "per device batch size" }, { "per_device_batch_size", "per device batch size" },
  { "q ?& ?a", "qa" }, { "fine tunes", "fine-tunes" }, { "gpu hours", "gpu-hours" }, { "gpu hrs?", "gpu-hours" }, { "gpu%-?hr?s?", "gpu-hours" }, { "(%a+%d+)%-hrs?", "%1 hours" },
  { "r ?= ?(%d+)", "rank %1" }, { "per[- ]user (%d[%d%.]*) ?(to?k?[%a]*/s)", "%1 %2 per user" },
  { "per working day", "per day" }, { "a working day", "a day" }, { "per workday", "per day" },
  { "per business day", "per day" }, { "every night", "nightly" }, { "each night", "nightly" }, { "per night", "nightly" }, { "in one night", "overnight" }, { "in a night", "overnight" }, { "over night", "overnight" }, { "peak hour[%a ]- (%d[%d%.,]*[km]?) requests", "%1 requests per hour at peak" }, { "(%d[%d%.,]*[km]?) requests [inat]+ [%a]* ?peak hour", "%1 requests per hour at peak" }, { "(%d[%d%.,]*[km]?) requests [indurg]+ [%a]* ?peak hour", "%1 requests per hour at peak" }, { "peak factor o?f? ?(%d[%d%.]*)", "peak of %1x" },
  { "peak[%- ]to[%- ]average ratio o?f? ?(%d[%d%.]*)", "peak of %1x" }, { "peak[%- ]to[%- ]average o?f? ?(%d[%d%.]*)x?", "peak of %1x" }, { "peak[%- ]to[%- ]mean o?f? ?(%d[%d%.]*)x?", "peak of %1x" }, { "peak[%- ]to[%- ]mean ratio o?f? ?(%d[%d%.]*)", "peak of %1x" }, { "peak over mean o?f? ?(%d[%d%.]*)", "peak of %1x" }, { "peak over the mean o?f? ?(%d[%d%.]*)", "peak of %1x" }, { "(%a+%d+)%-hours", "%1 hours" },
  { "lambda labs?", "lambda-labs" }, { "lambda cloud", "lambda-labs" }, { "oracle cloud", "oracle" }, { "google cloud", "gcp" }, { "vast ai", "vast-ai" },
  { "3[%- ]years? reserved", "reserved-3y" }, { "reserved for 3 years?", "reserved-3y" }, { "reserved for three years?", "reserved-3y" }, { "three[%- ]years? reserved", "reserved-3y" },
  { "3[%- ]?yrs? reserved", "reserved-3y" }, { "%d+[%- ]?yrs? reserved", "reserved" }, { "%d+[%- ]years? reserved", "reserved" }, { "reserved for %d+ years?", "reserved" }, { "device hours", "device-hours" }, { "(%d+) ?gigs?", "%1 gb" }, { "%f[%$%d](%d*%.%d+) ?per kwh", "$%1/kwh" }, { "(%d+) ?gbits?/s", "%1 gbps" }, { "(%d+) ?gbits? per second", "%1 gbps" }, { "(%d+)[- ]person (%a+)", "%1 users %2" }, { "(%d+) ?gigabytes?", "%1 gb" },
  { "mac studio", "mac-studio" }, { "mac mini", "mac-mini" }, { "macbook air", "macbook-air" },
  { "macbook pro", "macbook-pro" }, { "zero stage ([123])", "zero-%1" }, { "zero ([123])", "zero-%1" }, { "mixture of experts", "moe" }, { "24/7", "around the clock" }, { "without an? gpu", "cpu-only" }, { "without gpus?", "cpu-only" }, { "without any gpu", "cpu-only" }, { "no gpu", "cpu-only" },
  { "cpu only", "cpu-only" }, { "only a cpu", "cpu-only" }, { "system memory", "ram" }, { "system ram", "ram" }, { "main memory", "ram" },
  { "end%-to%-end", "e2e" }, { "a single user", "one user" }, { "single[%- ]user", "one user" }, { "a single request", "batch 1" }, { "single[%- ]request", "batch 1" }, { "single[%- ]stream", "batch 1" }, { "one sequence", "batch 1" }, { "no batching", "batch 1" }, { "without cpu offload", "without offload" }, { "no cpu offload", "no offload" }, { "without any offload", "without offload" }, { "all linear layers", "all-linear" }, { "all%-linear layers", "all-linear" }, { "seq%.? len%a*", "seq-len" }, { "kilowatt hours?", "kilowatt-hour" }, { "code assistants?", "copilot" }, { "coding assistants?", "copilot" },
  { "only the weights", "weights-only" }, { "weights only", "weights-only" }, { "only weights", "weights-only" },
  { "tensor[%- ]parallel[ism]* of (%d)", "tp %1" }, { "tensor[%- ]parallel[ism]* (%d)", "tp %1" },
  { "pipeline[%- ]parallel[ism]* of (%d)", "pp %1" }, { "pipeline[%- ]parallel[ism]* (%d)", "pp %1" },
  { "in real time", "real-time" }, { "in realtime", "real-time" }, { "end to end", "e2e" }, { "this month", "in a month" }, { "this week", "in a week" }, { "by next (%a+)", "in a %1" } }

for _, without in ipairs({ "without the", "without", "no" }) do
  for _, states in ipairs({ " states?", "" }) do
    table.insert(vocabulary.PHRASES, { without .. " optimi[sz]er" .. states, "weights-only" })
  end
end

-- Years of a commitment are those of the terms, and no time of use.
for _, years in ipairs({ { "1", "reserved" }, { "one", "reserved" }, { "a", "reserved" }, { "3", "reserved-3y" }, { "three", "reserved-3y" } }) do
  for _, phrase in ipairs({ "%s[%%- ]years? commit%%a*", "%s[%%- ]?yrs? commit%%a*", "commit%%a* [of]+r? %s[%%- ]years?", "reserved [of]+r? %s[%%- ]years?" }) do
    table.insert(vocabulary.PHRASES, { phrase:format(years[1]), years[2] })
  end
end
table.insert(vocabulary.PHRASES, { "annual commitments?", "reserved" })
table.insert(vocabulary.PHRASES, { "yearly commitments?", "reserved" })

-- Shares in words of what comes in lengths: "half of the requests are 500 tokens".
for _, share in ipairs({ { "half", 50 }, { "a quarter", 25 }, { "three quarters", 75 } }) do
  for _, thing in ipairs({ "requests", "prompts", "queries", "calls" }) do
    for _, of in ipairs({ " of the ", " of ", " the " }) do
      table.insert(vocabulary.PHRASES, { share[1] .. of .. thing, ("%d %%%% of %s"):format(share[2], thing) })
    end
  end
end

-- "whisper.cpp medium" is a software and a model.
for _, size in ipairs({ "tiny", "base", "small", "medium", "large%-v2", "large%-v3", "large", "turbo" }) do
  for _, software in ipairs({ "whisper%.cpp", "faster%-whisper" }) do
    local name = size == "large" and "large-v3" or size == "turbo" and "large-v3-turbo" or size:gsub("%%", "")
    vocabulary.PHRASES[#vocabulary.PHRASES + 1] = { software .. " " .. size, software:gsub("%%", "") .. " whisper-" .. name }
  end
end

return vocabulary
