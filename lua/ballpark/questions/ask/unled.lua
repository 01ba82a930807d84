-- What a prompt asks for and the first line of the answer has not in its units: it is put in front of it where the report
-- has it, or it follows from what the report has; whoever reads that line alone is told of the rest.
local asked = require("ballpark.questions.ask.asked")
local how_many = require("ballpark.questions.ask.how_many")
local led = require("ballpark.questions.ask.led")
local mentions = require("ballpark.mentions")
local wanted = require("ballpark.questions.ask.wanted")

local unled = {}

-- What is asked beside the quantities of wanted.lua and not in the line, in words.
local function others(text, line, given)
  local list = {}
  local says_length = given.seq_len or given.context_tok or given.input_tokens
  if asked.is_about("context", text) and not says_length and not line:find("tok of context") then list[#list + 1] = "a context" end
  if how_many.is_asked(text) and not given.devices and not mentions.found(line, { "%d x ", "devices?", "replicas?", "hours" }) then list[#list + 1] = "a number of devices" end
  return list
end

-- The fact of a name in the head of a result's blocks.
local function item_of(r, first, name)
  for i = first, #r.blocks do
    for at, item in ipairs(r.blocks[i].items or {}) do
      if item.name == name then return item, r.blocks[i].items, at end
    end
  end
end

--- Completes the first line of an answer whose blocks stand in a result from `first` on.
---@param r ballpark.result
---@param first integer
---@param text string|nil the prompt
---@param given table<string, any> facts
---@param known table all facts, with what was proposed
---@param fits boolean|nil of an answer about memory: whether it is held
function unled.complete(r, first, text, given, known, fits)
  local headline, items, at = item_of(r, first, "headline")
  if not text or not headline or headline.value == "" then return end
  local line, missing = headline.value, {}
  for _, row in ipairs(wanted.of(text, given)) do
    local said = not wanted.is_in(row, line) and led.of(r, first, row.name, known)
    if said then
      line = ("%s; %s"):format(said, line)
    elseif not wanted.is_in(row, line) then
      missing[#missing + 1] = row.title
    end
  end
  if fits and wanted.is_verdict(text) and not line:find("%f[%a]fits?%f[%A]") and not line:find("SLO", 1, true) then line = "it fits: " .. line end
  headline.value = line
  table.move(others(text, line, given), 1, 2, #missing + 1, missing)
  if not missing[1] then return end
  local item = getmetatable(headline) and setmetatable({}, getmetatable(headline)) or {}
  for key, value in pairs(headline) do item[key] = value end
  item.name, item.title = "unled", "Asked, too"
  item.value = ("%s: not in the answer above; see below, or ask it alone"):format(table.concat(missing, ", "))
  table.insert(items, at + 1, item)
end

return unled
