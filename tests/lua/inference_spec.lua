-- Inference that is no language model: catalogs, procedures of scenarios, fleets, and the laws behind them.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local encode = require("ballpark.questions.encode.run")
local errors = require("ballpark.errors")
local fleet = require("ballpark.questions.inference.fleet")
local networks = require("ballpark.catalog.networks")
local questions = require("ballpark.questions")
local recommend = require("ballpark.questions.recommend.run")
local recommenders = require("ballpark.catalog.recommenders")
local runtimes = require("ballpark.catalog.runtimes")
local search_hosts = require("ballpark.catalog.search_hosts")
local subject = require("ballpark.questions.inference.subject")
local tables = require("ballpark.tables")
local vector_search = require("ballpark.questions.vector_search.run")

local function near(actual, expected, rel)
  assert.is_true(math.abs(actual - expected) <= rel * math.abs(expected), actual .. " is not near " .. expected)
end

describe("the report of a search for neighbours", function()
  local function report(index)
    local r = require("ballpark.result").new()
    local answer = vector_search.run({ vectors = 1e8, dim = 128, index = index })
    require("ballpark.questions").show(r, answer)
    return r:scalars(), table.concat(r.assumed, " ")
  end

  it("says how many vectors, which calls share a pass, and what nobody measured", function()
    local facts, assumed = report("flat")
    assert.equal("vectors", facts[1].name)
    assert.equal(1e8, facts[1].value)
    assert.matches("from 20 queries on, those to a flat index share a pass", assumed)
    assert.is_nil(assumed:find("by a law", 1, true)) -- it is exact
    local graph = select(2, report("hnsw"))
    assert.is_nil(graph:find("share a pass", 1, true))
    assert.matches("no times of graph indexes were at hand", graph)
  end)
end)

describe("runtimes", function()
  it("are accepted by the core, every one with every server", function()
    for _, name in ipairs(runtimes.names()) do
      local alone = core.encode({ model = catalog.model("bert-base-uncased"), device = catalog.device("A100"),
        runtime = runtimes.get(name), tokens = 128 })
      assert.is_true(alone.time_s > 3e-4 and alone.time_s < 0.03, name)
      for _, server in ipairs(runtimes.servers()) do
        local served = core.encode({ model = catalog.model("bert-base-uncased"), device = catalog.device("A100"),
          runtime = runtimes.get(name, server), tokens = 128 })
        assert.is_true(served.time_s > alone.time_s + 1e-4, name .. " " .. server)
      end
    end
  end)

  it("are known by usual names, and others are refused with the nearest", function()
    assert.equal("tensorrt", runtimes.get("TRT").name)
    assert.matches("did you mean 'tensorrt'", errors.catch(runtimes.get, "tensort"))
    assert.matches("did you mean 'triton'", errors.catch(runtimes.get, "eager", "tritom"))
  end)

  it("order as one expects: fused below compiled below eager", function()
    local function time(name)
      return core.encode({ model = catalog.model("bert-base-uncased"), device = catalog.device("A100"),
        runtime = runtimes.get(name), tokens = 384, batch = 32 }).time_s
    end
    assert.is_true(time("tensorrt") < time("fastertransformer") and time("fastertransformer") < time("compiled"))
    assert.is_true(time("compiled") < time("eager"))
  end)
end)

describe("image networks", function()
  it("have the FLOP that their papers state as MAC", function()
    near(networks.get("resnet50").image_flop, 2 * 4.09e9, 1e-3)
    -- Swin-B: 15.4 GMAC (arXiv:2103.14030, table 1), merging left out.
    local swin = subject.of("swin-base")
    for _, name in ipairs({ "swin_b", "microsoft/swin-base-patch4-window7-224" }) do assert.equal("swin-base", subject.of(name).name, name) end
    for name, known in pairs({ ["facebook/deit-tiny-patch16-224"] = "vit-ti-16-224", ["deit-base"] = "vit-b-16-224", ["ViT-B/32"] = "vit-b-32-224" }) do
      assert.equal(known, catalog.model(name).name, name)
    end
    local out = subject.forward(swin, { device = catalog.device("A100"), runtime = runtimes.get("tensorrt"),
      dtype = "fp16", batch = 1 })
    near(out.item_flop, 2 * 15.4e9, 0.06)
    near(out.weights_bytes, 2 * 88e6, 0.07)
  end)

  it("run in the order of their size, and every entry runs", function()
    local last = 0
    for _, name in ipairs({ "resnet18", "resnet50", "resnet101", "resnet152" }) do
      local time = encode.run({ model = name, device = "A100", batch = 64 }).out.time_s
      assert.is_true(time > last, name)
      last = time
    end
    for _, name in ipairs(networks.names()) do
      assert.is_true(encode.run({ model = name, device = "L40S", batch = 4 }).out.time_s > 0, name)
    end
  end)

  it("take more time for larger images where they can, and say where they cannot", function()
    local small = encode.run({ model = "resnet50", device = "A100", batch = 8 }).out
    local large = encode.run({ model = "resnet50", device = "A100", batch = 8, image = 448 }).out
    near(large.item_flop, 4 * small.item_flop, 1e-12)
    assert.matches("known at 224 pixels only",
      errors.catch(encode.run, { model = "swin-base", device = "A100", image = 448 }))
  end)
end)

describe("encode", function()
  it("says what it assumed and how sure it is", function()
    local answer = encode.run({ model = "vit-l-16-224", device = "A100", batch = 32 })
    assert.is_true(answer.fits)
    for name, range in pairs(answer.range) do
      assert.equal(answer.out[name], range.value)
      assert.is_true(range.low < range.value and range.value < range.high)
    end
    near(answer.range.time_s.high / answer.range.time_s.value, answer.range.per_s.value / answer.range.per_s.low, 1e-12)
    assert.equal(2, #answer.assumed) -- runtime and format
    assert.equal(1, answer.batches[1][1])
    local said = encode.run({ model = "vit-l-16-224", device = "A100", runtime = "eager", dtype = "fp16" })
    assert.equal(0, #said.assumed)
    -- Twice 61.6 billion multiply-accumulates.
    near(answer.out.item_flop, 123.2e9, 5e-3)
  end)

  it("takes no format that nothing runs on the device", function()
    local asked = { transcribe = "whisper-large-v3", speak = "orpheus-3b" }
    for name, model in pairs(asked) do
      local run = questions.runner(name).run
      assert.matches("^weights: no engine runs fp8", (errors.catch(run, { model = model, device = "V100-16GB", weights = "fp8" })))
      assert.is_true(pcall(run, { model = model, device = "L4", weights = "fp8" }))
    end
    assert.matches("^weights: no engine runs fp8", (errors.catch(questions.runner("image_prompt").run, { weights = "fp8",
      model = catalog.model("qwen2.5-vl-7b"), device = "V100-16GB" })))
  end)

  it("warns of texts that are longer than its model was trained for", function()
    local function warnings(name, input)
      local r = require("ballpark.result").new()
      require("ballpark.questions").show(r, questions.runner(name).run(input))
      return table.concat(r.warnings, "; ")
    end
    assert.matches("4096 tokens are more than the 512", warnings("encode", { model = "bge-large-en-v1.5", device = "A100", tokens = 4096 }))
    assert.equal("", warnings("encode", { model = "bge-large-en-v1.5", device = "A100", tokens = 512 }))
    assert.equal("", warnings("encode", { model = "vit-l-16-224", device = "A100" }))
    assert.matches("2032 tokens are more", warnings("rerank", { model = "bge-reranker-large", device = "A100", document_tokens = 2000 }))
    assert.matches("4096 tokens are more than the 1024", warnings("finetune", { model = catalog.model("gpt2"), seq_len = 4096, examples = 1000,
      cluster = catalog.cluster({ device = "A100", devices = 1 }) }))
  end)

  it("refuses what it does not know, with the nearest", function()
    assert.matches("did you mean 'resnet50'", errors.catch(encode.run, { model = "resnet5", device = "A100" }))
    assert.matches("did you mean 'tokens'",
      errors.catch(encode.run, { model = "resnet50", device = "A100", token = 4 }))
    assert.matches("tokens", errors.catch(encode.run, { model = "bert-base-uncased", device = "A100" }))
    assert.matches("engine", errors.catch(encode.run, { model = "mixtral-8x7b-v0.1", device = "A100", tokens = 8 }))
    assert.matches("no int8", errors.catch(encode.run, { model = "resnet50", device = "V100", dtype = "int8" }))
    assert.matches("convolutional", errors.catch(encode.run, { model = "resnet50", device = "A100", tokens = 4 }))
  end)

  it("sizes a fleet that meets the SLO with the fewest replicas", function()
    local function ask(load)
      return encode.run({ model = "bert-large-uncased", device = "A100", tokens = 128, load = load })
    end
    local answer = ask({ rate_per_s = 5000, sla_s = 0.05, spares = 1 })
    local found = answer.fleet
    assert.is_true(found.batching.stable and found.batching.p99_s <= 0.05)
    assert.equal(found.needed + 1, found.replicas)
    local fewer = fleet.size({ rate_per_s = 5000 * found.needed / math.max(1, found.needed - 1), sla_s = 0.05 },
      function(batch)
        local out = subject.forward(answer.subject, { device = answer.input.device, runtime = answer.input.runtime,
          dtype = "fp16", tokens = 128, batch = batch })
        return out.time_s, out.fits
      end)
    assert.is_true(fewer.needed >= found.needed)
    assert.is_false(ask({ rate_per_s = 10, sla_s = 1e-5 }).fleet)
    assert.is_false(ask({ rate_per_s = 10, sla_s = 1e-5 }).fits)
    assert.matches("did you mean 'rate_per_s'", errors.catch(ask, { rate_per = 3 }))
    assert.matches("above 0", errors.catch(ask, { rate_per_s = 0 }))
    for field, value in pairs({ sla_s = 1e-300, window_s = 1e-10, spares = 1.5 }) do
      assert.matches("load." .. field, errors.catch(ask, { rate_per_s = 10, [field] = value }))
    end
  end)

  it("takes no part of a token or of a byte", function()
    for field, value in pairs({ mean_tokens = 0.5, item_bytes = 0.1 }) do
      assert.matches(field .. ": must be 0 or at least 1", errors.catch(encode.run, { model = "bert-base-uncased", device = "A100",
        tokens = 128, [field] = value }))
    end
    assert.matches("item_bytes: must be 0 or at least 1", errors.catch(encode.run, { model = "resnet50", device = "A100",
      item_bytes = 0.1 }))
  end)
end)

describe("recommend", function()
  local cluster = catalog.cluster({ device = "H100", devices = 8 })

  it("counts the published layers of DLRM-DCNv2", function()
    local model = recommenders.get("dlrm-dcnv2")
    -- Bottom 13-512-256-128, three crosses of rank 512 over 27 x 128, top 3456-1024-1024-512-256-1.
    local bottom, cross = 13 * 512 + 512 * 256 + 256 * 128, 3 * 2 * 3456 * 512
    local top = 3456 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256
    assert.equal(bottom + cross + top, model.dense_params)
    assert.equal(3 + 6 + 5, model.dense_layers)
  end)

  it("spreads tables and says when they do not fit", function()
    local huge = { name = "own", tables = 100, rows = 5e9, dim = 128, top = { 512, 1 } }
    local eight = recommend.run({ model = huge, cluster = cluster, requests = 1000 })
    assert.is_false(eight.fits)
    assert.is_true(eight.out.devices_needed > 8)
    local fits = recommend.run({ model = "dlrm-dcnv2", cluster = cluster, requests = 100 })
    for name, range in pairs(fits.range) do
      assert.equal(fits.out[name], range.value)
      near(fits.range.per_s.high / fits.range.per_s.low, (range.high / range.low), 1e-9)
    end
    assert.is_true(fits.range.requests_per_s ~= nil)
    assert.is_true(fits.fits and fits.out.exchange_s > 0)
    local alone = recommend.run({ model = "dlrm-dcnv2", cluster = cluster, requests = 100, devices = 1 })
    assert.equal(0, alone.out.exchange_s)
    assert.is_true(alone.out.time_s > fits.out.time_s)
  end)

  it("refuses what it does not know", function()
    assert.matches("is missing", errors.catch(recommend.run, { model = { tables = 3 }, cluster = cluster }))
    assert.matches("did you mean 'dlrm%-dcnv2'",
      errors.catch(recommend.run, { model = "dlrm-dcnv", cluster = cluster }))
    assert.matches("made by cluster", errors.catch(recommend.run, { model = "dlrm-dcnv2" }))
    assert.matches("more than the 26 tables", errors.catch(recommend.run, { model = "dlrm-dcnv2",
      cluster = catalog.cluster({ device = "H100", devices = 32 }) }))
  end)
end)

describe("vector_search", function()
  it("trades recall against time", function()
    local answer = vector_search.run({ vectors = 1e7, dim = 128, index = "ivf", lists = 4096, probes = 16 })
    local rows = answer.trade.rows
    assert.equal(8, #rows)
    for i = 2, #rows do assert.is_true(rows[i][2] > rows[i - 1][2] and rows[i][5] > rows[i - 1][5]) end
    assert.equal(3, #vector_search.run({ vectors = 1e4, dim = 8, index = "ivf", lists = 7 }).trade.rows) -- 1, 2, 4
    assert.is_nil(vector_search.run({ vectors = 1e4, dim = 8 }).trade)
  end)

  it("answers as many queries as its time is sure", function()
    local answer = vector_search.run({ vectors = 1e7, dim = 128, index = "hnsw", ef = 64 })
    local time = answer.range.time_s
    for _, name in ipairs({ "per_s", "busy_per_s" }) do
      local range = answer.range[name]
      assert.equal(answer.out[name], range.value)
      assert.near(time.high / time.value, range.value / range.low, 1e-9)
      assert.near(time.value / time.low, range.high / range.value, 1e-9)
    end
  end)

  it("looks as hard as it takes for a recall, or for nineteen in twenty where nobody says", function()
    local ask = { vectors = 1e7, dim = 128, index = "ivf" }
    local function found(changes) return vector_search.run(tables.with(ask, changes)) end
    local usual = found({})
    assert.is_true(usual.out.recall >= 0.95 and usual.out.recall < 0.96)
    assert.matches("probes, the fewest", table.concat(usual.assumed, "; "))
    for _, index in ipairs({ "ivf", "hnsw" }) do
      for _, recall in ipairs({ 0.5, 0.9, 0.99 }) do
        local answer = found({ index = index, recall = recall })
        local field = index == "ivf" and "probes" or "ef"
        assert.is_true(answer.fits and answer.out.recall >= recall)
        assert.is_true(found({ index = index, [field] = answer.input[field] - 1 }).out.recall < recall)
      end
    end
    assert.matches("say how hard to look", errors.catch(found, { recall = 0.9, probes = 4 }))
    assert.matches("recall: ", errors.catch(found, { recall = 95 }))
    local coded = found({ index = "ivf_pq", code_bytes = 16, recall = 0.99 })
    assert.is_false(coded.fits)
    assert.near(found({ index = "ivf_pq", code_bytes = 16, probes = 12650 }).out.recall, coded.recall_missed, 0.01)
    assert.is_true(found({ index = "flat", recall = 0.99 }).fits)
    local bytes = found({ index = "ivf_pq", code_bytes = 16, recall = 0.8 }).code_bytes_enough
    assert.is_true(found({ index = "ivf_pq", code_bytes = bytes, recall = 0.8 }).fits)
    assert.is_false(found({ index = "ivf_pq", code_bytes = bytes // 2, recall = 0.8 }).fits)
    assert.is_nil(found({ index = "ivf_pq", code_bytes = 16, recall = 0.999999 }).code_bytes_enough)
    assert.is_nil(found({ index = "ivf", recall = 0.9999999 }).code_bytes_enough)
  end)

  it("tells queries of one call, which share a pass, from queries that come alone", function()
    local alone = vector_search.run({ vectors = 1e7, dim = 128 })
    local once_s = 1e7 * 512 / alone.input.host.mem_bw_bytes_s
    assert.is_true(alone.out.busy_per_s <= 1 / once_s)
    assert.equal(64, alone.together.batch)
    assert.is_true(alone.together.per_s > 10 * alone.out.busy_per_s)
    assert.is_nil(vector_search.run({ vectors = 1e7, dim = 128, batch = 64 }).together)
  end)

  it("meets hnswlib on SIFT: about ten thousand queries a second and thread at ef 60 (ann-benchmarks)", function()
    local out = vector_search.run({ vectors = 1e6, dim = 128, index = "hnsw", links = 16, ef = 60 }).out
    assert.is_true(out.per_s > 5e3 and out.per_s < 2e4)
    assert.is_true(out.recall > 0.9 and out.recall < 0.99)
  end)

  it("plans replicas for a rate, and refuses what it does not know", function()
    local answer = vector_search.run({ vectors = 1e7, dim = 128, index = "hnsw", rate_per_s = 1e6 })
    assert.equal(math.ceil(1e6 / (0.7 * answer.out.busy_per_s)), answer.load.replicas)
    assert.matches("did you mean 'probes'", errors.catch(vector_search.run, { vectors = 1, dim = 1, probe = 2 }))
    assert.matches("did you mean 'server%-2024'", errors.catch(search_hosts.get, "server-2023"))
  end)

  it("takes no parameter of another kind of index", function()
    local fields = require("ballpark.fields")
    local function refused(index, name, value)
      local said, raised = errors.catch(vector_search.run, { vectors = 1e6, dim = 128, index = index, [name] = value })
      return said ~= nil and errors.is(raised)
    end
    local kinds, seen = { "flat", "pq", "ivf", "ivf_pq", "hnsw", "hnsw_pq", "binary" }, 0
    for name, of in pairs(vector_search.OF_INDEX) do
      for _, index in ipairs(kinds) do
        assert.equal(not tables.contains(of, index), refused(index, name, 2), name .. " of " .. index)
      end
    end
    -- The list of fields says of which index each is.
    for _, field in ipairs(fields.input("vector_search")) do
      local of = vector_search.OF_INDEX[field.name]
      local said = (field.doc or ""):match("^([%l_, ]+):")
      if of then assert.equal(table.concat(of, ", "), said, field.name) end
      if said and tables.contains(kinds, said:match("^[%l_]+")) then
        assert.is_true(of ~= nil, field.name)
        seen = seen + 1
      end
    end
    assert.equal(9, seen)
    assert.is_false(refused("flat", "segments", 1))
    assert.is_false(refused("flat", "probes", 0))
  end)

  it("runs on accelerators of the catalog, a GPU as one thread", function()
    local host, kind = search_hosts.get("H100")
    assert.same({ 1, "gpu" }, { host.threads, kind })
    local batch = vector_search.run({ host = "H100", vectors = 1e6, dim = 128, batch = 10000 }).out
    assert.equal("compute", batch.bound)
  end)
end)
