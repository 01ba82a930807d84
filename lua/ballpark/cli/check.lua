-- ballpark check: whether a claim in free words or by options is reasonable.
local fields = require("ballpark.fields")
local options = require("ballpark.cli.options")
local overrides = require("ballpark.scenario.overrides")
local question = require("ballpark.cli.question")
local questions = require("ballpark.questions")
local scenario = require("ballpark.scenario")

local check = {
  summary = "Is this number reasonable? What a claim implies, what is usual, what it contradicts",
  examples = {
    "ballpark check '7B on 1T tokens, 512 A100, 5 days'",
    "ballpark check '150k tokens/s, 7B, 64 H100'",
    "ballpark check '70B in fp8 on 4 H100, batch 1, 10 ms per token'",
    "ballpark check --params 7e9 --tokens 1e12 --device A100 --devices 2000 --mfu 0.17",
  },
  notes = { "Exit code 1 where the claim contradicts itself or the devices." },
}

-- Options without the unit at the end of a fact's name.
local function option_of(name) return (name:gsub("_s$", ""):gsub("_frac$", ""):gsub("_usd$", ""):gsub("_", "-")) end

-- Names that lose nothing else.
local WHOLE <const> = { device_s = "device-time", rate_per_s = "rate", tokens_per_s = "tokens-per-s", tokens_per_s_device = "tokens-per-s-device" }

local function flag_of(name) return WHOLE[name] or option_of(name) end

local function facts() return questions.record("check").facts end

function check.define(command)
  command:argument("claim", "The claim in free words."):args("*")
  for _, fact in ipairs(facts()) do
    command:option("--" .. flag_of(fact[1]), fact[2]:gsub("^%l", string.upper) .. "."):argname("V")
      :target("fact_" .. fact[1])
  end
  command:option("--kind", "training or serving, where the words leave it open."):argname("KIND")
  options.define_overrides(command)
  options.define_output(command)
end

local UNITS_OF_TIME <const> = { s = true, ["device s"] = true }

local function asked(chosen)
  local input = { kind = chosen.kind, text = chosen.claim[1] and table.concat(chosen.claim, " ") or nil }
  for _, fact in ipairs(facts()) do
    local name = fact[1]
    local text = chosen["fact_" .. name]
    if text and fact.type == "string" then
      input[name] = text
    elseif text then
      local flag = flag_of(name)
      local read = UNITS_OF_TIME[fields.unit(name)] and question.time or question.number
      input[name] = read({ [flag:gsub("%-", "_")] = text }, flag)
    end
  end
  return input
end

local function ask(chosen, state)
  return scenario.answer(state, "check", asked(chosen), "this claim")
end

function check.run(chosen)
  options.format(chosen)
  local state = scenario.state(nil, { command = "check", overrides = overrides.parse(chosen.define) })
  return options.emit(question.blamed(chosen, nil, ask, chosen, state), chosen)
end

return check
