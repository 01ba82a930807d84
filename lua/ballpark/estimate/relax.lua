-- Why nothing is feasible, turned round: every constraint is loosened by itself and the search run
-- again; what then is feasible names the constraint and how far it has to give.
local knobs = require("ballpark.estimate.knobs")
local search = require("ballpark.search")

local relax = {}

-- Times the devices that are tried when memory is what is missing.
local MORE_DEVICES = { 2, 4, 8, 16, 32, 64 }

local function sorted_keys(...)
  local set, keys = {}, {}
  for _, t in ipairs({ ... }) do
    for key in pairs(t) do set[key] = true end
  end
  for key in pairs(set) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local function shown(value)
  if type(value) ~= "table" then return tostring(value) end
  local texts = {}
  for i, item in ipairs(value) do texts[i] = tostring(item) end
  return table.concat(texts, ", ")
end

local function line(constraint, now, best, wanted, unit)
  return { constraint = constraint, now = now, needed = wanted, unit = unit or "", plan = best.plan,
    step_s = best.time.step_s }
end

-- The input with one field of the plan left open.
local function freed(input, field)
  local open = knobs.with(input, { "plan", field }, nil)
  open = knobs.with(open, { "space", field }, "free")
  if field == "dp" or field == "shard" then open.space[field] = nil end -- follow from the others
  return open
end

-- A constraint: { name, now, loosen(input) -> input, needed(best) -> text }.
local function field_constraint(field, now)
  return { name = "plan." .. field, now = shown(now), loosen = function(input) return freed(input, field) end,
    needed = function(best) return shown(best.plan[field]) end }
end

local function rule_constraint(place, name)
  return { name = "rule '" .. name .. "'", now = "rejects", needed = function() return "left out" end,
    loosen = function(input)
      return knobs.with(input, { "without_rules" }, knobs.with(input.without_rules or {}, { place }, true))
    end }
end

local function miss_in(tally, reason)
  for _, item in ipairs(tally) do
    if item.reason == reason then return item end
  end
end

-- The rules, then the fields of the plan that are not free.
local function constraints_of(input, found)
  local list, plan, space = {}, input.plan or {}, input.space or {}
  for i, rule in ipairs(found.rules) do
    list[#list + 1] = rule_constraint(i, rule.name)
  end
  for _, field in ipairs(sorted_keys(plan, space)) do
    if space[field] ~= "free" and field ~= "name" then
      local now = plan[field]
      if now == nil then now = space[field] end
      list[#list + 1] = field_constraint(field, now)
    end
  end
  return list
end

local function each(list, input, constraints)
  for _, constraint in ipairs(constraints) do
    local best = knobs.best(constraint.loosen(input))
    if best then list[#list + 1] = line(constraint.name, constraint.now, best, constraint.needed(best)) end
  end
end

-- What is short of the capacity is short of the share of it that must stay free, too.
local function memory(list, input, miss)
  local now = knobs.memory.get(input)
  local bytes = require("ballpark.estimate.needed").memory(input, miss.example)
  local best = bytes and knobs.best(knobs.memory.set(input, bytes))
  if best then list[#list + 1] = line("memory of a device", now, best, bytes, "B") end
end

-- One node has no network to others: those it would get have the NIC the device usually has.
local function connected(input)
  local network, nic = input.cluster.network, input.cluster.device.nic_bytes_s
  if (network.scaleout and network.scaleout.bw_bytes_s or 0) > 0 or not nic then return input end
  return knobs.with(input, { "cluster", "network", "scaleout" }, { bw_bytes_s = nic })
end

local function devices(list, input)
  local path = { "cluster", "network", "devices" }
  input = connected(input)
  for _, times in ipairs(MORE_DEVICES) do
    local count = input.cluster.network.devices * times
    local best = knobs.best(knobs.with(input, path, count))
    if best then
      list[#list + 1] = line("devices", input.cluster.network.devices, best, count)
      return
    end
  end
end

-- Numbers of devices tried on either side when plans do not even divide them: whole nodes, up to half
-- and twice as many.
local COUNTS_TRIED <const> = 128

-- The nearest number of devices in one direction for which there is a plan.
local function near_count(list, input, direction)
  local network = input.cluster.network
  local now, node = network.devices, network.node_size
  local count = direction > 0 and now // node * node + node or (now - 1) // node * node
  for _ = 1, COUNTS_TRIED do
    if count < 1 or count < now / 2 or count > now * 2 then return end
    local best = knobs.best(knobs.with(input, { "cluster", "network", "devices" }, count))
    if best then
      list[#list + 1] = line("devices", now, best, count)
      return
    end
    count = count + direction * node
  end
end

local function chance(list, input, miss)
  local reached = miss.memory and miss.memory.fit_probability
  if not reached or reached < 0.5 or reached >= (input.fit_chance or 0) then return end
  local best = knobs.best(knobs.with(input, { "fit_chance" }, reached))
  if best then list[#list + 1] = line("chance of fitting", input.fit_chance, best, reached, "frac") end
end

-- The next batch that the example's ranks and micro-batches cut up evenly.
local function batch(list, input, miss)
  local example, now = miss.example, input.job.global_batch
  local wave = example.dp * example.micro_batch
  local wanted = (now + wave - 1) // wave * wave
  local best = wanted ~= now and knobs.best(knobs.with(input, { "job", "global_batch" }, wanted))
  if best then list[#list + 1] = line("job.global_batch", now, best, wanted) end
end

--- What would do, each by itself and each tried: { constraint, now, needed, unit, plan, step_s }; where
--- nothing does by itself, what does together, and true.
---@param input table what was searched, complete
---@param found table what the search found: nothing, and a tally of rejections
function relax.search(input, found)
  local list, constraints = {}, constraints_of(input, found)
  local short, uneven = miss_in(found.tally, "memory"), miss_in(found.tally, "batch")
  if short then memory(list, input, short) end
  if short then chance(list, input, short) end
  each(list, input, constraints)
  if short then devices(list, input) end
  if not short and not (input.plan or {}).dp then
    near_count(list, input, -1)
    near_count(list, input, 1)
  end
  if uneven then batch(list, input, uneven) end
  if #list > 0 then return list, false end
  return require("ballpark.estimate.relax_together").rows(input, constraints), true
end

-- What a search varies unless told otherwise; an estimate has a value for each.
local VARIED = { "tp", "pp", "vpp", "cp", "ep", "zero", "recompute", "micro_batch" }

--- The same for one plan that does not fit: every field of it is opened by itself.
---@param input table of the estimate, complete
---@param plan table its plan, resolved
function relax.estimate(input, plan)
  local fixed = {}
  for field, value in pairs(input.plan or {}) do fixed[field] = value end
  for _, field in ipairs(VARIED) do fixed[field] = plan[field] end
  fixed.dp, fixed.shard = nil, nil -- they follow
  local asked = knobs.with(knobs.with(input, { "plan" }, fixed), { "fit_chance" }, 0.5)
  return relax.search(asked, search.run(asked))
end

return relax
