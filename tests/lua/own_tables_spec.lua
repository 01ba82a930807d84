-- What a question gives a scenario is the scenario's to write into: no table of it is one that the program keeps, and
-- whatever is written there, later answers are the same.
local hostile = dofile((debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or ".") .. "/hostile_inputs.lua")
local catalog = require("ballpark.catalog")
local environment = require("ballpark.scenario.environment")
local report = require("ballpark.report")
local scenario = require("ballpark.scenario")
local tables = require("ballpark.tables")

-- Tables and functions that the modules of the program reach, by where: { [table] = "ballpark.catalog.x^local.field" }. Keys of
-- a weak table are whose they are.
local function held()
  local where, open = {}, {}
  local function reach(value, place)
    local kind = type(value)
    if (kind ~= "table" and kind ~= "function") or where[value] then return end
    where[value], open[#open + 1] = place, value
  end
  for name, module in pairs(package.loaded) do
    if name:find("^ballpark") then reach(module, name) end
  end
  while open[1] do
    local value = table.remove(open)
    local place, meta = where[value], type(value) == "table" and getmetatable(value)
    if type(meta) == "table" then reach(meta, place .. ".<metatable>") end
    for key, item in next, type(value) == "table" and value or {} do
      reach(item, place .. "." .. tostring(key))
      if not (meta and meta.__mode) then reach(key, place .. ".<key>") end
    end
    local i = 1
    while type(value) == "function" do
      local name, item = debug.getupvalue(value, i)
      if not name then break end
      if name ~= "_ENV" then reach(item, place .. "^" .. name) end
      i = i + 1
    end
  end
  return where
end

-- Calls visit(table, path) for every table that a scenario reaches from a value: fields, keys, and what __index gives.
local function walk(value, path, visit, seen)
  if type(value) ~= "table" or seen[value] then return end
  seen[value] = true
  if visit(value, path) == false then return end
  for key, item in next, value do
    walk(item, path .. "." .. tostring(key), visit, seen)
    walk(key, path .. ".<key>", visit, seen)
  end
  local meta = getmetatable(value)
  local inherited = type(meta) == "table" and meta.__index
  for key, item in next, type(inherited) == "table" and inherited or {} do
    walk(item, ("%s.%s (inherited)"):format(path, tostring(key)), visit, seen)
  end
end

-- Tables of these values that the program keeps: lines "estimate.input.case.traits is ballpark.…".
local function shared(given)
  local where, list, seen = held(), {}, {}
  for _, name in ipairs(tables.sorted_keys(given)) do
    walk(given[name], name, function(item, path)
      if not where[item] then return true end
      list[#list + 1] = path .. " is " .. where[item]
      return false
    end, seen)
  end
  return table.concat(list, "\n")
end

local function ask(name, input) return environment.new(scenario.state(nil, {}))[name](tables.copy(input)) end

-- Of each kind of prompt one.
local PROMPTS <const> = { "a chat assistant of 70B for 2M daily users", "train 13B on 500B tokens in 30 days on A100",
  "a platform: 200 experiments a week, 8 GPUs for 12 hours each", "storage of embeddings for 1B users",
  "checkpoints of a 70B run, one every 2 hours for 30 days", "moderate images, 1M uploads an hour, burst 3x, within 10 minutes, ViT-L",
  "one matrix product on two GPUs of 24 GB", "which GPU to fine-tune llama 3 8b with qlora", "70b q4 on 2x3090?",
  "we have 16 H100 for 30 days, what can we train?", "is 7B on 1T tokens with 512 A100 in 5 days reasonable?",
  "transcribe 10,000 hours calls with whisper large-v3 on A10", "100k flux dev images 1024px 28 steps on 8 a100",
  "rag over 2 million pdf pages, embedding with bge-m3 on one L4 how long", "recsys DLRM 100k qps inference how many T4",
  "classify 50 million reviews with llama 8b, 200 tokens each, 1 token out, on 4 H100", "m4 max 128gb vs rtx 5090 for 70b q4",
  "how many FLOPs does it take to generate one token with a 13B model?", "cost per month of 16 H100 reserved vs on demand",
  "how many parameters does a transformer with 48 layers, d_model 8192 and vocab 128k have" }

local function of_questions()
  local answers = {}
  for _, name in ipairs(hostile.names) do answers[name] = ask(name, hostile.good[name]) end
  return answers
end

local function of_prompts()
  local answers = {}
  for _, text in ipairs(PROMPTS) do answers[text] = ask("ask", { text = text }) end
  return answers
end

-- Every number, text and boolean becomes another one.
local function wrecked(value)
  local other = { number = function(x) return x * 7 + 1 end, string = function() return "wrecked" end,
    boolean = function(x) return not x end }
  walk(value, "", function(item)
    for key, inner in next, item do
      local change = other[type(inner)]
      if change then rawset(item, key, change(inner)) end
    end
  end, {})
end

local function shown(name)
  local state = scenario.state(nil, {})
  return report.render(scenario.answer(state, name, tables.copy(hostile.good[name])), "json", {})
end

describe("a table that a scenario gets", function()
  it("is none that the program keeps, in the answer to any question", function()
    assert.equal("", shared(of_questions()))
  end)

  it("is none that the program keeps, in the answer to any prompt", function() assert.equal("", shared(of_prompts())) end)

  it("is none that the program keeps, whatever software trains", function()
    local answers = {}
    for _, name in ipairs(catalog.list("profiles")) do
      for _, year in ipairs({ 2020, 2023, 2026 }) do
        answers[name .. year] = ask("estimate", tables.with(hostile.good.estimate, { software = { name = name, year = year } }))
      end
    end
    for _, name in ipairs({ "axolotl", "unsloth", "torchtune", "trl", "llama-factory", "litgpt", "deepspeed" }) do
      for _, method in ipairs({ "lora", "qlora", "full" }) do
        answers[name .. " " .. method] = ask("finetune", { model = "llama-3.1-8b", cluster = { device = "H100",
          devices = 2 }, examples = 1000, seq_len = 1024, software = name, method = method })
      end
    end
    assert.equal("", shared(answers))
  end)

  it("is none that the program keeps, of what has no question", function()
    local env, given = environment.new(scenario.state(nil, {})), {}
    for _, name in ipairs(catalog.list("models")) do given["model " .. name] = env.model(name) end
    for _, name in ipairs(catalog.list("devices")) do given["device " .. name] = env.device(name) end
    for _, name in ipairs(catalog.list("profiles")) do given["profile " .. name] = env.profile(name) end
    given.cluster = env.cluster({ device = "H100", nodes = 2, node_size = 8 })
    given.quantity, given.uncertain = env.GiB(2) / env.hours(1), env.range(1, 2) * env.GiB(1)
    given.error = select(2, env.pcall(env.model, "nobody"))
    given.moe = env.kernel.moe({ device = "H100", experts = 8, ffn = 14336, hidden = 4096, tokens = 64, topk = 2, weights = "bf16" })
    assert.equal("", shared(given))
  end)

  it("shares no rules with others of its kind", function()
    local env = environment.new(scenario.state(nil, {}))
    assert.is_nil(env.range(1, 2).__index)
    assert.is_nil(select(2, env.pcall(env.model, "nobody")).__index)
    local winner = ask("serve_search", hostile.good.serve_search).winner
    assert.is_nil(winner.__index)
    assert.is_nil(winner.candidate.__index)
  end)

  it("changes no later answer, whatever is written into it", function()
    local before = {}
    for _, name in ipairs(hostile.names) do before[name] = shown(name) end
    wrecked(of_questions())
    wrecked(of_prompts())
    for _, name in ipairs(hostile.names) do assert.equal(before[name], shown(name), name) end
  end)
end)
