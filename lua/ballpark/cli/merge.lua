-- ballpark merge: joins the parts of a search that was run as shards, into the answer of one run.
local errors = require("ballpark.errors")
local interrupt = require("ballpark.interrupt")
local options = require("ballpark.cli.options")
local sealed = require("ballpark.sealed")

local merge = {
  summary = "Join the parts that 'ballpark search --shard' wrote",
  examples = {
    "ballpark search scenario.lua --shard 1/2 -o part1.json",
    "ballpark search scenario.lua --shard 2/2 -o part2.json",
    "ballpark merge scenario.lua part1.json part2.json -f csv",
  },
  notes = { "The scenario, and the files of --rules, are named again: nothing that a part names is run." },
}

-- Shards that a message names.
local LISTED <const> = 12

function merge.define(command)
  command:argument("parts", "Files that 'ballpark search --shard I/N -o FILE' wrote, in any order, and the scenario "
    .. "(.lua) that was searched, where there was one."):args("+")
  options.define_rules(command)
  options.define_output(command)
end

-- The words of a command line, as a part holds them.
local function are_words(list)
  if type(list) ~= "table" or list[1] ~= "search" then return false end
  for _, word in ipairs(list) do
    if type(word) ~= "string" then return false end
  end
  return true
end

local function are_searches(list)
  if type(list) ~= "table" or #list == 0 then return false end
  for _, search in ipairs(list) do
    if type(search) ~= "table" or type(search.request) ~= "string" or type(search.state) ~= "table" then return false end
  end
  return true
end

local function read_part(path)
  local part = sealed.read(path, path, "a part of a search")
  local whole = type(part) == "table" and math.type(part.shard) == "integer" and math.type(part.shards) == "integer"
  if not whole or part.kind ~= "search part" or part.shard < 1 or part.shard > part.shards
    or not are_searches(part.searches) or not are_words(part.arguments) then
    errors.usage(path .. ": is not a part of a search")
  end
  part.path = path
  return part
end

-- Whether two parts are of the same searches.
local function is_same(a, b)
  for k, search in ipairs(a.searches) do
    if not b.searches[k] or b.searches[k].request ~= search.request then return false end
  end
  return #a.searches == #b.searches
end

-- Every shard once, and all of the same search.
local function check(parts)
  local first, seen = parts[1], {}
  for _, part in ipairs(parts) do
    if part.shards ~= first.shards or not is_same(part, first) then
      errors.usage(part.path .. ": is of another search than " .. first.path .. ", or of another version of the program")
    end
    if seen[part.shard] then
      errors.usage(part.path .. ": is shard " .. part.shard .. ", as " .. seen[part.shard] .. " is")
    end
    seen[part.shard] = part.path
  end
  local missing = {}
  for shard = 1, math.min(first.shards, #parts + LISTED) do
    if not seen[shard] then missing[#missing + 1] = shard .. "/" .. first.shards end
  end
  if #missing > 0 then
    local more = first.shards - #parts > #missing and ", …" or ""
    errors.usage("shard " .. table.concat(missing, ", ") .. more
      .. " is missing: run it again with --shard and name its file, too")
  end
end

-- Options of the parts' command line that say what was searched; what else it says is of its own run only.
local OF_ONE_RUN <const> = { "shard", "checkpoint", "threads", "emit", "why", "sensitivity", "strict", "units" }

-- The search that the parts are of. Nothing that a part names is run: scenario and rules are those of this command.
local function question(chosen, parts)
  local ok, again = pcall(require("ballpark.cli").parse, parts[1].arguments)
  interrupt.pass_on(again)
  if not ok then errors.usage(parts[1].path .. ": is not a part of a search" ..
    (errors.is(again) and ": " .. again.message or "")) end
  local words = again.scenario and { again.scenario } or {}
  for _, path in ipairs(again.rules or {}) do words[#words + 1] = "--rules " .. path end
  if (again.scenario ~= nil) ~= (chosen.scenario ~= nil) or #(again.rules or {}) ~= #chosen.rules then
    errors.usage(("%s: is of a search of %s; nothing that a part names is run, so name it: ballpark merge %s"):format(
      parts[1].path, #words > 0 and table.concat(words, " ") or "options only, without a scenario or rules",
      #words > 0 and table.concat(words, " ") .. " PARTS" or "PARTS"))
  end
  for _, name in ipairs(OF_ONE_RUN) do again[name] = nil end
  again.scenario, again.rules = chosen.scenario, chosen.rules
  again.format, again.output, again.table, again.strict, again.units = chosen.format, chosen.output, chosen.table,
    chosen.strict, chosen.units
  again.parts = parts
  return again
end

--- The search of the command line that made the parts, with their states instead of its work.
function merge.run(chosen)
  options.format(chosen)
  local parts = {}
  for _, path in ipairs(chosen.parts) do
    if not path:find("%.lua$") then
      parts[#parts + 1] = read_part(path)
    elseif chosen.scenario then
      errors.usage(("%s and %s: parts are of one scenario"):format(chosen.scenario, path))
    else
      chosen.scenario = path
    end
  end
  if not parts[1] then errors.usage("merge needs the parts that 'ballpark search --shard' wrote") end
  check(parts)
  return require("ballpark.cli.search").run(question(chosen, parts))
end

return merge
