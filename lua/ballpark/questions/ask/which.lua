-- Prompts that ask which device, and name none: what says so, and the devices that are then compared.
local which = {}

--- Devices of data centres that people commonly rent (assumption); each has a price in the catalog.
which.RENTED = { "L4", "L40S", "A100-80GB", "H100", "H200", "B200", "MI300X" }

--- The same in words.
which.LISTED = table.concat(which.RENTED, ", ")

-- Words that ask for a device out of all there are.
local WORDS <const> = { "%f[%a]which%s+gpus?", "%f[%a]what%s+gpus?", "%f[%a]which%s+cards?", "%f[%a]what%s+cards?", "%f[%a]which%s+graphics",
  "%f[%a]what%s+graphics", "%f[%a]which%s+devices?", "%f[%a]what%s+hardware", "%f[%a]which%s+hardware", "%f[%a]best%s+gpus?",
  "cheapest%s+gpus?", "cheapest%s+cards?", "cheapest%s+graphics", "cheapest%s+devices?", "cheapest%s+accelerators?", "cheapest%s+hardware",
  "cheapest%s+[%w]+%s+gpus?", "least%s+expensive%s+gpus?", "^%W*gpus? for%f[%A]", "^%W*cards? for%f[%A]", "^%W*hardware for%f[%A]" }

--- The words of a text that ask for a device out of all there are; nil where none do.
---@param text string|nil
---@return string|nil
function which.asked(text)
  local lower = (text or ""):lower()
  for _, pattern in ipairs(WORDS) do
    local words = lower:match(pattern)
    if words then return words end
  end
end

--- The fact that it is asked, of kinds that then compare devices.
which.fact = { "which", "Is it asked which device?", type = "string", title = "Which device" }

return which
