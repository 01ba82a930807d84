-- A card of which only its memory is said, "24GB", "a card of 24 GB": one that people have of that size stands for it.
local device_of_memory = {}

-- Devices by memory, of those that people have one or two of: what a memory alone means.
local BY_MEMORY <const> = { { 8e9, "RTX-4060" }, { 12e9, "RTX-3060-12GB" }, { 16e9, "RTX-4060-Ti-16GB" }, { 24e9, "RTX-4090" }, { 32e9, "RTX-5090" }, { 40e9, "A100-40GB-SXM" }, { 48e9, "L40S" },
  { 80e9, "A100-80GB-SXM" }, { 141e9, "H200-SXM-141GB" }, { 180e9, "B200-SXM-180GB" } }

-- No card has less or more GB.
local LEAST <const>, MOST <const> = 1, 512

-- Words around the memory that say no more.
local AROUND <const> = { "^an?%s+", "^cards?%s+of%s+", "^gpus?%s+of%s+", "[%s%-]+cards?$", "[%s%-]+gpus?$", "[%s%-]+of%s+vram$", "[%s%-]+vram$" }

-- The device of the nearest memory, and the logarithm of how far that is.
local function nearest(bytes)
  local best, least
  for _, row in ipairs(BY_MEMORY) do
    local apart = math.abs(math.log(row[1] / bytes))
    if not least or apart < least then best, least = row[2], apart end
  end
  return best, least
end

--- The device that so much memory means.
---@param bytes number
---@return string name of the catalog
function device_of_memory.name(bytes) return (nearest(bytes)) end

-- Cards of one size have memories that differ by so much ("24 GB" of 24 GiB).
local SAME <const> = 1.08

--- The same where it has that memory; else what a card of so much is called.
---@param bytes number
---@return string
function device_of_memory.label(bytes)
  local name, far = nearest(bytes)
  return far < math.log(SAME) and name or ("%.3gGB"):format(bytes / 1e9)
end

--- The GB of a card of which a label says nothing else; nil of other labels.
---@param label string
---@return number|nil
function device_of_memory.said(label)
  local text = label:lower()
  for _, pattern in ipairs(AROUND) do text = text:gsub(pattern, "") end
  local size = tonumber(text:match("^(%d+%.?%d*)%s*gi?b?$") or text:match("^(%d+)$"))
  return size and size >= LEAST and size <= MOST and size or nil
end

--- The same of a label that may count the cards ("2x 24GB").
---@param label any
---@return number|nil
function device_of_memory.of_count(label)
  return device_of_memory.said((tostring(label):gsub("^%s*%d+%s*[xX]%s*", "")))
end

--- The name that such a card has here.
function device_of_memory.called(size_gb) return ("%gGB-card"):format(size_gb) end

--- What stands for a card of which only the memory was said, as a sentence; nil of others.
---@param device table
---@return string|nil
function device_of_memory.words(device)
  local size = device_of_memory.said(device.name or "")
  return size and ("A card of %g GB: kernels, bandwidth and vendor are those of %s."):format(size, device_of_memory.name(size * 1e9))
end

return device_of_memory
