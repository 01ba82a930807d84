-- Calibration from the command line, the profile it writes, and studies of validation.
local json = require("ballpark.json")

local HEADER = "case_id,family,year,model,gpu,gpus,seq_len,tp,pp,zero,recompute,micro_batch,global_batch_seqs,"
  .. "framework,step_s\n"

-- Steps of a made-up slow cluster: roughly what a Llama 8B takes, and a half more.
local function runs()
  local lines = { HEADER }
  for n = 1, 12 do
    local seq_len, tp, batch = 2048 << (n % 2), 1 << (n % 3), 64 + 64 * (n % 4)
    lines[#lines + 1] = ("r%d,mine,2025,llama-3.1-8b,H100-SXM-80GB,16,%d,%d,1,1,full,1,%d,megatron,%.4f\n")
      :format(n, seq_len, tp, batch, 1.5e-5 * 8 * seq_len * batch / 16 * 6)
  end
  return table.concat(lines)
end

-- A made-up sweep of concurrencies.
local function sweep(clients)
  local lines = { "engine,model,gpu,input_len,output_len,concurrency,tp,precision,ttft_ms,tpot_ms\n" }
  for _, n in ipairs(clients) do
    lines[#lines + 1] = ("vllm,llama-3.1-8b,H100,512,64,%d,1,bf16,%d,%.2f\n"):format(n, 60 + 4 * n, 9 + 0.1 * n)
  end
  return table.concat(lines)
end

return function(t)
  t:write("runs.csv", runs())
  t:write("unknown.csv", HEADER .. "a,mine,2025,nosuch,H100-SXM-80GB,16,2048,1,1,1,full,1,64,megatron,9\n")
  t:write("few.csv", HEADER .. "a,mine,2025,llama-3.1-8b,H100-SXM-80GB,16,2048,1,1,1,full,1,64,megatron,9\n")
  t:write("two.lua", "show(estimate{model = model('llama-3.1-8b'), cluster = cluster{device = 'H100', "
    .. "devices = 16}, job = {global_batch = 64, seq_len = 2048}, plan = {tp = 2}})\n")
  t:write("train.log", " iteration 1/ 9 | elapsed time per iteration (ms): 900.0 |\n"
    .. " iteration 2/ 9 | elapsed time per iteration (ms): 900.0 |\n")

  t:write("sweep.csv", sweep({ 1, 2, 4, 8, 16 }))
  t:write("short.csv", sweep({ 1 }))
  t:write("serve.lua", "show(serve{model = 'llama-3.1-8b', cluster = cluster{device = 'H100', devices = 1}, "
    .. "engine = 'e.lua', load = {concurrency = 4}})\n")

  t:case("calibrate writes a profile", { "calibrate", t:path("runs.csv"), "-o", t:path("p.lua"),
    out = { "Errors of step times", "Coefficients", "gemm" }, err = "" })
  t:case("run with a calibrated profile", { "run", t:path("two.lua"), "--profile", t:path("p.lua"), "-f", "json",
    check = function(got) assert(got.out:find("calibrated on 12 runs", 1, true)) end })
  t:case("what is said beside a calibrated profile", { "run", t:path("two.lua"), "--profile", t:path("p.lua"), "-D",
    "profile.gemm=-1", code = 2, out = "", err = "profile.gemm" })
  t:write("bare.lua", "profile{ gemm = 1.1, calibration = {} }\n")
  t:case("a calibration in a scenario that says nothing", { "run", t:path("bare.lua"), code = 2, out = "",
    err = "^ballpark: [^\n]*bare.lua:1: profile: calibration%.class is missing\n$" })
  t:case("calibrate on too few runs", { "calibrate", t:path("few.csv"), out = "too few, 4 are needed" })
  t:case("calibrate on one run all the same", { "calibrate", t:path("few.csv"), "--few", "-o", t:path("f.lua"),
    out = { "Unchecked", "Coefficients", "gemm" }, err = "" })
  t:case("run with a profile of one run", { "run", t:path("two.lua"), "--profile", t:path("f.lua"), "-f", "json",
    check = function(got) assert(got.out:find("calibrated on 1 run on", 1, true)) end })
  t:case("a log of two steps", { "calibrate", t:path("train.log"), code = 2, out = "",
    err = "2 steps are too few" })
  t:write("hello.log", "hello\nworld\n")
  t:case("a text that is neither log nor table", { "calibrate", t:path("hello.log"), code = 2, out = "",
    err = "is no log with step lines of Megatron%-LM or torchtitan, and no table of runs" })
  t:case("a profile is a Lua file", { "calibrate", t:path("runs.csv"), "-o", t:path("p.json"), code = 2, out = "",
    err = "a profile is a Lua file" })
  t:case("a profile that is not there", { "run", t:path("two.lua"), "--profile", t:path("none.lua"), code = 3,
    out = "", err = "cannot read" })
  t:case("calibrate serving writes an engine", { "calibrate", "serving", t:path("sweep.csv"), "-o", t:path("e.lua"),
    out = { "Errors", "each left out in turn", "steps" }, err = "" })
  t:case("serve with a calibrated engine", { "run", t:path("serve.lua"), "-f", "json",
    out = "Llama%-3.1%-8B on 1 x H100%-SXM%-80GB, vllm", err = "" })
  t:case("calibrate serving on few points", { "calibrate", "serving", t:path("short.csv"), code = 2, out = "",
    err = "has 1 points, a calibration takes 5 or more" })
  t:case("calibrate serving has no class", { "calibrate", "serving", t:path("sweep.csv"), "--class", "megatron",
    code = 2, out = "", err = "takes neither %-%-class" })
  t:case("calibrate serving has no few", { "calibrate", "serving", t:path("sweep.csv"), "--few",
    code = 2, out = "", err = "nor %-%-few" })
  t:case("a log without what it is of", { "calibrate", t:path("runs.csv"), "--meta", "m.json", code = 2, out = "",
    err = "belong to calibrate serving" })
  t:case("a table without a row that can be predicted", { "validate", "training", t:path("unknown.csv"), code = 1,
    out = { "No row could be predicted", "'nosuch' is not in the catalog" }, err = "" })
  t:case("assumptions are summed up", { "validate", "training", t:path("runs.csv"),
    out = "Assumed where columns are blank" })
  t:case("where the error sits", { "validate", "training", t:path("runs.csv"), "--where",
    out = { "Where the error of the step time sits", "Of error, %%" } })
  t:case("where the error sits, for programs", { "validate", "training", t:path("runs.csv"), "--where", "-f", "json",
    check = function(got)
      local sums = {}
      for _, group in ipairs(json.decode(got.out).where) do
        sums[group.by] = (sums[group.by] or 0) + group.rows_frac
      end
      assert(next(sums))
      for _, sum in pairs(sums) do assert(math.abs(sum - 1) < 1e-9) end
    end })
  t:case("errors by what the estimate says", { "validate", "training", t:path("runs.csv"), "--group", "part",
    out = "Step time by part" })
  t:case("folds are of columns", { "validate", "training", t:path("runs.csv"), "--cv", "2", "--group", "beside",
    code = 2, out = "", err = "'beside' is not one of" })
  t:case("studies exclude each other", { "validate", "training", t:path("runs.csv"), "--cv", "5",
    "--leave-out", "family", code = 2, out = "", err = "exclude each other" })
  t:case("a study names its column", { "validate", "training", t:path("runs.csv"), "--leave-out", "gpus", code = 2,
    out = "", err = "did you mean 'gpu'" })
  t:case("folds are whole numbers", { "validate", "training", t:path("runs.csv"), "--cv", "1.5", code = 2, out = "",
    err = "at least 2" })
  t:case("folds are numbers", { "validate", "training", t:path("runs.csv"), "--cv", "5x", code = 2, out = "",
    err = "^ballpark: %-%-cv: must be a number, got '5x' " })
  t:case("a profile that nobody knows", { "validate", "training", t:path("runs.csv"), "--profile", "megatro", code = 2,
    out = "", err = "^ballpark: %-%-profile megatro: 'megatro' is not one of .*did you mean 'megatron'" })
  t:case("calibration on a part of each group", { "validate", "training", t:path("runs.csv"), "--calibrate-with",
    "6", "-f", "json", check = function(got)
      local answer = json.decode(got.out)
      assert(answer.summary.covered == 12)
      assert(answer.summary.mape < answer.summary.before_mape)
      for _, row in ipairs(answer.rows) do
        assert(row.status == "calibration" or (row.range.predicted.low < row.predicted
          and row.predicted < row.range.predicted.high))
      end
    end })
end
