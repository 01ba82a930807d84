-- Profiles as files: a Lua table of coefficients, written by `ballpark calibrate` or by hand.
local calibration = require("ballpark.resolve.training.calibration")
local errors = require("ballpark.errors")
local fields = require("ballpark.fields")
local files = require("ballpark.files")
local lua_source = require("ballpark.lua_source")
local printable = require("ballpark.printable")
local tables = require("ballpark.tables")

local profile_file = {}

--- The Lua source of a profile.
function profile_file.source(profile)
  return "-- Coefficients of training software, " .. printable.line(profile.source)
    .. "; for --profile and profile(\"...\").\nreturn " .. lua_source.of(profile, 6) .. "\n"
end

-- What profiles said by numbers and flags before behaviours had names. What all classes had in
-- common (exposed_cp, overlap_fsdp, expert_rows) is a constant of the kernels now.
local FORMERLY = {
  split_sends = function(profile, value) profile.sends = value and "split" or "whole" end,
  separate_sums = function(profile, value) profile.gradient_sum = value and "separate" or "fused" end,
  tp_beside_weights = function(profile, value) profile.tp_backward = value and "beside_weights" or "waits" end,
  merged_copies = function(profile, value) profile.expert_copies = value and "merged" or "each" end,
  cast_weights = function(profile, value) profile.narrow_weights = value and "cast" or "kept" end,
  overlap_replicas = function(profile, value) profile.replica_sum = value and "beside_backward" or "after" end,
  overlap_weights = function(profile, share)
    if share == 0 then profile.weight_gather = profile.weight_gather or "step_end" end
  end,
  weight_gathers = function(profile, count) if count > 0 then profile.weight_gather = "by_tensor" end end,
  layer_gathers = function(profile, count) profile.layer_gather = count > 1 and "by_parameter" or "whole" end,
  bucket_params = function(profile, count) profile.buckets = count > 0 and "ddp" or "one" end,
  expert_start_s = function(profile, time) profile.launches = time > 0 and "eager" or "compiled" end,
  exposed_cp = function() end, overlap_fsdp = function() end, expert_rows = function() end,
}

local function renamed(profile, path)
  local result = {}
  for name, value in pairs(profile) do
    if not FORMERLY[name] then result[name] = value end
  end
  for _, name in ipairs(tables.sorted_keys(FORMERLY)) do
    if profile[name] ~= nil and not errors.attempt(FORMERLY[name], result, profile[name]) then
      errors.input(path, name .. ": must be a number, got " .. type(profile[name]))
    end
  end
  return result
end

local function check(profile, path)
  if type(profile) ~= "table" then errors.input(path, "must return a table of coefficients") end
  fields.check_all_digits(path .. ": profile", profile)
  profile = renamed(profile, path)
  calibration.check(profile, path)
  local names = {}
  for i, field in ipairs(fields.input("train_step", "profile")) do names[i] = field.name end
  errors.only(path .. ": profile", profile, names)
  return profile
end

--- Whether a profile is named by a file rather than by the catalog.
function profile_file.is_path(name) return type(name) == "string" and name:find("%.lua$") ~= nil end

--- The profile in a file: Lua's way to write a table, read as data.
function profile_file.read(path) return check(lua_source.read(files.read(path), path), path) end

return profile_file
