-- Replicas and fleets from the command line.
local json = require("ballpark.json")

return function(t)
  local function case(name, words, wanted)
    local list = t.with({ "serve", "--model", "llama-3.1-8b", "--device", "H100", "--input-tokens", "1000",
      "--output-tokens", "200" }, words)
    for key, value in pairs(wanted) do list[key] = value end
    t:case(name, list)
  end
  local function one_line(pattern)
    return function(text) return text:find("^ballpark: [^\n]*\n$") ~= nil and text:find(pattern) ~= nil end
  end
  local function refused(name, words, pattern)
    case(name, words, { code = 2, out = "", err = one_line(pattern) })
  end

  case("one replica", { "--rate", "3" }, {
    out = { "Llama%-3.1%-8B on 1 x H100", "Capacity +[%d.]+ per s; ", "TTFT +[%d.]+ ms %(" }, err = "" })
  case("one replica, closed loop", { "--concurrency", "16", "--tp", "2", "--weights", "fp8", "--max-running", "8" },
    { out = "closed loop of 16 clients", err = "" })
  case("a hundred thousand replicas, in a moment", { "--rate", "3", "--replicas", "100000", "--time-limit", "10" }, {
    out = "on 100000 replicas of 1 x H100", err = "" })
  case("room for LoRA adapters", { "--max-loras", "4", "--max-lora-rank", "64" }, { err = "",
    out = { "LoRA adapters +1%.4 ", "LoRA adapters take memory, and no time" } })
  case("room for LoRA adapters in a launch script", { "--rate", "1", "--max-loras", "4", "--emit", "vllm" }, { err = "",
    out = "%-%-enable%-lora\n +%-%-max%-loras 4\n" })
  refused("room for LoRA adapters of several engines", { "--rate", "1", "--ttft", "1", "--max-loras", "4", "--engine",
    "vllm,sglang" }, "%-%-max%-loras: one engine")
  case("a load above the capacity", { "--rate", "5000" }, { code = 1, err = "",
    out = "the rate is above what the replicas can do" })
  case("pools that do not keep up", { "--rate", "200", "--requests", "2000", "-D", "prefill_pool.replicas=1" },
    { code = 1, err = "", out = "less is answered than arrives" })
  case("pools that do", { "--rate", "2", "--requests", "500", "-D", "prefill_pool.replicas=1" },
    { err = "", out = { "prefill on 1 x 1 x H100", "16%-bit weights, no format was given" } })
  t:write("fast.csv", "arrival_s,input_tokens,output_tokens\n" .. ("0.001,2000,300\n"):rep(200) .. "0.5,2000,300\n")
  t:write("fast.lua", "show(serve { model = model 'llama-3.1-8b', cluster = cluster { device = 'H100', devices = 1 }, "
    .. "trace = 'fast.csv' })\n")
  t:case("a trace above the capacity", { "run", t:path("fast.lua"), code = 1, err = "",
    out = { "the requests of the trace come at 401 per s", "TTFT" } })
  case("several replicas, sessions", { "--rate", "8", "--replicas", "3", "-D", "routing=session", "-D", "load.turns=4",
    "-D", "load.think_s=5" }, { err = "",
    out = { "3 replicas of 1 x H100", "sessions of 4", "found in a cache" } })
  local asked = { "--rate", "20", "--gpus", "8", "--ttft", "1", "--tpot", "0.03" }
  case("cheapest fleet", asked, { err = "", out = { "Cheapest fleet", "a month", "SLO at P90", "Rejected" } })
  local function with(...)
    return t.with(asked, { ... })
  end
  case("fleet as JSON", with("--tp", "1", "--percentile", "99", "--zones", "3", "-f", "json"), { err = "",
    check = function(got)
      local answer = json.decode(got.out)
      local fleet = answer.facts.fleet.values
      local up = fleet.replicas - fleet.spares
      assert(fleet.replicas == up + 1 + math.ceil((up + 1) / 2)) -- a spare, and half as many for the third zone
      assert(answer.tables.slo.rows[1].seen <= 1)
    end })
  case("fleet of several devices and terms", with("--device", "H100,L4,A100", "--terms", "on_demand,spot"),
    { err = "", out = "L4: 0%.80 USD" })
  case("fleet with overrides", with("-D", "load.requests=500", "-D", "sla.percentile=50"), { out = "SLO at P50" })
  case("levers of a fleet", with("--levers"), { err = "", out = { "Levers", "as it is", "KV cache in fp8" } })
  case("requests longer than the model was made for", with("--input-tokens", "140000"),
    { code = 1, out = "140200 tokens in the mean, more than the 131072 Llama%-3.1%-8B was made for" })
  case("no fleet to launch says what breaks the SLO", { "--rate", "20", "--gpus", "8", "--ttft", "0.001", "--emit",
    "vllm" }, { code = 1, out = "", err = one_line("breaks it is .*TTFT %(SLO 0.001 s, %S+ s at") })
  case("prices of levers and of one provider", with("--levers"), { err = "", out = { "GH200%-96GB: 1.49 USD per "
    .. "device%-hour %(the only price known: Lambda on%-demand", "65 %%%s+of it as reserved" } })
  case("launch settings of a fleet", with("--emit", "vllm"), { out = "exec vllm serve", err = "replicas = " })
  case("launch settings of too few replicas", { "--rate", "1000", "--emit", "vllm" },
    { out = "the load is above that: more replicas are needed" })
  case("launch settings of enough", { "--rate", "1", "--emit", "vllm" }, { check = function(got)
    assert(got.out:find("exec vllm serve", 1, true) and not got.out:find("above that", 1, true))
  end })
  case("an SLO nobody holds", { "--rate", "20", "--gpus", "8", "--ttft", "ms(5)" },
    { code = 1, err = "", out = { "what breaks it is TTFT", "Best that can be reached" } })
  case("more load than devices", { "--rate", "1e4", "--gpus", "8", "--ttft", "1" },
    { code = 1, err = "", out = { "the rate at the planned utilisation", "Devices that would do", "%d or more" } })

  case("fleet without a limit on devices", { "--rate", "1", "--ttft", "1" }, { err = "", out = "Devices +2;" })
  case("fleet for users", { "--users", "100", "--think", "30", "--ttft", "1" }, { err = "",
    out = "100 users, each of whom waits for an answer, thinks 30 s and asks again" })
  case("replica for users", { "--users", "10", "--think", "30" }, { err = "",
    out = "closed loop of 10 clients who think 30 s between +answers, exponentially" })
  refused("thinking without users", { "--think", "30" }, "say how many, as in %-%-users 100")
  refused("users and a rate", { "--users", "100", "--rate", "3", "--ttft", "1" }, "give users or a rate")
  case("replica without a load", {}, { err = "", out = { "maximum concurrency for 131,072 tok per", "One client",
    "By clients that each wait" } })
  case("replica without a load that is to be launched", { "--max-model-len", "9000", "--emit", "vllm" },
    { out = "max%-model%-len 9000" })
  case("replica that holds no longest request", { "--device", "L4", "--max-model-len", "100000" },
    { code = 1, out = "the engine does not%s+start" })
  refused("replica without a load, of several", { "--replicas", "2" }, "%-%-replicas is about a load: give %-%-rate")
  refused("replica with options of a fleet", { "--rate", "1", "--zones", "3" }, "%-%-zones is about a fleet")
  refused("replica with two values", { "--rate", "1", "--tp", "1,2" }, "%-%-tp: one value")
  refused("number that does not read, served", { "--rate", "many" }, "%-%-rate: must be a number, got 'many'")
  refused("value of an axis", with("--weights", "fp9"), "%-%-weights fp9: plan.checkpoint: 'fp9' is not one of")
  refused("percentile that is not simulated", with("--percentile", "99.99"),
    "%-%-percentile 99.99: .*must be from 1 to 99.9")
  refused("format that the engine needs units for", { "--rate", "1", "--device", "A100", "--weights", "fp8", "--engine",
    "trtllm" }, "%-%-weights fp8: .*trtllm runs fp8 only on devices that multiply it")
  case("format that is only stored", { "--rate", "1", "--device", "A100", "--weights", "fp8" }, { err = "",
    out = "Weights in fp8 are weight%-only: dequantised to 16 bit" })
  refused("lengths of a load above the capacity", { "--rate", "5000", "--lengths", "gaussian" },
    "%-%-lengths gaussian: load.lengths: 'gaussian' is not one of")
  refused("more requests than can be simulated, above the capacity", { "--rate", "5000", "--requests", "1e12" },
    "%-%-requests 1e12: load.requests: must be from 0 to 100000000")
  refused("users beside clients", { "--users", "9", "--concurrency", "4" }, "%-%-users and %-%-concurrency say the same: give one")
  refused("no replicas", { "--rate", "20", "--replicas", "0" }, "%-%-replicas 0: replicas: must be from 1")
  refused("fleet for empty answers", with("--output-tokens", "0"), "%-%-output%-tokens 0: .*must be from 1 to")
  t:write("engine.lua", "return { name = 'vllm', slowdown = 1.5, source = 'made up' }")
  refused("a file among engines", with("--engine", t:path("engine.lua") .. ",vllm"),
    "^ballpark: %-%-engine .*: space.engine: '.*engine.lua' is a file, and a list takes names")
  refused("unknown term", with("--terms", "sport"), "^ballpark: %-%-terms sport: .*did you mean 'spot'")
  t:case("weights that do not fit leave no pool below zero", { "serve", "--model", "llama-3.1-70b", "--device", "H100",
    "--tp", "1", "-f", "json", code = 1, check = function(got)
      assert(got.out:find('"pool_bytes":0[,}%]]') and got.out:find('"missing_bytes":6%d%d%d%d'))
    end })
end
