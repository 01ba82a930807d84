-- What is known of the objectives of a search beside their names: which way is better, and where an
-- answer of the core carries their value.
local objectives = {}

local MORE_IS_BETTER = { tokens_per_s = true, mfu_frac = true, headroom_bytes = true, fit_probability = true,
  deadline_probability = true }

local PLACES = { step_s = "time", tokens_per_s = "time", mfu_frac = "time", fit_probability = "memory" }

--- What plans can be ordered by, as core/search/objective.h names it.
objectives.names = { "step_s", "tokens_per_s", "mfu_frac", "step_usd", "tok_usd", "step_j", "devices",
  "headroom_bytes", "fit_probability", "deadline_probability" }

-- What they are, in words.
local SAYS = {
  step_s = "time of a step", tokens_per_s = "tokens per second, all devices", mfu_frac = "model FLOP utilization",
  step_usd = "price of a step", tok_usd = "price of a token",
  step_j = "energy of a step: board power of all devices * pue * step_s",
  devices = "fewest devices, then the fastest step: for searches over systems",
  headroom_bytes = "memory of the device that stays free", fit_probability = "chance of fitting into memory",
  deadline_probability = "chance that it fits and the run meets deadline_s; needs job.tokens",
}

--- One line about an objective.
function objectives.says(name) return SAYS[name] end

-- Words people ask for.
local ALIASES = { cost = "step_usd", price = "step_usd", energy = "step_j", mfu = "mfu_frac", memory = "headroom_bytes",
  headroom = "headroom_bytes", time = "step_s", step = "step_s", speed = "tokens_per_s", throughput = "tokens_per_s",
  tokens = "tokens_per_s", cost_per_token = "tok_usd", token_cost = "tok_usd", deadline = "deadline_probability",
  fit = "fit_probability" }

--- The core's names of what was asked for, one or a list; unknown ones stay for the core to refuse.
function objectives.named(given)
  if type(given) ~= "table" then return ALIASES[given or ""] or given end
  local list = {}
  for i, name in ipairs(given) do list[i] = ALIASES[name] or name end
  return list
end

--- The words that stand for an objective, sorted.
function objectives.words(name)
  local list = {}
  for word, stands_for in pairs(ALIASES) do
    if stands_for == name then list[#list + 1] = word end
  end
  table.sort(list)
  return list
end

--- The value of an objective for a plan that the core kept; devices is what system it is of.
function objectives.value(name, kept, devices)
  if name == "devices" then return devices end
  return kept[PLACES[name] or "worth"][name]
end

--- The same, turned so that less is better.
function objectives.rank(name, value) return MORE_IS_BETTER[name] and -value or value end

-- Objectives that a handicap of a plan counts for, as in core/search.
local FOLLOWS_TIME <const> = { step_s = true, tokens_per_s = true, step_usd = true, tok_usd = true, step_j = true }

--- Whether the plans of one system are in the order of their steps.
function objectives.follows_time(name) return FOLLOWS_TIME[name] or name == "mfu_frac" end

--- The step of a plan that the core kept, longer by its handicap.
function objectives.handicapped_step(kept) return kept.time.step_s * (1 + (kept.worth.handicap or 0)) end

--- What plans are ordered by: the rank, worse by the share by which a plan has to be better than a plain one.
function objectives.order(name, kept, devices)
  return objectives.behind(name, kept, objectives.value(name, kept, devices))
end

--- The same of a value that is known, as a score is.
function objectives.behind(name, kept, value)
  local rank = value and objectives.rank(name, value)
  if not rank or not FOLLOWS_TIME[name] then return rank end
  local factor = 1 + (kept.worth.handicap or 0)
  return rank < 0 and rank / factor or rank * factor
end

--- Whether values are quantities, of which a share is meaningful; chances and counts are not.
function objectives.is_measure(name)
  return name ~= "fit_probability" and name ~= "deadline_probability" and name ~= "devices"
end

--- The rule whose score orders the plans in place of the objective; nil where none does.
---@param found table what a search found
---@return string|nil name
function objectives.scoring_rule(found)
  for _, rule in ipairs(found.rules) do
    if rule.scores then return rule.name end
  end
end

return objectives
