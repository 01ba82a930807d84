-- A serving answer as the launch settings of an engine; rows as in emit/serving/rows.lua.
local case = require("ballpark.emit.serving.case")
local errors = require("ballpark.errors")

local serving = {}

serving.targets = { "sglang", "trtllm", "vllm" }

local function take(row, field, c, found, missing)
  local value = c[field.group][field.name]
  if row.usual ~= nil and value == row.usual then return end
  local set = row.set and row.set(value, c) or row.name and { { row.name, value } } or {}
  local reason = row.cannot
  if type(reason) == "function" then reason = reason(value, c) end
  table.move(set, 1, #set, #found + 1, found)
  if reason then
    missing[#missing + 1] = { field = field.group .. "." .. field.name, value = value, reason = reason }
  elseif #set == 0 and not (row.implied and row.implied(value, c)) then
    error("no setting and no reason for " .. field.name .. " = " .. tostring(value))
  end
end

-- Settings that come from the load and from the fleet.
local function around(target, c, found, missing)
  if c.longest then
    found[#found + 1] = { target.length, c.longest }
  else
    missing[#missing + 1] = { field = "load.lengths", reason = "they have no longest one: set --" .. target.length }
  end
  if c.replicas > 1 then
    missing[#missing + 1] = { field = "replicas", value = c.replicas,
      reason = "this starts one; put a router in front of so many" }
  end
  if c.beside then
    missing[#missing + 1] = { field = "pattern", value = "disaggregated",
      reason = "this starts the replicas for prompts alone, without their connector, of " .. c.beside }
  end
  if c.name ~= target.engine then
    missing[#missing + 1] = { field = "engine", value = c.name, reason = "times were estimated for that engine" }
  end
end

local function expected(c)
  local steady = c.steady
  local text = ("Expected: %.4g requests/s at most, %.4g GiB for keys and values on a device")
    :format(steady.capacity_per_s, c.memory.pool_bytes / (1 << 30))
  if steady.stable == false then return text .. "; the load is above that: more replicas are needed" end
  if not c.seen then return text end
  return text .. ("; first token %.4g s (P90), %.4g s per token (P90)"):format(c.seen.ttft.p90_s, c.seen.tpot.p90_s)
end

local function header(c, target, lines_missing)
  local lines = { ("%s on %d x %s, for %s"):format(c.model.name or "model", c.ranks, c.device.name or "device",
    target.title), expected(c) }
  if #lines_missing > 0 then lines[#lines + 1] = "Not expressed here:" end
  for _, text in ipairs(lines_missing) do lines[#lines + 1] = "  " .. text end
  return lines
end

--- What a target makes of an answer: settings, missing, case; as emit.settings.
function serving.settings(answer, name)
  local searched = answer.kind == "serving_search"
  if not answer.fits then
    errors.infeasible("nothing to launch: " .. (searched and "no fleet holds the promise"
      or "the model does not fit into memory"))
  end
  if searched then answer = answer.best end
  local target, c = require("ballpark.emit.serving." .. name), case.new(answer)
  local found, missing = target.shape(c)
  for _, field in ipairs(case.fields()) do
    local row = target.rows[field.name]
    if row then
      take(row, field, c, found, missing)
    else
      missing[#missing + 1] = { field = field.group .. "." .. field.name, value = c[field.group][field.name],
        reason = "no setting of " .. target.title .. " is known for it" }
    end
  end
  around(target, c, found, missing)
  return { settings = found, missing = missing, launch = c }
end

--- The text of the launch script.
function serving.write(made, name, missing)
  local target = require("ballpark.emit.serving." .. name)
  return target.write(made.settings, header(made.launch, target, missing), made.launch)
end

return serving
