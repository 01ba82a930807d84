-- The range of a speed of local inference: what measured speeds were over predicted ones, by how near the fit has come to
-- the device: it saw the device under the engine, another one of its architecture, only the engine, or nothing.
local fitted = require("ballpark.catalog.fitted.local")
local law = require("ballpark.range.law")
local log_widths = require("ballpark.range.log_widths")
local range = require("ballpark.range")
local tables = require("ballpark.tables")

local local_inference = {}

-- An engine without rows has the coefficients of kernels that are written well: within a factor of 1.6 (assumption).
local UNSEEN_ENGINE <const> = math.log(1.6)

local WHY <const> = {
  architecture = "the device is not among those measured, others of its architecture are",
  engine = "no device of the architecture is among those measured under this engine",
  nothing = "nobody measured this engine for us",
}

--- How near the fit has come: device, architecture, engine or nothing.
---@param about {key: string, device: string, architecture: string|nil}
---@param seen table|nil { key = { devices, architectures } }, of the catalog's fit unless given
function local_inference.nearness(about, seen)
  local of_engine = (seen or fitted.seen)[about.key]
  if not of_engine then return "nothing" end
  if tables.contains(of_engine.devices, about.device) then return "device" end
  return about.architecture and tables.contains(of_engine.architectures, about.architecture) and "architecture" or "engine"
end

--- The range of a speed as factors on it.
---@param metric string prompt or generation
---@param about table as of nearness
---@param seen table|nil as of nearness
---@return ballpark.range
function local_inference.of(metric, about, seen)
  local near = local_inference.nearness(about, seen)
  local width = fitted.widths[metric][near == "nothing" and "engine" or near]
  if near == "nothing" then width = log_widths.together(width, UNSEEN_ENGINE) end
  return law.factor({ width, width }, {}, WHY[near] and { range.beyond(WHY[near]) } or nil)
end

return local_inference
