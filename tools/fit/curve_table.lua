-- Writes the catalog's table of curves: the fitted numbers, and beside each set how good it is.
local curve_table = {}

local HEADER <const> = [[
-- Curves of kernels and links, fitted to public timings; written by tools/fit/curves.lua, never by hand.
-- Timings: ai-dynamo/aiconfigurator@095f58a51c (Apache-2.0, NVIDIA); efa: stas00/ml-engineering@744d01e18b.
-- points: timings in the set; median,
-- p90: |predicted / measured - 1| of the fit to all of them; held_out_*: the same where every group was
-- predicted by a fit without it. A group is a shape (n, k) of a matmul, (heads, kv_heads) of attention, a
-- number of ranks of a collective (between nodes: a size).
-- Matmul timings whose weights stay in the cache from call to call are met with `cached` on top of w.
]]

local quality_fields = { "points", "median", "p90", "held_out_median", "held_out_p90" }

--- A fitted number as Lua source, with the digits that a fit is worth.
function curve_table.number(value)
  if math.type(value) == "integer" then return tostring(value) end
  return (string.format("%.4g", value):gsub("e([+-])0+", "e%1"):gsub("e%+", "e"))
end

local function entry(result, parameters)
  local parts = {}
  for _, p in ipairs(parameters) do
    parts[#parts + 1] = p.name .. " = " .. curve_table.number(result.values[p.name])
  end
  for name, value in pairs(result.set.constants or {}) do
    parts[#parts + 1] = name .. " = " .. curve_table.number(value)
  end
  table.sort(parts)
  for _, field in ipairs(quality_fields) do
    parts[#parts + 1] = field .. " = " .. curve_table.number(result.quality[field])
  end
  return table.concat(parts, ", ")
end

-- By device, then format.
local function section(name, results)
  local lines = { "  " .. name .. " = {" }
  local device
  for _, result in ipairs(results) do
    if result.set.device ~= device then
      if device then lines[#lines + 1] = "    }," end
      device = result.set.device
      lines[#lines + 1] = string.format("    [%q] = {", device)
    end
    lines[#lines + 1] = string.format("      %s = { %s },", result.set.format,
      entry(result, result.set.parameters))
  end
  if device then lines[#lines + 1] = "    }," end
  lines[#lines + 1] = "  },"
  return table.concat(lines, "\n")
end

local function link_section(results)
  local lines = { "  collective = {" }
  for _, result in ipairs(results) do
    lines[#lines + 1] = string.format("    %s = { from = %q, %s },", result.set.device,
      result.set.format, entry(result, result.set.parameters))
  end
  lines[#lines + 1] = "  },"
  return table.concat(lines, "\n")
end

--- The text of the table from lists of { set, values, quality } for matmuls, attention, collectives.
function curve_table.text(gemm, attention, collective)
  return table.concat({
    HEADER .. "return {", section("gemm", gemm), section("attention", attention),
    link_section(collective), "}", "",
  }, "\n")
end

return curve_table
