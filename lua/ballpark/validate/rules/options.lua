-- What the software did: fused attention, sequence parallelism, overlap, interleaving.

local function flash(case)
  local stated = case.row.flash
  case.plan.flash = stated
  if stated ~= nil then return nil end
  case.plan.flash = case.year >= (case.traits.flash or 2023)
  return case.plan.flash and "fused attention" or "unfused attention"
end

local function since(case, trait)
  local first = case.traits[trait]
  return first ~= nil and case.year >= first
end

local function sequence_parallel(case)
  local plan = case.plan
  plan.sequence_parallel = case.row.sequence_parallel
  local said
  if plan.sequence_parallel == nil then
    plan.sequence_parallel = plan.tp > 1 and since(case, "sequence_parallel")
    said = plan.tp > 1 and (plan.sequence_parallel and "sequence parallelism" or "no sequence parallelism")
  end
  plan.overlap_tp = plan.tp > 1 and plan.sequence_parallel and since(case, "overlap_tp")
  return said or nil
end

local function overlap_dp(case)
  case.plan.overlap_dp = since(case, "overlap_dp")
  return nil
end

-- Schedules that frameworks are named after.
local named_schedules = {
  { "zero.?bubble", "zb_h1" }, { "zb%-?h2", "zb_h2" }, { "zb%-?h1", "zb_h1" }, { "zbv", "zbv" },
  { "dualpipe", "dualpipe" }, { "gpipe", "gpipe" },
}

-- "ZB-H1" is zb_h1.
local function spelled(text) return (text:lower():gsub("[%s%-]+", "_")) end

local function named_schedule(case)
  if case.row.schedule then return spelled(case.row.schedule) end
  local framework = (case.row.framework or ""):lower()
  for _, schedule in ipairs(named_schedules) do
    if framework:find(schedule[1]) then return schedule[2] end
  end
  return nil
end

local function micro_batches(case)
  local plan = case.plan
  return case.job.global_batch // (plan.dp * plan.micro_batch)
end

-- Virtual stages as written: a number, or "max" for one layer per chunk.
local function stated_stages(case)
  local text = case.row.vpp
  if not text then return nil end
  local stages = math.tointeger(tonumber(text))
  if stages and stages >= 1 then return stages end
  if text:lower():find("^max") then return -(-case.model.layers // case.plan.pp) end
  return nil
end

-- Bubble that people accept before they interleave (more).
local BUBBLE <const> = 0.05

-- The fewest virtual stages, of those that cut a stage's layers evenly, that leave a small bubble.
local function usual_stages(case)
  local plan, count = case.plan, micro_batches(case)
  if not since(case, "interleaves") or count % plan.pp ~= 0 then return 1 end
  local layers = -(-case.model.layers // plan.pp)
  local best = 1
  for stages = 1, layers do
    if layers % stages == 0 and stages * plan.pp <= case.model.layers + 2 then
      best = stages
      if plan.pp - 1 <= BUBBLE * count * stages then break end
    end
  end
  return best
end

local function schedule(case)
  local plan = case.plan
  local stages, named = stated_stages(case), named_schedule(case)
  plan.vpp, plan.schedule = stages or 1, "1f1b"
  if plan.pp == 1 then
    plan.vpp = 1
    return stages and stages > 1 and "no virtual stages without a pipeline" or nil
  end
  if named and (not stages or (case.row.schedule and named ~= "1f1b")) then
    plan.schedule = named
    return not case.row.schedule and "schedule " .. named or nil
  end
  if not stages then
    plan.vpp = usual_stages(case)
    return "vpp " .. plan.vpp
  end
  return nil
end

return {
  { column = "flash", says = "blank: fused from 2023 on, in the class megatron from 2024 on", apply = flash },
  { column = "sequence_parallel", apply = sequence_parallel,
    says = "blank: on with tp > 1 where the class has it, from 2023 on; tensor-parallel traffic then "
      .. "overlaps matmuls in the class megatron" },
  { column = "zero", apply = overlap_dp,
    says = "data-parallel traffic runs under compute from the year on in which the class began to" },
  { column = "vpp", apply = schedule,
    says = "blank: where the class interleaves, from 2021 on, and micro-batches are a multiple of pp, the "
      .. "fewest that cut a stage's layers evenly and leave a bubble of at most 5 %; else 1; "
      .. "a framework named after a schedule (zero bubble) runs it where vpp and schedule are blank" },
}
