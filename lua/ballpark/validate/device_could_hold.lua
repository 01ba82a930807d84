-- Whether the device's memory could have held what the row states, whatever its blank cells were.
local errors = require("ballpark.errors")
local units = require("ballpark.units")

local device_could_hold = {}

-- Share of the memory beyond which it is clearly not enough: nine estimates of memory in ten are less than 1.2 times
-- too high, and weights are as exact as the shape, which is read off names.
local CLEAR <const> = 1.25

-- A label without a size may be the variant with twice the memory: A100 of 40 or 80 GB, V100 of 16 or 32 GB.
local VARIANTS <const> = 2

-- Whether the device is called by another name than the catalog's.
local function labelled_otherwise(case)
  return (case.row.gpu or ""):lower() ~= (case.device.name or ""):lower()
end

-- Whether the weights can be cut no further than the plan says: tensor and pipeline ranks stated or what is left of
-- the devices, experts dealt as stated, and no ZeRO-3, which shards weights and may keep them on the host.
local function cut_as_stated(case)
  local row, plan = case.row, case.plan
  if not (row.dp or row.tp and row.pp) then return false end
  if (case.model.experts or 0) > 0 and not row.ep then return false end
  return plan.zero < 3 and not (case.zero_open and plan.dp * plan.cp > 1)
end

-- Share of the estimated weights that is left by the narrowest formats and the finest cut of each expert that the
-- row may mean: 8-bit weights, a 4-bit base under adapters, experts cut by tensor parallelism.
local function least_share(case)
  local row, plan, share = case.row, case.plan, 1
  if (plan.lora_rank or 0) > 0 then share = row.base_bits and 1 or 1 / 4
  elseif not row.precision then share = 1 / 2 end
  return (case.model.experts or 0) > 0 and not row.etp and share / plan.tp or share
end

local function gib(bytes) return ("%.4g GiB"):format(bytes / units.GiB(1)) end

local function refuse(case, bytes, capacity)
  local text = ("weights alone take at least %s of %s"):format(gib(bytes), gib(capacity))
  local experts = case.model.experts or 0
  if experts <= case.plan.ep then errors.input("memory", text) end
  local ranks = case.plan.ep == 1 and "1 rank" or case.plan.ep .. " ranks"
  errors.input("experts", ("%d on %s, %s"):format(experts, ranks, text))
end

--- Raises an error of the row where weights that as stated, and in the narrowest format that blank cells may mean, take
--- clearly more than the device's memory; says so where the estimate of all memory is as far over.
---@param case table of ballpark.validate.training_case, with row and input
function device_could_hold.check(case)
  local memory = case.estimate(case.input).memory
  local capacity = memory.capacity_bytes
  local most = CLEAR * capacity * (labelled_otherwise(case) and VARIANTS or 1)
  local least = least_share(case) * memory.weights_bytes
  if cut_as_stated(case) and least > most then refuse(case, least, capacity) end
  if case.row.recompute and memory.total_bytes > CLEAR * capacity then
    case.assumed[#case.assumed + 1] = ("that memory held it: %s of %s are estimated"):format(
      gib(memory.total_bytes), gib(capacity))
  end
end

--- Whether the row itself states more memory than the device has: computed, then, and not of a run.
---@param case table of ballpark.validate.training_case
---@return boolean
function device_could_hold.states_more(case)
  return (case.row.peak_mem or 0) * units.GiB(1) > case.device.memory_bytes
end

return device_could_hold
