-- Readers for fuzzing: each a function of a text that may be anything. It returns, or raises an error that is no line to a
-- person, which is a bug. tests/fuzz/corpus has a folder of texts for each.
local core = require("ballpark.core")
local csv = require("ballpark.csv")
local embedded = require("ballpark.embedded")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local from = require("ballpark.from")
local grammar = require("ballpark.questions.said.grammar")
local hf = require("ballpark.hf")
local hf_json = require("ballpark.hf.json")
local job_trace = require("ballpark.measured.job_trace")
local json = require("ballpark.json")
local logs = require("ballpark.calibrate.logs")
local lua_source = require("ballpark.lua_source")
local overrides = require("ballpark.scenario.overrides")
local printable = require("ballpark.printable")
local prose = require("ballpark.questions.check.prose")
local tables = require("ballpark.tables")
local validate = require("ballpark.validate")

files.confine()

local targets = {}

-- What read(...) returns; nil where it refuses the text in one line that shows as it is.
local function read(fn, ...)
  local ok, value = pcall(fn, ...)
  if ok then return value end
  if not errors.is(value) then error(value, 0) end
  local line = tostring(value)
  assert(not line:find("[%z\1-\8\10-\31\x7f]") and utf8.len(line) and #line < 4000, "a refusal is no line: " .. line)
  return nil
end

-- A text whose first line chooses, as `name`, and the rest.
local function parted(text)
  local name, rest = text:match("^([^\n]*)\n(.*)$")
  return name or text, rest or ""
end

-- Questions whose answers take longer than a fuzzer has: they search or simulate.
local LONG <const> = tables.set({ "search", "sweep", "tune", "platform", "levers", "compare", "serve", "serve_search", "replica",
  "budget", "ask", "finetune" })

-- A question by the first line, asked with the JSON behind it.
function targets.question(text)
  local name, input = parted(text)
  if LONG[name] or name == "scenario" then return end
  local code, answer = embedded.answer(name, input)
  assert(code == 0 or code == 1 or code == 2 or code == 4, answer)
  assert(type(json.decode(answer, "answer")) == "table" and utf8.len(answer), answer)
end

local kernels = core.kernels()

local SPECIAL <const> = { 0, 1, -1, 2, 8, 0.5, 1e-9, 1e-3, 1e3, 1e6, 1e9, 1e12, 1e15, 1e308, -1e308, 1e-320, 1 / 0, -1 / 0, 0 / 0,
  math.maxinteger, math.mininteger, 1 << 31, 1 << 53, "text", true }

-- Bytes as values of fields, until there are no more.
local function values_of(text, first)
  local at = first
  local function byte()
    at = at + 1
    return text:byte(at - 1)
  end
  local value = {}

  function value.num(field)
    local kind = byte()
    if kind < 64 then return SPECIAL[kind % #SPECIAL + 1] end
    local share = (byte() or 0) / 255
    -- Between the ends of what is allowed: evenly, or evenly in the logarithm.
    if kind < 96 then return field.min + share * (field.max - field.min) end
    if kind < 192 and field.max > 0 then
      local least = math.max(field.min, 1e-12 * field.max)
      return least * (field.max / least) ^ share
    end
    return 1000 ^ (8 * share - 3)
  end

  function value.int(field)
    local number = value.num(field)
    local whole = math.type(number) == "float" and number == number and math.tointeger(math.floor(number))
    return whole or number
  end

  function value.flag() return byte() % 2 == 1 end

  function value.enum(field) return field.names[byte() % #field.names + 1] end

  function value.struct(field) return value.fields(field.schema) end

  function value.fields(schema)
    local made = {}
    for _, field in ipairs(schema.fields) do
      if at > #text then break end
      -- Most fields that have a default keep it.
      local is_set = field.required or byte() % 4 == 0
      if is_set and at <= #text and value[field.kind] then made[field.name] = value[field.kind](field) end
    end
    return made
  end

  return value
end

-- A table of a kernel's fields as text, for a message.
local function shown(value)
  if type(value) ~= "table" then return tostring(value) end
  local list = {}
  for _, name in ipairs(tables.sorted_keys(value)) do list[#list + 1] = name .. " = " .. shown(value[name]) end
  return "{ " .. table.concat(list, ", ") .. " }"
end

-- A kernel, and values for its fields: no number that JSON cannot hold comes out.
function targets.kernel(text)
  if #text < 2 then return end
  local kernel = kernels[text:byte(1) % #kernels + 1]
  local input = values_of(text, 2).fields(kernel.input)
  local output = read(core[kernel.name], input)
  if output == nil then return end
  local ok, problem = pcall(json.encode, output)
  if not ok then error(kernel.name .. ": " .. problem .. "\n" .. shown(input), 0) end
end

function targets.json(text)
  local value = read(json.decode, text, "text")
  if value == nil then return end
  local written = read(json.encode, value)
  assert(written == nil or utf8.len(written))
end

function targets.csv(text)
  read(csv.records, text, "text")
  read(validate.read, text, "text")
end

function targets.lua_source(text)
  read(lua_source.read, text, "text")
  read(overrides.value, text, "text")
end

function targets.config(text)
  local config = read(hf_json.decode, text, "config.json")
  local model = config and read(hf.from_config, config, "config.json")
  if model then assert(model.name) end
end

function targets.launch(text)
  local format, file = parted(text)
  read(from.read, format, file, { file = "text", model = "llama-3.1-8b" })
end

function targets.jobs(text) read(job_trace.read, text, "text", {}) end

function targets.log(text)
  if logs.recognises(text) then read(logs.read, text, "text") end
end

function targets.prompt(text)
  read(grammar.read, text)
  for _, found in ipairs(read(prose.lints, text) or {}) do assert(type(found.code) == "string") end
  assert(utf8.len(printable.text(text)))
end

local SEARCHED <const> = {
  model = { layers = 4, hidden = 256, heads = 4, kv_heads = 4, ffn_hidden = 1024, vocab = 4096 },
  device = { memory_bytes = 40e9, mem_bw_bytes_s = 1.555e12, bf16_flop_s = 312e12 },
  network = { devices = 2, scaleup = { bw_bytes_s = 300e9 }, scaleout = { bw_bytes_s = 25e9 } },
  job = { global_batch = 4, seq_len = 256 },
  space = { tp = { 1, 2 }, pp = 1, vpp = 1, cp = 1, ep = 1, zero = 0, recompute = "none", micro_batch = { 1, 2 } },
  top = 4, usd_h = 2,
}

-- A rule beside a search; the search goes on afterwards.
function targets.rule(text)
  local asked = {}
  for name, value in pairs(SEARCHED) do asked[name] = value end
  asked.rules = { { text = text, chunk = "@rule.lua" } }
  read(core.search, asked)
end

-- What a part or a checkpoint holds of a search, given to it.
function targets.state(text)
  local state = read(json.decode, text, "state")
  if type(state) ~= "table" then return end
  local search = core.search_open(SEARCHED)
  -- Errors of add become a line of the part that is read.
  if pcall(search.add, search, state) then json.encode(search:answer()) end
end

return targets
