-- Money, time and efficiency from the command line.
local json = require("ballpark.json")

return function(t)
  local function case(name, words, wanted)
    local list = { "budget", "--model", "llama-3.1-8b", "--device", "H100", "--tokens", "trillion(1)", "--seq-len",
      "8192", "--price", "2" }
    for _, word in ipairs(words) do list[#list + 1] = word end
    for key, value in pairs(wanted) do list[key] = value end
    t:case("budget: " .. name, list)
  end

  case("money and time", { "--budget", "million(1)", "--deadline", "days(30)", "-f", "json" }, { err = "",
    check = function(got)
      -- 1e6 USD / (2 USD/h * 720 h) = 694.4, in whole nodes, for a little less than 30 days.
      assert(json.decode(got.out).facts.budget.values.devices == 696)
    end })
  case("time and efficiency", { "--deadline", "days(30)", "--mfu", "0.4" }, { err = "",
    out = { "in nodes of 8", "40 %% as given" } })
  case("what plans reach", { "--deadline", "days(30)", "--global-batch", "512" }, { out = { "by the best plan",
    "Best plan" }, err = "" })
  case("less than a node until then", { "--budget", "200000", "--deadline", "days(4000)" }, { err = "",
    out = { "Devices +8, in nodes of 8: held until the money is spent", "Can be done +yes" } })
  case("next to no money", { "--budget", "1000", "--deadline", "days(30)" }, { code = 1, err = "",
    out = "Can be done +no: it takes more than the peak" })
  case("none in time", { "--deadline", "hours(3)", "--global-batch", "512" }, { code = 1, err = "",
    out = "Can be done +no: the best plan does not reach it" })
  case("out of reach", { "--budget", "30000", "--deadline", "days(30)", "--global-batch", "512" }, { code = 1,
    out = "Can be done +no" })
  case("one value alone", { "--budget", "million(1)" }, { code = 2, out = "",
    err = "budget needs %-%-deadline, such as" })
  case("money alone, with a batch", { "--budget", "million(1)", "--global-batch", "512" }, { code = 2, out = "",
    err = "budget needs %-%-deadline, such as" })
  case("no money", { "--budget=-5", "--deadline", "days(30)" }, { code = 2, out = "",
    err = "%-%-budget %-5: budget_usd: must be above 0" })
  case("a range of efficiency", { "--deadline", "days(30)", "--mfu", "0.3..0.5" }, { err = "", out = "mfu_frac +0.3 +0.5 " })
  case("a range of percentages", { "--deadline", "days(30)", "--mfu", "30..50" }, { code = 2, out = "",
    err = "%-%-mfu 30..50: .*did you mean 0%.3" })
  t:case("budget: ranges of a price and of a length", { "budget", "--model", "llama-3.1-8b", "--device", "H100", "--tokens",
    "trillion(1)", "--seq-len", "4096..8192", "--price", "2..3", "--deadline", "days(30)", "--mfu", "0.4", err = "",
    out = { "cluster.price +2 +3 ", "job.seq_len +4096 +8192 " } })
  t:case("budget: several devices", { "budget", "--model", "llama-3.1-8b", "--device", "H100,A100", "--tokens",
    "trillion(1)", "--seq-len", "4096", "--deadline", "days(30)", "--mfu", "0.4", code = 2, out = "",
    err = "%-%-device: takes one value here" })
  case("percentage", { "--mfu", "40", "--budget", "million(1)" }, { code = 2, out = "", err = "did you mean 0%.4" })
  case("deadline that does not read", { "--deadline", "soon" }, { code = 2, out = "",
    err = "%-%-deadline: must be a number" })
end
