-- The list of questions, and what holds for all of them: what is missing is named at once, and -D reaches every input.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local environment = require("ballpark.scenario.environment")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local lfs = require("lfs")
local overrides = require("ballpark.scenario.overrides")
local questions = require("ballpark.questions")
local scenario = require("ballpark.scenario")
local tables = require("ballpark.tables")

local function with_state(options)
  local state = scenario.state(options.path, options)
  return environment.new(state), state
end

describe("the list of questions", function()
  it("has a record, something that answers and something that shows for each", function()
    local env = with_state({})
    for _, name in ipairs(questions.names) do
      local record = questions.record(name)
      assert.equal(name, record.name)
      assert.is_function(questions.runner(name).run, name)
      assert.is_function(require("ballpark.questions." .. name .. ".show").answer, name)
      assert.is_function(env[name], name)
      assert.is_true(#record.outputs > 0, name)
    end
  end)

  it("names each input and each kind of answer once", function()
    local kinds = {}
    for _, record in ipairs(questions.records()) do
      local seen = {}
      for _, row in ipairs(record.inputs) do
        assert.is_nil(seen[row[1]], record.name .. "." .. row[1])
        assert.is_string(row[2])
        assert.is_string(row.type, record.name .. "." .. row[1])
        seen[row[1]] = true
      end
      for _, need in ipairs(record.needs) do
        assert.is_true(seen[need[1]:match("^[%w_]+")], record.name .. " needs " .. need[1])
      end
      for _, kind in ipairs(record.kinds or { record.name }) do
        assert.is_nil(kinds[kind])
        kinds[kind] = true
      end
    end
  end)

  it("has all scalar fields of a kernel that carries the question's name", function()
    for _, name in ipairs({ "encode", "vector_search" }) do
      local known = {}
      for _, row in ipairs(questions.record(name).inputs) do known[row[1]] = true end
      for _, field in ipairs(fields.input(name)) do assert.is_true(known[field.name], name .. "." .. field.name) end
    end
  end)
end)

describe("a question that lacks something", function()
  -- What is missing of an empty input, in a scenario and on the command line.
  local MISSING <const> = {
    estimate = { "model, cluster.device, cluster.devices, job.global_batch and job.seq_len",
      "--model, --device, --devices, --global-batch and --seq-len" },
    search = { "model, cluster.device, cluster.devices, job.global_batch and job.seq_len",
      "--model, --device, --devices, --global-batch and --seq-len" },
    tune = { "model, cluster.device, cluster.devices, job.global_batch and job.seq_len",
      "--model, --device, --devices, --global-batch and --seq-len" },
    budget = { "model, cluster.device, job.tokens, job.seq_len, deadline_s and mfu_frac",
      "--model, --device, --tokens, --seq-len, --deadline and --mfu" },
    finetune = { "model, cluster.device, cluster.devices and examples", "--model, --device, --devices and --examples" },
    serve = { "model and cluster.device", "--model, --device and --rate" },
    replica = { "model and cluster.device", "--model and --device" },
    serve_search = { "model, devices, load.rate_per_s and sla.ttft_s", "--model, --device, --rate and --ttft" },
    levers = { "model, devices, load.rate_per_s and sla.ttft_s", "--model, --device, --rate and --ttft" },
    batch_job = { "model, devices and prompts", "--model, --device and --prompts" },
    latency = { "sla_s and parts", "--sla and --part" },
    encode = { "model, device and tokens", "--model, --device and --tokens" },
    diffusion = { "model and device", "--model and --device" },
    transcribe = { "model and device", "--model and --device" },
    speak = { "model and device", "--model and --device" },
    image_prompt = { "model and device", "--model and --device" },
    rerank = { "model and device", "--model and --device" },
    recommend = { "model and cluster.device", "--model and --device" },
    vector_search = { "vectors and dim", "--vectors and --dim" },
    local_inference = { "model and device", "--model and --device" },
    fit = { "model", "--model" },
    platform = { "classes", "--class" },
    pipeline = { "stages and micro_batches", "--pp and --micro-batches" },
    ask = { "a prompt" },
    check = { "parameters or a model and the device and tokens of the run, or a speed and a time and how many devices" },
    cost = { "fleets" },
    sweep = { "axes and run" },
    ranges = { "inputs and run" },
  }

  it("is told all of it at once, with values to go on from", function()
    for _, name in ipairs(questions.names) do
      local said, e = errors.catch(with_state({ path = "s.lua" })[name], {})
      assert.equal(2, e.code)
      assert.is_nil(said:find("\n"))
      assert.is_truthy(said:find(("%s: needs %s, such as "):format(name, MISSING[name][1]), 1, true), said)
      local words = MISSING[name][2]
      said = words and errors.catch(with_state({ command = "this" })[name], {})
      assert.is_truthy(not words or said:find(("this needs %s, such as --"):format(words), 1, true), said)
    end
  end)

  it("can be asked with the values that it is told", function()
    local said = errors.catch(with_state({ path = "s.lua" }).estimate, {})
    local proposed, input = said:match("such as (.*)$"), { cluster = {}, job = {} }
    for path, text in (proposed .. ", "):gmatch("([%w_%.]+) = (.-), ") do
      local group, field = path:match("^(%w+)%.([%w_]+)$")
      local value = text:match('^"(.*)"$') or tonumber(text)
      if group then input[group][field] = value else input[path] = value end
    end
    assert.same({ model = "llama-3.1-8b", cluster = { device = "H100", devices = 64 },
      job = { global_batch = 512, seq_len = 4096 } }, input)
    assert.is_true(with_state({}).estimate(input).time.step_s > 0)
  end)

  it("is not told what a system of the catalog, an image or a space already says", function()
    local env = with_state({ path = "s.lua" })
    local function said(name, input) return errors.catch(env[name], input) end
    assert.equal("estimate: needs job.global_batch, such as job.global_batch = 512", said("estimate",
      { model = "vit-b-16-224", cluster = { device = "H100", nodes = 1 } }))
    assert.equal("search: needs job.global_batch, such as job.global_batch = 512", said("search",
      { model = "llama-3.1-8b", space = { system = { device = { "H100", "A100" }, devices = 8 },
        job = { seq_len = { 2048, 4096 } } } }))
  end)
end)

describe("-D", function()
  local function asked(name, input, ...)
    local definitions = { ... }
    local env, state = with_state({ path = "s.lua", overrides = overrides.parse(definitions) })
    local answer = env[name](input)
    state.overrides:check_used("this test")
    return answer
  end

  it("reaches plain inputs, fields of groups and tables in them", function()
    local training = { model = "llama-3.1-8b", cluster = { device = "H100", devices = 8 },
      job = { global_batch = 64, seq_len = 4096 } }
    assert.equal(3, #asked("search", training, "top=3").plans)
    assert.equal(3, #asked("search", training, "search.top=3").plans)
    assert.equal(64, asked("encode", { model = "resnet50", device = "A100" }, "batch=64").input.batch)
    local parts = { sla_s = 1, parts = { { name = "a", fixed_s = 0.1 }, { name = "b", fixed_s = 0.2 } } }
    assert.near(0.9, asked("latency", parts, "parts.2.fixed_s=0.8").value_s, 1e-12)
    assert.equal(0.2, parts.parts[2].fixed_s)
    assert.equal(4, asked("pipeline", { stages = 2, micro_batches = 8 }, "stages=4").stages)
    local served = { model = "llama-3.1-8b", cluster = { device = "H100", devices = 1 }, load = { concurrency = 4,
      requests = 50 } }
    local half = asked("serve", served, "engine.memory_frac=0.5").memory
    assert.near(0.5 * 80 * 2^30, half.usable_bytes or half.capacity_bytes, 1e9)
    local pooled = { model = "llama-3.1-8b", cluster = { device = "H100", devices = 2 }, load = { arrivals = "open",
      rate_per_s = 1, requests = 50 }, prefill_pool = { replicas = 1, plan = { tp = 1 } } }
    assert.equal(2, asked("serve", pooled, "prefill_pool.plan.tp=2").input.prefill_pool.plan.tp)
  end)

  it("leaves data-parallel ranks to the devices where it changes others of a plan", function()
    local training = { model = "llama-3.1-8b", cluster = { device = "H100", devices = 16 }, plan = { tp = 4, pp = 1, dp = 4 },
      job = { global_batch = 64, seq_len = 4096 } }
    local answer = asked("estimate", training, "plan.tp=2")
    assert.same({ 2, 8 }, { answer.plan.tp, answer.plan.dp })
    assert.equal(4, training.plan.dp)
    assert.equal(4, asked("estimate", training, "plan.micro_batch=2").plan.dp)
  end)

  it("leaves an input alone whose name a parameter of the scenario has", function()
    local env, state = with_state({ path = "s.lua", overrides = overrides.parse({ "batch=8" }) })
    local batch = env.param("batch", 4)
    assert.equal(16, env.encode({ model = "resnet50", device = "A100", batch = 2 * batch }).input.batch)
    state.overrides:check_used("this test")
  end)

  it("is refused with the nearest path where nothing has it", function()
    local input = { model = "resnet50", device = "A100" }
    assert.matches("%-D batsh=8: nothing in this test uses 'batsh', did you mean 'batch'%?",
      errors.catch(asked, "encode", input, "batsh=8"))
    assert.matches("did you mean 'load.rate_per_s'%?", errors.catch(asked, "encode", input, "lode.rate_per_s=8"))
    assert.matches("engine.memory_fraction: ", errors.catch(asked, "serve",
      { model = "llama-3.1-8b", cluster = { device = "H100", devices = 1 } }, "engine.memory_fraction=0.9"))
  end)
end)

describe("a model", function()
  local TABLE <const> = { layers = 48, hidden = 8192, heads = 64, vocab = 32000 }

  -- Billions of parameters, and what was assumed of the model.
  local function estimated(value, changes)
    local env, state = with_state({ path = "s.lua" })
    local answer = env.estimate({ model = env.model(value, changes), cluster = { device = "H100", devices = 64 },
      job = { global_batch = 64, seq_len = 4096, tokens = 2e12 }, plan = { tp = 8 } })
    env.show(answer)
    local said = {}
    for _, text in ipairs(state.result.assumed) do said[#said + 1] = text:match("^Model: .*") end
    return answer.params.total_params / 1e9, table.concat(said, "\n"), state.result
  end

  it("of layers, hidden, heads and vocab has the usual MLP, and ffn_hidden = 0 says that it has none", function()
    -- Attention 4 hidden^2 and an MLP of 8 hidden^2 in each layer, two vocabularies; norms are two vectors a layer.
    local h, norms = 8192, 97 * 8192
    local billions, said = estimated(TABLE)
    assert.near((48 * 12 * h ^ 2 + 2 * 32000 * h + norms) / 1e9, billions, 1e-9)
    assert.matches("ffn_hidden 32768, 4 hidden", said)
    billions, said = estimated(TABLE, { gated_mlp = true })
    assert.near((48 * (4 * h ^ 2 + 3 * 22016 * h) + 2 * 32000 * h + norms) / 1e9, billions, 1e-9)
    assert.matches("ffn_hidden 22016", said)
    -- Shared key/value heads are of gated MLPs.
    assert.matches("ffn_hidden 22016", select(2, estimated(TABLE, { kv_heads = 8 })))
    billions, said = estimated(TABLE, { ffn_hidden = 0 })
    assert.near((48 * 4 * h ^ 2 + 2 * 32000 * h + norms) / 1e9, billions, 1e-9)
    assert.equal("", said)
    assert.equal("", select(2, estimated(TABLE, { ffn_hidden = 1024 })))
  end)

  it("is reported with its parameters and the tokens for each of them", function()
    local _, _, r = estimated("llama-3.1-8b")
    local values = {}
    for _, fact in ipairs(r:scalars()) do values[fact.name] = fact.value end
    assert.equal(8030261248, values.total_params)
    assert.near(2e12 / 8030261248, values.tokens_per_param, 1e-9)
    assert.matches("Parameters +8.03 billion; 249 training tokens per parameter",
      require("ballpark.report").render(r, "table"))
  end)

  it("may have its name at Hugging Face, which may say the format it is served in", function()
    local _, said = estimated("meta-llama/Llama-3.1-8B-Instruct")
    assert.equal("Model: meta-llama/Llama-3.1-8B-Instruct is Llama-3.1-8B of the catalog.", said)
    local env, state = with_state({ path = "s.lua" })
    local answer = env.serve({ model = "TheBloke/Llama-2-70B-AWQ", cluster = { device = "H100", devices = 1 },
      load = { concurrency = 1, requests = 10 } })
    assert.equal("int4", answer.input.plan.weights)
    answer = env.serve_search({ model = "TheBloke/Llama-2-70B-AWQ", devices = "H100", gpus = 4,
      load = { rate_per_s = 0.5 }, sla = { ttft_s = 5 } })
    assert.equal("int4", answer.best.input.plan.weights)
    assert.matches("Weights in int4, as the name TheBloke/Llama%-2%-70B%-AWQ says", table.concat(state.result.assumed))
  end)

  it("that nobody knows is said with what to fetch", function()
    local env, state = with_state({ path = "s.lua" })
    local said, e = errors.catch(env.model, "org/Nothing")
    assert.equal(2, e.code)
    assert.matches("huggingface.co/org/Nothing/resolve/main/config.json", said)
    -- A name that says a size has the shape of a model of that size, and says so.
    assert.equal(4096, env.model("org/Nothing-7B").hidden)
    assert.matches("Nothing%-7B is not in the catalog: the shape of Llama", table.concat(state.result.assumed))
  end)

  it("may be a folder without a slash in its name", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(lfs.mkdir(folder) and lfs.mkdir(folder .. "/own-model"))
    local from = assert(io.open(here .. "/hf_fixtures/baichuan2-7b.json"))
    local to = assert(io.open(folder .. "/own-model/config.json", "w"))
    to:write(from:read("a"))
    from:close()
    to:close()
    local env = with_state({ path = folder .. "/s.lua" })
    local ok, model = pcall(env.model, "own-model")
    os.remove(folder .. "/own-model/config.json")
    assert(lfs.rmdir(folder .. "/own-model") and lfs.rmdir(folder))
    assert.is_true(ok, tostring(model))
    assert.equal("own-model", model.name)
  end)
end)

describe("a number that cannot be", function()
  local LOW <const> = { -1, -0.5, -1 / 0 }
  local machine = { device = "H100", devices = 1 }

  local function refused(name, input, field, values)
    local state = scenario.state(nil, {})
    for _, value in ipairs(values) do
      local message = errors.catch(scenario.answer, state, name, tables.with(input, { [field] = value }))
      assert.matches("^" .. field .. ": must be a number", message, name)
    end
  end

  it("is refused by name", function()
    local tuned = { model = "llama-3.1-8b", cluster = machine, examples = 100 }
    refused("finetune", tuned, "evaluation", LOW)
    refused("finetune", tuned, "deadline_s", LOW)
    refused("finetune", tuned, "epochs", { 1 / 0, -1 })
    refused("recommend", { model = "dlrm-dcnv2", cluster = { device = "H100", devices = 8 } }, "price_usd_h", LOW)
    refused("platform", { classes = { { name = "a", per_day = 10, duration = 3600 } }, nodes = 4, simulation = { jobs = 500 } }, "horizon_s", LOW)
    refused("replica", { model = "llama-3.1-8b", cluster = machine, curve = false }, "pool_tokens", LOW)
    refused("diffusion", { model = "sdxl", device = "L4" }, "images", LOW)
    refused("transcribe", { model = "whisper-tiny", device = "L4" }, "audio_per_s", { 1 / 0, -1 })
  end)

  it("is refused among the layers of a recommender", function()
    local layers = { tables = 3, rows = 1000, dim = 16, bottom = { 8 }, top = { 8, 1 }, cross = { layers = 1, rank = 8 } }
    local function message(changes)
      return errors.catch(scenario.answer, scenario.state(nil, {}), "recommend", { model = tables.with(layers, changes),
        cluster = { device = "H100", devices = 2 } })
    end
    local named = { cross = { 3, { rank = 8 }, { layers = "", rank = 8 } }, bottom = { 512, { "" }, { {} } }, top = { true },
      dim = { "", {}, -1 }, tables = { "", true }, rows = { "" }, items = { "", true } }
    for field, values in pairs(named) do
      for _, value in ipairs(values) do assert.matches(field .. ".*: must be", message({ [field] = value })) end
    end
  end)

  it("is no name of software that a table leaves out", function()
    local answer = scenario.answer(scenario.state(nil, {}), "finetune", { model = "llama-3.1-8b", cluster = machine, examples = 100,
      software = { year = 2025 } })
    assert.equal(0, answer:failed())
  end)
end)
