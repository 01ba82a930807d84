-- ballpark mcp: a server of the Model Context Protocol on standard input and output. Each call is a process of its own with
-- a limit of time and memory, which reads no file outside of the folder that was given.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")
local tools = require("ballpark.cli.mcp_tools")

local mcp = {
  summary = "Serve assistants: the Model Context Protocol on standard input and output",
  examples = { "ballpark mcp --folder ~/models", "ballpark mcp --call-seconds 20 --call-gib 1" },
}

-- The revision of the protocol that is spoken: modelcontextprotocol.io, 2025-06-18; a client that wants an older one of
-- the same messages is told its own.
local PROTOCOL <const>, OLDER <const> = "2025-06-18", { ["2025-03-26"] = true, ["2024-11-05"] = true }

-- Codes of JSON-RPC 2.0.
local PARSE <const>, INVALID_REQUEST <const>, NO_METHOD <const>, INVALID_PARAMS <const> = -32700, -32600, -32601, -32602

function mcp.define(command)
  command:option("--folder", "Folder whose files questions may name. Default: an empty one."):argname("DIR")
  command:option("--call-seconds", "Seconds that a call may take. Default: 60."):argname("S")
  command:option("--call-gib", "GiB of memory that a call may take. Default: 2."):argname("N")
end

local INSTRUCTIONS <const> = [[
Estimates capacity of machine learning systems without a GPU: memory, time, devices and cost of training, serving,
fine-tuning and local inference. Start with `ask` for a prompt in free words and with `fit` for "does it fit". Give the
range in brackets with every number, and what was assumed. Numbers in tool inputs are in base units: bytes, seconds,
tokens, USD.]]

local function initialize(params)
  local wanted = params.protocolVersion
  return { protocolVersion = OLDER[wanted] and wanted or PROTOCOL, serverInfo = { name = "ballpark", version = core.version },
    capabilities = { tools = json.object({}), resources = json.object({}) }, instructions = INSTRUCTIONS }
end

local METHODS <const> = {
  initialize = initialize,
  ping = function() return json.object({}) end,
  ["tools/list"] = function() return { tools = tools.list() } end,
  ["tools/call"] = function(params, limits) return tools.call(params.name, params.arguments or json.object({}), limits) end,
  ["resources/list"] = function() return { resources = tools.resources() } end,
  ["resources/templates/list"] = function() return { resourceTemplates = json.array({}) } end,
  ["resources/read"] = function(params, limits) return tools.read(params.uri, limits) end,
}

local function reply(id, field, value)
  files.print(json.encode({ jsonrpc = "2.0", id = json.or_null(id), [field] = value }) .. "\n")
end

-- The message of a line, or nil where it is none.
local function message_of(line)
  local ok, message = pcall(json.decode, line, "message")
  return ok and message or nil, ok
end

-- The request that a message takes back, or nil.
local function cancelled_by(message)
  local is_cancelling = type(message) == "table" and message.method == "notifications/cancelled" and type(message.params) == "table"
  return is_cancelling and message.params.requestId or nil
end

local function handle(line, limits)
  local message, ok = message_of(line)
  if not ok then return reply(nil, "error", { code = PARSE, message = "not JSON" }) end
  if type(message) ~= "table" or type(message.method) ~= "string" then
    return reply(nil, "error", { code = INVALID_REQUEST, message = "not a request" })
  end
  if message.id == nil then return end -- a notification wants no answer
  local method = METHODS[message.method]
  if not method then
    return reply(message.id, "error", { code = NO_METHOD, message = "unknown method " .. message.method })
  end
  local done, value = pcall(method, type(message.params) == "table" and message.params or {}, limits)
  if done then return reply(message.id, "result", value) end
  if rawequal(value, tools.CANCELLED) then return end -- nobody waits for it
  if not errors.is(value) then error(value, 0) end
  reply(message.id, "error", { code = INVALID_PARAMS, message = tostring(value) })
end

local function limit(chosen, name, usual)
  local text = chosen["call_" .. name]
  local value = text == nil and usual or tonumber(text)
  if not value or not (value > 0 and value <= 1e5) then
    errors.usage(("--call-%s: must be a number above 0, got '%s'"):format(name, text))
  end
  return value
end

-- Lines that came while a call ran, without those that are cancelled.
local Waiting = {}
Waiting.__index = Waiting

-- The next of them, or the next of standard input. An interrupt is heard while there is none: it ends a wait, and no read.
function Waiting:next()
  while not self.lines[1] and not core.ready(io.stdin) do end
  self.current = table.remove(self.lines, 1) or io.read("l")
  return self.current
end

-- Reads a line while a call runs: true where it takes back that call, nil at the end of the input. What takes back one that
-- waits takes it out.
function Waiting:heard()
  local line = io.read("l")
  if not line then return nil end
  local wanted = cancelled_by((message_of(line)))
  if wanted == nil then
    self.lines[#self.lines + 1] = line
    return false
  end
  for at = #self.lines, 1, -1 do
    local message = message_of(self.lines[at])
    if type(message) == "table" and message.id == wanted then table.remove(self.lines, at) end
  end
  return message_of(self.current).id == wanted
end

function mcp.run(chosen)
  local waiting = setmetatable({ lines = {} }, Waiting)
  local limits <close> = tools.limits({ folder = chosen.folder, seconds = limit(chosen, "seconds", 60), gib = limit(chosen, "gib", 2),
    heard = function() return waiting:heard() end })
  io.stdin:setvbuf("no") -- nothing waits where core.ready does not see it
  for line in waiting.next, waiting do
    if line:find("%S") then handle(line, limits) end
  end
  return 0
end

return mcp
