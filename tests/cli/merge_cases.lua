-- One search, carried out in different ways: the same bytes.
local json = require("ballpark.json")

return function(t)
  local SEARCH = { "search", "--model", "llama-3.1-8b", "--device", "H100", "--devices", "16", "--global-batch", "128",
    "--seq-len", "8192", "--objective", "step_s,headroom_bytes" }
  local function words(...)
    local list = table.move(SEARCH, 1, #SEARCH, 1, {})
    for _, word in ipairs({ ... }) do list[#list + 1] = word end
    return list
  end
  local function case(name, list, wanted)
    for key, value in pairs(wanted or {}) do list[key] = value end
    t:case(name, list)
  end
  local whole = t:run(words("-f", "json")).out
  local function same(got) assert(got.out == whole, "is not what one run prints") end

  case("two threads", words("--threads", "2", "-f", "json"), { check = same })
  local parts = {}
  for i = 1, 7 do
    parts[i] = t:path("part" .. i .. ".json")
    case("shard " .. i, words("--shard", i .. "/7", "-o", parts[i]), { out = "", err = "" })
  end
  case("merge in any order", { "merge", parts[4], parts[7], parts[1], parts[2], parts[6], parts[3], parts[5], "-f",
    "json" }, { check = same })
  case("a part is missing", { "merge", parts[1], parts[2], parts[3], parts[4], parts[6], parts[7] },
    { code = 2, out = "", err = "shard 5/7 is missing" })
  case("a part twice", { "merge", parts[1], parts[2], parts[2] }, { code = 2, out = "", err = "is shard 2, as " })
  case("a part of another search", words("--shard", "1/7", "-o", t:path("other.json"), "--tp", "1"))
  case("parts of two searches", { "merge", t:path("other.json"), parts[2] }, { code = 2, err = "is of another search" })
  local altered = json.decode(t:read("part1.json"), "part1")
  altered.request = altered.request:gsub("128", "256")
  for i = 1, 7 do t:write("altered" .. i .. ".json", (t:read("part" .. i .. ".json"):gsub("8192", "8193", 1))) end
  local lines = { "merge" }
  for i = 1, 7 do lines[#lines + 1] = t:path("altered" .. i .. ".json") end
  case("a catalog that changed", lines, { code = 2, out = "", err = "another" })
  case("merge of what is no part", { "merge", t:write("x.json", "{}") }, { code = 2, err = "is not a part of a" })
  case("merge of nothing", { "merge" }, { code = 2 })

  case("shard without file", words("--shard", "1/2"), { code = 2, err = "%-%-shard needs %-o" })
  case("shard of no such number", words("--shard", "3/2", "-o", "x"), { code = 2, err = "I/N with I from 1 to N" })
  case("shard with a format", words("--shard", "1/2", "-o", "x", "-f", "csv"), { code = 2, err = "writes a part" })
  case("no such number of threads", words("--threads", "0"), { code = 2, err = "from 1 to 256" })
  local functions = t:write("rules.lua", [[
    show(search { model = model "llama-3.1-8b", cluster = cluster { device = "H100", devices = 8 },
      job = { global_batch = 8, seq_len = 4096 },
      rules = { { name = "r", reject = function(c) return c.tp > 4 end } } })
  ]])
  case("shard with rules in the scenario", { "search", functions, "--shard", "1/2", "-o", "x.json" },
    { code = 2, err = "must be files, not functions" })

  local checkpoint = t:path("checkpoint.json")
  case("checkpoint of a search that ends", words("--checkpoint", checkpoint, "-f", "json"), { check = same })
  assert(t:read("checkpoint.json") == "", "the checkpoint of a finished search stays")
  local part = json.decode(t:read("part1.json"), "part1")
  t:write("checkpoint.json", json.encode({ kind = "search checkpoint", request = part.request, shard = 1, shards = 7,
    done = 10000, state = part.state }))
  case("shard from its checkpoint", words("--shard", "1/7", "-o", t:path("again.json"), "--checkpoint", checkpoint),
    { check = function()
      local again = json.decode(t:read("again.json"), "again")
      assert(json.encode(again.state) == json.encode(part.state))
    end })
  t:write("checkpoint.json", json.encode({ kind = "search checkpoint", request = "", shard = 1, shards = 1, done = 1 }))
  case("checkpoint of another search", words("--checkpoint", checkpoint), { code = 2, err = "is of another search" })
  t:write("checkpoint.json", "{}")
  case("no checkpoint at all", words("--checkpoint", checkpoint), { code = 2, err = "is not a checkpoint" })

  -- A space of 10^14 plans: stopped by SIGKILL, resumed, and stopped by Ctrl-C with what is known.
  local vast = { "search", "--model", "gpt3-175b", "--device", "A100", "--devices", "256", "--global-batch", "256",
    "--seq-len", "2048", "--exhaustive", "--checkpoint", t:path("vast.json") }
  for _, field in ipairs({ "dp", "sequence-parallel", "schedule", "flash", "overlap-dp", "overlap-tp", "grad-bytes",
    "optimizer", "offload", "cross-entropy", "split", "recompute-norms", "recompute-activation" }) do
    vast[#vast + 1] = "--" .. field
    vast[#vast + 1] = "free"
  end
  local killed = t:run(vast, { before = "timeout --foreground -s KILL 2.5" })
  assert(killed.code == 137, "was not killed: " .. killed.code .. killed.err)
  local done = json.decode(t:read("vast.json"), "vast").done
  case("Ctrl-C prints what is known", vast, { code = 130, out = "Best plans",
    before = "timeout --foreground --preserve-status -s INT 2.5",
    err = "interrupted: this is what was found.*goes on from", check = function()
      assert(json.decode(t:read("vast.json"), "vast").done > done, "did not go on from the checkpoint")
    end })
end
