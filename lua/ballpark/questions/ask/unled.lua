-- What a prompt asks for and the first line of the answer has not in its units: whoever reads that line alone is told so.
local asked = require("ballpark.questions.ask.asked")
local how_many = require("ballpark.questions.ask.how_many")
local mentions = require("ballpark.mentions")

local unled = {}

-- What is asked, words that ask for it, what a line has that answers it, and facts under which the words ask for nothing.
local ROWS <const> = {
  { "energy", { "electricity", "%f[%a]k?wh%f[%A]", "how much energy", "how much power", "power draw", "%f[%a]watts%f[%A]" }, { "%d [kMGT]?Wh", "%d [kMG]?W%f[%A]", "J a token", "USD of electricity", "joule" },
    { "usd_kwh" } },
  { "a time", { "how long does", "how long do ", "how long will", "how long would", "how long to ", "and how long%W*$", ",? how long%W*$", "how many hours to", "how many days", "how many weeks", "how much time" },
    { "%d [mu]?s%f[%W]", "%d min", "%d h%f[%W]", "days", "weeks", "months", "years", "hours" } },
  { "money", { "how much .-cost", "what .-cost", "^%W*cost", "how much money", "how expensive", "cost per", "cost to" }, { "USD", "no price" } },
  { "memory", { "how much v?ram", "how much gpu memory", "how much memory", "memory breakdown", "memory footprint" }, { "%d [kKMGTP]i?B" } },
  { "a speed", { "how fast", "throughput", "toks?/s%f[%A]", "tokens?/s%f[%A]", "tok%a* per sec", "images per sec", "images?/s" }, { "/s%f[%A]", "per s%f[%A]", "a second", "TTFT", "after %d", "a call" },
    { "tokens_per_s", "output_tokens_per_s", "tpot_s", "tokens_per_s_device", "rate_per_s", "rate_per_s_device" } },
  { "a share of the peak", { "utili[sz]ation", "%f[%a]mfu%f[%A]" }, { "%%" }, { "utilization_frac", "memory_frac", "mfu_frac" } },
}

-- "How much does it cost in memory?"
local PAID_IN_MEMORY <const> = { "cost in [%a%- ]*memory", "cost in [%a%- ]*vram", "memory cost" }

local function has_any(given, facts)
  for _, name in ipairs(facts or {}) do
    if given[name] ~= nil then return true end
  end
  return false
end

local function has(line, patterns)
  for _, pattern in ipairs(patterns) do
    if line:find(pattern) then return true end
  end
  return false
end

--- What is asked and not in the line, in words.
---@param text string|nil the prompt
---@param line string|nil the first line of its answer
---@param given table<string, any> facts
---@return string[]
function unled.of(text, line, given)
  local list = {}
  if not (text and line) then return list end
  for _, row in ipairs(ROWS) do
    if not (row[1] == "money" and mentions.any(text, PAID_IN_MEMORY)) and not has_any(given, row[4]) and mentions.any(text, row[2]) and not has(line, row[3]) then list[#list + 1] = row[1] end
  end
  local says_length = given.seq_len or given.context_tok or given.input_tokens
  if asked.is_about("context", text) and not says_length and not line:find("tok of context") then list[#list + 1] = "a context" end
  if how_many.is_asked(text) and not given.devices and not has(line, { "%d x ", "devices?", "replicas?", "hours" }) then list[#list + 1] = "a number of devices" end
  return list
end

--- The same as a row of the head; nil where the line has all of it.
---@param text string|nil
---@param line string|nil
---@param given table<string, any>
---@return table|nil
function unled.row(text, line, given)
  local list = unled.of(text, line, given)
  if not list[1] then return nil end
  return { name = "unled", title = "Asked, too", value = ("%s: not in the answer above; see below, or ask it alone"):format(table.concat(list, ", ")) }
end

return unled
