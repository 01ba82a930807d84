-- The search from the command line.
local json = require("ballpark.json")

return function(t)
  local function words(...)
    local list = { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices", "16", "--global-batch",
      "128", "--seq-len", "8192" }
    for _, word in ipairs({ ... }) do list[#list + 1] = word end
    return list
  end
  local function case(name, list, wanted)
    for key, value in pairs(wanted) do list[key] = value end
    t:case(name, list)
  end

  case("search by options, on one screen", words(), { out = { "Llama", "16 x H100", "Best plans", "%-%-full shows the rest" },
    err = "", check = function(got)
      assert(select(2, got.out:gsub("\n", "\n")) <= 24 and not got.out:find("Rejected", 1, true), got.out)
    end })
  case("search whose screen has the plans that are asked for", words("--top", "7"), { out = { "\n +7 ", "%-%-full shows the rest" } })
  case("price in another currency", words("--price", "2.5 EUR"), { code = 2, out = "", err = "prices are in USD an hour: at 1.1 USD .* it is 2.75" })
  case("price and deadline as people write them", words("--price", "$2/h", "--tokens", "1e12", "--deadline", "1 year"), { out = "at 2%.00 USD/h" })
  case("search whose head says what a range given adds", words("--tokens", "trillion(1)..trillion(2)"), {
    out = { "the model's own error alone", "that are ranges: run" }, err = "" })
  case("search in full", words("--full"), { out = { "Best plans", "Rejected", "Assumed" }, err = "" })
  case("space by options", words("--tp", "2,4", "--zero", "1", "--recompute", "full", "-f", "json"), {
    check = function(got)
      local rows = json.decode(got.out).tables.plans.rows
      assert(#rows > 0)
      for _, row in ipairs(rows) do
        assert((row.tp == 2 or row.tp == 4) and row.zero == 1 and row.recompute == "full")
      end
    end })
  case("top and objective", words("--top", "3", "--objective", "mfu_frac", "-f", "json"), { check = function(got)
    local rows = json.decode(got.out).tables.plans.rows
    assert(#rows == 3 and rows[1].mfu_frac >= rows[2].mfu_frac and rows[2].mfu_frac >= rows[3].mfu_frac)
    assert(rows[1].score == rows[1].mfu_frac)
  end })
  case("cost by options", words("--tokens", "trillion(1)", "--price", "2"), { out = "at 2%.00 USD/h" })
  case("words for objectives", words("--objective", "energy,memory", "--tp", "1,2", "-f", "json"), {
    check = function(got)
      local tables = json.decode(got.out).tables
      local function stands_at(row) return row.step_j * (1 + row.handicap) end
      for i = 2, #tables.plans.rows do assert(stands_at(tables.plans.rows[i]) >= stands_at(tables.plans.rows[i - 1])) end
      assert(tables.plans.rows[1].score == tables.plans.rows[1].step_j and #tables.front.rows >= 1)
    end })
  case("no deadline, no chance of meeting it", words("--top", "1", "-f", "jsonl"), {
    check = function(got) assert(got.out:find('"deadline_probability":null', 1, true), got.out) end })
  case("a deadline", words("--top", "1", "--tokens", "1e12", "--deadline", "days(60)", "-f", "jsonl"), { code = 1,
    check = function(got)
      local chance = json.decode(got.out).deadline_probability
      assert(chance > 0 and chance <= 1, chance)
    end })
  case("half a chance of taking as long as the report says", words("--top", "1", "--tokens", "1e12", "--deadline",
    "1", "-f", "jsonl"), { code = 1, check = function(got)
    local first = json.decode(got.out)
    local again = t:run(words("--top", "1", "--tokens", "1e12", "--deadline", ("%.17g"):format(first.run_s), "-f",
      "jsonl"))
    local row = json.decode(again.out)
    assert(math.abs(row.deadline_probability - 0.5 * row.fit_probability) < 1e-4, again.out) -- whole steps
  end })
  case("what a plan has beside the usual", words("--offload", "optimizer", "--grad-bytes", "2,4",
    "--overlap-dp", "free", "--rank-order", "tp-cp-pp-dp", "--recompute", "full", "--recompute-share", "0.5"), {
    out = { "offload optimizer", "ranks tp%-cp%-pp%-dp", "full recompute of 50 %%", "recomputed, %%",
      "gradients, B" } })
  case("every field of every plan", words("--split", "free", "--optimizer", "adam,muon", "--tp", "2", "--pp",
    "4", "--top", "50", "-f", "json"), { check = function(got)
    local seen = {}
    for _, row in ipairs(json.decode(got.out).tables.plans.rows) do
      local fields = {}
      for _, field in ipairs({ "tp", "pp", "vpp", "dp", "cp", "ep", "etp", "micro_batch", "zero", "shard", "recompute",
        "split", "optimizer", "offload", "rank_order", "overlap_dp", "overlap_tp", "recompute_share" }) do
        assert(row[field] ~= nil, field)
        fields[#fields + 1] = tostring(row[field])
      end
      local plan = table.concat(fields, " ")
      assert(not seen[plan], "two rows are of one plan: " .. plan)
      seen[plan] = true
    end
  end })
  t:case("bandwidths searched over have their unit", { "run", t:write("nics.lua", [[
    show(search { model = model "llama-3.1-8b", cluster = { device = "H100", devices = 16 },
      job = { global_batch = 64, seq_len = 8192 }, plan = { tp = 2, pp = 1 }, top = 1,
      space = { system = { nic_bytes_s = { Gbit_s(200), Gbit_s(400) } } } })
  ]]), out = "nic_bytes_s 25 GB/s, 50 GB/s" })
  case("what would make another plan the fastest", words("--objective", "memory", "--tp", "1,2", "--why", "tp=1"),
    { out = "What would have to change for it to be the fastest" })
  case("overrides by options", words("-D", "cluster.devices=32"), { out = "32 x H100" })
  local narrow = t:write("narrow.lua", "return { name = 'wide', why = 'we like TP', score = function(c) return c.tp end }")
  case("a rule's score is what the report goes by", words("--rules", narrow, "--full"), { out = { "best by the score of rule 'wide'",
    "ordered by the score of rule 'wide', and not by step_s" }, check = function(got) assert(not got.out:find("Simpler")) end })
  case("why of a plan", words("--why", "tp=3"), { out = { "Verdict +devices", "Reason" } })
  case("unknown objective", words("--objective", "step_ss"), { code = 2, out = "", err = "did you mean 'step_s'" })
  case("why of a micro-batch, as reports call it", words("--why", "tp=2,mb=2"), { out = "Why tp 2 .*mb 2" })
  case("unknown field in why", words("--why", "tpp=3"), { code = 2, out = "", err = "unknown field" })
  case("value that does not read", words("--micro-batch", "two"), { code = 2, out = "", err = "micro_batch" })
  t:case("number that does not read", { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices", "many",
    "--global-batch", "8", "--seq-len", "8", code = 2, out = "", err = "%-%-devices: must be a whole number" })
  local function systems(...)
    local list = { "search", "--model", "llama-3.1-8b", "--seq-len", "8192" }
    for _, word in ipairs({ ... }) do list[#list + 1] = word end
    return list
  end
  case("systems and jobs by options", systems("--device", "A100,H100", "--devices", "16..64x2", "--global-batch",
    "128,256", "--price", "1..2", "--objective", "tok_usd", "-f", "csv"), { check = function(got)
      assert(got.out:find("^rank,device,devices,node_size,"), got.out)
      local _, rows = got.out:gsub("\n", "\n")
      assert(rows == 11)
    end, err = "" })
  case("systems in words", systems("--device", "A100,H100", "--devices", "16,32", "--global-batch", "128", "--full"), {
    out = { "Searched over +4 systems and jobs: device A100, H100; devices 16, 32;",
      "%a100%-[%w%-]+, %d+ devices: tp" }, err = "" })
  case("ranges of the plan", words("--tp", "1..4", "--micro-batch", "1,2..4+2", "-f", "json"), { check = function(got)
    for _, row in ipairs(json.decode(got.out).tables.plans.rows) do
      assert(row.tp <= 4 and (row.micro_batch == 1 or row.micro_batch % 2 == 0))
    end
  end })
  case("range the wrong way round", words("--tp", "8..1"), { code = 2, out = "",
    err = "^ballpark: %-%-tp: '8..1' starts above its end: write 1..8\n$" })
  case("range of names", words("--fabric", "1..2"), { code = 2, out = "", err = "%-%-fabric: must be a name" })
  case("network in words", words("--network", "storage: 2x 200GbE, compute: 100 Gb/s InfiniBand", "--full"), { err = "",
    out = "is 12.5 Gbit/s per device, nodes of" })
  case("words as a name of a network", words("--fabric", "8x NDR 400Gb/s"), { code = 2, out = "", err = "%-%-network" })
  case("words that say no network", words("--network", "purple"), { code = 2, out = "",
    err = "'purple' says neither a network nor a rate" })
  case("empty value", systems("--device", "H100", "--devices", "8,,16", "--global-batch", "8"), { code = 2, out = "",
    err = "%-%-devices: must be a whole number" })
  case("batch left free", systems("--device", "H100", "--devices", "8", "--global-batch", "free", "--full"), {
    out = "Searched over   12 systems and jobs: global_batch 12 from 1 to 2048" })
  case("the price of several devices left free", systems("--device", "H100,A100", "--devices", "8", "--global-batch",
    "64", "--price", "free"), { code = 2, out = "", err = "space.system.price: can be free of one device only" })
  case("one of several systems is wrong", systems("--device", "H100", "--devices", "8,16", "--global-batch", "128",
    "--price", "nobody"), { code = 2, out = "", err = "nobody" })
  case("equal chances", words("--objective", "fit_probability", "--top", "3"), { err = "",
    out = "all 3 plans below are within a +point of the best" })
  case("layers of the end stages", words("--pp", "4", "--first-layers", "0,7", "--last-layers", "5,6", "--top", "1",
    "-f", "csv"), { err = "", out = "first_layers" })
  case("at least so many fit", words("--pp", "free", "--first-layers", "free", "--last-layers", "free", "--dp", "free",
    "--schedule", "free", "--rank-order", "free"), { err = "", out = "at least [%d,.]+ ?%a* fit" })
  t:case("missing option", { "search", "--model", "llama-3.1-8b", "--device", "H100", code = 2, out = "",
    err = "search needs %-%-devices" })
  t:case("system of the catalog", { "search", "--model", "llama-3.1-8b", "--cluster", "DGX-H100-SuperPOD", "--nodes",
    "2", "--global-batch", "128", "--seq-len", "4096", out = "16 x H100", err = "" })
  local quickstart = t.root .. "/scenarios/quickstart.lua"
  t:case("search a scenario", { "search", quickstart, "--tp", "8", "--top", "1", "-f", "csv",
    out = "\n1,8,", err = "" })
  t:case("scenario and options", { "search", quickstart, "--model", "x", code = 2,
    err = "change the scenario with %-D" })
  t:case("a rule's price of nothing is no blank", { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices",
    "8", "--global-batch", "64", "--seq-len", "4096", "--tokens", "1e9", "--rules", t:write("free.lua",
    "return { name = 'own', why = 'our own', price = function() return 0 end }"), out = "at 0%.00 USD/h", err = "" })
  t:case("config by path", { "search", "--model", t.root .. "/scenarios/models/llama-3.1-70b", "--device", "H100",
    "--devices", "64", "--global-batch", "64", "--seq-len", "4096", out = "llama%-3%.1%-70b on 64", err = "" })
end
