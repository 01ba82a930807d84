-- Generations of chips, of devices whose entry does not say: chips of one generation share kernels, so that how well
-- local engines use one says most of another. Data sheets and white papers of the vendors (recalled).
local architectures = {}

-- Beginnings of names, the longest that fits counts.
local NAMES <const> = {
  pascal = { "P100" },
  volta = { "V100" },
  turing = { "T4" },
  ["ampere-hbm"] = { "A100", "A30", "A800" }, -- compute capability 8.0, the others 8.6 and 8.7
  ampere = { "A10", "A10G", "A40", "Jetson-AGX-Orin", "RTX-30", "RTX-A5000", "RTX-A6000" },
  ada = { "L20", "L4", "RTX-4000-Ada", "RTX-40", "RTX-5000-Ada", "RTX-6000-Ada" },
  hopper = { "GH200", "H100", "H20", "H200", "H800" },
  ["blackwell-hbm"] = { "B100", "B200", "B300", "GB200", "GB300", "Jetson-AGX-Thor" }, -- 10.0 and 11.0, the others 12.x
  blackwell = { "GB10", "RTX-50", "RTX-PRO" },
  cdna = { "MI1" },
  cdna2 = { "MI2" },
  cdna3 = { "MI3" }, -- and what followed it
  ["xe-hpc"] = { "Max-" },
}

--- The generation of a device by its name, or nil: not one that local engines run on.
---@param name string
---@return string|nil
function architectures.of(name)
  local longest, found = 0, nil
  for generation, prefixes in pairs(NAMES) do
    for _, prefix in ipairs(prefixes) do
      if #prefix > longest and name:sub(1, #prefix) == prefix then longest, found = #prefix, generation end
    end
  end
  return found
end

return architectures
