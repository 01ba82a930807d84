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

  case("search by options", words(), { out = { "Llama", "16 x H100", "Best plans", "Rejected" }, err = "" })
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
  case("overrides by options", words("-D", "cluster.devices=32"), { out = "32 x H100" })
  case("why of a plan", words("--why", "tp=3"), { out = { "Verdict +structure", "Reason" } })
  case("unknown objective", words("--objective", "step_ss"), { code = 2, out = "", err = "did you mean 'step_s'" })
  case("unknown field in why", words("--why", "tpp=3"), { code = 2, out = "", err = "unknown field" })
  case("value that does not read", words("--micro-batch", "two"), { code = 2, out = "", err = "micro_batch" })
  t:case("number that does not read", { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices", "many",
    "--global-batch", "8", "--seq-len", "8", code = 2, out = "", err = "%-%-devices: must be a number" })
  t:case("missing option", { "search", "--model", "llama-3.1-8b", "--device", "H100", code = 2, out = "",
    err = "search needs %-%-devices" })
  t:case("system of the catalog", { "search", "--model", "llama-3.1-8b", "--cluster", "DGX-H100-SuperPOD", "--nodes",
    "2", "--global-batch", "128", "--seq-len", "4096", out = "16 x H100", err = "" })
  local quickstart = t.root .. "/scenarios/quickstart.lua"
  t:case("search a scenario", { "search", quickstart, "--tp", "8", "--top", "1", "-f", "csv",
    out = "\n1,8,", err = "" })
  t:case("scenario and options", { "search", quickstart, "--model", "x", code = 2,
    err = "change the scenario with %-D" })
  t:case("config by path", { "search", "--model", t.root .. "/scenarios/models/llama-3.1-70b", "--device", "H100",
    "--devices", "64", "--global-batch", "64", "--seq-len", "4096", out = "llama%-3%.1%-70b on 64", err = "" })
end
