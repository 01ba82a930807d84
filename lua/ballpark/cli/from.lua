-- ballpark from: a launch file of other software as a scenario.
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local from = require("ballpark.from")
local json = require("ballpark.json")
local printable = require("ballpark.printable")
local scenario = require("ballpark.from.scenario")
local tables = require("ballpark.tables")

local command = {
  summary = "Read a launch file of Megatron-LM, torchtitan, vLLM ... into a scenario",
  examples = {
    "ballpark from megatron-args train.sh --device H100 --fabric infiniband > run.lua",
    "ballpark from torchtitan llama3_8b.toml --model llama-3.1-8b --device H100 --devices 64",
    "ballpark from vllm-args serve.sh --device H100 -f json",
  },
}

function command.define(parser)
  parser:argument("format", table.concat(from.names(), ", ") .. "; @VERSION behind it, as for --emit.")
  parser:argument("file", "The launch file; - is standard input."):args("?")
  parser:option("--model", "The model, where the file does not describe it: a name of the catalog."):argname("NAME")
  parser:option("--device", "The device, which launch files do not say."):argname("NAME")
  parser:option("--devices", "How many, where the file does not say it."):argname("N"):convert(math.tointeger)
  parser:option("--fabric", "Network between nodes, which launch files do not say; narrows the range."):argname("NAME")
  parser:option("--seq-len", "Tokens of a sequence, where the file does not say it."):argname("N"):convert(math.tointeger)
  parser:option("--role", "Of a script that starts several kinds of replicas: which one."):argname("NAME")
  parser:option("-f --format", "lua (the scenario) or json (the same as data).", "lua"):argname("FORMAT"):target("form")
  parser:option("-o --output", "Write to this file."):argname("FILE")
end

local FORMS <const> = { "lua", "json" }

-- Words that tell what a file is of, the first that is found.
local TELLING <const> = { { "vllm", "vllm-args" }, { "sglang", "sglang-args" }, { "trtllm", "trtllm-args" }, { "pretrain_%a+%.py", "megatron-args" },
  { "tensor%-model%-parallel%-size", "megatron-args" }, { "zero_optimization", "deepspeed" }, { "%[parallelism%]", "torchtitan" },
  { "ici_%a+_parallelism", "maxtext" } }

-- A file without its format: which it may be.
local function check_file(chosen)
  if chosen.file then return end
  local text = (errors.try(files.read, chosen.format) or ""):lower()
  for _, row in ipairs(TELLING) do
    if text:find(row[1]) then
      errors.usage(("the format stands before the file: 'ballpark from %s %s'?"):format(row[2], chosen.format))
    end
  end
  errors.usage(("'%s' alone: say the format and the file, as in 'ballpark from megatron-args train.sh'; formats are %s"):format(chosen.format,
    table.concat(from.names(), ", ")))
end

function command.run(chosen)
  check_file(chosen)
  if not tables.contains(FORMS, chosen.form) then errors.choice("--format", chosen.form, FORMS) end
  local read = from.read(chosen.format, files.read(chosen.file), { file = chosen.file, model = chosen.model,
    device = chosen.device, devices = chosen.devices, seq_len = chosen.seq_len, role = chosen.role })
  scenario.check(read, chosen.file)
  read.fabric = chosen.fabric
  local text = scenario.text(read, chosen.file)
  if chosen.form == "json" then
    text = json.encode(tables.with(scenario.input(read), { target = read.target, version = read.version,
      unread = read.unread, untaken = read.untaken, left_open = read.left_open }), true) .. "\n"
  end
  if chosen.output and chosen.output ~= "-" then
    files.write(chosen.output, text)
  else
    files.print(printable.text(text))
  end
  return 0
end

return command
