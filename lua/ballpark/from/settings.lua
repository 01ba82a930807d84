-- The settings of a target's file by the names that its rows have, whatever form the file has.
local emit = require("ballpark.emit")
local errors = require("ballpark.errors")
local formats = require("ballpark.from.formats")
local known = require("ballpark.emit.known")
local mentions = require("ballpark.mentions")
local printable = require("ballpark.printable")
local shell = require("ballpark.from.shell")
local tables = require("ballpark.tables")
local toml = require("ballpark.from.toml")
local yaml = require("ballpark.from.yaml")

local settings = {}

-- Far beyond any setting, and where a double still counts whole numbers.
local LARGEST <const> = 1e15

-- Settings of what starts the program, not of the program.
local AROUND <const> = { nnodes = true, ["nproc-per-node"] = true, nproc_per_node = true, ["node-rank"] = true,
  node_rank = true, ["master-addr"] = true, ["master-port"] = true, master_addr = true, master_port = true, nodes = true,
  ["gpus-per-node"] = true, ["ntasks-per-node"] = true, ["job-name"] = true, exclusive = true, module = true,
  model = true, _comment = true, ["rdzv-backend"] = true, ["rdzv-id"] = true, ["rdzv-endpoint"] = true,
  m = true, n = true, e = true, euo = true, suffix = true, N = true, ["dist-init-addr"] = true }

-- The configuration of torchtitan's registry is its model; elsewhere such a file holds further settings.
local AROUND_IN <const> = { torchtitan = { config = true } }

--- Whether a setting is of what starts the program of a target, or names what it runs.
function settings.is_around(setting, target)
  return AROUND[setting] or (AROUND_IN[target] or {})[setting] or false
end

-- What stands where the program or whoever starts it says the number.
local OPEN <const> = { auto = true, null = true, None = true }

-- Numbers that a program also takes in short: vLLM's `32k` is 32,000 tokens and `32K` 32,768, and only of thousands there
-- are fractions (vLLM, engine/arg_utils.py, human_readable_int; recalled).
local SHORT <const> = { vllm = { ["max-model-len"] = true, ["max-num-batched-tokens"] = true } }
local TIMES <const> = { k = 1e3, m = 1e6, g = 1e9, t = 1e12, K = 1 << 10, M = 1 << 20, G = 1 << 30, T = 1 << 40 }

local function unshortened(value)
  local number, letter = tostring(value):match("^([%d.]+)([kmgtKMGT])$")
  if not number or letter:find("%u") and number:find(".", 1, true) or not tonumber(number) then return value end
  return math.tointeger(tonumber(number) * TIMES[letter] // 1) or value
end

local KINDS <const> = { int = "whole number", float = "number", word = "word" }

-- The value of a setting that takes one, nil where the file leaves it to a variable or to the program: `--node-rank
-- $RANK` is read as true. Words behind the value are another's.
local function single(kind, name, value)
  if type(value) == "table" then value = value[1] end
  if value == nil or type(value) == "boolean" or OPEN[value] or type(value) == "string" and value:find("$", 1, true) then return nil end
  if kind == "word" then return tostring(value) end
  local number = type(value) == "number" and (kind == "float" and value or math.tointeger(value))
  if number and number == number and math.abs(number) <= LARGEST then return number end
  errors.input(name, ("must be a %s, got '%s'"):format(KINDS[kind], tostring(value)))
end

-- Settings of so many ranks, and those of them that a program works out where they are -1.
local RANKS <const>, WORKED_OUT <const> = { "_degree$", "_parallelism$", "parallel%-size$", "^tp%-size$", "^pp%-size$", "^dp%-size$", "^[tp]p_size$" },
  { "shard_degree$", "^ici_", "^dcn_" }

local function check_ranks(name, value)
  if not mentions.any(name, RANKS) or value >= 1 or value == -1 and mentions.any(name, WORKED_OUT) then return end
  errors.input(name, ("must be a whole number of at least 1, got '%s'"):format(tostring(value)))
end

-- Names that a program takes besides those it declares: shortened, or of earlier versions.
local BESIDES <const> = { sglang = { tp = "tp-size", dp = "dp-size", pp = "pp-size",
  ["cuda-graph-max-bs"] = "cuda-graph-max-bs-decode" } }

-- Names as the rows have them: other names of a setting, and underscores for dashes; and the settings of a number that are
-- left to a variable which the file does not set, or to nothing.
local function named(set, name, version)
  local by_alias, made, left_open = tables.with(BESIDES[name]), {}, {}
  local short = SHORT[name] or {}
  local declared = known.of(name, version)
  for setting, facts in pairs(declared) do
    for _, alias in ipairs(facts.aliases) do by_alias[alias] = setting end
  end
  for _, given in ipairs(tables.sorted_keys(set)) do
    local value, dashed = set[given], (given:gsub("_", "-"))
    local setting = declared[given] and given or by_alias[given] or by_alias[dashed] or declared[dashed] and dashed
    local kind = setting and declared[setting].kind
    if short[setting] then value = unshortened(value) end
    if KINDS[kind] then
      local read = single(kind, setting, value)
      if read == nil and not OPEN[value] and not AROUND[setting] then left_open[#left_open + 1] = setting end
      if kind == "int" and read then check_ranks(setting, read) end
      value = read
    end
    made[setting or given] = value
  end
  table.sort(left_open)
  return made, left_open
end

-- A script of several kinds of replicas is read for one of them.
local function part_of(text, options)
  if not text:find("\ncase $role in\n", 1, true) then return text end
  local roles = {}
  for role in text:gmatch("\n(%w+)%)\n") do roles[#roles + 1] = role end
  for _, role in ipairs(roles) do
    if role == options.role then return text:match("\n" .. role .. "%)\n(.-)\n;;") end
  end
  errors.usage(options.file .. " starts several kinds of replicas; read one with --role: " .. table.concat(roles, ", "))
end

-- What precedes the first setting: the model that is served.
local function served(set, loose)
  for i, word in ipairs(loose) do
    local before = loose[i - 1] or ""
    local is_behind = before == "serve" or before:find("trtllm%-serve$") and word ~= "serve"
    if not set.model and is_behind and word:find("^[%w~./_ -]+$") then set.model = word end
  end
  return set
end

-- The settings of command lines, and of each of them that starts a program.
local function script(lines)
  local set, _, programs = formats.command_lines(lines)
  return set, programs
end

local function server(lines)
  local set, loose, programs = formats.command_lines(lines)
  for _, one in ipairs(programs) do served(one.set, one.loose) end
  return served(set, loose), programs
end

local READ <const> = {
  nemo = formats.python,
  deepspeed = function(text, options) return formats.json(text, options.file) end,
  maxtext = function(text, options) return yaml(text, options.file) end,
}

-- A flag that is off has "no-" in front of its last part.
local function torchtitan_line(lines)
  local set, loose = formats.command_lines(lines)
  for _, name in ipairs(tables.sorted_keys(set)) do
    local front, key = name:match("^([%w_]+%.)no[-_](.+)$")
    if key then set[name], set[front .. key:gsub("-", "_")] = nil, false end
  end
  local function look(word)
    local mode = tostring(word):match("^activation_checkpoint:(.+)$")
    if mode then set.activation_checkpoint = mode end
  end
  for _, word in ipairs(loose) do look(word) end
  for _, name in ipairs(tables.sorted_keys(set)) do -- behind a setting it looks like one more value
    local value = set[name]
    for _, word in ipairs(type(value) == "table" and value or {}) do look(word) end
  end
  return set
end

local READ_LINES <const> = {
  megatron = script,
  slurm = script,
  vllm = server,
  sglang = server,
  trtllm = function(lines, text, options)
    local set, programs = server(lines)
    for name, value in pairs(yaml(text:match("<<'YAML'\n(.-)\nYAML") or "", options.file)) do set["yaml:" .. name] = value end
    return set, programs
  end,
  torchtitan = torchtitan_line,
}

-- Refuses a script that starts programs of different settings, of which no estimate is of one: their settings together
-- are of none. The nodes of one program may be told apart by who starts it.
local function check_one(commands, name, version, file)
  local declared, first, differ = known.of(name, version), {}, {}
  for _, one in ipairs(commands) do
    for setting, value in pairs(named(one.set, name, version)) do
      local before = first[setting]
      if before == nil then first[setting] = value end
      local is_of_program = setting == "model" or declared[setting] and not AROUND[setting]
      if is_of_program and before ~= nil and before ~= value and type(value) ~= "table" then
        differ[setting] = true
      end
    end
  end
  if next(differ) then
    errors.usage(("%s starts several programs, which differ in %s: leave one of them in it"):format(file,
      table.concat(tables.sorted_keys(differ), ", ")))
  end
end

-- Settings of what starts the program that count its devices, and what it serves.
local COUNTED <const> = tables.set({ "nnodes", "nodes", "N", "nproc-per-node", "nproc_per_node", "gpus-per-node", "model", "model-path" })

local function text_of(value) return value == nil and "" or type(value) == "table" and table.concat(value, " ") or tostring(value) end

-- Refuses a script of which the settings depend on a condition that it leaves open.
local function check_alike(one, two, point, name, version, file)
  local declared, differ = known.of(name, version), {}
  for _, set in ipairs({ one, two }) do
    for setting in pairs(set) do
      local counts = COUNTED[setting] or declared[setting] and not AROUND[setting]
      if counts and text_of(one[setting]) ~= text_of(two[setting]) then differ[setting] = true end
    end
  end
  if not next(differ) then return end
  local names = table.concat(tables.sorted_keys(differ), ", ")
  if not point.open then
    errors.usage(("%s:%d: %s: only a run decides '%s', on which they depend: leave one of the branches in the file"):format(file, point.line,
      names, printable.line(point.text)))
  elseif point.open:find("^[%a_]") then
    errors.usage(("%s:%d: %s: depends on $%s, which the file leaves open: set %s=... above that line"):format(file, point.line, names,
      point.open, point.open))
  end
  errors.usage(("%s:%d: %s: depends on %s, which the file leaves open: write its value there"):format(file, point.line, names,
    printable.line(point.open:find("^[%d@*#]$") and "$" .. point.open or point.open)))
end

-- The settings of a script of a shell, whichever way its open conditions go.
local function read_script(name, version, text, options)
  text = part_of(text, options)
  local readings, is_whole = shell.readings(text)
  if not is_whole then
    errors.usage(options.file .. " has more conditions on what it leaves open, or makes more of its words, than can be read: leave the command and "
      .. "what it uses in it")
  end
  local first, left_open
  for _, reading in ipairs(readings) do
    local read, programs = READ_LINES[name](reading.commands, text, options)
    check_one(programs or {}, name, version, options.file)
    local set, open = named(read, name, version)
    if first then check_alike(first, set, reading.point, name, version, options.file) end
    first, left_open = first or set, left_open or open
  end
  return first, left_open
end

-- Settings of what starts a program that count nodes, or devices of one; -N is that of other commands too.
local COUNTS <const> = { "nnodes", "nodes", "nproc-per-node", "nproc_per_node", "gpus-per-node", "trainer.num_nodes", "trainer.devices" }

-- Words that stand for a count in torchrun and Lightning, which look at the machine.
local LOOKED_UP <const> = tables.set({ "auto", "gpu", "cpu", "xpu" })

-- Refuses a count that is none. It may be left to the machine or to a variable, go from one number to another (2:4, 2-4), or
-- stand behind a type of device (h100:8).
local function check_counts(set)
  for _, name in ipairs(COUNTS) do
    local value = set[name]
    if type(value) == "table" then value = value[1] end
    local is_open = value == nil or type(value) == "boolean" or LOOKED_UP[value] or type(value) == "string" and value:find("[$:,-]")
    local number = not is_open and math.tointeger(tonumber(value))
    if not is_open and not (number and number >= 1 and number <= LARGEST) then
      errors.input(name, ("must be a whole number of at least 1, got '%s'"):format(tostring(value)))
    end
  end
end

--- Settings of a file, those whose number it leaves open, and the version of the target that reads such files, where that
--- tells.
---@param name string target
---@param text string
---@param options table
function settings.read(name, text, options)
  if name == "torchtitan" then
    if not toml.is(text) then
      local set, left_open = read_script(name, "b5bcd76", text, options)
      return set, left_open, "b5bcd76"
    end
    local set, left_open = named(toml.read(text, options.file), name, "238fa99")
    return set, left_open, "238fa99"
  end
  local version = emit.target(name).version.name
  local set, left_open
  if READ_LINES[name] then
    set, left_open = read_script(name, version, text, options)
  else
    set, left_open = named(READ[name](text, options), name, version)
  end
  check_counts(set)
  set.model = set.model or set["model-path"]
  return set, left_open
end

-- Words behind the number are another's.
local function integer(value)
  return math.tointeger(tonumber(type(value) == "table" and value[1] or value))
end

--- Devices of a node, as the program that starts it is told; nil where it is not.
function settings.node_size(set)
  return integer(set["nproc-per-node"] or set.nproc_per_node or set["gpus-per-node"] or set["trainer.devices"])
end

--- All devices; nil where nothing says them.
function settings.devices(set)
  local nodes = integer(set.nodes or set.N) or integer(set.nnodes) or integer(set["trainer.num_nodes"])
  local each = settings.node_size(set)
  return nodes and each and nodes * each
end

return settings
