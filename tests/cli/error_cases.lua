-- Every exit code, with one line on standard error and nothing on standard output.
local function one_line(pattern)
  return function(text)
    return text:find("^ballpark: [^\n]*\n$") ~= nil and text:find(pattern) ~= nil
  end
end

return function(t)
  local function refused(name, code, pattern, words)
    words.code, words.out, words.err = code, "", one_line(pattern)
    t:case(name, words)
  end

  -- 2: usage
  refused("unknown command", 2, "unknown command 'ruin', did you mean 'run'%?", { "ruin" })
  refused("a question in words", 2, "ballpark ask 'can my card run llama%-3%.1%-8b'", { "can", "my", "card", "run", "llama-3.1-8b" })
  refused("an option twice", 2, "^ballpark: option '%-%-on' is given twice [^\n]*\n$", { "fit", "llama-3.1-8b", "--on", "H100", "--on",
    "L4" })
  refused("an option twice, by its letter and its name", 2, "is given twice", { "run", "a.lua", "-o", "a.txt", "--output", "b.txt" })
  refused("a field of an override twice", 2, "%-D plan=tp=8,tp=4: tp is given twice", { "run", "a.lua", "-D", "plan=tp=8,tp=4" })
  refused("the rank of adapters without adapters", 2, "%-%-max%-lora%-rank 16: .* say how many", { "serve", "--model", "llama-3.1-8b",
    "--device", "H100", "--rate", "1", "--max-lora-rank", "16" })
  for engine, said in pairs({ vlm = "did you mean 'vllm'", sglnag = "did you mean 'sglang'", bin = "generic, which is any other",
    ["llama.cpp"] = "'ballpark local' answers" }) do
    for _, words in ipairs({ { "serve", "--rate", "1" }, { "batch-job", "--prompts", "1000" },
      { "serve", "--rate", "1", "--ttft", "1" }, { "image-prompt", "--width", "512", "--height", "512" }, { "fit" } }) do
      local option = words[1] == "fit" and "--software" or "--engine"
      local all = { words[1], "--model", "llama-3.1-8b", "--device", "H100" }
      if words[1] == "fit" then all = { "fit", "llama-3.1-8b", "--on", "H100" } end
      if words[1] == "image-prompt" then all[3] = "qwen2.5-vl-7b" end
      for i = 2, #words do all[#all + 1] = words[i] end
      all[#all + 1], all[#all + 2] = option, engine
      if not (words[1] == "fit" and (engine == "bin" or engine == "llama.cpp")) then
        refused(("engine %s of %s"):format(engine, table.concat(words, " ")), 2, said, all)
      end
    end
  end
  local service = { "serve", "--model", "llama-3.1-8b", "--device", "H100", "--rate", "5" }
  for _, row in ipairs({ { { "fit", "llama-3.1-8b", "--on", "H100" }, "device.name=7" }, { service, "device.name=1.5" },
    { { "local", "llama3.1:8b", "--device", "H100" }, "device.architecture=1000" }, { service, "device.node_size=x" },
    { service, "device.node_size=1.5" }, { { "recommend", "--model", "dlrm-dcnv2", "--device", "H100" }, "device.name={1,2}" },
    { { "fit", "gemma-3-27b", "--on", "L40S" }, "model.encoder=7" }, { { "serve", "--model", "llama-3.1-8b", "--device", "H100", "--rate",
      "5", "--ttft", "1" }, "load.client=x" }, { { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices", "8",
      "--global-batch", "64", "--seq-len", "4096" }, "cluster.network=7" },
    { { "local", "llama3.1:8b", "--device", "H100" }, "model.quantization=1.5" } }) do
    local words = table.move(row[1], 1, #row[1], 1, {})
    words[#words + 1], words[#words + 2] = "-D", row[2]
    refused(("%s with %s, of another type"):format(words[1], row[2]), 2, "%-D " .. row[2]:gsub("%p", "%%%0") .. ": ", words)
  end
  refused("unknown option", 2, "unknown option '%-%-fromat', did you mean '%-%-format'%?",
    { "run", "x.lua", "--fromat", "csv" })
  refused("unknown option of a command of two words", 2, "%(see 'ballpark vector%-search %-%-help'%)",
    { "vector-search", "--zzzqqq", "1" })
  refused("option that nobody has", 2, "unknown option '%-%-zzzqqq' %(see 'ballpark search %-%-help'%)",
    { "search", "--zzzqqq", "1" })
  local OTHERS <const> = {
    ["--lora"] = { "search", "--lora-rank" }, ["--batch-size"] = { "search", "--global-batch" },
    ["--n-gpu-layers"] = { "local", "--device-layers" }, ["-ngl"] = { "local", "--device-layers" },
    ["--ctx-size"] = { "local", "--context" }, ["--bs"] = { "encode", "--batch" }, ["--max-num-seqs"] = { "serve", "--max-running" },
    ["--gradient-checkpointing"] = { "search", "--recompute" }, ["--gpus"] = { "search", "--devices" },
    ["--gpu"] = { "budget", "--device" }, ["--dtype"] = { "serve", "--weights" },
    ["--tensor_parallel_size"] = { "serve", "--tp" },
    ["--gpu-memory-utilization"] = { "serve", "-D engine.memory_frac" },
  }
  for option, case in pairs(OTHERS) do
    local wanted = ("unknown option '%s', use %s[ =]"):format(option, case[2]):gsub("%-", "%%-")
    refused("option of others: " .. option, 2, wanted, { case[1], option, "1" })
  end
  refused("missing argument", 2, "missing argument 'scenario' %(see 'ballpark run %-%-help'%)", { "run" })
  refused("unknown format", 2, "%-%-format: 'jsn' is not one of", { "run", "x.lua", "-f", "jsn" })
  refused("unknown name", 2, "nothing is called 'mfu_frak', did you mean 'mfu_frac'%?", { "explain", "mfu_frak" })
  refused("unknown kind of catalog", 2, "did you mean 'devices'%?", { "catalog", "device" })
  refused("unknown device", 2, "did you mean 'H100'%?", { "catalog", "devices", "H1000000" })
  refused("unknown shell", 2, "'bahs' is not one of", { "completion", "bahs" })
  refused("unknown template", 2, "'serch' is not one of", { "new", "n.lua", "--kind", "serch" })
  refused("compare with nothing", 2, "needs a second scenario", { "compare", "a.lua" })
  refused("bad override", 2, "expected key=value", { "run", "a.lua", "-D", "n" })
  refused("why of nothing searched", 2, "%-%-why needs a scenario that searches plans of training",
    { "run", "a.lua", "--why", "tp=4" })
  refused("field of a plan as others call it", 2, "no field 'fsdp', use zero [(]3 ",
    { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices", "8", "--global-batch", "16", "--seq-len",
      "4096", "--why", "tp=2,fsdp=1" })
  refused("all that encode lacks", 2, "needs %-%-device and %-%-tokens, such as %-%-device A100 %-%-tokens 128",
    { "encode", "--model", "bert-base" })
  for _, case in ipairs({ { "software=vllm", "'vllm' serves models" }, { "software.year=1999", "1999 is before" } }) do
    refused("software: " .. case[1], 2, case[2], { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices",
      "8", "--global-batch", "16", "--seq-len", "4096", "-D", case[1] })
  end
  refused("ranks that are no number", 2, "%-%-tp: must be whole numbers, got 'null'",
    { "serve", "--model", "llama-3.1-8b", "--device", "H100", "--tp", "null" })
  refused("a fraction of a device", 2, "must be a whole number, got 1.5",
    { "check", "7B on 1T tokens, A100, 5 days", "--devices", "1.5" })
  refused("a time of micro-batches", 2, "%-%-group: must be a whole number of at least 1, got 'hours%(1%)'",
    { "pipeline", "--pp", "4", "--micro-batches", "8", "--vpp", "2", "--group", "hours(1)" })
  refused("a rank of words", 2, "space.lora_rank: must be a whole number, got the text 'null'", { "search", "--model", "llama-3.1-8b", "--device",
    "H100", "--devices", "8", "--global-batch", "16", "--seq-len", "4096", "--lora-rank", "null" })
  refused("a name of 64 kB is cut", 2, "A…", { "encode", "--model", ("A"):rep(65536), "--device", "A100", "--tokens", "1" })
  refused("unused override", 2, "nothing in a%.lua uses 'm'", { "run", "a.lua", "-D", "m=3" })
  t:write("mb.lua", "estimate { model = model 'llama-3.1-8b', cluster = cluster { device = 'H100', devices = 8 },"
    .. " job = { global_batch = 16, seq_len = 128 }, plan = { tp = 1, mb = 2 } }\n")
  refused("a field as reports shorten it", 2, "plan%.mb: unknown field, did you mean 'micro_batch'%?",
    { "run", "mb.lua" })
  refused("unknown table", 2, "%-%-table: 'tab' is not one of", { "run", "a.lua", "-f", "csv", "--table", "tab" })
  refused("lua without a file", 2, "lua needs a file", { "lua" })

  -- 2: the scenario
  t:write("syntax.lua", "local x = = 1\n")
  t:write("field.lua", "model {\n  layers = 2,\n  layer = 3,\n}\n")
  t:write("heads.lua", [[
estimate {
  model = model { layers = 32, hidden = 4096, heads = 32, ffn_hidden = 11008, vocab = 32000 },
  cluster = cluster { device = "H100", devices = 24 },
  job = { global_batch = 64, seq_len = 4096 },
  plan = {
    tp = 3,
  },
}
]])
  refused("syntax error", 2, "syntax%.lua:1: unexpected symbol", { "run", "syntax.lua" })
  local searched = "search {\n  model = model 'llama-3.1-8b', cluster = cluster { device = 'H100', devices = 8 },\n"
    .. "  job = { global_batch = 64, %s },\n}\n"
  t:write("misspelt.lua", searched:format("seqlen = 4096"))
  refused("misspelt length of a search", 2, "misspelt%.lua:%d: job%.seqlen: unknown field, did you mean 'seq_len'%?",
    { "run", "misspelt.lua" })
  t:write("text.lua", searched:format("seq_len = 'x'"))
  refused("length of a search as text", 2, "text%.lua:%d: job%.seq_len: must be a whole number",
    { "run", "text.lua" })
  refused("unknown field", 2, "field%.lua:3: model%.layer: unknown field, did you mean 'layers'%?",
    { "run", "field.lua" })
  refused("impossible plan", 2, "heads%.lua:6: plan%.tp: 3 does not divide 32 attention heads",
    { "run", "heads.lua" })
  t:write("io.lua", "io.open('x')\n")
  t:write("text.lua", "cluster { device = 'H100',\n devices = '64' }\n")
  refused("number as text", 2, "text%.lua:2: cluster%.devices: must be a whole number .* got the text '64'",
    { "run", "text.lua" })
  t:write("own.lua", "cluster { device = { memory_bytes = GiB(80), bf16_flop_s = 1e15, mem_bw_bytes_s = 3e12 },"
    .. " devices = 8 }")
  refused("own device without a link", 2, "own%.lua:1: device%.link_bytes_s: is missing", { "run", "own.lua" })
  t:write("deep.lua", "x = " .. ("("):rep(300))
  refused("scenario that is nested too deep", 2, "^ballpark: deep%.lua: C stack overflow\n$", { "run", "deep.lua" })
  t:write("deep-table.lua", "local t = {} for _ = 1, 1e5 do t = { t } end estimate { job = t }")
  refused("tables nested too deep", 2, "^ballpark: deep%-table%.lua:1: job: has tables in each other, more than 50 deep\n$",
    { "run", "deep-table.lua" })
  t:write("unnamed.lua", "expect({}, 1, { equals = 1 })")
  refused("an expectation without a name", 2, "^ballpark: unnamed%.lua:1: expect: begins with a name, got table\n$",
    { "run", "unnamed.lua" })
  t:write("no-name.lua", "print(_ENV[{}])")
  refused("a name that is a table", 2, "^ballpark: no%-name%.lua:1: name: must be text, got table\n$", { "run", "no-name.lua" })
  -- Values that are raised in functions which we call for the scenario.
  for name, raised in pairs({ table = "error({})", ["function"] = "error(print)", ["nil"] = "error()", number = "error(5)",
    text = "error('x', 0)", lines = "error('a\\nb', 0)", asserted = "assert(false, {})" }) do
    t:write("raised.lua", "local function f() " .. raised .. " end\nshow(sweep { axes = { { name = 'a', values = { 1 } } }, run = f,"
      .. " columns = { { name = 'x' } } })")
    refused("raised in a sweep: " .. name, 2, "^ballpark: raised%.lua:%d: [^\n]*\n$", { "run", "raised.lua" })
    t:write("raised.lua", "local function f() " .. raised .. " end\nshow(ranges { inputs = { a = range(1, 2) }, run = f })")
    refused("raised in ranges: " .. name, 2, "^ballpark: raised%.lua:%d: [^\n]*\n$", { "run", "raised.lua" })
    t:write("raised.lua", "local function f() " .. raised .. " end\nshow(pipeline { stages = 2, micro_batches = 4, schedule = f })")
    refused("raised in a schedule: " .. name, 2, "^ballpark: raised%.lua:%d: [^\n]*\n$", { "run", "raised.lua" })
  end
  -- An error of ours that a scenario caught and changed is what it was.
  for name, change in pairs({ code = "e.code = 0", ["no code"] = "e.code = {}", kind = "e.kind = 5", where = "e.where = {}",
    message = "e.message = {}", path = "e.path = {}", nothing = "for k in pairs(e) do e[k] = nil end" }) do
    t:write("altered.lua", "local ok, e = pcall(device, 'nonsuch')\n" .. change .. "\nlocal said = tostring(e)\nerror(e)")
    refused("a changed error: " .. name, 2, "^ballpark: altered%.lua:%d: device: 'nonsuch' is not one of[^\n]*\n$",
      { "run", "altered.lua" })
  end
  for name, call in pairs({ actual = "expect('x', 1 / 0, { least = 1 })", most = "expect('x', 1, { most = 1 / 0 })",
    rel = "expect('x', 1, { equals = 2, rel = 1 / 0 })", least = "expect('x', 1, { least = -1 / 0 })" }) do
    t:write("endless.lua", call)
    refused("an expectation without an end: " .. name, 2, "^ballpark: endless%.lua:1: expect 'x'[^\n]*: must be finite, got %-?inf\n$",
      { "run", "endless.lua", "-f", "json" })
  end
  t:write("long-error.lua", "error(('x'):rep(1e7))")
  refused("an error of 10 MB", 2, "^ballpark: long%-error%.lua:1: x+…\n$", { "run", "long-error.lua", "--time-limit", "20" })
  t:write("random.lua", "title(('%.17g %d'):format(math.random(), math.random(1000))) math.randomseed(7) expect('a', 1, { equals = 1 })")
  local drawn
  t:case("random numbers", { "run", "random.lua", check = function(seen) drawn = seen.out end })
  t:case("random numbers again", { "run", "random.lua", check = function(seen) assert(seen.out == drawn) end })
  t:write("random.lua", "math.randomseed(0.5)")
  refused("a seed that is no whole number", 2, "^ballpark: random%.lua:1: math%.randomseed: takes a whole number, got 0%.5\n$",
    { "run", "random.lua" })
  -- Lua's own functions, called as they cannot be: a mistake of the scenario.
  for name, call in pairs({ floor = "math.floor('x')", exp = "math.exp({})", max = "math.max()", format = "('%d'):format(1.5)",
    tonumber = "tonumber('z', 99)", ["next"] = "next({}, 5)", type = "type()" }) do
    t:write("misused.lua", "local x = 1\nlocal y = " .. call .. "\n")
    refused("misused " .. name, 2, "^ballpark: misused%.lua:2: [^\n]*" .. name, { "run", "misused.lua" })
    t:write("misused.lua", "return " .. call)
    refused("misused at the end: " .. name, 2, "^ballpark: misused%.lua: [^\n]*" .. name, { "run", "misused.lua" })
  end
  for name, words in pairs({ command = { ("x"):rep(1e5) }, option = { "run", "a.lua", "--" .. ("x"):rep(1e5) },
    value = { "run", "a.lua", "--" .. ("x"):rep(1e5) .. "=1" } }) do
    refused("a name of 100 kB: " .. name, 2, "^ballpark: unknown %l+ '%-*x+…[^\n]*\n$", words)
  end
  t:write("changes.lua", "device('H100', 1)")
  refused("changes that are no table", 2, "changes%.lua:1: device: takes its changes as a table, got number", { "run", "changes.lua" })
  t:write("nan.lua", "estimate { model = 'llama-3.1-8b', cluster = { device = 'H100', devices = 8 },"
    .. " job = { global_batch = 0 / 0, seq_len = 4096 } }")
  refused("not a number", 2, "global_batch: must be a whole number, got NaN", { "run", "nan.lua" })
  t:write("hungry.lua", "local t = {} while true do t[#t + 1] = ('x'):rep(1000000) .. #t end\n")
  refused("scenario that eats memory", 2, "hungry%.lua: needs more than 0%.05 GiB of memory",
    { "run", "hungry.lua", before = "BALLPARK_MEMORY_GIB=0.05" })
  t:write("deep.json", ("["):rep(100000))
  t:write("deep-text.json", '{"a":"' .. ("[\\"):rep(1000) .. '"}')
  local function with_model(path, ...)
    return { "search", "--model", path, "--device", "H100", "--global-batch", "8", "--seq-len", "128", ... }
  end
  refused("deep JSON", 2, "deep%.json: arrays and objects nested more than 200 deep",
    with_model("./deep.json", "--devices", "8"))
  refused("brackets inside text", 2, "deep%-text%.json", with_model("./deep-text.json", "--devices", "8"))
  refused("negative value of an option", 2, "^ballpark: %-%-devices %-8: cluster%.devices: .* got %-8",
    with_model("llama-3.1-8b", "--devices", "-8"))
  refused("one bad value of a list", 2, "%-%-tp 1,x: .*got the text 'x'",
    with_model("llama-3.1-8b", "--devices", "8", "--tp", "1,x"))
  refused("percent as a share", 2, "%-%-fit%-chance 90: .*did you mean 0%.9%?",
    with_model("llama-3.1-8b", "--devices", "8", "--fit-chance", "90"))
  t:write("large.lua", [[
show(estimate {
  model = "llama-3.1-70b", cluster = { device = "H100", devices = 8 },
  job = { global_batch = 64, seq_len = 4096 }, plan = { tp = 8 },
})
]])
  refused("one of many names", 2, "^ballpark: %-%-device H1000: device: 'H1000' is not one of %d+ names, did you "
    .. "mean 'H100'%?\n$", { "search", "--model", "llama-3.1-8b", "--device", "H1000", "--devices", "8",
    "--global-batch", "8", "--seq-len", "128" })
  refused("negative price of the command line", 2, "^ballpark: %-D cluster%.price=%-1: cluster%.price: must be at "
    .. "least 0", { "run", "large.lua", "-D", "cluster.price=-1" })
  refused("unknown extension", 2, "%-o x%.foo: no format is known for %.foo; known are %.csv, %.html, %.json",
    { "run", "a.lua", "-o", "x.foo" })
  refused("no io", 2, "io%.lua:1: io: unknown name", { "run", "io.lua" })

  -- 3: input and output
  refused("missing scenario", 3, "cannot read none%.lua", { "run", "none.lua" })
  refused("endless scenario", 3, "cannot read /dev/zero: it holds more than 256 MiB", { "run", "/dev/zero" })
  refused("endless table", 3, "cannot read /dev/zero", { "validate", "training", "/dev/zero" })
  t:case("large file", { "run", "large.bin", before = "truncate -s 2G large.bin;", code = 3,
    err = "cannot read large%.bin: it holds more than 1024 MiB" })
  refused("temporary names are not shown", 3, "^ballpark: cannot write /proc/x%.csv: No such file",
    { "run", "a.lua", "-o", "/proc/x.csv" })
  refused("missing config", 3, "nothing", { "search", "--model", "./nothing/config.json", "--device", "H100",
    "--devices", "8", "--global-batch", "8", "--seq-len", "128" })
  refused("unwritable output", 3, "cannot write", { "run", "a.lua", "-o", "no/such/folder/x.csv" })
  t:case("new on standard output", { "new", "-", out = "ballpark run FILE", err = "", check = function()
    assert(not require("lfs").attributes(t:path("-")), "wrote a file -")
  end })
  refused("new does not overwrite", 3, "is there already", { "new", "a.lua" })
  for _, words in ipairs({ { "run", "-" }, { "validate", "training", "-" }, { "validate", "serving", "-" },
    { "validate", "requests", "-", "a.lua" }, { "calibrate", "-" }, { "calibrate", "serving", "-" }, { "platform", "-" }, { "answer", "serve" },
    { "answer", "--lines" }, { "repl" }, { "mcp" } }) do
    for said, after in pairs({ ["Bad file descriptor"] = "<&-", ["Is a directory"] = "<." }) do
      words.after = after
      refused(("standard input that cannot be read, of %s: %s"):format(table.concat(words, " "), said), 3,
        "^ballpark: cannot read standard input: " .. said .. "\n$", words)
    end
  end
  for kib, code in pairs({ [64] = 3, [512] = 3, [1024] = 0 }) do
    t:case(("a stack of %d KiB"):format(kib), { "fit", "llama-3.1-8b", "--on", "H100", before = ("ulimit -s %d;"):format(kib), code = code,
      out = code == 3 and "" or "fits", err = code == 3 and "^ballpark: the system gives a stack of less than 1024 KiB %(ulimit %-s%)\n$" or "" })
  end
  t:case("full standard output", { "run", "a.lua", code = 3, err = "cannot write", after = "</dev/null >/dev/full" })

  -- 0: nothing wrong, nothing said
  t:write("empty.lua", "")
  t:case("empty scenario", { "run", "empty.lua", out = "", err = "nothing to report: a scenario ends with show" })
  t:write("marked.lua", "\xEF\xBB\xBFfacts('F', { { 'x', 1 } })")
  t:case("byte order mark", { "run", "marked.lua", out = "x +1", err = "" })

  -- 1: nothing feasible, or an expectation failed; the report is printed all the same
  t:write("expect.lua", "facts('F', { { 'x', 1 } }) expect('A1', 1, { equals = 2 }) expect('A2', 2, { equals = 2 })")
  t:case("failed expectation", { "run", "expect.lua", code = 1, out = { "x +1", "1 hold, 1 failed" },
    err = "^ballpark: expectation failed: A1: 1, expected 2\n$" })
  t:case("plan that does not fit", { "run", "large.lua", code = 1, out = "does not fit: .* too much", err = "" })
  t:case("nothing feasible", { "search", "--model", "llama-3.1-70b", "--device", "T4", "--devices", "8",
    "--global-batch", "64", "--seq-len", "4096", code = 1,
      out = { "no plan is feasible", "Nearest", "Short of memory" },
    err = "" })

  -- 4: a rule
  t:write("broken.lua", "return { name = 'broken rule',\n  reject = function(c) return c.tpp > 1 end }\n")
  refused("rule that raises", 4, "broken rule.*broken%.lua:2.*unknown field",
    { "run", "search.lua", "--rules", "broken.lua" })
  t:write("typo.lua", "return { name = 'typo', rejcet = function() return true end }\n")
  refused("rule with a misspelt field", 4, "rule typo%.lua%.rejcet: unknown field, did you mean 'reject'%?",
    { "run", "search.lua", "--rules", "typo.lua" })
  -- The first by their text, in every run.
  t:write("typos.lua", "return { name = 'typos', zz = 1, rejcet = 1, prize = 1, scroe = 1, nmae = 1, aa = 1, wyh = 1 }\n")
  refused("rule with several misspelt fields", 4, "rule typos%.lua%.aa: unknown field", { "run", "search.lua", "--rules", "typos.lua" })
  t:write("typos-model.lua", "model { layer = 2, hiden = 1, zz = 1, head = 2, aa = 1, vocabulary = 1, kv = 1, layers = 2 }")
  refused("model with several misspelt fields", 2, "model%.aa: unknown field", { "run", "typos-model.lua" })
  t:write("typos-kernel.lua", "kernel.mfu { param = 2, tokens = 1, zz = 1, device = 2, aa = 1, peak = 1 }")
  refused("kernel with several misspelt inputs", 2, "aa: unknown field", { "run", "typos-kernel.lua" })
  t:write("typos-space.lua", "search { model = model 'llama-3.1-8b', cluster = cluster { device = 'H100', devices = 8 },\n"
    .. "  job = { global_batch = 64, seq_len = 4096 }, space = { tpp = { 1, 2 }, zz = { 1 }, aa = { 1 }, ppp = { 1 }, dpp = { 1 } } }")
  refused("space with several misspelt fields", 2, "space%.aa: unknown field", { "run", "typos-space.lua" })
  t:write("marked-rule.lua", "\xEF\xBB\xBFreturn { name = 'marked', reject = function(c) return c.tp > 1 end }\n")
  t:case("rule with a byte order mark", { "run", "search.lua", "--rules", "marked-rule.lua",
    out = "rule: marked", err = "" })
  t:write("link.lua", "cluster { device = device('H100', { link = 'nvlnk4' }), devices = 8 }")
  refused("unknown link", 2, "link%.lua:1: device%.link: 'nvlnk4' is not one of .*did you mean 'nvlink4'%?",
    { "run", "link.lua" })
  refused("missing rule", 3, "none%.lua", { "run", "search.lua", "--rules", "none.lua" })

  t:case("a limit that is no number", { "--version", before = "BALLPARK_MEMORY_GIB=abc", code = 2, out = "",
    err = "^ballpark: BALLPARK_MEMORY_GIB=abc: must be a number of GiB above 0[^\n]*\n$" })
  t:case("a limit with an escape", { "--version", before = "BALLPARK_MEMORY_GIB=\"$(printf '\\033[31m1')\"", code = 2, out = "",
    err = "^ballpark: BALLPARK_MEMORY_GIB=%?%[31m1: must be a number of GiB" })
  t:case("a limit that is too low to begin", { "--version", before = "BALLPARK_MEMORY_GIB=0.0005", code = 2, out = "",
    err = "needs more than 0%.0005 GiB of memory" })
  t:case("a system that gives no file for the library", { "run", "a.lua", before = [[sh -c 'ulimit -n 4; exec "$0" "$@"']], code = 3, out = "",
    err = "^ballpark: cannot read the library: [^\n]*\n$" })
  -- Below some size no program starts (127), above another all is well.
  for kib = 5000, 12000, 500 do
    t:case(("a system that gives %d KiB"):format(kib), { "run", "a.lua", before = ("ulimit -v %d;"):format(kib),
      code = function(code) return code == 0 or code == 3 or code == 127 end, err = function(text)
        return text == "" or text:find("^[^\n]*\n$") ~= nil
      end })
  end
  t:case("an empty limit is none", { "--version", before = "BALLPARK_MEMORY_GIB=", out = "^ballpark %d" })
  t:case("a path for the modules of other programs", { "--version", before = "LUA_PATH=/none/?.lua LUA_CPATH=/none/?.so",
    out = "^ballpark %d", err = "" })
  t:case("a limit on files that is too low", { "run", "a.lua", "-o", "limited.html", before = "ulimit -f 1;", code = 3, out = "",
    err = "^ballpark: cannot write limited%.html: File too large\n$", check = function()
      for name in require("lfs").dir(t.folder) do assert(not name:find("^limited%.html"), name .. " stays") end
    end })
  t:write("half-a-token.sh", "python pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096.5\n")
  refused("a launch file with a setting that cannot be", 2, "^ballpark: half%-a%-token%.sh: seq%-length: must be a whole number, got '4096%.5'\n$",
    { "from", "megatron-args", "half-a-token.sh", "--device", "H100" })
  t:case("the same from standard input", { "from", "megatron-args", "-", "--device", "H100", code = 2, out = "", after = "<half-a-token.sh",
    err = "^ballpark: stdin: seq%-length: must be" })
  -- 130: interrupted
  t:write("forever.lua", "while true do end\n")
  t:case("interrupt", { "run", "forever.lua", code = 130, out = "", err = "interrupted",
    before = t:signal_when("INT", t.has_worked) })
  t:write("caught.lua", "while true do pcall(function() while true do end end) end\n")
  t:case("interrupt that a scenario tries to catch", { "run", "caught.lua", code = 130, err = "interrupted",
    before = t:signal_when("INT", t.has_worked) })
  t:write("session.txt", "y = 5\nsearch --model deepseek-v3 --device H800 --devices 2048 --global-batch 15360 --seq-len 4096 --cp free "
    .. "--etp free --schedule 1f1b,gpipe,zb_h1\ny * 2\n")
  t:case("interrupt of a search in a loop of commands, which goes on", { "repl", after = "<session.txt", out = "10\n$", err = "interrupted",
    before = t:signal_when("INT", t.has_worked) })
  t:write("long-session.txt", "pcall(function() while true do end end)\nwhile true do end\n1 + 1\n")
  t:case("a time limit of a loop of commands", { "repl", "--time-limit", "0.5", after = "<long-session.txt", code = 130, out = "",
    err = "^ballpark: interrupted\n$" })
  t:write("session-lines.txt", "explain TTFT --time-limit 60\nwhile true do end\n1 + 1\n")
  t:case("a time limit of a loop, which that of a line does not move", { "repl", "--time-limit", "1", after = "<session-lines.txt",
    code = 130, out = "^TTFT: [^2]*$", err = "^ballpark: interrupted\n$" })
  t:write("session-line.txt", "run forever.lua --time-limit 0.3\ny = 5\nrun forever.lua --time-limit 0.3\ny * 2\n")
  t:case("a time limit of one line of a loop", { "repl", after = "<session-line.txt", out = "^10\n$",
    err = "^ballpark: interrupted\nballpark: interrupted\n$" })
  t:case("a time limit of what watches", { "watch", "a.lua", "--time-limit", "1", code = 130, err = "\nballpark: interrupted\n$" })
  -- A wait hears of it at once, and long before the process would be ended.
  t:write("waits.lua", "local core = require('ballpark.core') core.interruption_grace(20) core.time_limit(0.2)"
    .. " local ok, e = pcall(core.wait, 10) print(ok, e == core.interruption) core.interruption_heard()")
  t:case("a time limit of a wait", { "lua", "waits.lua", out = "^false\ttrue\n$", err = "" })
  -- A Ctrl-C is no text: a scenario's own error says the same, and is an error of the scenario.
  t:write("says.lua", "error('the run was interrupted by a failure')\n")
  refused("an error that says interrupted", 2, "^ballpark: says%.lua:1: the run was interrupted by a failure\n$", { "run", "says.lua" })
  t:write("says-caught.lua", "local ok, e = pcall(error, 'interrupted') title(tostring(ok) .. ' ' .. e) expect('caught', ok, { equals = false })\n")
  t:case("such an error that is caught", { "run", "says-caught.lua", out = "false interrupted" })
  t:write("says.jsonl", '{"question": "scenario", "input": {"source": "error(\'interrupted\')"}}\n{"question": "kernel.mfu"}\n')
  t:case("such an error in questions line by line", { "answer", "--lines", out = "interrupted.*\n.*\n", after = "<says.jsonl" })
  -- Who catches a Ctrl-C and does not know it does not go on.
  t:write("swallowed.lua", "pcall(function() while true do end end) while true do end\n")
  t:case("interrupt that a program swallows", { "lua", "swallowed.lua", code = 130, out = "", err = "^ballpark: interrupted\n$",
    before = t:signal_when("INT", t.has_worked) })
  for _, seconds in ipairs({ "0.1", "0.3" }) do
    t:case("a time limit in one of the searches of a prompt: " .. seconds, { "ask", "a chat assistant of 70B for 2M daily users",
      "--time-limit", seconds, code = 130, out = "", err = "^ballpark: interrupted\n$" })
  end
  -- What a search found up to then may be said, but nothing goes on for ever.
  t:write("goes-on.lua", "local a = search { model = model 'llama-3.1-405b', cluster = cluster { device = 'H100', devices = 16384 },"
    .. " job = { global_batch = 2048, seq_len = 8192 } } while true do end")
  t:case("a time limit in a search, and a scenario that goes on", { "run", "goes-on.lua", "--time-limit", "0.5", code = 130, out = "",
    err = "interrupted" })
  -- Inside of a library function no instruction is counted: a pattern that tracks back for hours.
  t:write("pattern.lua", "print((('a'):rep(1e5) .. 'b'):find(('a*'):rep(12) .. 'c'))\n")
  t:case("interrupt of a library function", { "run", "pattern.lua", code = 130, out = "", err = "^ballpark: interrupted\n$",
    before = t:signal_when("INT", t.has_worked) })
  t:case("a time limit below what a clock counts", { "run", "forever.lua", "--time-limit", "1e-9", code = 130, out = "",
    err = "^ballpark: interrupted\n$" })
  t:case("a time limit", { "run", "forever.lua", "--time-limit", "0.3", code = 130, out = "", err = "^ballpark: interrupted\n$" })
  t:case("a time limit in a library function", { "sweep", "pattern.lua", "--axis", "a=1,2", "-o", "limited.csv",
    "--time-limit", "0.3", code = 130, err = "^ballpark: interrupted\n$", check = function()
      for name in require("lfs").dir(t.folder) do assert(not name:find("^limited"), name .. " stays") end
    end })
  t:case("a terminal that is gone", { "sweep", "pattern.lua", "--axis", "a=1,2", "-o", "hung-up.csv", code = 130, out = "",
    err = "^ballpark: interrupted\n$", before = t:signal_when("HUP", t.has_worked), check = function()
      for name in require("lfs").dir(t.folder) do assert(not name:find("^hung%-up"), name .. " stays") end
    end })
  t:write("a-second.lua", "local at = os.clock() + 1 while os.clock() < at do end print('done')\n")
  t:case("a terminal that is gone, with nohup", { "lua", "a-second.lua", out = "^done\n$", err = "",
    before = "trap '' HUP; " .. t:signal_when("HUP", t.has_worked) })
  t:write("forever.jsonl", '{"question": "scenario", "input": {"source": "while true do end"}}\n{"question": "kernel.mfu"}\n')
  t:write("large.json", '{"model":"llama-3.1-8b","cluster":{"device":"H100","devices":1},"replicas":20,"load":{"arrivals":"diurnal",'
    .. '"rate_per_s":1000,"peak_over_mean":3,"period_s":86400,"input_tokens":10,"output_tokens":100}}')
  t:case("a question that takes more memory than there is", { "answer", "serve", after = "<large.json", before = "BALLPARK_MEMORY_GIB=0.2",
    code = 2, out = "needs more memory than the process may take", err = "" })
  t:case("a time limit of questions line by line", { "answer", "--lines", "--time-limit", "0.3", code = 130, out = "",
    err = "^ballpark: interrupted\n$", after = "<forever.jsonl" })
  t:case("interrupt of questions line by line", { "answer", "--lines", code = 130, out = "", after = "<forever.jsonl",
    err = "^ballpark: interrupted\n$", before = t:signal_when("INT", t.has_worked) })
  for _, limit in ipairs({ "0", "-1", "nan", "1e99", "soon" }) do
    t:case("a time limit of " .. limit, { "run", "forever.lua", "--time-limit", limit, code = 2, out = "",
      err = "^ballpark: %-%-time%-limit: must be a number of seconds above 0" })
  end
  t:write("slow-rule.lua", "return { name = 'slow', reject = function(c) for i = 1, 60000 do local x = c.tp end end }")
  t:case("interrupt of a search with a slow rule", { "search", "--model", "llama-3.1-70b", "--device", "H100", "--devices", "512",
    "--global-batch", "1024", "--seq-len", "8192", "--rules", "slow-rule.lua", code = 130, err = "interrupted",
    before = t:signal_when("INT", t.has_worked) })

  for command, more in pairs({ speak = { "--model", "orpheus-3b" }, finetune = { "llama-3.1-8b", "--examples", "100" },
    search = { "--model", "llama-3.1-8b", "--devices", "8", "--global-batch", "8", "--seq-len", "4096" } }) do
    refused("a decimal comma in " .. command, 2, "^ballpark: %-%-price[^\n]*'2,5'[^\n]*: write 2%.5\n$", { command, "--device", "H100", "--price",
      "2,5", table.unpack(more) })
  end

  -- Profiles: what calibrate writes is checked, nothing is said twice, and editors may leave a mark.
  local calibration = "return { calibration = { class = 'megatron', devices = {}, most_devices = 8, %s } }"
  for name, said in pairs({ rows = "rows = 'x'", ["rows below 0"] = "rows = -1", ["a spread of nothing"] = "spread = 0/0",
    ["a spread of a table"] = "spread = {}", ["a date of a number"] = "date = 5", ["an endless half"] = "half = 1e999",
    ["another name"] = "row = 3" }) do
    t:write("kept.lua", calibration:format(said))
    refused("a calibration with " .. name, 2, "^ballpark: [^\n]*calibration[^\n]*\n$", { "search", "--model", "llama-3.1-8b",
      "--device", "H100", "--devices", "8", "--global-batch", "8", "--seq-len", "4096", "--profile", t:path("kept.lua") })
  end
  t:write("twice.lua", "return { calibration = { class = 'a' },\n  ['calibration'] = { class = 'b' } }")
  refused("a profile that says a thing twice", 2, "^ballpark: [^\n]*twice%.lua:2: 'calibration' is said twice\n$", { "search",
    "--model", "llama-3.1-8b", "--device", "H100", "--devices", "8", "--global-batch", "8", "--seq-len", "4096", "--profile",
    t:path("twice.lua") })
  t:write("marked-profile.lua", "\xEF\xBB\xBFreturn {}")
  t:case("a profile with a byte order mark", { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices", "8",
    "--global-batch", "8", "--seq-len", "4096", "--profile", t:path("marked-profile.lua"), out = "Llama%-3%.1%-8B" })
  -- Data files are read, not run.
  for name, text in pairs({ loop = "while true do end", call = "return { gemm = os.time() }", code = "return (function() while true do end end)()",
    late = "return { gemm = 1 } while true do end", ["no letter"] = "return { name = '\\u{FFFFFFFF}' }", deep = "return " .. ("{"):rep(1000) .. ("}"):rep(1000) }) do
    t:case("a profile that is a program: " .. name, { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices",
      "8", "--global-batch", "8", "--seq-len", "4096", "--profile", t:write("p-" .. name .. ".lua", text),
      code = 2, out = "", err = "^ballpark: [^\n]*p%-" .. name .. "%.lua:1: [^\n]*\n$" })
    t:case("an engine that is a program: " .. name, { "serve", "--model", "llama-3.1-8b", "--device", "H100", "--rate", "1",
      "--engine", t:path("p-" .. name .. ".lua"), code = 2, out = "", err = "^ballpark: [^\n]*p%-" .. name .. "%.lua[^\n]*\n$" })
  end
end
