-- Budgets of projects by the month: what their jobs need, and what a guardrail would have refused.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local projects = {}

local MONTH_S <const>, HOUR_S <const> = units.months(1), units.hours(1)

local FIELDS <const> = { "name", "budget_device_hours", "budget_device_s", "budget_usd", "spent_device_hours" }

local function budget_of(path, project, usd_h)
  errors.either(path, project, "budget_device_hours", "budget_device_s", "budget_usd")
  if project.budget_device_s ~= nil then return errors.number(path .. ".budget_device_s", project.budget_device_s, 0) end
  if project.budget_usd ~= nil then
    if not usd_h then errors.input(path .. ".budget_usd", "needs a price: give price or device") end
    return errors.number(path .. ".budget_usd", project.budget_usd, 0) / usd_h * HOUR_S
  end
  return HOUR_S * errors.number(path .. ".budget_device_hours", project.budget_device_hours, 0)
end

local function read(list, usd_h)
  local made, by_name = {}, {}
  for i, project in ipairs(list or {}) do
    local path = ("projects[%d]"):format(i)
    errors.named(path, project, FIELDS)
    if type(project.name) ~= "string" then errors.input(path .. ".name", "must be the name of a project") end
    if by_name[project.name] then errors.input(path .. ".name", ("'%s' has a budget already: give one"):format(project.name)) end
    made[i] = { name = project.name, budget_device_s = budget_of(path, project, usd_h), need_device_s = 0, refused = 0,
      refused_device_s = 0, jobs = 0, spent_device_s = HOUR_S * errors.number(path .. ".spent_device_hours", project.spent_device_hours or 0, 0) }
    by_name[project.name] = made[i]
  end
  return made, by_name
end

-- Of jobs that come evenly, those of the rest of the month once the budget is used up.
local function of_classes(by_name, classes)
  for _, class in ipairs(classes) do
    local project = by_name[class.project or class.name]
    if project then
      local jobs = class.rate_per_s * MONTH_S
      project.jobs = project.jobs + jobs
      project.need_device_s = project.need_device_s + jobs * class.duration_s * (class.devices or 1)
    end
  end
end

local function share_refused(project)
  local left = math.max(0, project.budget_device_s - project.spent_device_s)
  local over = math.max(0, project.need_device_s - left)
  project.refused_device_s = over
  project.refused = project.need_device_s > 0 and project.jobs * over / project.need_device_s or 0
  project.lasts_s = over > 0 and MONTH_S * left / project.need_device_s or nil
end

-- Jobs of a trace in their order: one that would break the budget of its month is refused, smaller ones still go.
local function of_trace(by_name, trace)
  local first = trace[1].submit
  for _, job in ipairs(trace) do
    local project = by_name[job.class]
    if project then
      local month = (job.submit - first) // MONTH_S
      if project.month ~= month then project.month, project.used_s = month, month == 0 and project.spent_device_s or 0 end
      local request = job.devices * (job.ends - job.start)
      local guard = core.guardrail({ budget_device_s = project.budget_device_s, spent_device_s = project.used_s,
        request_device_s = request })
      project.jobs, project.need_device_s = project.jobs + 1, project.need_device_s + request
      if guard.allowed then
        project.used_s = project.used_s + request
      else
        project.refused, project.refused_device_s = project.refused + 1, project.refused_device_s + request
        project.lasts_s = project.lasts_s or job.submit - first
      end
    end
  end
end

-- A month of sweeps is asked for whole, before it runs, beside the project's jobs of a month and what is spent. Ways to
-- do one sweep are each judged by itself; of sweeps that are all done the earlier ones are spent, too.
local function guard_sweeps(by_name, sweeps)
  for _, sweep in ipairs(sweeps) do
    local project = by_name[sweep.project]
    if sweep.project and next(by_name) and not project then
      errors.choice(sweep.path .. ".project", tostring(sweep.project), tables.sorted_keys(by_name))
    end
    if project then
      project.swept = true
      local spent = project.spent_device_s + project.month_device_s + (project.swept_device_s or 0)
      local guard = core.guardrail({ budget_device_s = project.budget_device_s, spent_device_s = math.min(1e15, spent),
        request_device_s = sweep.month_device_s })
      sweep.allowed, sweep.over_device_s, sweep.fits_frac = guard.allowed, guard.over_device_s, guard.scale_frac
      sweep.jobs_device_s = project.month_device_s
      if guard.allowed and not sweep.one_of_several then
        project.swept_device_s = (project.swept_device_s or 0) + sweep.month_device_s
      end
    end
  end
end

-- What a project's jobs take a month: of a log that is longer than one, in the mean.
local function add_months(made, trace)
  local latest = 0
  for _, job in ipairs(trace or {}) do latest = math.max(latest, job.ends) end
  local months = trace and math.max(1, (latest - trace[1].submit) / MONTH_S) or 1
  for _, project in ipairs(made) do project.month_device_s = project.need_device_s / months end
end

-- Whether no way of doing a sweep keeps its budget.
local function no_way(sweeps, path)
  for _, sweep in ipairs(sweeps) do
    if sweep.path == path and sweep.allowed ~= false then return false end
  end
  return true
end

--- What budgets of projects refuse, a sentence each: jobs of a project, and sweeps that no method brings below its budget.
---@param rows table[] of projects.rows
---@param sweeps table[] the same that these were guarded by
---@return string[]
function projects.refusals(rows, sweeps)
  local list, said = {}, {}
  for _, project in ipairs(rows) do
    if project.refused > 0 then
      list[#list + 1] = ("the budget of %s, %s a month, refuses %s of %s jobs"):format(project.name,
        units.format(project.budget_device_s, "device s"), units.number(project.refused, 0), units.number(project.jobs, 0))
    end
  end
  for _, sweep in ipairs(sweeps) do
    if sweep.allowed == false and not said[sweep.path] and no_way(sweeps, sweep.path) then
      said[sweep.path] = true
      list[#list + 1] = projects.refusal(sweep)
    end
  end
  return list
end

--- Why a sweep is refused.
---@param sweep table
---@return string
function projects.refusal(sweep)
  return ("%s%s would break the budget of %s by %s%s; %s of it fits"):format(sweep.name,
    sweep.per_day and ", a month of them," or "", sweep.project, units.format(sweep.over_device_s, "device s"),
    sweep.jobs_device_s > 0 and (", with %s of its jobs a month"):format(units.format(sweep.jobs_device_s, "device s")) or "",
    units.format(sweep.fits_frac, "frac"))
end

--- Rows { name, budget_device_s, need_device_s (a month of classes, all of a trace), jobs, refused, refused_device_s,
--- month_device_s, lasts_s (until the first is refused) }; sweeps get allowed, over_device_s, fits_frac and jobs_device_s.
function projects.rows(list, classes, trace, sweeps, usd_h)
  local made, by_name = read(list, usd_h)
  if trace then
    of_trace(by_name, trace)
  else
    of_classes(by_name, classes)
    for _, project in ipairs(made) do share_refused(project) end
  end
  add_months(made, trace)
  guard_sweeps(by_name, sweeps)
  return made
end

return projects
