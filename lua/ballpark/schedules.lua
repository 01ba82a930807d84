-- Pipeline schedules: those that the core knows, by name, with what each is, where its stages lie and what other
-- programs call it; and those that a scenario writes itself, as functions.
local core = require("ballpark.core")
local errors = require("ballpark.errors")

local schedules = {}

--- All of them, in the core's order; the fields are those of core.schedules.
---@type table[]
schedules.all = core.schedules()

local by_name = {}
for _, facts in ipairs(schedules.all) do by_name[facts.name] = facts end

-- A schedule that a scenario writes; its name stands for it in texts.
local Own = {}
Own.__index = Own
function Own.__tostring(own) return own.name end

--- Whether a schedule is one that a scenario wrote, after schedules.taken.
function schedules.is_own(schedule) return getmetatable(schedule) == Own end

--- What is known of a schedule: of a name, or of what schedules.taken made. nil where nothing is.
---@param schedule string|table
---@return table|nil
function schedules.of(schedule) return schedules.is_own(schedule) and schedule or by_name[schedule] end

local NAME <const> = "own schedule"
-- Parts of the model on a device, by where the stages lie; in a loop plan.vpp says it.
local CHUNKS <const> = { loop = 1, v = 2, both_ways = 2 }

local function check_own(given, path)
  errors.only(path, given, { "order", "name", "layout" })
  if type(given.order) ~= "function" then
    errors.input(path .. ".order", "must be a function of device, stages, micro-batches and chunks")
  end
  if given.name ~= nil and (type(given.name) ~= "string" or by_name[given.name] or not given.name:find("^[%w ._-]+$"))
  then
    errors.input(path .. ".name", "must be a text of letters, digits, spaces and . _ - that names no built-in schedule")
  end
  if given.layout ~= nil and not CHUNKS[given.layout] then
    errors.choice(path .. ".layout", tostring(given.layout), { "loop", "v", "both_ways" })
  end
end

--- A schedule as everything behind takes it. A function (device, stages, micro-batches, chunks) that lists the
--- operations of a device, or a table { order = such a function, name =, layout = "loop", "v" or "both_ways" }, becomes
--- a record like those of the core; names stay names.
---@param given any
---@param path string of the input, for errors
function schedules.taken(given, path)
  if type(given) == "function" then given = { order = given } end
  if type(given) ~= "table" or schedules.is_own(given) then return given end
  check_own(given, path)
  local layout = given.layout or "loop"
  return setmetatable({ name = given.name or NAME, about = "a function of the scenario", layout = layout,
    order = given.order, interleaves = layout == "loop", chunks = CHUNKS[layout], least_vpp = 1, pairs = false,
    weight_copies = layout == "both_ways" and 2 or 1 }, Own)
end

--- The operations of every device by a function (device, stages, micro-batches, chunks): what core.pipeline takes as
--- `order`.
---@param path string of the function among the inputs, for errors
function schedules.lists(order, stages, micro_batches, chunks, path)
  local lists = {}
  for device = 0, stages - 1 do
    lists[device + 1] = order(device, stages, micro_batches, chunks)
    if type(lists[device + 1]) ~= "table" then
      errors.input(path, ("gave %s for device %d instead of a list of operations"):format(type(lists[device + 1]),
        device))
    end
  end
  return lists
end

--- Their names in words: "1f1b, gpipe or zb_h1". With `is`, only of those for which it answers yes.
---@param is nil|fun(facts: table): boolean
---@param word? string between the last two, "or" unless given
---@return string
function schedules.names(is, word)
  local names = {}
  for _, facts in ipairs(schedules.all) do
    if not is or is(facts) then names[#names + 1] = facts.name end
  end
  local last = table.remove(names)
  return #names == 0 and last or table.concat(names, ", ") .. " " .. (word or "or") .. " " .. last
end

-- Lower case without spaces, dashes and underscores: programs are named in all these ways.
local function plain(text) return (text:lower():gsub("[^%w]", "")) end

--- The schedule that a program is named after, or nil: "Megatron zero-bubble" runs zb_h1. A name with 1F1B in it
--- does not say whether it interleaves, and counts for nothing.
---@param software string
---@return string|nil
function schedules.named_by(software)
  local name, found = plain(software), nil
  for _, facts in ipairs(schedules.all) do
    for _, word in ipairs(facts.interleaves and {} or { plain(facts.name), facts.software }) do
      if name:find(word, 1, true) and #word > #(found and found.word or "") then
        found = { word = word, name = facts.name }
      end
    end
  end
  return found and found.name
end

return schedules
