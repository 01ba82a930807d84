-- "How many 4090s to run a 70B?": the fewest devices that surely hold what is asked about.
local catalog = require("ballpark.catalog")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local fewest = require("ballpark.questions.fit.fewest")
local mentions = require("ballpark.mentions")
local resolve = require("ballpark.resolve.fit")
local tables = require("ballpark.tables")
local vocabulary = require("ballpark.questions.said.vocabulary")

local how_many = {}

--- The fact that their number is asked.
how_many.row = { "how_many", "Is it asked how many devices?", type = "string", title = "How many devices" }

-- Words between "how many" and the devices: "how many 80 GB H100 cards".
local MOST_BETWEEN <const> = 4

local PLURALS <const> = tables.set({ "gpus", "cards", "devices", "accelerators", "tpus", "macs", "nodes", "machines",
  "servers", "boxes" })

local function is_device(word, last)
  if vocabulary.NOUNS[word] then return PLURALS[word] end
  local joined = last and last .. "-" .. word or word
  return devices.resolve(joined) or devices.resolve((joined:gsub("s$", ""))) or word:find("%d") and (devices.resolve(word)
    or devices.resolve((word:gsub("s$", ""))))
end

-- Words that ask for the number without "how many".
local COUNTS <const> = { "gpu count", "%f[%a]gpus needed", "%f[%a]gpus required", "%f[%a]gpus do [%a]+ need", "%f[%a]gpus would [%a]+ need", "count of gpus" }

--- Whether a text asks how many devices: "how many H100s", "how many RTX 4090 cards"; not "how many GPU hours".
---@param text string|nil
function how_many.is_asked(text)
  local lower = (text or ""):lower()
  if mentions.any(lower, COUNTS) then return true end
  local behind = lower:match("how many%s+(.*)") or lower:match("number of%s+(.*)")
  if not behind then return false end
  local last, seen = nil, 0
  for word, stop in behind:gmatch("([%w%-%.]+)([^%w%-%.]*)") do
    word = word:gsub("%.$", "")
    seen = seen + 1
    if is_device(word, last) then return not behind:find("^.-" .. word:gsub("%p", "%%%0") .. "[%s%-]+hours?%f[%A]") end
    if seen > MOST_BETWEEN or stop:find("[,;?]") then return false end
    last = word
  end
  return false
end

--- The facts given, with this one where it is asked and nobody says the number.
function how_many.given(given, text)
  if given.devices or not how_many.is_asked(text) then return given end
  return tables.with(given, { how_many = "asked" })
end

-- Whether a text names a device in the plural, and no number of it: "on H100s".
local function is_plural(text)
  for word in (text or ""):lower():gmatch("[%w%-%.]+") do
    local single = word:match("^(.*%d.*)s$")
    -- An L40S is a card of its own, and no L40s.
    local meant, whole = single and devices.resolve(single), devices.resolve(word)
    if meant and (whole == nil or whole == meant) then return true end
  end
  return false
end

--- The same where devices are named in the plural: "fine-tune a 70B on H100s".
function how_many.open(given, text)
  if not given.devices and given.device and is_plural(text) then return tables.with(given, { how_many = "asked" }) end
  return how_many.given(given, text)
end

--- The fewest of a device that surely hold what an input of fit{} asks about; nil where none of those tried do.
---@param input table
---@param device string
---@param most integer|nil all that are tried
---@return integer|nil
function how_many.fewest(input, device, most)
  return (errors.try(function()
    return fewest.of(tables.with(resolve.setup(input), { device = catalog.device(device) }), 0, most)
  end))
end

--- The row of how many devices there are: where that is asked, the fewest that hold what input_of(f) asks of fit{}; else as
--- many as nobody says.
---@param input_of fun(f: table): table|nil nil where it says too little
---@param unsaid integer|nil
---@return table
function how_many.devices(input_of, unsaid)
  return { "devices", "How many devices?", unit = "", type = "integer", title = "Devices", propose = function(f)
    local input = f.how_many and f.device and input_of(f)
    local count = input and how_many.fewest(input, f.device)
    if count then return count, "the fewest that hold it with 90 % chance" end
    if unsaid then return unsaid, "one unless more are said" end
  end }
end

return how_many
