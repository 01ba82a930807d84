-- What a launch file says, as the text of a scenario, and what it leaves for its reader to say.
local case = require("ballpark.emit.serving.case")
local engines = require("ballpark.catalog.engines")
local launch = require("ballpark.emit.launch")
local errors = require("ballpark.errors")
local lua_source = require("ballpark.lua_source")
local printable = require("ballpark.printable")
local read_case = require("ballpark.emit.read_case")
local tables = require("ballpark.tables")

local scenario = {}

-- What a request is like stands in no launch file (assumption, as serve's own).
local TOKENS <const> = { input_tokens = 1024, output_tokens = 256 }

-- The same, shortened in proportion where the engine takes no request so long.
local function tokens_of(most)
  local whole = TOKENS.input_tokens + TOKENS.output_tokens
  if not most or most < 2 or most >= whole then return TOKENS end
  local output = math.max(1, TOKENS.output_tokens * most // whole)
  return { input_tokens = most - output, output_tokens = output }
end

-- Fields that are said even where the file is silent about them: what a plan does not say widens the range of its
-- estimate. Not the micro-batch, which a client may choose.
local ALWAYS <const> = tables.set({ "tp", "pp", "dp", "cp", "zero", "precision", "recompute", "optimizer",
  "sequence_parallel", "flash", "overlap_dp", "overlap_tp", "grad_bytes", "rank_order" })

-- Leaves a field to the rules for blanks.
local OPEN <const> = "auto"

-- The fields that differ from what is usual and those that the file states, usual or not: software and engine may have
-- other defaults than the kernel, and blanks are filled by rules.
local function told(group, usual, stated)
  local short = {}
  for name, value in pairs(group) do
    if value ~= OPEN and (stated[name] or value ~= usual[name]) then short[name] = value end
  end
  return short
end

local function training_plan(read)
  local plan = read.plan
  local short = told(plan, read_case.defaults(launch.plan_fields()), tables.with(ALWAYS, read.stated.plan))
  if short.shard == plan.dp * (plan.cp or 1) then short.shard = nil end
  return short
end

local function engine_of(read)
  local engine = read.engine
  local usual = tables.with(read_case.defaults(case.described().engine), engines.get(engine.name))
  return tables.with(told(engine, usual, read.stated.engine), { name = engine.name })
end

local function job_of(job)
  local tokens = job.steps and job.global_batch and job.seq_len and job.steps * job.global_batch * job.seq_len
  return { global_batch = job.global_batch, seq_len = job.seq_len, tokens = tokens }
end

--- Refuses, all at once, what neither the file nor the command says, with what would say it.
---@param read table of from.read
---@param file string
function scenario.check(read, file)
  local lacks = {}
  local function need(value, option) lacks[#lacks + 1] = not value and option or nil end
  need(read.model, "--model llama-3.1-8b")
  need(read.device, "--device H100")
  need(read.devices, "--devices 8")
  if read.kind == "training" then
    need(read.job.seq_len, "--seq-len 4096")
    if not read.job.global_batch then lacks[#lacks + 1] = "the size of the global batch, in the file" end
  end
  if #lacks > 0 then errors.usage(file .. " does not say all; add " .. table.concat(lacks, ", ")) end
end

--- The question and its input: { question, model, cluster, plan, job or engine and load }.
---@param read table of from.read
---@return table
function scenario.input(read)
  local cluster = { device = read.device, devices = read.devices, node_size = read.node_size, fabric = read.fabric }
  local input = { model = read.checkpoint or read.catalog_model or read.model, cluster = cluster }
  if read.kind == "training" then
    return tables.with(input, { question = "estimate", software = read.software,
      plan = training_plan(read),
      job = job_of(read.job) })
  end
  return tables.with(input, { question = "replica",
    plan = told(read.plan, read_case.defaults(case.described().plan), read.stated.plan),
    engine = engine_of(read), load = tokens_of(read.max_model_len),
    max_model_len = read.max_model_len, pool_tokens = read.pool_tokens })
end

local ORDER <const> = { "model", "cluster", "job", "software", "engine", "plan", "load", "max_model_len", "pool_tokens" }

local function value_of(name, value)
  local text = lua_source.of(value):gsub("\n", "\n  ")
  return name == "cluster" and "cluster " .. text or text
end

-- Names of a file stay in the comment that names them, whatever they hold.
local function comment(text) return "-- " .. printable.line(text) end

--- The scenario's text.
---@param read table of from.read
---@param file string
---@return string
function scenario.text(read, file)
  local input = scenario.input(read)
  local lines = { comment(("Read from %s as %s takes it."):format(file, read.title)) }
  if #read.untaken > 0 then
    lines[2] = comment("Not read, though it may matter: " .. table.concat(read.untaken, ", "))
  end
  if #read.unread > 0 then lines[#lines + 1] = comment("Not known here, and not read: " .. table.concat(read.unread, ", ")) end
  if #read.left_open > 0 then
    lines[#lines + 1] = comment("Left open, as without them: " .. table.concat(read.left_open, ", ")
      .. ". The file sets no such variable.")
  end
  if read.kind == "serving" then lines[#lines + 1] = comment("Assumed: the lengths of a request, in load.") end
  lines[#lines + 1] = ("show(%s {"):format(input.question)
  for _, name in ipairs(ORDER) do
    local value = input[name]
    if type(value) == "table" then
      lines[#lines + 1] = ("  %s = %s,"):format(name, value_of(name, value))
    elseif value ~= nil then
      lines[#lines + 1] = ("  %s = %s,"):format(name, type(value) == "string" and ("%q"):format(value) or tostring(value))
    end
  end
  lines[#lines + 1] = "})"
  return table.concat(lines, "\n") .. "\n"
end

return scenario
