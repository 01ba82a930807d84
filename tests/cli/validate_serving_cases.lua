-- Tables of serving points and logs of requests against estimates.
return function(t)
  local header = "case_id,family,engine,model,gpu,tp,precision,input_len,output_len,concurrency,max_running,"
    .. "ttft_ms,tpot_ms\n"
  local row = "a-1,own,vllm,llama-3.1-8b,H100,1,bf16,1000,100,8,256,100,8\n"
  t:write("points.csv", header .. row .. "b-1,own,vllm,llama-3.1-8b,B2000,1,bf16,1000,100,8,256,100,8\n")
  local function case(name, words, wanted)
    local list = { "validate", "serving", t:path("points.csv") }
    for _, word in ipairs(words) do list[#list + 1] = word end
    for key, value in pairs(wanted) do list[key] = value end
    t:case(name, list)
  end
  case("points say what is not covered and what was assumed", {}, {
    out = { "ttft_ms +2 +1 ", "Not covered.*\n +1 +b%-1 +device: 'B2000' is not one of",
      "Assumed where columns are blank.*engine defaults: token_budget %d+" } })
  case("points as CSV have their family and range", { "-f", "csv" }, {
    out = { "^case_id,family,metric,measured,predicted,error,predicted_low,predicted_high,status,note\n"
      .. "a%-1,own,ttft_ms,100,[%d.]+,[-%d.]+,[%d.]+,[%d.]+,ok," } })
  case("points whose settings are blank say which", {}, { out = { "graph_tokens %d+", "chunked_prefill on",
    "load.lengths", "lengths fixed" } })
  case("points by what the estimate says", { "--group", "clients" }, { out = "By clients.*2 to 8" })
  t:write("two.csv", header .. row .. row:gsub("a%-1", "c-1"):gsub(",8,256", ",64,256"))
  t:case("where the error of points sits", { "validate", "serving", t:path("two.csv"), "--where",
    out = "Where the error of tpot_ms sits.*clients +2 to 8.*clients +9 to 64" })
  t:write("odd.csv", "case_id,reason\nc-1,odd\n")
  t:case("points with and without those that a file names", { "validate", "serving", t:path("two.csv"), "--skip", t:path("odd.csv"),
    out = "All rows.*ttft_ms +2 +2 .*Without the rows of %-%-skip.*ttft_ms +1 +1 " })
  t:case("doors of points have no rows to leave out", { "validate", "serving", t:path("two.csv"), "--skip",
    t:path("odd.csv"), "--doors", code = 2, out = "", err = "%-%-skip: %-%-doors and %-%-scenario score no rows" })
  t:write("unknown.csv", header .. row:gsub("llama", "lama"))
  t:case("points of which none is predicted", { "validate", "serving", t:path("unknown.csv"), code = 1,
    out = { "No row could be predicted" } })

  local function refused(name, words, says, code)
    case(name, words, { code = code or 2, out = "", err = { says } })
  end
  refused("a study of points", { "--leave-out", "model" }, "%-%-leave%-out is for validate training, validate local only")
  refused("folds of points", { "--cv", "3" }, "%-%-cv is for validate training only")
  refused("part of points", { "--calibrate-with", "5" }, "%-%-calibrate%-with is for validate training, "
    .. "validate requests only")
  refused("a profile for points", { "--profile", "megatron" }, "%-%-profile is for validate training only")
  refused("a second file of points", { "meta.json" }, "a second file is for validate requests only")
  refused("worst of points", { "--worst", "0" }, "%-%-worst needs a whole number of at least 1")
  refused("no folder of models", { "--models", t:path("points.csv") }, "is not a folder", 3)

  -- A log of made-up requests, and what served them.
  local lines = { "arrival_s,input_tokens,output_tokens,queue_s,ttft_s,e2e_s\n" }
  for i = 1, 120 do
    lines[#lines + 1] = ("%g,%d,%d,0,0.05,%g\n"):format(0.1 * i, 300 + i, 50 + i % 7, 0.6 + i % 7 / 80)
  end
  t:write("log.csv", table.concat(lines))
  t:write("run.json", '{ "model": "llama-3.1-8b", "device": "NVIDIA H100 80GB HBM3", "engine": "vllm 0.19.0" }')
  t:write("wrong.json", '{ "model": "llama-3.1-8b", "device": "H100", "max_num_seq": 8 }')
  t:write("own.lua", "return { name = 'vllm', slowdown = 1.5, source = 'made up' }")
  local function log(name, meta, words, wanted)
    local list = { "validate", "requests", t:path("log.csv"), t:path(meta) }
    for _, word in ipairs(words) do list[#list + 1] = word end
    for key, value in pairs(wanted) do list[key] = value end
    t:case(name, list)
  end
  log("a log of requests", "run.json", {}, { err = "", out = { "ttft_ms +3 +3 ", "e2e_ms +3 +3 ",
    "from when the engine queued",
    "\n  p99  e2e_ms +[%d,.]+ ", "signed is the median error%.\n" } })
  t:write("long.csv", header .. row:gsub("a%-1", ("a-name-of-a-row"):rep(4)))
  t:case("long names of rows are shortened for people", { "validate", "serving", t:path("long.csv"),
    out = "\n +1  a%-name%-of%-a%-rowa…a%-name%-of%-a%-row  " })
  t:case("and for machines are not", { "validate", "serving", t:path("long.csv"), "-f", "csv", "--table", "assumed",
    out = "," .. ("a%-name%-of%-a%-row"):rep(4) .. "," })
  log("a log that calibrates itself", "run.json", { "--calibrate-with", "100" },
    { err = "", out = "Engine calibrated on the first 100 requests; the other 20 count" })
  log("a log against an engine of one's own", "run.json", { "--engine", t:path("own.lua") },
    { err = "", out = "Engine of .*own.lua: made up" })
  local function wrong(name, meta, words, says) log(name, meta, words, { code = 2, out = "", err = { says } }) end
  wrong("a log whose description has a key nobody knows", "wrong.json", {},
    "meta.max_num_seq: unknown key, did you mean 'max_num_seqs'")
  wrong("a log that calibrates on too few", "run.json", { "--calibrate-with", "20" }, "a whole number from 100 to 119")
  wrong("a log that calibrates on all", "run.json", { "--calibrate-with", "120" }, "a whole number from 100 to 119")
  wrong("a log with two engines", "run.json", { "--calibrate-with", "100", "--engine", t:path("own.lua") },
    "a calibration makes an engine itself")
  wrong("a log against a scenario", "run.json", { "--engine", t:path("log.csv") }, "log.csv: is no engine: it has to "
    .. "return a table")
  t:write("megatron.lua", "return { name = 'megatron', gemm = 1.1 }")
  wrong("a log against a profile of training", "run.json", { "--engine", t:path("megatron.lua") },
    "megatron.lua: engine.gemm: unknown field")
  for field, value in pairs({ fitted_device = "{ 1, 2 }", fitted_model = "5", source = "true" }) do
    t:write("damaged.lua", ("return { name = 'vllm', %s = %s }"):format(field, value))
    wrong("a log against an engine with a damaged " .. field, "run.json", { "--engine", t:path("damaged.lua") },
      "damaged.lua: engine." .. field .. ": must be text, got ")
  end
  t:write("few.csv", table.concat(lines, "", 1, 61))
  t:case("a log too short to calibrate on", { "validate", "requests", t:path("few.csv"), t:path("run.json"),
    "--calibrate-with", "50", code = 2, out = "",
    err = "%-%-calibrate%-with needs more than 100 requests, the log has 60\n" })
  t:write("scenario.lua", "show(serve {})")
  wrong("a log against a scenario in Lua", "run.json", { "--engine", t:path("scenario.lua") },
    "scenario.lua: is no engine: .*scenario.lua:1: is read as data")
  case("points against an engine of one's own", { "--engine", t:path("own.lua") },
    { out = "Engine of .*own.lua: made up" })
  t:case("what the doors say has one format", { "validate", "memory", t.root .. "/tests/validate/memory.csv", "--doors",
    "-f", "json", code = 2, out = "", err = "^ballpark: %-%-format: .* print text\n$" })
end
