-- One search, carried out in different ways: the same bytes.
local core = require("ballpark.core")
local json = require("ballpark.json")
local sealed = require("ballpark.sealed")

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
  if t:read("part7.json") == "" then return end -- where cases are named, those below need all that wrote the parts

  local function content(name) return sealed.read(t:path(name), name, "a file of ours") end
  local other_core = ("0"):rep(#core.sources)
  local function altered(name, was, is, err)
    local list = { "merge" }
    for i = 1, 7 do
      local part = content("part" .. i .. ".json")
      part.searches[1].request = part.searches[1].request:gsub(was, is, 1)
      list[#list + 1] = t:write("altered" .. i .. ".json", sealed.text(part))
    end
    case(name, list, { code = 2, out = "", err = err })
  end
  altered("a catalog that changed", "8192", "8193", "another")
  altered("parts of another version of the program", core.sources, other_core, "another version of program")
  case("merge of what is no part", { "merge", t:write("x.json", "{}") }, { code = 2, err = "is not a part of a" })
  case("merge of nothing", { "merge" }, { code = 2 })

  case("shard without file", words("--shard", "1/2"), { code = 2, err = "%-%-shard needs %-o" })
  case("shard to standard output", words("--shard", "1/2", "-o", "-"), { code = 2, out = "", err = "%-%-shard needs %-o" })
  case("shard of no such number", words("--shard", "3/2", "-o", "x"), { code = 2, err = "I/N with I from 1 to N" })
  case("shard of a number beyond all", words("--shard", "1/99999999999999999999", "-o", "x"), { code = 2,
    err = "I/N with I from 1 to N" })
  case("shard with a format", words("--shard", "1/2", "-o", "x", "-f", "csv"), { code = 2, err = "writes a part" })
  case("no such number of threads", words("--threads", "0"), { code = 2, err = "from 1 to 256" })
  local functions = t:write("rules.lua", [[
    show(search { model = model "llama-3.1-8b", cluster = cluster { device = "H100", devices = 8 },
      job = { global_batch = 8, seq_len = 4096 },
      rules = { { name = "r", reject = function(c) return c.tp > 4 end } } })
  ]])
  case("shard with rules in the scenario", { "search", functions, "--shard", "1/2", "-o", "x.json" },
    { code = 2, err = "must be files, not functions" })

  local several = t:write("several.lua", [[
    local m, job = model "llama-3.1-8b", { global_batch = 64, seq_len = 8192 }
    local first = search { model = m, cluster = cluster { device = "H100", devices = 8 }, job = job }
    show(search { model = m, cluster = cluster { device = "H100", devices = 16 }, job = job,
      space = { tp = { first.best.plan.tp } } })
  ]])
  case("shard of several searches", { "search", several, "--shard", "1/2", "-o", "x.json" },
    { code = 2, err = "the later ones may depend" })
  local checkpoint = t:path("checkpoint.json")
  local both = t:run({ "search", several, "-f", "json" }).out
  case("checkpoint of several searches", { "search", several, "-f", "json", "--checkpoint", checkpoint },
    { check = function(got) assert(got.out == both) end })
  case("checkpoint of a search that ends", words("--checkpoint", checkpoint, "-f", "json"), { check = same })
  assert(t:read("checkpoint.json") == "", "the checkpoint of a finished search stays")
  local part = content("part1.json")
  local function saved(request, shards, done, state)
    return t:write("checkpoint.json", sealed.text({ kind = "search checkpoint", shard = 1, shards = shards,
      searches = { { request = request, length = 1000, done = { upto = done, beyond = {} }, state = state } } }))
  end
  local mine = part.searches[1]
  saved(mine.request, 7, 10000, mine.state)
  case("shard from its checkpoint", words("--shard", "1/7", "-o", t:path("again.json"), "--checkpoint", checkpoint),
    { check = function()
      local again = content("again.json")
      assert(json.encode(again.searches) == json.encode(part.searches))
    end })
  saved(mine.request, 8, 1, mine.state)
  case("checkpoint of another shard", words("--checkpoint", checkpoint), { code = 2, err = "is of shard 1/8" })
  saved("", 1, 1, mine.state)
  case("checkpoint of another search", words("--checkpoint", checkpoint), { code = 2, err = "is of another search" })
  saved(mine.request:gsub(core.sources, other_core), 1, 1, mine.state)
  case("checkpoint of another version of the program", words("--checkpoint", checkpoint),
    { code = 2, out = "", err = "or of another version of the program" })
  local lying = content("part1.json")
  for name, value in pairs({ shard = json.null, shards = 1.5, arguments = { "lua", "x.lua" }, searches = { 7 } }) do
    local kept = lying[name]
    lying[name] = value
    case("a part whose " .. name .. " is none", { "merge", t:write("lie.json", sealed.text(lying)) },
      { code = 2, out = "", err = "lie%.json: is not a part of a search" })
    lying[name] = kept
  end
  local top = lying.searches[1].state.top[1]
  local taken = top.step_s
  top.step_s = taken * (1 - 1e-6)
  case("a part of another version, where a step takes another time", { "merge", t:write("lie.json", sealed.text(lying)),
    table.unpack(parts, 2) }, { code = 2, out = "", err = "lie%.json: is not a part of a search: a step of .* here" })
  top.step_s = taken
  lying.arguments = { "search", "--help" }
  case("a part that asks for help", { "merge", t:write("lie.json", sealed.text(lying)), table.unpack(parts, 2) },
    { code = 2, out = "", err = "lie%.json: is not a part of a search" })
  lying.arguments, lying.shards = part.arguments, 1 << 60
  case("a part of too many", { "merge", t:write("lie.json", sealed.text(lying)) },
    { code = 2, out = "", err = "shard 2/1152921504606846976, .*… is missing" })
  local bytes = t:read("part3.json")
  for k = 1, 9 do
    local at = #bytes * k // 10
    local flipped = bytes:sub(1, at - 1) .. string.char(bytes:byte(at) ~ 1) .. bytes:sub(at + 1)
    case("a part with another byte " .. at, { "merge", parts[1], parts[2], t:write("flip.json", flipped),
      table.unpack(parts, 4) }, { code = 2, out = "", err = "^ballpark: [^\n]*flip%.json: is [^\n]*damaged[^\n]*\n$" })
    t:write("checkpoint.json", flipped)
    case("a checkpoint with another byte " .. at, words("--checkpoint", checkpoint),
      { code = 2, out = "", err = "^ballpark: %-%-checkpoint: [^\n]*damaged[^\n]*\n$" })
  end
  saved(mine.request, 1, 1, { top = 7 })
  case("a checkpoint of nothing", words("--checkpoint", checkpoint), { code = 2, out = "", err = "is not a checkpoint" })
  t:write("checkpoint.json", "{}")
  case("no checkpoint at all", words("--checkpoint", checkpoint), { code = 2, err = "is not a checkpoint" })

  -- Several systems and jobs are one question.
  local systems = { "search", t:write("systems.lua", [[
    show(search { model = model "llama-3.1-8b", cluster = { fabric = "infiniband" }, job = { seq_len = 8192 },
      objective = { "tokens_per_s", "devices" }, top = 7,
      space = { system = { device = { "A100", "H100" }, devices = { from = 8, to = 32, times = 2 } },
        job = { global_batch = { 64, 128 } } } })
  ]]) }
  local function asked(...) return table.move({ ... }, 1, select("#", ...), 3, table.move(systems, 1, 2, 1, {})) end
  local joined = t:run(asked("-f", "json")).out
  local function joins(got) assert(got.out == joined, "is not what one run prints") end
  for i = 1, 3 do
    case("systems, shard " .. i, asked("--shard", i .. "/3", "-o", t:path("systems" .. i .. ".json")), { out = "" })
  end
  case("systems, merged", { "merge", systems[2], t:path("systems3.json"), t:path("systems1.json"), t:path("systems2.json"), "-f",
    "json" }, { check = joins })
  case("systems, checkpoint", asked("--checkpoint", t:path("systems.json"), "-f", "json"),
    { check = joins })
  case("merge of a scenario that is only named by its parts", { "merge", t:path("systems3.json"),
    t:path("systems1.json"), t:path("systems2.json") }, { code = 2, out = "", err = "nothing that a part names is run" })
  local third = content("systems3.json")
  third.searches[12] = nil
  t:write("systems3.json", sealed.text(third))
  case("systems, a part without one", { "merge", systems[2], t:path("systems1.json"), t:path("systems2.json"),
    t:path("systems3.json") }, { code = 2, err = "is of another search" })

  -- A space of 10^14 plans: stopped by SIGKILL, resumed, and stopped by Ctrl-C with what is known.
  local vast = { "search", "--model", "gpt3-175b", "--device", "A100", "--devices", "256", "--global-batch", "256",
    "--seq-len", "2048", "--exhaustive", "--checkpoint", t:path("vast.json"), "--offload",
    "none,optimizer,optimizer_weights" }
  for _, field in ipairs({ "dp", "sequence-parallel", "schedule", "flash", "overlap-dp", "overlap-tp", "grad-bytes",
    "optimizer", "cross-entropy", "split", "recompute-norms", "recompute-activation" }) do
    vast[#vast + 1] = "--" .. field
    vast[#vast + 1] = "free"
  end
  local function done_beyond(upto) -- the checkpoint has more
    return ('[ "$(grep -o "\\"upto\\": *[0-9]*" vast.json | grep -o "[0-9]*$")" -gt %d ]'):format(upto)
  end
  local killed = t:run(vast, { before = t:signal_when("KILL", done_beyond(0)) })
  assert(killed.code == 137, "was not killed: " .. killed.code .. killed.err)
  -- Its folder goes away while the search runs: it goes on, answers, and does not end as if all were well.
  t:write("lose.sh", '( until [ -s kept/state.json ]; do sleep 0.05; done; until rm -rf kept; do :; done ) >/dev/null 2>&1 </dev/null & exec "$@"\n')
  t:write("slower.lua", "return { name = 'slower', reject = function(c) for i = 1, 5000 do local x = c.tp end end }")
  case("a checkpoint that cannot be written any more", { "search", "--model", "llama-3.1-70b", "--device", "H100", "--devices",
    "256", "--global-batch", "1024", "--seq-len", "8192", "--rules", "slower.lua", "--checkpoint", "kept/state.json", "--threads", "1" },
    { before = "mkdir kept; sh lose.sh", code = 3, out = "Best plans", err = { "warning: no checkpoint: cannot write kept/state%.json",
      "the search goes on\n", "the answer is whole; its checkpoint was not written: cannot write kept/state%.json[^\n]*\n$" } })
  local function chunks_done() return content("vast.json").searches[1].done.upto end
  local done = chunks_done()
  case("Ctrl-C prints what is known", vast, { code = 130, out = { "The search is not complete", "Best plans" },
    before = t:signal_when("INT", done_beyond(done)),
    err = "interrupted: this is what was found.*goes on from", check = function()
      assert(chunks_done() > done, "did not go on from the checkpoint")
    end })
  case("Ctrl-C in the first of several searches", { "search", t:write("later.lua", [[
    local m, job = model "gpt3-175b", { global_batch = 256, seq_len = 2048 }
    local space = {}
    for field in ("dp sequence_parallel schedule flash overlap_dp overlap_tp grad_bytes optimizer offload "
      .. "cross_entropy split recompute_norms"):gmatch("%S+") do space[field] = "free" end
    local c = cluster { device = "A100", devices = 256 }
    search { model = m, cluster = c, job = job, space = space, exhaustive = true }
    local later = search { model = m, cluster = c, job = job }
    note(tostring(later.best.plan.tp))
  ]]) }, { code = 130, out = "", before = t:signal_when("INT", t.has_worked),
    err = "^ballpark: interrupted\n$" })
end
