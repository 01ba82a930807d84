-- Which plan to measure next, from the command line.
local json = require("ballpark.json")

return function(t)
  local scenario = t:write("job.lua", [[
show(search { model = "llama-3.1-8b", cluster = { device = "H100", devices = 16 },
  job = { global_batch = 128, seq_len = 8192 }, top = 2 })
]])

  local function case(name, text, words, wanted)
    local list = { "tune", scenario }
    if text then
      list[#list + 1], list[#list + 2] = "--measured", t:write(name:gsub(" ", "-") .. ".csv", text)
    end
    for _, word in ipairs(words) do list[#list + 1] = word end
    for key, value in pairs(wanted) do list[key] = value end
    t:case("tune: " .. name, list)
  end

  case("the first run", nil, { "--runs", "1" }, { err = "", out = { "Runs to make next", "run the first" } })
  case("with runs", "tp,pp,zero,micro_batch,recompute,step_s,status\n2,1,1,1,none,6.9,\n1,1,0,8,none,,oom\n",
    { "-f", "json" }, { err = "", check = function(got)
      local values = json.decode(got.out).facts.tune.values
      assert(values.measured_runs == 2 and values.best_measured_s == 6.9)
      assert(values.within_chance > 0 and values.within_chance < 1)
    end })
  case("as Markdown", nil, { "-f", "markdown" }, { err = "", out = "| # | tp |" })
  case("columns that nobody knows", "tp,speed,step_s\n2,9,6.9\n", {}, { err = "", out = "Columns not used: speed" })
  case("a misspelt column", "tp,microbatch,step_s\n2,1,6.9\n", {}, { code = 2, out = "",
    err = "column 'microbatch': did you mean 'micro_batch'?" })
  case("faster than the peak", "tp,pp,step_s\n2,1,0.05\n", {}, { code = 2, out = "",
    err = "line 2: a step of 0.05 s is less than the" })
  case("another unit", "tp,pp,step_s\n2,1,6900\n", {}, { code = 2, out = "",
    err = "is it of this job, in seconds?" })
  case("no measurement", "tp,pp\n2,1\n", {}, { code = 2, out = "", err = "columns missing: one of step_s" })
  case("an empty cell", "tp,step_s\n2,\n", {}, { code = 2, out = "", err = "line 2: says neither step_s" })
  case("no number", "tp,step_s\n2,fast\n", {}, { code = 2, out = "", err = "line 2: step_s: 'fast' is not a number" })
  case("another job", "tp,gpus,step_s\n2,64,6.9\n", {}, { code = 2, out = "", err = "gpus is 64, the search's 16" })
  case("another model", "tp,step_s,model\n2,40,llama-3.1-70b\n", {}, { code = 2, out = "",
    err = "line 2: model is llama%-3.1%-70b, the search's Llama%-3.1%-8B: a run of another job" })
  case("another device", "tp,step_s,gpu\n2,6.9,A100\n", {}, { code = 2, out = "",
    err = "line 2: gpu is A100, the search's H100%-SXM%-80GB" })
  case("another shape", "tp,step_s,layers\n2,6.9,80\n", {}, { code = 2, out = "", err = "layers is 80, the search's 32" })
  case("its own names", "tp,step_s,gpu,model\n2,6.9,H100 SXM5,meta-llama/Llama-3.1-8B\n2,7,h100,run 7\n", { "-f", "json" },
    { err = "", check = function(got) assert(json.decode(got.out).facts.tune.values.measured_runs == 1) end })
  case("a step and another rate", "tp,step_s,tokens_per_s_per_gpu\n2,6.9,1\n", {}, { code = 2, out = "",
    err = "tokens_per_s_per_gpu means 6.554e%+04" })
  case("a plan that cannot be", "tp,step_s\n3,6.9\n", {}, { code = 2, out = "", err = "line 2: plan%.tp" })
  case("no run", nil, { "--runs", "0" }, { code = 2, out = "", err = "runs: must be a whole number of at least 1" })
  case("percentage", nil, { "--within", "3" }, { code = 2, out = "", err = "within: is a share between 0 and 1" })
  t:case("tune: nothing to search", { "tune", t:write("none.lua", "expect('one', 1, { equals = 1 })"), code = 2, out = "",
    err = "has no search{} to go on from" })
end
