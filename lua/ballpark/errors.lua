-- Errors that people cause or meet, each with the exit code it leads to. Raised as objects whose
-- text is one line; whatever is not such an object is a bug of ours (exit 70).
local near = require("ballpark.near")
local printable = require("ballpark.printable")

local errors = {}

local Error = {}

-- Bytes of a place or a word that a message shows, as names of files and fields are shorter; and of a whole message.
local PLACE_MOST <const>, MESSAGE_MOST <const> = 400, 3000

local function cut(text, most) return #text <= most and text or printable.utf8(text:sub(1, most)) .. "…" end

local function shortened(place) return cut(place, PLACE_MOST) end

--- A value as a message shows it, however long it is.
function errors.in_short(value) return shortened(tostring(value)) end

-- A message without what differs from run to run (addresses) and from machine to machine (the sign of what is no number), and
-- with no word longer than a place.
local function repeatable(message)
  return (cut(tostring(message), MESSAGE_MOST):gsub("%S+", shortened):gsub("%f[%l](%l+):? %(?0x%x+%)?", "%1"):gsub("got %-?nan%f[%W]", "got NaN"))
end

-- A part of an error that a scenario may have made something else.
local function said(part) return repeatable(type(part) == "table" and "table" or part) end

function Error:__tostring()
  local message = said(self.message)
  local text = self.path and (shortened(printable.line(said(self.path))) .. ": " .. message) or message
  local line = printable.line(self.where and (said(self.where) .. ": " .. text) or text):gsub("%S+", shortened)
  return cut(line, MESSAGE_MOST)
end

errors.codes = { infeasible = 1, usage = 2, input = 2, io = 3, output = 3, rule = 4, interrupted = 130 }

local function raise(kind, path, message)
  error(setmetatable({ kind = kind, code = errors.codes[kind], path = path and shortened(repeatable(path)),
    message = repeatable(message) }, Error), 0)
end

--- A field of a scenario or table is wrong: `model.layers: must be at least 1, got 0`.
function errors.input(path, message) raise("input", path, message) end

-- What reports call a field where room is short.
errors.short = { mb = "micro_batch", ZeRO = "zero" }

local function written_out(key, names)
  for _, name in ipairs(names) do
    if name == errors.short[key] then return name end
  end
end

--- A field nobody knows: `model.layer: unknown field, did you mean 'layers'?`.
function errors.unknown(path, key, names, what)
  local meant = written_out(key, names) or near.name(key, names)
  local hint = meant and ("did you mean '" .. meant .. "'?")
    or ("known are " .. errors.list(names))
  raise("input", path .. "." .. key, "unknown " .. (what or "field") .. ", " .. hint)
end

--- Refuses a table with other keys than the allowed ones, by the first of them in the order of their text.
---@param path string where the table stands
---@param value table
---@param names string[] allowed keys
---@param what string|nil what a key is; "field" unless said
function errors.only(path, value, names, what)
  local known, others = {}, {}
  for _, name in ipairs(names) do known[name] = true end
  for key in pairs(value) do
    if not known[key] then others[#others + 1] = tostring(key) end
  end
  table.sort(others)
  if others[1] then errors.unknown(path, others[1], names, what) end
end

--- Refuses what is no table, or has other keys than the allowed ones.
function errors.named(path, value, names)
  if type(value) ~= "table" then errors.input(path, "must be a table, got " .. type(value)) end
  errors.only(path, value, names)
end

--- value, refused where it is no finite number of at least `least`.
function errors.number(path, value, least)
  if type(value) ~= "number" or not (value >= least) or value == math.huge then
    errors.input(path, ("must be a number of at least %g, got %s"):format(least, tostring(value)))
  end
  return value
end

--- Which of these fields a table has, all of which say the same; nil where it has none, and two are refused.
---@param path string of the table
---@param value table
---@param ... string
---@return string|nil
function errors.either(path, value, ...)
  local found
  for _, name in ipairs({ ... }) do
    if found and value[name] ~= nil then errors.input(path .. "." .. found, ("and %s say the same: give one"):format(name)) end
    found = found or value[name] ~= nil and name or nil
  end
  return found
end

--- value, refused where it is given and no text.
function errors.text(path, value)
  if value ~= nil and type(value) ~= "string" then errors.input(path, "must be text, got " .. tostring(value)) end
  return value
end

--- value, refused where it is no finite number above 0.
function errors.positive(path, value)
  if type(value) ~= "number" or not (value > 0) or value == math.huge then
    errors.input(path, "must be a number above 0, got " .. tostring(value))
  end
  return value
end

--- value as an integer, refused where it is no whole number of at least 1.
function errors.whole(path, value)
  local whole = type(value) == "number" and math.tointeger(value)
  if not whole or whole < 1 then errors.input(path, "must be a whole number of at least 1, got " .. tostring(value)) end
  return whole
end

-- Names beside one that may be meant, and names that a message lists: all inputs of a question, not all of a catalog.
local DOZEN <const>, LISTED <const> = 12, 60

-- Names of the kin of one that nobody knows.
local KIN <const> = 3

--- A value that is not one of the allowed names: `plan.recompute: 'ful' is not ...`. Of many names the one that
--- may be meant says more than a dozen others.
function errors.choice(path, value, names)
  local meant = near.name(value, names)
  local kin = not meant and #names > LISTED and near.kin(value, names, KIN) or {}
  local listed = #names <= DOZEN or not meant and #names <= LISTED
  raise("input", path, ("'%s' is not %s%s"):format(shortened(printable.line(tostring(value))),
    listed and ("one of " .. errors.list(names)) or ("one of " .. #names .. " names"),
    meant and (", did you mean '" .. meant .. "'?") or kin[1] and ", near it are " .. table.concat(kin, ", ") or ""))
end

--- The command line is wrong.
function errors.usage(message) raise("usage", nil, message) end

--- Standard output cannot be written: nobody reads what comes next.
function errors.output(message) raise("output", nil, message) end

--- A file cannot be read or written.
function errors.io(message) raise("io", nil, message) end

--- Nothing satisfies what was asked, or an `expect` failed.
function errors.infeasible(message) raise("infeasible", nil, message) end

--- A rule raised or overran its budget; `message` names it with file and line.
function errors.rule(message) raise("rule", nil, message) end

--- Whether `e` is one of these objects.
function errors.is(e) return getmetatable(e) == Error end

--- Whether `e` says that memory is at its limit: Lua raises it without asking a handler, but for what has caught it and
--- raises it again.
function errors.is_of_memory(e) return e == "not enough memory" end

-- What scenarios have of errors that they caught: those.
local originals = setmetatable({}, { __mode = "k" })

--- An error of ours for a scenario to look at. Whatever it makes of it, errors.original gives the error back.
function errors.shown(e)
  local copy = setmetatable({ kind = e.kind, code = e.code, path = e.path, message = e.message, where = e.where }, Error)
  originals[copy] = e
  return copy
end

--- The error of ours that one which a scenario raises again stands for; any other value as it is.
function errors.original(e) return originals[e] or e end

--- Runs fn(...) and returns the error's text, or nil when nothing was raised.
function errors.catch(fn, ...)
  local ok, e = pcall(fn, ...)
  if ok then return nil end
  return tostring(e), e
end

--- As pcall, but what is none of our errors goes on: an interruption, a mistake of the program.
---@return boolean ok
---@return any
function errors.attempt(fn, ...)
  local function taken(ok, ...)
    if not ok and not errors.is((...)) then error((...), 0) end
    return ok, ...
  end
  return taken(pcall(fn, ...))
end

--- What fn(...) returns; nil and the error where one of ours is raised. Any other goes on.
---@return any
---@return ballpark.error|any
function errors.try(fn, ...)
  local function taken(ok, first, ...)
    if ok then return first, ... end
    return nil, first
  end
  return taken(errors.attempt(fn, ...))
end

--- Names, sorted, for a message; of a catalog the first sixty.
function errors.list(names)
  local sorted = table.move(names, 1, #names, 1, {})
  table.sort(sorted)
  local shown = table.concat(sorted, ", ", 1, math.min(#sorted, LISTED))
  return #sorted > LISTED and (shown .. ", … (" .. #sorted .. ")") or shown
end

return errors
