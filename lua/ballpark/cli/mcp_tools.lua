-- What the assistant's server offers: questions and commands as tools with schemas of their inputs, the manual and the
-- catalog as resources. A call runs this program with limits.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")
local lfs = require("lfs")
local manual = require("ballpark.manual")
local question_schema = require("ballpark.cli.question_schema")
local questions = require("ballpark.questions")
local tables = require("ballpark.tables")

local mcp_tools = {}

-- Tools that ask a question, and what they are for in one line more than the question's own title.
local QUESTIONS <const> = {
  { "ask", "Start here with a vague prompt: five steps with what was not said proposed and marked." },
  { "fit", "Does a model fit a card, or which does it fit; what would make it fit." },
  { "estimate", "One training plan: memory, step time, cost." },
  { "search", "The best training plans of a model on a cluster." },
  { "replica", "What one replica of a served model holds, and how fast it is alone and full, without a load." },
  { "serve", "What a replica of a served model does under a load, and how many carry it." },
  { "serve_search", "The cheapest fleet that holds an SLO under a load." },
  { "check", "Is this number reasonable? What it implies, what is usual, what it contradicts." },
}

local function text_of(name, doc) return { type = "string", description = doc, name = name } end

-- Tools that are commands: their arguments in order, and the option that keeps one which reads files in its folder.
local COMMANDS <const> = {
  { "explain", "Formula, units, validity and source of any name or abbreviation of an input or a report.",
    { text_of("name", "kernel, field, column, unit or abbreviation: gemm, plan.tp, mfu_frac, TTFT") } },
  { "catalog", "Devices, models, prices and other entries, with sources.",
    { text_of("kind", "devices, models, prices, clusters, profiles, networks, recommenders, comparables"),
      text_of("name", "one entry; of models also a config.json or its folder; without it all in short") }, confined = "--confined" },
}

local CATALOGS <const> = { "devices", "models", "prices", "clusters" }
local IS_CATALOG <const> = tables.set(CATALOGS)

-- Inputs that would run or read what a client must not choose.
local HIDDEN <const> = { rules = true }

local function open_inputs(record)
  local names = {}
  for _, row in ipairs(record.inputs) do
    if not HIDDEN[row[1]] then names[#names + 1] = row[1] end
  end
  return names
end

local function schema_of(record) return question_schema.input(record, HIDDEN) end

local function command_schema(arguments)
  local properties = json.object({})
  for _, argument in ipairs(arguments) do
    properties[argument.name] = { type = argument.type, description = argument.description }
  end
  return { type = "object", properties = properties, required = json.array({ arguments[1].name }),
    additionalProperties = false }
end

--- The tools: name, description, inputSchema.
function mcp_tools.list()
  local list = json.array({})
  for _, tool in ipairs(QUESTIONS) do
    local record = questions.record(tool[1])
    list[#list + 1] = { name = tool[1], description = tool[2] .. " " .. record.title:gsub("^%l", string.upper) .. ".",
      inputSchema = schema_of(record), annotations = { readOnlyHint = true } }
  end
  for _, tool in ipairs(COMMANDS) do
    list[#list + 1] = { name = tool[1], description = tool[2], inputSchema = command_schema(tool[3]),
      annotations = { readOnlyHint = true } }
  end
  return list
end

--- What a call raises that its client has cancelled.
mcp_tools.CANCELLED = {}

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Leaves nothing behind.
local function close(limits)
  os.remove(limits.input)
  os.remove(limits.output)
  if limits.own then lfs.rmdir(limits.folder) end
end

--- Limits of every call: { folder, seconds, gib }, with a folder that is there; heard = function() is called where standard
--- input has something while a call runs, and says whether the call is cancelled, or nil at the end of it. To be held
--- as <close>: what it has in the folder of temporary files goes with it.
function mcp_tools.limits(given)
  local folder = given.folder
  if folder and lfs.attributes(folder, "mode") ~= "directory" then errors.io("cannot read " .. folder .. ": no such folder") end
  local input, output = os.tmpname(), os.tmpname()
  if not folder then
    folder = input .. ".folder"
    lfs.mkdir(folder)
  end
  return setmetatable({ folder = folder, own = not given.folder, input = input, output = output, heard = given.heard, seconds = given.seconds, gib = given.gib,
    program = os.getenv("BALLPARK") or lfs.symlinkattributes("/proc/self/exe", "target") }, { __close = close })
end

-- Exit code of `timeout` for what took too long; above the other a signal ended it, as where memory ran out.
local TOO_LONG <const>, SIGNAL <const> = 124, 128

local function terminate(process) os.execute("kill -TERM " .. process) end

-- Waits for a process to end, and hears meanwhile what its client says: whether it was cancelled, and is ended for that.
local function is_cancelled(pipe, process, limits)
  local is_open, cancelled = true, false
  while true do
    local ended, said = core.ready(pipe, is_open and io.stdin or nil)
    if ended then return cancelled end
    if said then
      local wanted = limits.heard()
      if wanted == nil then is_open = false end
      if wanted and not cancelled then
        cancelled = true
        terminate(process)
      end
    end
  end
end

-- Runs this program in the folder, within the limits: exit code and what it printed; raises mcp_tools.CANCELLED where the
-- client does not want it any more. It ends with the server, whatever ends that. The pipe tells its number, and that it ended.
local function run(arguments, input, limits)
  files.write(limits.input, input)
  local words = {}
  for i, word in ipairs(arguments) do words[i] = quote(word) end
  local pipe, problem = io.popen(("echo $$; exec 3>&1 >%s 2>&1; cd %s && BALLPARK_MEMORY_GIB=%.6g exec setpriv --pdeathsig TERM timeout -k 1 %.6g %s %s < %s"):format(
    quote(limits.output), quote(limits.folder), limits.gib, limits.seconds, quote(limits.program), table.concat(words, " "), quote(limits.input)))
  if not pipe then errors.io("cannot start a process: " .. tostring(problem)) end
  local process = pipe:read("l")
  local waited, cancelled = pcall(is_cancelled, pipe, process, limits)
  if not waited then
    -- Interrupted. Its files are taken away however long that takes. A pipe is not closed before its process has ended.
    core.interruption_heard()
    terminate(process)
    error(cancelled, 0)
  end
  local _, how, code = pipe:close()
  if cancelled then error(mcp_tools.CANCELLED, 0) end
  local text = files.read(limits.output)
  if how == "signal" or code == TOO_LONG or code > SIGNAL then
    return TOO_LONG, ("not answered within %g s and %g GiB: ask for less, as fewer plans or devices"):format(limits.seconds, limits.gib)
  end
  return code, text
end

-- Highest exit code of an answer: 1 says that it cannot be done as asked.
local ANSWERED <const> = 1

local function contents(code, text)
  return { content = json.array({ { type = "text", text = text } }), isError = code > ANSWERED }
end

-- Longer than any name; the words of a process have a limit, too.
local LONGEST_WORD <const> = 256

-- A word of a command line: no option, and no more than a name. A NUL would end the whole line.
local function word_of(name, value)
  if type(value) ~= "string" or #value > LONGEST_WORD or value:find("%c") then
    errors.input(name, ("must be text of at most %d bytes, on one line"):format(LONGEST_WORD))
  end
  local word = value:gsub("^%-+", "")
  if word == "" then errors.input(name, ("names nothing: '%s'"):format(value)) end
  return word
end

--- Calls a tool: { content, isError }.
function mcp_tools.call(name, arguments, limits)
  if type(arguments) ~= "table" then errors.input("arguments", "must be an object, got a " .. type(arguments)) end
  for _, tool in ipairs(QUESTIONS) do
    if tool[1] == name then
      errors.only(name, arguments, open_inputs(questions.record(name)), "input")
      return contents(run({ "answer", name, "--confined", "-f", "markdown" }, json.encode(json.object(arguments)), limits))
    end
  end
  for _, tool in ipairs(COMMANDS) do
    if tool[1] == name then
      local words = { name, tool.confined }
      for _, argument in ipairs(tool[3]) do
        local value = arguments[argument.name]
        if value ~= nil then words[#words + 1] = word_of(argument.name, value) end
      end
      table.move({ "-f", "markdown" }, 1, 2, #words + 1, words)
      return contents(run(words, "", limits))
    end
  end
  local names = {}
  for _, tool in ipairs(mcp_tools.list()) do names[#names + 1] = tool.name end
  errors.choice("name", tostring(name), names)
end

--- Pages of the manual and lists of the catalog.
function mcp_tools.resources()
  local list = json.array({})
  for _, topic in ipairs(manual.topics) do
    list[#list + 1] = { uri = "ballpark://manual/" .. topic, name = "manual: " .. topic, mimeType = "text/markdown",
      description = manual.title(topic) }
  end
  for _, kind in ipairs(CATALOGS) do
    list[#list + 1] = { uri = "ballpark://catalog/" .. kind, name = "catalog: " .. kind, mimeType = "application/json" }
  end
  return list
end

--- The text of a resource.
function mcp_tools.read(uri, limits)
  local room, name = tostring(uri):match("^ballpark://(%l+)/([%w%-]+)$")
  local text, kind
  if room == "manual" and manual.has(name) then
    text, kind = manual.text(name), "text/markdown"
  elseif room == "catalog" and IS_CATALOG[name] then -- what is no list may be an option of the command
    local code
    code, text = run({ "catalog", name, "-f", "json" }, "", limits)
    kind = code == 0 and "application/json"
  end
  if not kind then errors.input("uri", "names no page of the manual and no list of the catalog: " .. tostring(uri)) end
  return { contents = json.array({ { uri = uri, mimeType = kind, text = text } }) }
end

return mcp_tools
