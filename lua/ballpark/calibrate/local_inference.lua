-- Fits what local engines reach of devices to measured speeds: factors on the coefficients of every engine and, shared by
-- engines, of every architecture. Each factor is shrunk towards 1 by a prior; where there are no rows it stays there.
local core = require("ballpark.core")
local local_engines = require("ballpark.catalog.local_engines")
local ranges = require("ballpark.range.local_inference")
local resolve = require("ballpark.resolve.local_inference")
local tables = require("ballpark.tables")

local local_inference = {}

-- Standard deviation of the logarithm of a coefficient among engines (assumption: kernels of engines differ by a fifth in
-- how they read, by a factor of two in what they spend on launches and in matmuls).
local ENGINE_SPREAD <const> = {
  stream16 = 0.15, stream8 = 0.2, stream4 = 0.2, stream_plain = 0.2, fused_kv = 0.4, unpack = 0.7, unpack_plain = 0.7, scaling = 0.3, convert = 0.7, stream_kv = 0.7, score = 0.7, gap_s = 0.8,
  host_s = 0.5, split_s = 0.7, token_s = 0.7, hop_s = 0.7, matmul16 = 0.7, matmul8 = 0.7, experts = 0.4, op_j = 0.7, rows0 = 0.5, between = 0.5, attention = 0.7,
  pass_s = 0.7, pipelined = 0.7,
}

-- The same among architectures under one engine; and of processors that launch for a GPU.
local CHIP_SPREAD <const> = { stream = 0.2, matmul = 0.35, energy = 0.35, cache = 0.3, launch = 0.3, vector = 0.5,
  submit = 0.7 }

local NAMES <const> = { "stream16", "stream8", "stream4", "stream_plain", "unpack", "unpack_plain", "scaling", "convert", "stream_kv", "fused_kv", "score", "gap_s", "host_s",
  "split_s", "token_s", "hop_s", "matmul16", "matmul8", "experts", "op_j", "rows0", "between", "attention", "pass_s", "pipelined" }
local PARTS <const> = { "stream", "matmul", "energy", "cache", "launch", "vector" }

-- The architecture of the processor that launches a case's kernels, "" where it is x86 or runs them itself.
local function launcher_of(case)
  local input = case.resolved.input
  local launcher = resolve.launcher(input.device, input.host)
  local architecture = launcher and local_engines.get(case.resolved.key).on ~= "cpu" and launcher.architecture or ""
  return architecture:find("^x86") and "" or architecture
end

-- The parameters that cases need: { group, key, name, spread }.
local function parameters_of(cases)
  local keys, chips, launchers, list = {}, {}, {}, {}
  for _, case in ipairs(cases) do
    keys[case.resolved.key] = true
    chips[case.resolved.architecture or ""] = true
    launchers[launcher_of(case)] = true
  end
  for _, key in ipairs(local_engines.keys()) do
    for _, name in ipairs(keys[key] and NAMES or {}) do
      list[#list + 1] = { group = "engines", key = key, name = name, spread = ENGINE_SPREAD[name] }
    end
  end
  for _, chip in ipairs(tables.sorted_keys(chips)) do
    for _, part in ipairs(PARTS) do
      list[#list + 1] = { group = "architectures", key = chip, name = part, spread = CHIP_SPREAD[part] }
    end
  end
  launchers[""] = nil
  for _, host in ipairs(tables.sorted_keys(launchers)) do
    list[#list + 1] = { group = "architectures", key = host, name = "submit", spread = CHIP_SPREAD.submit }
  end
  return list
end

local function fit_of(parameters, x)
  local fit = { engines = {}, architectures = {} }
  for i, p in ipairs(parameters) do
    local group = fit[p.group]
    group[p.key] = group[p.key] or {}
    group[p.key][p.name] = math.exp(p.spread * x[i])
  end
  return fit
end

-- Cases with the same engine and architecture depend on the same parameters: they are predicted again only when one of
-- those changed.
local function blocks_of(cases, parameters)
  local blocks, by_key = {}, {}
  local rows = 0
  for _, case in ipairs(cases) do
    local key, chip, launcher = case.resolved.key, case.resolved.architecture or "", launcher_of(case)
    local id = table.concat({ key, chip, launcher }, "|")
    local block = by_key[id]
    if not block then
      block = { cases = {}, uses = {} }
      for i, p in ipairs(parameters) do
        local of = p.group == "engines" and key or p.name == "submit" and launcher or chip
        if p.key == of then block.uses[#block.uses + 1] = i end
      end
      by_key[id], blocks[#blocks + 1] = block, block
    end
    block.cases[#block.cases + 1] = { case = case, first = rows }
    rows = rows + #case.metrics
  end
  return blocks, rows
end

--- What a case's kernel says under a fit.
function local_inference.out(case, fit)
  local resolved = case.resolved
  local input = resolved.input
  input.engine = resolve.engine(resolved.key, resolved.architecture, fit, input.flash, resolve.launcher(input.device, input.host))
  input.host_engine = resolve.host_engine(input.host, fit, input.flash)
  return core.local_inference(input)
end

local function block_residuals(block, fit)
  local list = {}
  for _, item in ipairs(block.cases) do
    local out = local_inference.out(item.case, fit)
    for i, metric in ipairs(item.case.metrics) do
      list[#list + 1] = { item.first + i, math.log(metric.measured / metric.predict(out)) }
    end
  end
  return list
end

local function signature(block, x)
  local parts = {}
  for i, j in ipairs(block.uses) do parts[i] = x[j] end
  return table.concat(parts, " ")
end

local function residuals_of(blocks, parameters)
  return function(x)
    local fit, residuals = fit_of(parameters, x), {}
    for _, block in ipairs(blocks) do
      local id = signature(block, x)
      if not (block.known and block.known[id]) then
        if block.base and block.count > 1 then block.known, block.count = { [block.base] = block.known[block.base] }, 1 end
        block.known, block.count = block.known or {}, (block.count or 0) + 1
        block.known[id] = block_residuals(block, fit)
      end
      if block.last == id then block.base = id end
      block.last = id
      for _, pair in ipairs(block.known[id]) do residuals[pair[1]] = pair[2] end
    end
    return residuals
  end
end

-- A device with many rows says no more about others than one with a few: rows count by the root of their number.
local function weights_of(cases)
  local count, weights = {}, {}
  for _, case in ipairs(cases) do
    local id = case.row.device .. "|" .. case.resolved.key
    count[id] = (count[id] or 0) + #case.metrics
  end
  for _, case in ipairs(cases) do
    local n = count[case.row.device .. "|" .. case.resolved.key]
    for _ = 1, #case.metrics do weights[#weights + 1] = math.sqrt(4 / n) end
  end
  return weights
end

--- Where a fit is to start from to begin at another one's factors.
---@param cases table[] of validate.local_case
---@param fit table { engines, architectures }
function local_inference.start_at(cases, fit)
  local at = {}
  for _, p in ipairs(parameters_of(cases)) do
    local factor = (fit[p.group][p.key] or {})[p.name]
    at[p.key .. " " .. p.name] = factor and math.log(factor) / p.spread
  end
  return at
end

--- The fit to cases: { engines, architectures } of factors, and where it is to start from for the next one.
---@param cases table[] of validate.local_case
---@param start table|nil as returned second
---@param iterations integer|nil
function local_inference.fit(cases, start, iterations)
  local parameters = parameters_of(cases)
  local blocks, rows = blocks_of(cases, parameters)
  local x = {}
  for i, p in ipairs(parameters) do x[i] = start and start[p.key .. " " .. p.name] or 0 end
  local weights = weights_of(cases)
  assert(#weights == rows)
  local found = core.least_squares(residuals_of(blocks, parameters), #parameters, weights,
    { iterations = iterations or 16, start = x, least_scale = 0.03 })
  local at = {}
  for i, p in ipairs(parameters) do at[p.key .. " " .. p.name] = found[i] end
  local fit = fit_of(parameters, found)
  fit.seen = local_inference.seen(cases)
  return fit, at
end

--- What a fit to cases has seen: { key = { generation, prompt = { devices, architectures, vendors, kinds } } }, sorted names; a metric that it
--- has not seen under an engine is absent.
function local_inference.seen(cases)
  local seen = {}
  for _, case in ipairs(cases) do
    local resolved = case.resolved
    local metrics = seen[resolved.key] or {}
    seen[resolved.key] = metrics
    for _, measured in ipairs(case.metrics) do
      local names = metrics[measured.metric] or { devices = {}, architectures = {}, vendors = {}, kinds = {} }
      metrics[measured.metric] = names
      names.devices[resolved.input.device.name or ""] = true
      names.architectures[resolved.architecture or ""] = true
      names.vendors[resolved.input.device.vendor or ""] = true
      for _, kind in ipairs(ranges.kinds(resolved.input.model)) do names.kinds[kind] = true end
    end
  end
  for _, metrics in pairs(seen) do
    for _, names in pairs(metrics) do
      for name, set in pairs(names) do names[name] = tables.sorted_keys(set) end
    end
  end
  return seen
end

-- Iterations of a fit that begins at the one to all cases.
local AGAIN <const> = 2

-- Groups by a column; of devices by the catalog's name, which several labels may mean.
local function label_of(case, column)
  return column == "device" and (case.resolved.input.device.name or "") or tostring(case.row[column])
end

--- Predicts each group of cases by the fit to the others: fun(case) -> what the kernel says, what its fit has seen.
---@param cases table[]
---@param start table second value of the fit to all of them
---@param group_of fun(case: table): string
function local_inference.left_out(cases, start, group_of)
  local fits = {}
  return function(case)
    local group = group_of(case)
    if not fits[group] then
      local others = {}
      for _, other in ipairs(cases) do
        if group_of(other) ~= group then others[#others + 1] = other end
      end
      fits[group] = local_inference.fit(others, start, AGAIN)
    end
    return local_inference.out(case, fits[group]), fits[group].seen
  end
end

--- A study for validate.local_inference: each group of cases predicted by the fit to the others.
---@param column string device, family or engine
function local_inference.leave_out(column)
  return function(cases)
    local _, start = local_inference.fit(cases)
    return local_inference.left_out(cases, start, function(case) return label_of(case, column) end)
  end
end

return local_inference
