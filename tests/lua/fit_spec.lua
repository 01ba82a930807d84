-- fit{}: the same memory as the questions that it stands for, what surely fits, changes, the catalog, names.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local fits = require("ballpark.range.fits")
local questions = require("ballpark.questions")
local rendered = require("ballpark.report")
local resolve = require("ballpark.resolve.fit")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local tables = require("ballpark.tables")
local fit = questions.runner("fit")

local GIB <const> = 1 << 30

local function ask(device, changes)
  return fit.run(tables.with({ model = "llama-3.1-8b", on = device and { catalog.device(device) } }, changes))
end

local function row_of(device, changes) return ask(device, changes).rows[1] end

local function part(row, name)
  for _, item in ipairs(row.parts) do
    if item[1] == name then return item[2] end
  end
end

local function text_of(answer)
  local into = result.new({ command = "fit" })
  questions.show(into, answer)
  return rendered.render(into, "table", {})
end

describe("fit for inference", function()
  it("counts a checkpoint of experts as those who publish it do, and as serve does", function()
    -- Files of AWQ repositories (Hugging Face): every linear layer in 4 bit, 16.9 and 24.7 GB.
    for name, gb in pairs({ ["qwen3-30b-a3b"] = 16.9, ["mixtral-8x7b"] = 24.7 }) do
      local row = row_of("A100-80GB", { model = name, format = "awq", software = "vllm" })
      assert.near(gb * 1e9, part(row, "weights and rotary positions"), 0.02 * gb * 1e9)
    end
    local replica = questions.runner("replica")
    for _, name in ipairs({ "llama-4-scout", "deepseek-v3", "qwen3-30b-a3b", "llama-3.1-8b" }) do
      for _, word in ipairs({ "awq", "nvfp4", "fp8", "int4" }) do
        local row = row_of("H200", { model = name, format = word, software = "vllm", devices = 8 })
        local same = replica.run({ model = catalog.model(name), engine = { name = "vllm" }, curve = false,
          cluster = catalog.cluster({ device = "H200", devices = 8 }), plan = { tp = 8, checkpoint = word } })
        assert.near(same.memory.weights_bytes + same.memory.rotary_bytes, part(row, "weights and rotary positions"), 1, name .. word)
      end
    end
  end)

  it("takes the format that models of an engine mostly have where nobody says one", function()
    for software, word in pairs({ mlx = "mlx4", exllama = "exl2-4.0", mlc = "q4f16", awq = "awq", ["llama.cpp"] = "F16", transformers = "F16" }) do
      local row = row_of(software == "mlx" and "M3 Max" or "RTX 4090", { software = software })
      assert.equals(word, row.format)
    end
  end)

  it("has no inputs of training, nor adapters that are none", function()
    for name, value in pairs({ plan = { optimizer = "sgd" }, rank = 64, targets = "all" }) do
      assert.matches("^" .. name .. ": is of ", errors.catch(ask, "H100", { [name] = value }))
    end
    assert.matches("^host: is of inference", errors.catch(ask, "H100", { purpose = "lora", host = "EPYC-9654" }))
  end)

  it("says what a host needs and has, and that nothing fits where it has too little", function()
    local asked = { model = "qwen3-30b-a3b", format = "F16", context_tok = 2048, software = "llama.cpp" }
    local small = row_of("RTX-3090", tables.with(asked, { host = "Core-i7-12700K" }))
    local large = row_of("RTX-3090", tables.with(asked, { host = "EPYC-9654" }))
    -- 0.9 of what it has; the device needs the same of both.
    assert.equal(0.9 * catalog.device("Core-i7-12700K").memory_bytes, small.host_usable_bytes)
    assert.equal(large.host_need_bytes, small.host_need_bytes)
    assert.equal(large.need_bytes, small.need_bytes)
    assert.is_true(small.host_need_bytes > small.host_usable_bytes and small.fits_chance < 0.01)
    assert.same({ 0, 0 }, { small.max_context_tok, small.max_batch })
    assert.is_true(large.fits_chance > 0.9 and large.max_context_tok > 2048)
    assert.is_nil(row_of("H100", asked).host_need_bytes)
    local answer = questions.runner("local_inference").run({ model = catalog.model("qwen3-30b-a3b"), device = catalog.device("RTX-3090"),
      host = catalog.device("Core-i7-12700K"), format = "F16", context_tok = 2048 })
    assert.same({ false, 0 }, { answer.fits, answer.max_context_tok })
    assert.near(small.host_need_bytes, answer.memory.host_need_bytes, 1)
  end)

  it("deals to a host that is named what the device has no room for, as local_inference does", function()
    local changes = { model = "qwen3-30b-a3b", format = "Q2_K", software = "llama.cpp" }
    assert.is_true(row_of("RTX-2080-Ti", changes).fits_chance < 0.01)
    local row = row_of("RTX-2080-Ti", tables.with(changes, { host = "EPYC-9654" }))
    assert.is_true(row.fits_chance > 0.9)
    local said = table.concat(row.assumed, "; ")
    local alike = questions.runner("local_inference").run({ model = catalog.model("qwen3-30b-a3b"), format = "Q2_K",
      device = catalog.device("RTX-2080-Ti"), host = catalog.device("EPYC-9654") })
    assert.truthy(said:find(alike.with_host .. " with the host", 1, true), said .. " / " .. alike.with_host)
  end)

  it("counts what a hand counts", function()
    local row = row_of("A100-80GB", { context_tok = 8192, batch = 3 })
    -- 8,030,261,248 weights of 2 bytes; keys and values of 8 heads of 128 in 32 layers, 2 bytes each.
    -- Of 131,072 positions half the sines and cosines of a head.
    assert.near(2 * 8030261248 + 131072 * 128 * 2, part(row, "weights and rotary positions"), 1e6)
    assert.near(3 * 8192 * 2 * 32 * 8 * 128 * 2, part(row, "KV cache, states"), 1)
    local sum = 0
    for _, item in ipairs(row.parts) do sum = sum + item[2] end
    assert.near(row.need_bytes, sum, 1)
    assert.near(0.9 * 80 * GIB, row.usable_bytes, 0.02 * 80 * GIB)
  end)

  it("says what replica{} and local_inference{} say", function()
    local served = row_of("L4", { context_tok = 2048 })
    local replica = questions.runner("replica").run({ model = catalog.model("llama-3.1-8b"),
      cluster = catalog.cluster({ device = "L4", devices = 1 }), curve = false, max_model_len = 2048,
      load = { input_tokens = 2047, output_tokens = 1 } })
    assert.equal(replica.memory.weights_bytes + replica.memory.rotary_bytes, part(served, "weights and rotary positions"))
    assert.equal(replica.memory.pool_tokens, served.kv_tokens)
    local file = row_of("M3-Max-40", { model = "llama3.1:8b", context_tok = 8192 })
    local machine = questions.runner("local_inference").run({ model = "llama3.1:8b", device = catalog.device("M3-Max-40"),
      format = "Q4_K_M", context_tok = 8192 })
    assert.equal(machine.need_bytes, file.need_bytes)
    assert.equal(machine.fits_chance, file.fits_chance)
  end)

  it("names the longest context and the largest batch that surely fit, and no more", function()
    for _, device in ipairs({ "L4", "RX-7900-XTX", "M3-Max-40" }) do
      local row = row_of(device, { batch = 2 })
      local most = row.max_context_tok
      assert.is_true(most > 4096 and row.max_batch >= 2, device)
      assert.is_true(row_of(device, { batch = 2, context_tok = most }).fits_chance >= 0.89, device)
      assert.is_true(row_of(device, { batch = row.max_batch }).fits_chance >= 0.89, device)
      assert.is_true(row_of(device, { batch = row.max_batch + 1 }).fits_chance < fits.SURE, device)
      if most < 131072 then
        assert.is_true(row_of(device, { batch = 2, context_tok = (1.02 * most // 1) | 0 }).fits_chance < fits.SURE, device)
      end
    end
  end)

  it("needs more for more tokens, sequences and bits, and less on more devices", function()
    local base = row_of("H100").need_bytes
    for _, more in ipairs({ { context_tok = 8192 }, { batch = 2 } }) do
      assert.is_true(row_of("H100", more).need_bytes > base)
    end
    for _, less in ipairs({ { kv = "fp8" }, { format = "fp8" }, { format = "awq" }, { devices = 2 } }) do
      assert.is_true(row_of("H100", less).need_bytes < base)
    end
  end)

  it("prints what is just short of certain as it is, with its memory", function()
    local answer = ask("Arc-A770-16GB")
    local row = answer.rows[1]
    assert.is_true(answer.fits and row.fits_chance > 0.5 and row.fits_chance < fits.SURE)
    local text = text_of(answer)
    assert.matches("needs 15%.%d GiB of 15%.%d GiB; fits with 8%d%.?%d* %% chance", text)
    assert.matches("Memory per device", text, 1, true)
    assert.is_true(questions.is_feasible(answer))
  end)

  it("evaluates each change as the question with that change", function()
    local row = row_of("H100", { model = "llama-3.1-70b" })
    local found = {}
    for _, change in ipairs(row.changes) do found[change.what] = change end
    local same = { ["weights in fp8"] = { format = "fp8" }, ["weights in 4 bit (AWQ, GPTQ)"] = { format = "awq" },
      ["4 devices, TP 4"] = { devices = 4 } }
    for what, change in pairs(same) do
      local other = row_of("H100", tables.with({ model = "llama-3.1-70b" }, change))
      assert.equal(other.need_bytes, found[what].need_bytes, what)
      assert.equal(other.fits_chance, found[what].fits_chance, what)
    end
    assert.equal("weights in 4 bit (AWQ, GPTQ)", row.cheapest.what)
    local own = row_of("RTX-5090", { model = "gpt-oss-120b" }).cheapest
    assert.matches("^experts of %d+ layers with the host", own.what)
    assert.is_true(own.fits_chance >= fits.SURE)
  end)

  it("offers the authors' own format by llama.cpp, whose workspace is less, before narrower files", function()
    local row = row_of("RTX-4080", { model = "gpt-oss-20b" })
    assert.is_true(row.fits and not row.sure)
    assert.equal("weights in MXFP4, with llama.cpp", row.cheapest.what)
    assert.equal(row_of("RTX-4080", { model = "gpt-oss-20b", software = "llama.cpp" }).need_bytes, row.cheapest.need_bytes)
  end)

  it("says how many tokens a change leaves the cache room for, twice as many at half the bytes", function()
    local row, narrow = row_of("RTX-A6000", { context_tok = 65536 }), nil
    for _, change in ipairs(row.changes) do narrow = change.what == "KV cache in fp8" and change or narrow end
    -- The longest context is that of the model, with either cache.
    assert.equal(row.max_context_tok, narrow.max_context_tok)
    assert.near(2 * row.kv_tokens, narrow.kv_tokens, 32)
  end)

  it("says that weights are taken in 16 bit where nobody says the format, of several devices too", function()
    local on = { catalog.device("RTX-4090"), catalog.device("RX-7900-XTX") }
    assert.matches("16-bit weights, no format was given", text_of(ask(nil, { on = on })), 1, true)
    assert.not_matches("16-bit weights", text_of(ask(nil, { on = on, model = "llama-3.1-8b:Q4_K_M" })), 1, true)
    assert.not_matches("16-bit weights", text_of(ask(nil, { on = on, model = "gpt-oss-20b" })), 1, true)
  end)
end)

describe("what is known of the memory", function()
  it("is a floor: where weights and cache alone do not fit there is no chance, and it falls to none steadily", function()
    local last = fits.chance(30, 40, 24)
    for usable = 39, 20, -1 do
      local own = fits.chance(30, usable, 24)
      assert.is_true(own <= last)
      assert.is_true(own <= fits.chance(30, usable))
      last = own
    end
    assert.equal(0, fits.chance(30, 24, 24))
    assert.equal(fits.chance(30, 31), fits.chance(30, 31, 24))
    -- Half of the unknown six: ln 0.5 of 6, and a deviation is 0.03 of 30.
    local z = math.log(0.5) * 6 / (0.03 * 30)
    assert.near(1 / (1 + math.exp(-0.07056 * z ^ 3 - 1.5976 * z)), fits.chance(30, 27, 24), 1e-12)
  end)

  it("is one in training, too: 13 billion weights of 2 bytes are more than 24 GiB", function()
    local row = row_of("RTX-3090", { model = "llama-2-13b", purpose = "lora" })
    assert.is_true(part(row, "weights") > row.usable_bytes)
    assert.equal(0, row.fits_chance)
    assert.is_true(row_of("A100-40GB-SXM", { model = "llama-2-13b", purpose = "lora" }).fits_chance > 0.5)
  end)
end)

describe("an engine of many sequences", function()
  local AWQ <const> = "Qwen/Qwen2.5-72B-Instruct-AWQ"

  it("needs the same by fit{} and by local_inference{}, and is offered what it has", function()
    local row = row_of("RTX-A6000", { model = AWQ, context_tok = 8192 })
    local machine = questions.runner("local_inference").run({ model = AWQ, device = catalog.device("RTX-A6000"),
      context_tok = 8192 })
    assert.equal(row.need_bytes, machine.need_bytes)
    assert.equal(row.usable_bytes, machine.usable_bytes)
    assert.equal(row.fits_chance, machine.fits_chance)
    assert.is_true(#machine.better > 0)
    for _, change in ipairs(machine.better) do
      assert.is_nil(change.what:find("with the host", 1, true))
      assert.is_nil(change.what:find("q8_0", 1, true))
    end
  end)

  it("gives way to a file of llama.cpp where it does not run, and says so", function()
    local row = row_of("M3-Max-40", { model = AWQ })
    assert.equal("llama.cpp", row.software)
    assert.equal("Q4_K_M", row.format)
    assert.matches("in place of awq, which vLLM reads and M3%-Max%-40 does not run", table.concat(row.assumed, "; "))
  end)

  it("is not asked of a tag of Ollama, which comes as its authors publish it where that is a file's type", function()
    assert.equal("MXFP4_BF16", row_of("M3-Max-40", { model = "gpt-oss:20b" }).format) -- all but the experts in 16 bit
    assert.equal("Q4_K_M", row_of("M3-Max-40", { model = "qwen3:8b" }).format)
  end)

  it("shares layers where devices do not divide the heads", function()
    local three, one = row_of("H100", { model = "llama-3.1-70b", devices = 3 }), row_of("H100", { model = "llama-3.1-70b" })
    local whole, third = part(one, "weights and rotary positions"), part(three, "weights and rotary positions")
    assert.near(whole / 3, third, 0.03 * whole)
    assert.matches("TP 1, PP 3", table.concat(three.assumed, "; "), 1, true)
  end)

  it("says no longer sequence than is asked for where that is longer than the model was trained for", function()
    assert.equal(1000000, row_of("H100", { model = "llama-3.1-8b", devices = 8, context_tok = 1000000 }).max_context_tok)
    assert.equal(131072, row_of("H100", { model = "llama-3.1-8b", devices = 8 }).max_context_tok)
  end)

  it("cuts matrices within a domain of devices that are linked fast, and shares layers between domains", function()
    local asked = { model = "llama-3.1-405b", devices = 32, context_tok = 131072, batch = 8 }
    local row = row_of("H100", asked)
    -- 126 layers of 8 key-value heads of 128 in 16 bit; a stage has 32 of them at most, and the fullest stage counts.
    assert.near(4 * 32 * 8 * 128 * 2 * 2 * 131072.0, row.sequence_bytes, 1e-6 * row.sequence_bytes)
    assert.matches("TP 8, PP 4", table.concat(row.assumed, "; "), 1, true)
    assert.is_true(row.fits)
  end)
end)

describe("fit for training", function()
  it("says what finetune{} says", function()
    for _, purpose in ipairs({ "full", "lora", "qlora" }) do
      local row = row_of("A100-80GB", { purpose = purpose, context_tok = 1024 })
      local answer = questions.runner("finetune").run({ model = catalog.model("llama-3.1-8b"), method = purpose,
        cluster = catalog.cluster({ device = "A100-80GB", devices = 1 }), examples = 100, seq_len = 1024, batch = 1,
        micro_batch = 1 })
      assert.equal(answer.memory.total_bytes, row.need_bytes, purpose)
      assert.equal(answer.memory.fit_probability, row.fits_chance, purpose)
      assert.same(answer.range.total_bytes, row.need_range, purpose)
      assert.equal(answer.largest.micro_batch or 0, row.max_batch, purpose)
    end
  end)

  it("piles changes up where none is enough, and none of them in vain", function()
    local row = row_of("RTX-4090", { purpose = "full", context_tok = 8192 })
    assert.is_false(row.fits)
    for _, change in ipairs(row.changes) do
      if not (change.another or change.hardware) then assert.is_true(change.fits_chance < fits.SURE, change.what) end
    end
    assert.matches("; ", row.cheapest.what, 1, true)
    assert.is_true(row.cheapest.fits_chance >= fits.SURE)
    assert.is_true(row.cheapest.need_bytes < row.need_bytes / 4)
    -- fp32 weights and moments of 8 billion parameters
    assert.is_true(row.cheapest.host_bytes > 12 * 8.03e9)
    for _, change in ipairs(row.changes) do
      assert.equal(change.what:find("host", 1, true) ~= nil, change.host_bytes > 0, change.what)
    end
  end)
end)

describe("fit over the catalog", function()
  it("ranks what surely fits by rent, then by the price of the card", function()
    local answer = ask(nil)
    assert.is_true(#answer.rows > 200)
    local last, at_rent = nil, true
    for _, row in ipairs(answer.rows) do
      assert.is_nil(row.device.name:find("-MIG-", 1, true))
      if last then
        assert.is_true(last.sure or not row.sure)
        if row.sure and last.usd_h and row.usd_h then assert.is_true(last.usd_h <= row.usd_h) end
        at_rent = at_rent and row.usd_h ~= nil
        if row.sure and not at_rent then assert.is_nil(row.usd_h) end
      end
      last = row
    end
    assert.equal("L4", answer.rows[1].device.name)
  end)

  it("finds groups of two, four or eight where one device is dearer, or none holds it", function()
    local answer = ask(nil, { model = "mixtral-8x7b" })
    local alone, group = answer.rows[1], answer.groups[1]
    assert.is_true(alone.sure and group.sure and group.usd_h < alone.usd_h)
    -- What a group needs is what fit{} says of so many devices, and its price that of all of them.
    local same = row_of(group.device.name, { model = "mixtral-8x7b", devices = group.devices })
    assert.equal(same.need_bytes, group.need_bytes)
    assert.near(group.devices * catalog.price(group.device.name), group.usd_h, 1e-9)
    for _, row in ipairs(answer.groups) do
      assert.is_true(row.sure and (row.devices == 2 or row.devices == 4 or row.devices == 8))
      assert.is_true(row.devices <= row.device.node_size and not row.device.shared_memory)
      -- Half as many do not hold it.
      local fewer = row.devices > 1 and row_of(row.device.name, { model = "mixtral-8x7b", devices = row.devices // 2 })
      assert.is_false(fewer.sure)
    end
    local text = text_of(answer)
    assert.matches(("Cheapest rent +%d x %s, .-; one device: %s"):format(group.devices, group.device.name:gsub("%-", "%%-"), alone.device.name), text)
    -- A model that one device of each kind does not hold.
    local large = ask(nil, { model = "llama-3.1-405b" })
    assert.is_false(large.rows[1].sure)
    assert.is_true(large.fits and large.groups[1].devices <= 8)
    assert.matches("none with a price holds it alone", text_of(large))
    -- No node holds it: so many devices do.
    local trained = ask(nil, { model = "llama-3.1-405b", purpose = "full" })
    assert.is_true(trained.groups[1].devices > 8)
    assert.matches("no group within a node; %d+ x", text_of(trained))
    -- Where the number is said, and of what answers once, there are none.
    assert.same({}, ask(nil, { model = "mixtral-8x7b", devices = 2 }).groups)
    assert.same({}, ask(nil, { model = "sdxl" }).groups)
  end)

  it("says what a group needs on all of its devices", function()
    assert.matches("All devices +%d+ GiB on 8 of them together", text_of(ask("H100", { model = "deepseek-v3", devices = 8 })))
    assert.is_nil(text_of(ask("H100")):find("All devices", 1, true))
  end)

  it("answers in thirty lines", function()
    for _, changes in ipairs({ {}, { purpose = "lora" }, { model = "llama-3.1-70b:Q4_K_M" } }) do
      local _, lines = text_of(ask(nil, changes)):gsub("\n", "")
      assert.is_true(lines <= 30, lines)
    end
  end)
end)

describe("changes of a row", function()
  it("say how many devices they mean, and begin with the most bits that surely fit", function()
    local said = {}
    for _, change in ipairs(row_of("A100", { model = "llama-3.1-70b", purpose = "full", devices = 2 }).changes) do said[change.what:gsub("%d+", "N")] = change.what end
    assert.equal("TP 2, on 4 devices", said["TP N, on N devices"])
    local other = said[next(said) and "on N x GBN"] or ""
    assert.matches("^on 2 x ", other)
    local row = row_of("RTX-3090", { model = "llama-2-70b" })
    local first
    for _, change in ipairs(row.changes) do first = first or change.what:match("weights in (I?Q[%w_]+)") end
    assert.equal("IQ2_S", first)
    assert.is_true(row_of("RTX-3090", { model = "llama-2-70b", format = "IQ2_S" }).sure)
    assert.is_false(row_of("RTX-3090", { model = "llama-2-70b", format = "IQ2_M" }).sure)
    -- A device that is sold with more memory has the name of the one that was asked about.
    local sizes = {}
    for _, change in ipairs(row_of("M2 16GB", { model = "gpt-oss-20b" }).changes) do sizes[#sizes + 1] = change.what:match("^on M2.*$") end
    assert.same({ "on M2 with 24 GB" }, sizes)
  end)
end)

describe("training of an encoder", function()
  it("is answered as finetune{} answers it", function()
    local row = row_of("T4", { model = "bert-base", purpose = "full" })
    local same = questions.runner("finetune").run({ model = catalog.model("bert-base"), cluster = catalog.cluster({ device = "T4", devices = 1 }), method = "full",
      examples = 100, seq_len = 512, batch = 1, micro_batch = 1 })
    assert.near(same.memory.total_bytes, row.need_bytes, 1)
    assert.matches("answered for models that write text", errors.catch(row_of, "T4", { model = "vit-l-16-224", purpose = "full" }))
  end)
end)

describe("a card of which the memory is said", function()
  it("is one of so much memory, with no price, whatever stands around it", function()
    for _, label in ipairs({ "24GB", "24 GB", "24gib", "24GB card", "a card of 24 GB", "24 GB VRAM", "a 24GB GPU", "24" }) do
      local device = catalog.device(label)
      assert.same({ "24GB-card", 24 * GIB }, { device.name, device.memory_bytes }, label)
    end
    assert.is_nil(catalog.price("24GB-card"))
    local card, same = row_of("24GB"), row_of("RTX-4090")
    assert.near(same.usable_bytes, card.usable_bytes, 0.01 * same.usable_bytes)
    assert.is_nil(card.usd_h or card.card_usd)
    assert.is_true(row_of("12GB").usable_bytes < row_of("16GB").usable_bytes)
    for _, label in ipairs({ "0GB", "9999GB", "GB", "24TB" }) do assert.is_truthy(errors.catch(catalog.device, label), label) end
    -- Names that have a number in them stay what they are.
    assert.equal("RTX-3090", catalog.device("3090").name)
    assert.equal("RTX-4060-Ti-16GB", catalog.device("RTX 4060 Ti 16GB").name)
  end)

  it("says what stands for it, and how many there are", function()
    local state = scenario.state(nil, { command = "fit" })
    local answer = scenario.answer(state, "fit", { model = "llama-3.1-8b", on = "2x24GB" })
    assert.matches("A card of 24 GB: .* those of RTX%-4090", rendered.render(answer, "table", {}))
    assert.matches("on 2 x 24GB%-card", rendered.render(answer, "table", {}))
  end)
end)

describe("what fit takes", function()
  it("names as people write them", function()
    for text, wanted in pairs({ ["Qwen/Qwen2.5-72B-Instruct-AWQ"] = { "Qwen2.5-72B", "awq" },
      ["bartowski/Llama-3.1-8B-Instruct-GGUF:Q5_K_M"] = { "Llama-3.1-8B", "Q5_K_M" },
      ["llama3.1:8b"] = { "Llama-3.1-8B", "Q4_K_M" }, ["llama-3.1-8b"] = { "Llama-3.1-8B" } }) do
      local model, format = resolve.model(text)
      assert.equal(wanted[1], model.name, text)
      assert.equal(wanted[2], format, text)
    end
    assert.equal("llama.cpp", row_of("H100", { model = "llama3.1:8b" }).software)
    assert.equal("llama.cpp", row_of("RTX-4090", { model = "gpt-oss:20b" }).software) -- MXFP4, which vLLM reads, too
    assert.equal("vllm", row_of("RTX-4090", { model = "gpt-oss-20b" }).software)
    assert.equal("int4", row_of("H100", { model = "Qwen/Qwen2.5-72B-Instruct-AWQ" }).format)
    assert.matches("'IQ4_XS' is none that vllm reads", (errors.catch(row_of, "H100", { software = "vllm", format = "IQ4_XS" })))
    assert.is_true(row_of("H100", { software = "vllm", format = "nf4" }).need_bytes < row_of("H100", { software = "vllm" }).need_bytes)
    assert.equal("vllm", row_of("H100", { software = "vllm" }).software)
  end)

  it("files of llama.cpp where authors publish in few bits, and no more positions than there are", function()
    local row = row_of("M3-Ultra-80", { model = "deepseek-v3" })
    assert.same({ "Q8_0", "llama.cpp" }, { row.format, row.software })
    assert.equal("MXFP4", row_of("M3-Max-40", { model = "gpt-oss-20b" }).format)
    assert.is_true(row_of("H100", { model = "gpt2", purpose = "full" }).max_context_tok <= 1024)
    assert.matches("100000 tokens are more than the 4096", text_of(ask("T4", { model = "llama-2-7b", context_tok = 100000 })), 1, true)
  end)

  it("the room for LoRA adapters of an engine, as replica{} has it", function()
    local replica = require("ballpark.questions.replica.run")
    local row = row_of("H100", { adapters = 4, rank = 32 })
    local memory = replica.run({ model = catalog.model("llama-3.1-8b"), curve = false,
      cluster = catalog.cluster({ device = "H100", devices = 1 }),
      engine = { name = "vllm", max_loras = 4, max_lora_rank = 32 } }).memory
    -- Rows and columns of the seven matrices of 32 layers, of embedding and head; A and B in 16 bit.
    local sides = 32 * (2 * 8192 + 2 * 5120 + 3 * 18432) + 2 * (4096 + 128256)
    assert.equal(sides * 32 * 4 * 2, memory.adapters_bytes)
    assert.equal(memory.adapters_bytes, part(row, "LoRA adapters"))
    assert.equal(sides * 16 * 2, part(row_of("H100", { adapters = 1 }), "LoRA adapters"))
    assert.is_true(row.kv_tokens < row_of("H100").kv_tokens)
    for _, bad in ipairs({ { software = "llama.cpp" }, { purpose = "qlora" } }) do
      local ok, e = pcall(ask, "RTX-4090", tables.with(bad, { adapters = 1 }))
      assert.is_false(ok)
      assert.equal("adapters", e.path)
    end
  end)

  it("refuses a shape and a device that say too little, by what is missing or wrong", function()
    assert.equal("model.layers: is missing", (errors.catch(fit.run, { model = {}, on = { catalog.device("L4") } })))
    local device = tables.with(catalog.device("L4"), { node_size = 0 })
    local text = errors.catch(catalog.cluster, { device = device, devices = 1 })
    assert.equal("device.node_size: must be a whole number of at least 1, got 0", text)
    for field, value in pairs({ memory_bytes = "80GB", nic_bytes_s = true, name = 1 }) do
      device = tables.with(catalog.device("L4"), { [field] = value })
      assert.matches("^device." .. field .. ": must be ", (errors.catch(catalog.cluster, { device = device, devices = 1 })))
    end
  end)

  it("refuses what means nothing, by its name", function()
    for path, changes in pairs({ purpose = { purpose = "lorra" }, format = { format = "Q9_Z" }, batch = { batch = 0 },
      context_tok = { context_tok = 0.5 }, software = { software = "vlm" }, memory_frac = { memory_frac = 2 },
      on = { on = {} }, model = { model = 7 } }) do
      local text, e = errors.catch(fit.run, tables.with({ model = "llama-3.1-8b", on = { catalog.device("H100") } }, changes))
      assert.is_true(errors.is(e), path .. ": " .. tostring(text))
      assert.matches(path, text, 1, true)
    end
    local text = errors.catch(fit.run, { model = "llama-3.1-8b", purpose = "qlora", format = "fp8" })
    assert.matches("format: is of inference", text, 1, true)
  end)
end)

describe("fit of a model that writes no text", function()
  local core = require("ballpark.core")

  local function one(model, device, changes)
    return fit.run(tables.with({ model = model, on = { catalog.device(device) } }, changes)).rows[1]
  end

  it("counts the weights of an encoder, and what a batch adds", function()
    local row = one("BAAI/bge-m3", "L4")
    local params = core.params({ model = catalog.model("bge-m3") }).total_params
    assert.near(2 * params, part(row, "weights"), 0.02 * params)
    assert.is_true(one("BAAI/bge-m3", "L4", { batch = 64 }).need_bytes > row.need_bytes)
    assert.is_true(row.max_batch > 64)
    -- The largest batch surely fits, and twice as many do not.
    assert.is_true(one("BAAI/bge-m3", "L4", { batch = row.max_batch }).fits_chance > fits.SURE - 0.01)
    assert.is_false(one("BAAI/bge-m3", "L4", { batch = 2 * row.max_batch }).sure)
  end)

  it("is the memory of the question that times it", function()
    local sdxl = questions.runner("diffusion").run({ model = "sdxl", device = catalog.device("RTX-4090") })
    assert.equal(sdxl.memory_bytes, one("stabilityai/stable-diffusion-xl-base-1.0", "RTX-4090").need_bytes)
    local speech = questions.runner("transcribe").run({ model = "whisper-large-v3", device = catalog.device("T4"), batch = 4 })
    assert.equal(speech.memory_bytes, one("openai/whisper-large-v3", "T4", { batch = 4 }).need_bytes)
  end)

  it("takes the format of images that a name or a file says", function()
    for _, name in ipairs({ "flux.1-dev:Q4_K_S", "city96/FLUX.1-dev:q4_k_s", "flux1-dev-Q4_K_S.gguf" }) do
      local row = one(name, "RTX-3060")
      assert.equal(one("flux.1-dev", "RTX-3060", { format = "Q4_K_S" }).need_bytes, row.need_bytes, name)
      assert.is_true(row.need_bytes < one("flux.1-dev", "RTX-3060").need_bytes)
    end
  end)

  it("says what would make it fit", function()
    local flux = one("black-forest-labs/FLUX.1-dev", "RTX-4090")
    assert.is_false(flux.fits)
    assert.equal("weights in fp8", flux.cheapest.what)
    assert.matches("weights in fp8", text_of(fit.run({ model = "flux.1-dev", on = { catalog.device("RTX-4090") } })))
    assert.matches("windows at one time", text_of(fit.run({ model = "whisper-large-v3", on = { catalog.device("T4") } })))
  end)

  it("goes over the catalog", function()
    local answer = fit.run({ model = "vit-l-16-224" })
    assert.is_true(#answer.rows > 200 and answer.fits)
    assert.matches("vit%-l%-16%-224", text_of(answer))
  end)

  it("holds models of every kind on a device that is no row of the catalog, which has no price", function()
    local own = { name = "MyBox", memory_bytes = 24e9, mem_bw_bytes_s = 900e9, bf16_flop_s = 160e12 }
    local device = tables.with(catalog.device("RTX-4090"), own)
    for _, asked in ipairs({ { model = "llama-3.1-8b", format = "Q4_K_M", software = "llama.cpp" }, { model = "bge-m3" },
      { model = "whisper-large-v3" }, { model = "sdxl" }, { model = "llama-3.1-8b", format = "fp8" } }) do
      local row = fit.run(tables.with(asked, { on = { device } })).rows[1]
      assert.is_true(row.fits_chance > 0.99, asked.model)
      assert.is_nil(row.usd_h)
    end
    assert.is_true(row_of("L4", { format = "Q4_K_M", software = "llama.cpp" }).usd_h > 0)
  end)

  it("has no KV cache and is not trained here", function()
    assert.matches("kv: sdxl has none", errors.catch(one, "sdxl", "L4", { kv = "fp8" }))
    assert.matches("training is answered for models that write text", errors.catch(one, "sdxl", "L4", { purpose = "lora" }))
    assert.matches("devices: sdxl is on one device", errors.catch(one, "sdxl", "L4", { devices = 2 }))
  end)

  it("says what keys and values of a sequence take", function()
    -- 32 layers, 8 heads of 128, two of them, 2 bytes: 128 KiB a token.
    local text = text_of(ask("RTX-A6000", { context_tok = 65536, batch = 2 })):gsub("%s+", " ")
    assert.matches("8 GiB of keys and values for 65,536 tok", text)
    -- 80 layers share four devices.
    local four = text_of(ask("H100", { model = "llama-3.1-70b", devices = 4, context_tok = 131072 })):gsub("%s+", " ")
    assert.matches("40 GiB of keys and values for 131,072 tok, on all devices together", four)
    assert.is_nil((text_of(ask("H100", { purpose = "lora" })):find("keys and values for")))
  end)
end)
