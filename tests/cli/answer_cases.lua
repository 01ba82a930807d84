-- What each command answers, on standard output and nowhere else.
local function line_count(n)
  return function(text)
    local count = select(2, text:gsub("\n", "\n"))
    return count <= n
  end
end

return function(t)
  t:case("help", { "--help", out = { "^Usage: ballpark", "Examples:", "Exit codes: 0 ok" }, err = "" })
  t:case("no arguments help", { out = "^Usage: ballpark", err = "" })
  t:case("version", { "--version", out = "^ballpark %d+%.%d+%.%d+\n$", err = "" })
  for _, command in ipairs({ "run", "search", "sweep", "compare", "explain", "validate", "catalog", "new",
    "completion", "help" }) do
    t:case("help of " .. command, { command, "--help", out = { "^Usage: ballpark " .. command, "Examples:" },
      err = "" })
  end

  local quickstart = t.root .. "/scenarios/quickstart.lua"
  t:case("quickstart answers on one screen", { "run", quickstart, err = "",
    out = { "Plan +tp %d", "Step +%d", "MFU +%d", "million USD", "Bound by", "Best plans", "Memory per device",
      "Time of a step", "Rejected", "Assumed" },
    check = function(got)
      assert(line_count(57)(got.out), "more than 57 lines")
      for line in got.out:gmatch("[^\n]+") do assert(utf8.len(line) <= 100, "too wide: " .. line) end
    end })

  t:case("explain lists", { "explain", out = { "Kernels", "train_step", "Structs", "plan" }, err = "" })
  t:case("explain a kernel", { "explain", "gemm",
    out = { "Formula +time_s", "Valid", "Source", "gemm takes", "gemm gives" }, err = "" })
  t:case("explain a field", { "explain", "plan.tp", out = { "tensor%-parallel ranks", "Allowed +1 to 65536" } })
  t:case("explain lists of a plan", { "explain", "plan.recompute_modules",
    out = { "mla_up_proj +plan%.recompute_up_proj = true", "Megatron Core" } })
  t:case("explain layers of stages", { "explain", "stage_layers", out = "10, 10, 10, 8" })
  t:case("explain no question as a field", { "explain", "plan.search", code = 2, out = "",
    err = "nothing is called 'plan%.search'" })
  t:case("explain an ambiguous field", { "explain", "mfu_frac", out = { "time%.mfu_frac", "mfu%.out%.mfu_frac" } })
  t:case("explain MFU", { "explain", "mfu_frac", err = "",
    out = { "Formula +step_flop / %(step_s %* devices %* peak_flop_s%)", "causal mask counts half",
      "arXiv:2204%.02311" } })
  t:case("explain a field by its kernel", { "explain", "bubble.out.bubble_frac",
    out = { "From +kernel bubble", "Formula", "Valid", "Source" } })
  t:case("explain a value", { "explain", "gpipe", out = { "a value of plan%.schedule", "1f1b, gpipe",
    "%(p%-1%)%(f%+b%)" } })
  t:case("explain a question", { "explain", "search",
    out = { "space +per plan field", "tokens_per_s +speed, throughput, tokens", "memory, rules" } })
  for name, said in pairs({ serve = "replicas of a model under a load", sweep = "a function over a grid",
    pipeline = "a pipeline schedule", cluster = "devices and how they are connected",
    serve_search = "the cheapest fleet" }) do
    t:case("explain " .. name, { "explain", name, out = said, err = "" })
  end
  t:case("explain a field of the simulation", { "explain", "load.turns", out = "requests of a session", err = "" })
  t:case("explain a column of measured runs", { "explain", "peak_mem", out = "measured peak memory per device in GiB" })
  t:case("explain a column", { "explain", "cost_usd", out = "Formula +device_s %* usd_h" })
  for name, said in pairs({ ["TFLOP/s"] = "1000000000000 FLOP per second", J = "1 joules", ["working set"] = "one layer",
    ["TTFT, P99"] = "time to first token", H100 = "ballpark catalog devices H100%-SXM%-80GB", vllm = "explain engine",
    NeMo = "ballpark catalog profiles megatron", ran = "memory held", tok_usd = "objective" }) do
    t:case("explain what reports and questions call " .. name, { "explain", name, out = said, err = "" })
  end
  t:case("explain a unit", { "explain", "GiB", out = "Makes +bytes" })
  t:case("explain validation tables", { "explain", "validate", out = { "case_id", "open facts", "within_2x" } })

  t:case("catalog counts", { "catalog", out = { "devices +%d", "models +%d", "prices", "clusters", "profiles" } })
  t:case("catalog lists devices", { "catalog", "devices", out = "H100%-SXM%-80GB" })
  t:case("catalog shows a device", { "catalog", "devices", "H100",
    out = { "source", "80 GiB", "989 TFLOP/s" } })
  -- An entry as it is printed is an input again, and means the same.
  local json = require("ballpark.json")
  local function entry_of(kind, name) return json.decode(t:run({ "catalog", kind, name, "-f", "json" }).out, name).facts.entry.values end
  for _, names in ipairs({ { "H100", "llama-3.1-8b" }, { "B200", "deepseek-v3" }, { "MI300X", "gemma-2-27b" } }) do
    local function asked(device, model)
      t:write("entry.json", json.encode({ model = model, cluster = { device = device, devices = 8 } }))
      return t:run({ "answer", "serve" }, { after = "<entry.json" }).out
    end
    t:check("entries of the catalog are inputs again: " .. names[1] .. ", " .. names[2], function()
      local device, model = entry_of("devices", names[1]), entry_of("models", names[2])
      local capacity <const> = '"capacity_per_s":[%d%.e+-]+'
      local by_name, by_entry = asked(names[1], names[2]), asked(device, model)
      assert(by_name:match(capacity) and by_name:match(capacity) == by_entry:match(capacity), by_entry)
    end)
  end
  t:case("catalog of a config.json", { "catalog", "models", t.root .. "/scenarios/models/llama-3.1-70b", "-f", "csv", err = "", out = "llama" })
  t:case("catalog of a config.json that is not there", { "catalog", "models", "nothing.json", code = 3, out = "",
    err = "^ballpark: cannot read nothing%.json: No such file or directory\n$" })
  t:case("catalog lists models as csv", { "catalog", "models", "-f", "csv", out = "^name,family,layers,hidden" })
  t:case("catalog lists prices", { "catalog", "prices", out = "Lambda" })
  t:case("catalog lists clusters", { "catalog", "clusters", out = "DGX%-H100%-SuperPOD" })
  t:case("catalog lists profiles", { "catalog", "profiles", out = "megatron" })

  for _, shell in ipairs({ "bash", "zsh", "fish" }) do
    t:case("completion of " .. shell, { "completion", shell, out = { "ballpark", "sweep" }, err = "" })
  end
  t:case("completion is valid bash", { "completion", "bash",
    after = "</dev/null && bash -n '" .. t:path(".out") .. "'" })
  for words, expected in pairs({ ["fit llama-3.1-4"] = "llama-3.1-405b", ["help embed"] = "embedding",
    ["search --device H100,B2"] = "H100,B200-SXM-180GB", ["explain TT"] = "TTFT" }) do
    t:case("bash completes " .. words, { "completion", "bash", after = "</dev/null && bash -c 'source \"" .. t:path(".out")
      .. "\"; COMP_WORDS=(ballpark " .. words .. "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ballpark_values; "
      .. "printf \"%s\\n\" \"${COMPREPLY[@]}\"' | grep -qxF '" .. expected .. "'" })
  end
  for shell, values in pairs({ bash = 'compgen %-W "[^"]*H100%-SXM%-80GB', zsh = ": :_sequence compadd %- [^\n]*H100%-SXM%-80GB",
    fish = '%-xa \'%(__fish_complete_list , "printf %%s\\n [^\']*H100%-SXM%-80GB' }) do
    t:case("completion of values in " .. shell, { "completion", shell, out = { values, "llama%-3%.1%-8b", "selective" },
      err = "" })
  end

  t:write("start.lua", 'require("ballpark.cli").parser("--version")\n'
    .. 'for _, name in ipairs({ "catalog.devices", "catalog.models", "catalog.networks", "catalog.prices", "scenario" }) do\n'
    .. '  assert(not package.loaded["ballpark." .. name], name)\nend\n')
  t:case("start-up loads no tables", { "lua", t:path("start.lua"), out = "", err = "" })

  t:write("lines.txt", "explain TTFT\nm = model 'llama-3.1-8b'\nm.layers * 2\nGiB(2) * 3\nfoo\nsearch {\n\n"
    .. "check '7B on 1T tokens, 512 A100, 5 days'\nexplain 'open\nquit\nexplain TPOT\n")
  t:case("a loop of lines", { "repl", after = "< '" .. t:path("lines.txt") .. "'",
    out = { "^TTFT: time to first token", "\n64\n6 GiB\n", "MFU" },
    err = { "foo: unknown name", "a quote is not closed" }, check = function(got)
      assert(not got.out:find("TPOT"), "quit ends it")
      assert(select(2, got.err:gsub("\n", "\n")) == 3, "one line for each mistake")
    end })

  t:write("raised.txt", "error({})\nassert(false, {})\nerror()\nerror('\\27[31mred')\nlocal y = 2\nt = { t = {} }\nt\n1 + 1\n")
  t:case("a loop goes on behind a line that raises anything", { "repl", after = "< '" .. t:path("raised.txt") .. "'",
    out = "^  t = table\n2\n$", err = "^ballpark: raised a table value\nballpark: raised a table value\nballpark: raised a nil value\n"
    .. "ballpark: line:1: \\x1b%[31mred\n$" })
  t:write("colours.txt", "'\\27[31mred'\n{ a = '\\27[31mred' }\nt = { ['\\27[31m'] = 1 }\nt\n")
  t:case("a loop shows no text that a terminal would obey", { "repl", after = "< '" .. t:path("colours.txt") .. "'", err = "",
    out = "^\\x1b%[31mred\n  a = \\x1b%[31mred\n  \\x1b%[31m = 1\n$" })
  t:write("command.txt", "fit llama-3.1-8b --on H100\n1 + 1\n")
  t:case("repl ends where the answer of a command cannot be written", { "repl", after = ("< '%s' > /dev/full"):format(t:path("command.txt")),
    code = 3, out = "", err = "^ballpark: cannot write to standard output: [^\n]*\n$" })
  t:write("hello.jsonl", '{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  for _, name in ipairs({ "repl", "mcp" }) do
    t:case(name .. " ends where its answers cannot be written", { name, after = ("< '%s' > /dev/full"):format(
      t:path(name == "mcp" and "hello.jsonl" or "lines.txt")), code = 3, out = "", err = "to standard output" })
  end

  t:write("watched.lua", "show(estimate { model = model 'llama-3.1-8b', cluster = cluster { device = 'H100', nodes = 1 },"
    .. " job = { global_batch = 8, seq_len = 2048 } })")
  t:case("watch runs a scenario", { "watch", "watched.lua", "--runs", "1", "--plot", err = "",
    out = { "^Llama%-3%.1%-8B on 8 x", "Time of a step\n +matmuls +█" } })
  t:write("changed.lua", "facts('changed', { { 'x', 2 } })")
  t:write("change.sh", "(until grep -q waiting .err; do sleep 0.1; done; mv changed.lua watched.lua) </dev/null >/dev/null &\n"
    .. 'exec "$@"\n')
  t:case("watch runs again when the file changes", { "watch", "watched.lua", "--runs", "2", before = "sh change.sh",
    out = { "^Llama", "x +2\n" }, err = "waiting for it to change" })
  -- A folder has no new time when a file in it changes, and a file may be written twice in a second.
  t:write("one.lua", "expect('one', 1, { equals = 1 })\n")
  t:write("two.lua", "expect('one', 1, { equals = 2 })\n")
  for _, name in ipairs({ "pages/one.lua", "one.lua" }) do
    t:write("edit.sh", ("mkdir -p pages; cp one.lua pages/one.lua; touch -d @1000000000 %s\n"):format(name)
      .. "(until grep -q waiting .err; do sleep 0.1; done; "
      .. ("dd if=two.lua of=%s conv=notrunc; touch -d @1000000000 %s) </dev/null >/dev/null 2>&1 &\n"):format(name, name)
      .. 'exec "$@"\n')
    t:case("watch sees what changes in " .. name, { "watch", name:match("^pages") or name, "--runs", "2", code = 1,
      before = "sh edit.sh timeout 20", err = "waiting for it to change" })
  end
  for _, signal in ipairs({ "INT", "TERM", "HUP" }) do
    t:case("watch that waits hears " .. signal, { "watch", "watched.lua", code = 130, err = "waiting.*interrupted\n$",
      before = t:signal_when(signal, "grep -q waiting .err") })
  end
  -- A search takes the signal for its own end.
  t:write("slow-rule.lua", "return { name = 'slow', reject = function(c) for i = 1, 60000 do local x = c.tp end end }")
  t:write("searched.lua", "show(search { model = model 'llama-3.1-70b', cluster = cluster { device = 'H100', devices = 512 },"
    .. " job = { global_batch = 1024, seq_len = 8192 } })")
  for _, signal in ipairs({ "INT", "TERM" }) do
    t:case("watch that searches hears " .. signal, { "watch", "searched.lua", "--rules", "slow-rule.lua", "--time-limit", "60", code = 130,
      err = function(text) return text:find("interrupted", 1, true) ~= nil and not text:find("waiting", 1, true) end,
      before = t:signal_when(signal, t.has_worked) })
  end
  t:case("watch wants a file", { "watch", "-", code = 2, err = "not standard input" })
  t:case("watch counts runs", { "watch", "watched.lua", "--runs", "0", code = 2, err = "at least 1" })
  t:case("plots are for tables", { "run", "watched.lua", "--plot", "-f", "json", code = 2, err = "leave out %-f json" })

  for _, kind in ipairs({ "training", "search", "serving", "sweep", "rule" }) do
    t:case("new " .. kind, { "new", kind .. ".lua", "--kind", kind, out = "", err = "wrote " .. kind .. "%.lua" })
  end
  t:case("a new scenario runs", { "run", "training.lua", out = "Training run", err = "" })
  t:case("a new service runs", { "run", "serving.lua", "-D", "replicas=3", err = "",
    out = { "3 replicas of 1 x H100", "TTFT" } })
  t:case("a new rule rejects", { "run", "search.lua", "--rules", "rule.lua", err = "",
    out = "rule: no TP across nodes" })

  t:write("a.lua", "local n = param('n', 2) facts('F', { { 'x_s', 2 * n, 's' }, { 'w', 'word' } })")
  t:write("b.lua", "facts('F', { { 'x_s', 6, 's' }, { 'w', 'word' } })")
  t:case("compare two files", { "compare", "a.lua", "b.lua", out = { "x_s +4 s +6 s +1%.5 +2 s",
    "1 equal values left out" }, err = "" })
  t:case("compare two variants", { "compare", "a.lua", "-A", "n=1", "-B", "n=3", "-f", "csv",
    out = "\nx_s,s,2,6,3,4\n", err = "" })
  t:write("sized.lua", "estimate { model = 'llama-3.1-70b', cluster = { device = 'H100', devices = param('n', 64) },"
    .. " job = { global_batch = 64, seq_len = 4096 }, plan = { tp = 8 } }")
  t:case("compare with what does not fit", { "compare", "sized.lua", "-B", "n=8", err = "", code = 1,
    out = { "B is not feasible: its plan does not fit into memory", "A, s +B, s +B %- A, s" } })
  t:case("compare counts storage by powers of ten", { "compare", quickstart, "--plans", "tp=8,pp=4", "tp=999", err = "",
    code = 1, out = { "data_bytes +60 TB", "checkpoint_bytes +988 GB", "capacity_bytes +80 GiB" } })
  t:case("compare with no plan at all", { "compare", quickstart, "-B", "cluster.nodes=1", err = "", code = 1,
    out = "B is not feasible: no plan passes, the nearest is stopped by memory",
    check = function(got) assert(not got.out:find("unknown"), "says unknown") end })
  t:case("compare says first how many times as much", { "compare", quickstart, "-B", "cluster.device=H200", err = "",
    out = { "Step +[%d.]+ s in A, [%d.]+ s in B, 0%.%d+ times", "Cost +[%d.]+ million USD in A" } })
  t:case("compare shows all", { "compare", "a.lua", "b.lua", "--all", out = "w +word +word" })
  t:case("compare two plans", { "compare", quickstart, "-A", "plan=tp=8,pp=2", "-B", "plan=tp=4,pp=4", err = "",
    out = { "plan A +tp 8, pp 2", "plan B +tp 4, pp 4", "step_s" } })
  t:case("parameters of a scenario", { "run", "training.lua", "--params", err = "",
    out = "global_batch +512 +sequences in one optimizer step" })
  t:case("scenario from standard input", { "run", "-", after = "<a.lua", out = "x_s +4 s", err = "" })
  t:case("verbose talks on stderr", { "run", "a.lua", "--verbose", out = "x_s", err = "took" })
end
