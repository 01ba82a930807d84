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

-- Bytes of a message: a config.json or a trace in one is far shorter (assumption).
local LONGEST_LINE <const> = 16 << 20

-- Stands for a line that is longer, and is no JSON.
local TOO_LONG <const> = "a message has at most 16 MiB"

local CANCELLING <const> = "notifications/cancelled"

-- The message of a line; nil, and why, where it is none.
local function message_of(line)
  local ok, message = errors.attempt(json.decode, line, "message")
  if ok then return message end
  return nil, "not JSON: " .. message.message
end

-- The request that a message takes back, or nil.
local function cancelled_by(message)
  local is_cancelling = type(message) == "table" and message.method == CANCELLING and type(message.params) == "table"
  return is_cancelling and message.params.requestId or nil
end

local function id_of(line)
  local message = message_of(line)
  return type(message) == "table" and message.id or nil
end

local function handle(line, limits)
  if line == TOO_LONG then return reply(nil, "error", { code = INVALID_REQUEST, message = TOO_LONG }) end
  local message, problem = message_of(line)
  if problem then return reply(nil, "error", { code = PARSE, message = problem }) end
  if type(message) ~= "table" or type(message.method) ~= "string" then
    return reply(nil, "error", { code = INVALID_REQUEST, message = "not a request" })
  end
  if message.id == nil then return end -- a notification wants no answer
  if type(message.id) ~= "string" and type(message.id) ~= "number" then
    return reply(nil, "error", { code = INVALID_REQUEST, message = "an id is a string or a number" })
  end
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

-- Messages in the order in which they came, without those that are taken back.
local Waiting = {}
Waiting.__index = Waiting

local function new_waiting()
  return setmetatable({ first = 1, last = 0, lines = {}, parts = {}, bytes = 0 }, Waiting)
end

-- Takes in a whole line. What takes back a message takes it out, or says so of the one that is answered.
function Waiting:add(line)
  local wanted = line ~= TOO_LONG and line:find(CANCELLING, 1, true) and cancelled_by((message_of(line)))
  if not wanted then
    self.last = self.last + 1
    self.lines[self.last] = line
    return
  end
  self.cancelled = self.cancelled or (self.current and id_of(self.current) == wanted)
  for at = self.first, self.last do
    if id_of(self.lines[at]) == wanted then self.lines[at] = "" end
  end
end

-- A part of a line; of one that is too long only that is kept.
function Waiting:keep(part)
  self.bytes = self.bytes + #part
  if self.bytes <= LONGEST_LINE then self.parts[#self.parts + 1] = part else self.parts = {} end
end

function Waiting:end_line()
  local line = self.bytes <= LONGEST_LINE and table.concat(self.parts) or TOO_LONG
  self.parts, self.bytes = {}, 0
  self:add(line)
end

-- Takes in what standard input has: false at its end.
function Waiting:read()
  local piece, reason = core.read_ready(io.stdin)
  if reason then errors.io("cannot read standard input: " .. reason) end
  if not piece then
    if self.bytes > 0 then self:end_line() end
    return false
  end
  local from, stop = 1, piece:find("\n", 1, true)
  while stop do
    self:keep(piece:sub(from, stop - 1))
    self:end_line()
    from, stop = stop + 1, piece:find("\n", stop + 1, true)
  end
  self:keep(piece:sub(from))
  return true
end

-- The next of them. An interrupt is heard while there is none: it ends a wait, and no read.
function Waiting:next()
  local is_open = true
  while self.first > self.last and is_open do
    if core.ready(io.stdin) then is_open = self:read() end
  end
  self.current, self.cancelled = self.lines[self.first], nil
  self.lines[self.first] = nil
  self.first = self.first + 1
  return self.current
end

-- Hears what comes while a call runs: true where it is taken back, nil at the end of the input.
function Waiting:heard()
  if not self:read() then return nil end
  return self.cancelled or false
end

function mcp.run(chosen)
  local waiting = new_waiting()
  local limits <close> = tools.limits({ folder = chosen.folder, seconds = limit(chosen, "seconds", 60), gib = limit(chosen, "gib", 2),
    heard = function() return waiting:heard() end })
  for line in waiting.next, waiting do
    if line == TOO_LONG or line:find("%S") then handle(line, limits) end
  end
  return 0
end

return mcp
