-- ballpark merge: joins the parts of a search that was run as shards, into the answer of one run.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")
local options = require("ballpark.cli.options")

local merge = {
  summary = "Join the parts that 'ballpark search --shard' wrote",
  examples = {
    "ballpark search scenario.lua --shard 1/2 -o part1.json",
    "ballpark search scenario.lua --shard 2/2 -o part2.json",
    "ballpark merge part1.json part2.json -f csv",
  },
}

function merge.define(command)
  command:argument("parts", "Files that 'ballpark search --shard I/N -o FILE' wrote, in any order."):args("+")
  options.define_output(command)
end

local function read_part(path)
  local part = json.decode(files.read(path), path)
  if type(part) ~= "table" or part.kind ~= "search part" or type(part.searches) ~= "table" then
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
      errors.usage(part.path .. ": is of another search than " .. first.path)
    end
    if seen[part.shard] then
      errors.usage(part.path .. ": is shard " .. part.shard .. ", as " .. seen[part.shard] .. " is")
    end
    seen[part.shard] = part.path
  end
  local missing = {}
  for shard = 1, first.shards do
    if not seen[shard] then missing[#missing + 1] = shard .. "/" .. first.shards end
  end
  if #missing > 0 then
    errors.usage("shard " .. table.concat(missing, ", ")
      .. " is missing: run it again with --shard and name its file, too")
  end
end

--- The search of the command line that made the parts, with their states instead of its work.
function merge.run(chosen)
  options.format(chosen)
  local parts = {}
  for i, path in ipairs(chosen.parts) do parts[i] = read_part(path) end
  check(parts)
  local again = require("ballpark.cli").parse(parts[1].arguments)
  again.shard, again.checkpoint = nil, nil
  again.format, again.output, again.table = chosen.format, chosen.output, chosen.table
  again.parts = parts
  return require("ballpark.cli.search").run(again)
end

return merge
