-- A serving answer as the launch settings of an engine; rows as in emit/serving/rows.lua.
local case = require("ballpark.emit.serving.case")
local errors = require("ballpark.errors")
local parts_of = require("ballpark.emit.serving.parts")
local script = require("ballpark.emit.serving.script")
local tables = require("ballpark.tables")
local versions = require("ballpark.emit.versions")

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
    missing[#missing + 1] = { field = "replicas", value = c.replicas, reason = c.role == nil
      and "this starts one; put a router in front of so many" or "each start is of one" }
  end
  if c.name ~= target.engine then
    missing[#missing + 1] = { field = "engine", value = c.name, reason = "times were estimated for that engine" }
  end
end

-- Settings of one kind of replica: { role, settings, missing, launch }.
local function settings_of(part, target, split)
  local c = tables.with(case.new(part.answer), { role = part.role })
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
  local more = split and target.connect(part.role, c) or {}
  return { role = part.role, settings = table.move(more, 1, #more, #found + 1, found), missing = missing, launch = c }
end

-- What is uncertain of prefill and decode replicas.
local function add_doubts(made, target, link)
  local first, last = made.parts[1].launch, made.parts[2].launch
  local _, connector = target.connect("prefill", first)
  table.insert(made.missing, { field = "connector", reason = connector })
  table.insert(made.missing, { field = "router", reason = target.router_doubt })
  table.insert(made.missing, { field = "link", value = link, reason = "what transfers were estimated with; see what "
    .. "your connector does" })
  if first.plan.tp ~= last.plan.tp or first.plan.pp ~= last.plan.pp then
    table.insert(made.missing, { field = "plan.tp", value = ("%d of prefill, %d of decode"):format(first.plan.tp,
      last.plan.tp), reason = "see that the connector of your version sends between replicas of unequal widths" })
  end
end

-- What is missing of every kind of replica, with its role in front where not all have it.
local function merged(list)
  local missing, seen = {}, {}
  for _, part in ipairs(list) do
    for _, item in ipairs(part.missing) do
      local key = item.field .. tostring(item.value) .. item.reason
      seen[key] = (seen[key] or 0) + 1
    end
  end
  for i, part in ipairs(list) do
    for _, item in ipairs(part.missing) do
      local everywhere = seen[item.field .. tostring(item.value) .. item.reason] == #list
      if not everywhere or i == 1 then
        local role = not everywhere and part.role .. ": " or ""
        missing[#missing + 1] = { field = role .. item.field, value = item.value, reason = item.reason }
      end
    end
  end
  return missing
end

local function check_fits(answer)
  if answer.fits then return end
  errors.infeasible("nothing to launch: " .. (answer.refused or "the model does not fit into memory"))
end

--- What a target makes of an answer: as emit.settings where one kind of replica does all; else parts, one such table
--- with its role for each, and what is missing of all.
function serving.settings(answer, target)
  check_fits(answer)
  local list, made = parts_of.of(answer), {}
  local split = parts_of.are_split(list)
  for i, part in ipairs(list) do made[i] = settings_of(part, target, split) end
  if not made[2] then return made[1] end
  local all = { parts = made, missing = merged(made), split = split }
  if split then
    add_doubts(all, target, answer.link)
  else
    table.insert(all.missing, { field = "routing", reason = "the router in front has to know the length of a request" })
  end
  return all
end

local function expected(c)
  local text = ("Expected: %.4g GiB for the KV cache on a device"):format(c.memory.pool_bytes / (1 << 30))
  if c.steady then
    text = ("%s, %.4g requests/s at most"):format(text, c.steady.capacity_per_s)
    if c.steady.stable == false then return text .. "; the load is above that: more replicas are needed" end
  end
  if not c.seen or c.role == "prefill" then return text end
  return text .. ("; TTFT %.4g s (P90), TPOT %.4g s (P90)"):format(c.seen.ttft.p90_s, c.seen.tpot.p90_s)
end

local function about(c, target)
  local head = ("%s on %d x %s, for %s"):format(c.model.name or "model", c.ranks, c.device.name or "device",
    versions.title(target))
  if c.role then head = ("%s: %d x %s"):format(c.role, c.replicas, head) end
  return head, expected(c)
end

local function header(list, target, lines_missing)
  local lines = {}
  for _, part in ipairs(list) do
    local head, text = about(part.launch, target)
    table.move({ head, text }, 1, 2, #lines + 1, lines)
  end
  if #lines_missing > 0 then lines[#lines + 1] = "Not expressed here, or uncertain:" end
  for _, text in ipairs(lines_missing) do lines[#lines + 1] = "  " .. text end
  return lines
end

--- The text of the launch script.
function serving.write(made, target, missing)
  if not made.parts then
    return script.one(header({ made }, target, missing), target.body(made.settings, made.launch))
  end
  local bodies = {}
  for i, part in ipairs(made.parts) do
    bodies[i] = { role = part.role, body = target.body(part.settings, part.launch, made.split) }
  end
  if made.split then bodies[#bodies + 1] = { role = "router", body = target.router } end
  return script.many(header(made.parts, target, missing), bodies)
end

return serving
