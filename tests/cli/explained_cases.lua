-- Launch settings, comparisons of plans, and what is said when nothing is feasible.
local csv = require("ballpark.csv")

return function(t)
  local SEARCH = { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices", "16", "--global-batch", "64",
    "--seq-len", "8192" }
  local function words(...)
    local list = table.move(SEARCH, 1, #SEARCH, 1, {})
    return table.move({ ... }, 1, select("#", ...), #list + 1, list)
  end
  local function case(name, list, wanted)
    for key, value in pairs(wanted) do list[key] = value end
    t:case(name, list)
  end

  case("emit of a search", words("--emit", "megatron"),
    { out = { "^#!/bin/bash\n", "%-%-tensor%-model%-parallel%-size %d" } })
  case("emit into a file", words("--emit", "slurm", "-o", "train.sbatch"), { out = "", check = function()
    assert(t:read("train.sbatch"):find("#SBATCH --nodes=2\n", 1, true))
  end })
  case("emit says what is missing", words("--emit", "deepspeed", "--tp", "2", "--zero", "1"),
    { out = "plan%.tp = 2: said by the client", err = "not expressed by deepspeed: plan%.tp = 2" })
  t:write("named.lua", "local m = model 'llama-3.1-8b' m.name = 'one\\ntwo'\nestimate { model = m, cluster = cluster { device = 'H100', nodes = 1 },"
    .. " job = { global_batch = 16, seq_len = 4096 }, plan = { tp = 2 } }")
  case("emit says of a name of two lines in one", { "run", "named.lua", "--emit", "torchtitan" },
    { err = "^ballpark: not expressed by torchtitan: model = one\\ntwo[^\n]*\n" })
  case("emit of an unknown target", words("--emit", "megatrom"),
    { code = 2, out = "", err = "did you mean 'megatron'" })
  case("emit has no format", words("--emit", "megatron", "-f", "json"), { code = 2, err = "leave out %-%-format" })
  case("emit of nothing", words("--emit", "megatron", "--tp", "3"), { code = 1, out = "", err = "no plan is feasible" })
  case("emit of a run", { "run", t.root .. "/scenarios/quickstart.lua", "--emit", "torchtitan" },
    { out = "%-%-parallelism.tensor_parallel_degree %d" })
  case("emit for an older version", { "run", t.root .. "/scenarios/quickstart.lua", "--emit", "torchtitan@238fa99" },
    { out = "%[parallelism%]\n.*tensor_parallel_degree = %d" })
  t:write("ds.json", '{ "train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "zero_optimization": { "stage": 2 } }')
  case("a launch file as a scenario", { "from", "deepspeed", "ds.json", "--model", "llama-3.1-8b", "--device", "H100",
    "--devices", "32", "--seq-len", "4096" }, { out = { "show%(estimate {", "devices = 32", "zero = 2", 'software = "DeepSpeed"' } })
  t:write("titan.toml", '[model]\nname = "llama3"\nflavor = "70B"\n[training]\nseq_len = 8192\nlocal_batch_size = 1\n[parallelism]\n'
    .. 'tensor_parallel_degree = 8\n')
  case("a launch file that names its model in torchtitan's registry", { "from", "torchtitan", "titan.toml", "--device", "H100", "--devices",
    "64" }, { out = { 'model = "Llama%-3.1%-70B"', "global_batch = 8," } })
  case("a launch file without its format", { "from", "titan.toml" }, { code = 2, out = "", err = "'ballpark from torchtitan titan.toml'" })
  case("a format without its file", { "from", "nemo" }, { code = 2, out = "", err = "'nemo' alone: say the format and the file" })
  case("a launch file that says too little", { "from", "deepspeed", "ds.json" },
    { code = 2, out = "", err = "add %-%-model llama%-3.1%-8b, %-%-device H100, %-%-devices 8, %-%-seq%-len 4096" })
  case("emit of what is served", { "run", t.root .. "/scenarios/serving.lua", "--emit", "sglang" },
    { out = { "sglang%.launch_server", "%-%-tp%-size 4\n" }, err = "engine = vllm: times were estimated for that engine" })
  case("emit of training for serving", words("--emit", "vllm"), { code = 2, out = "", err = "a scenario that serves" })
  t:write("emit.lua", "local a = estimate { model = 'llama-3.1-8b', plan = { tp = 2 },\n"
    .. "  cluster = cluster { device = 'H100', devices = 8 }, job = { global_batch = 8, seq_len = 4096 } }\n"
    .. "emit(a, 'nemo')\n")
  case("emit in a scenario", { "run", "emit.lua" }, { out = { "Launch settings: nemo",
    "recipe%.trainer%.strategy%.tensor_model_parallel_size = 2" } })

  t:write("two.lua", "show(search { model = 'llama-3.1-8b', cluster = cluster { device = 'H100', devices = 16 },\n"
    .. "  job = { global_batch = 64, seq_len = 8192 }, space = { cp = 1 } })\n")
  case("compare of two plans", { "compare", "two.lua", "--plans", "tp=8,pp=2", "tp=2,pp=1" },
    { err = "", out = { "^A: tp=8,pp=2   B: tp=2,pp=1\n", "Time of a step, by part",
      "Memory per device, by part", "tensor%-parallel traffic" } })
  case("compare of two formats of which one is stated", { "compare", "two.lua", "-A", "plan.precision=fp8", "-B",
    "cluster.device=B200" }, { err = "", out = { "A multiplies in fp8 and B in bf16, and not both say so" } })
  case("compare of devices has one precision", { "compare", "two.lua", "-B", "cluster.device=B200" },
    { err = "", out = { "B200" } })
  case("compare of two plans as csv", { "compare", "two.lua", "--plans", "tp=8,pp=2", "tp=2,pp=1", "-f", "csv",
    "--table", "memory_difference" }, { check = function(got)
    local sum, whole = 0, nil
    local _, rows = csv.records(got.out, "compare")
    for _, row in ipairs(rows) do
      local difference = math.tointeger(tonumber(row.cells.difference))
      if row.cells.part == "all" then whole = difference else sum = sum + difference end
    end
    assert(whole and sum == whole, sum .. " is not " .. tostring(whole))
  end })
  case("differences of percentages", { "compare", "two.lua", "--plans", "tp=8,pp=2", "tp=2,pp=1" }, {
    out = "mfu_frac +[%d%.]+ %% +[%d%.]+ %% +[%d%.]+ +[%d%.]+ points" })
  case("compare with a plan that is not feasible", { "compare", "two.lua", "--plans", "tp=8,pp=2", "tp=3" }, {
    code = 1, out = "B is not feasible" })
  case("compare of a broken plan", { "compare", "two.lua", "--plans", "tp=8,pp", "tp=2" }, { code = 2,
    err = "expected field=value" })
  case("compare of a plan that says one thing twice", { "compare", "two.lua", "--plans", "tp=8,tp=2", "tp=2" }, {
    code = 2, out = "", err = "^ballpark: %-%-plans tp=8,tp=2: tp is given twice\n$" })
  case("compare of a plan of wrong values", { "compare", "two.lua", "--plans", "tp=8", "tp=x" }, { code = 2, out = "",
    err = "^ballpark: %-%-plans plan%.tp=x: plan%.tp: must be a whole number" })
  case("compare says which side is wrong", { "compare", "two.lua", "-B", "plan.tp=x" }, { code = 2, out = "",
    err = "^ballpark: %-B plan%.tp=x: plan%.tp: must be a whole number" })
  case("why of a field that is none", words("--why", "tpp=2"), { code = 2, out = "", err = "why%.tpp: unknown field" })
  case("a checkpoint without a name", words("--checkpoint", ""), { code = 2, out = "",
    err = "%-%-checkpoint: names no file" })
  case("a checkpoint in no folder", words("--checkpoint", "none/here.json"), { code = 3, out = "",
    err = "cannot write none/here%.json: there is no folder none" })
  case("a checkpoint that is no file", words("--checkpoint", "/dev/null"), { code = 3, out = "",
    err = "^ballpark: cannot write /dev/null: is no file\n$" })
  case("compare of plans of two scenarios", { "compare", "two.lua", "two.lua", "--plans", "tp=8", "tp=2" }, { code = 2,
    err = "of one scenario" })

  case("nothing fits: what to relax", words("--tp", "1", "--pp", "1", "--cp", "1", "--zero", "0"), { code = 1,
    out = { "no plan is feasible", "What to relax", "memory of a device", "plan%.zero" } })
  case("a contradiction: what to relax", words("--tp", "3"), { code = 1, out = { "What to relax", "plan%.tp +3" } })
  t:write("no.lua", "return { name = 'nothing is good', why = 'no', reject = function() return true end }\n")
  case("a rule that rejects everything", words("--rules", "no.lua"), { code = 1,
    out = { "What to relax", "rule 'nothing is good' +rejects +left out" } })
  t:write("empty.lua", "show(search { model = 'llama-3.1-8b', cluster = cluster { device = 'H100', devices = 16 },\n"
    .. "  job = { global_batch = 64, seq_len = 8192 },\n  space = { tp = {} } })\n")
  case("an empty space", { "run", "empty.lua" }, { code = 1, err = "",
    out = { "no plan is feasible", "Why +space%.tp: the list is empty", "What to relax", "plan%.tp +nothing" } })
  case("a shard of an empty space", { "search", "empty.lua", "--shard", "1/2", "-o", "part.json" }, { code = 1,
    out = "", err = "space%.tp: the list is empty", check = function() assert(t:read("part.json") == "") end })
  case("a plan that contradicts the space", { "run", "empty.lua", "-D", "plan.tp=2", "-D", "space.tp=4,8" }, {
    out = "Plan +tp 2" }) -- what -D fixes is no longer searched
  t:write("contradiction.lua", "show(search { model = 'llama-3.1-8b',\n"
    .. "  cluster = cluster { device = 'H100', devices = 16 },\n"
    .. "  job = { global_batch = 64, seq_len = 8192 },\n  plan = { tp = 2 }, space = { tp = { 4, 8 } } })\n")
  case("a plan that contradicts the space", { "run", "contradiction.lua" }, { code = 1, err = "",
    out = { "Rejected for +space", "fixed to 2, and space%.tp is 4, 8 only", "space%.tp +4, 8 +2 " } })
  t:write("systems.lua", "show(search { model = 'llama-3.1-8b', cluster = { device = 'H100' },\n"
    .. "  job = { global_batch = 64, seq_len = 8192 }, space = { system = { nodes = {} } } })\n")
  case("no system at all", { "run", "systems.lua" }, { code = 1, out = "",
    err = "space%.system%.nodes: the list is empty" })

  -- A suggestion is taken from the report as it is printed, and done.
  local function large(...) return { "search", "--model", "llama-3.1-70b", "--device", "H100", "--devices", "8",
    "--global-batch", "256", "--seq-len", "8192", ... } end
  case("suggestions that work", large(), { code = 1, check = function(got)
    local memory = got.out:match("memory of a device +[%d%.]+ GiB +([%d%.]+) GiB")
    local count = got.out:match("\n  devices +8 +(%d+)")
    assert(t:run(large("-D", "device.memory_bytes=GiB(" .. memory .. ")")).code == 0, memory)
    assert(t:run(large("-D", "cluster.devices=" .. count)).code == 0, count)
    assert(t:run(large("-D", "cluster.devices=" .. count - 8)).code == 1)
  end })
  t:write("full.lua", "show(estimate { model = 'llama-3.1-70b', cluster = cluster { device = 'H100', devices = 16 },\n"
    .. "  job = { global_batch = 64, seq_len = 8192 }, plan = { tp = 8, zero = 1 } })\n")
  case("an estimate that does not fit", { "run", "full.lua" }, { code = 1, out = { "does not fit", "What to relax" } })

  case("why says what would have to change", words("--why", "tp=8,pp=2"), { out = { "What would have to change",
    "network between nodes", "no value does it" } })
  case("what makes a rejected plan fit", words("--why", "tp=1,pp=1,zero=0"), { out = { "Fits with",
    "Changes that make it" } })
  case("why inherits what the search was told", words("--grad-bytes", "2", "--why", "tp=1,pp=1,zero=0"), { check =
    function(got)
      local told = got.out:match("Short of memory.-Memory +([%d.]+ GiB)")
      local fixed = t:run(words("-D", "plan.grad_bytes=2", "--why", "tp=1,pp=1,zero=0"))
      local said = t:run(words("--why", "tp=1,pp=1,zero=0,grad_bytes=2"))
      assert(told == fixed.out:match("Short of memory.-Memory +([%d.]+ GiB)") and told ~= nil)
      assert(told == said.out:match("Short of memory.-Memory +([%d.]+ GiB)"))
    end })
  case("sensitivity of the winner", words("--cp", "1", "--sensitivity"), { out = { "Every input 10 %%",
    "price .* %-10%.0 +10%.0 +same", "profile%.gemm" } })
end
