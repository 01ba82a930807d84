-- The layers of the C core: which folder may include what, and what the kernels must not do.
local c_text = require("c_text")
local tree = require("tree")

local c_layers = {}

local lua_headers = { ["lua.h"] = true, ["lauxlib.h"] = true, ["lualib.h"] = true }

-- The kernels are arithmetic: no allocation, no output, no clock, no exit.
local kernel_headers = {
  ["float.h"] = true, ["limits.h"] = true, ["math.h"] = true, ["stdbool.h"] = true,
  ["stddef.h"] = true, ["stdint.h"] = true, ["string.h"] = true,
}
-- The one kernel file that formats text: what an error says.
local status_headers = { ["stdarg.h"] = true, ["stdio.h"] = true }

-- Folder -> folders of core it may include besides itself, and whether it may see Lua.
local layers = {
  kernel = { sees = {} },
  threads = { sees = {} },
  search = { sees = { kernel = true, threads = true } },
  sim = { sees = { kernel = true } },
  stats = { sees = { kernel = true, threads = true } },
  bind = { sees = { kernel = true, search = true, sim = true, stats = true, threads = true }, lua = true },
  embed = { sees = { kernel = true, bind = true } },
  app = { sees = { bind = true }, lua = true },
}

-- The rooms of the kernel in their order: one may include itself and those before it.
local rooms = { "schedule", "describe", "layer", "count", "time", "local", "platform", "train", "serve", "fleet" }
local place_of_room = {}
for i, room in ipairs(rooms) do place_of_room[room] = i end

local function room_fault(path, name)
  local own, other = path:match("^core/kernel/([%w_]+)/"), name:match("^kernel/([%w_]+)/")
  if not own then return nil end
  if not place_of_room[own] then return "core/kernel/" .. own .. " has no place in the order of rooms" end
  return other and (place_of_room[other] or 0) > place_of_room[own]
    and ("core/kernel/" .. own .. " must not see core/kernel/" .. other)
end

local output_calls = { "printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "fputc" }
local exit_calls = { "exit", "_exit", "abort", "longjmp", "setjmp", "system" }
local memory_calls = { "malloc", "calloc", "realloc", "free", "strdup", "alloca" }
local text_calls = { "sprintf", "snprintf", "vsnprintf" }

-- What the layer must not call, as a list of name lists.
local function forbidden_calls(layer, path)
  if layer == "bind" or layer == "embed" or layer == "app" then return {} end
  local lists = { output_calls, exit_calls }
  if layer == "kernel" then
    lists[#lists + 1] = memory_calls
    if path ~= "core/kernel/status.c" then lists[#lists + 1] = text_calls end
  end
  return lists
end

local function folder_of(include)
  return include:match("^([^/]+)/")
end

local function include_fault(layer, path, mark, name)
  local rule = layers[layer]
  if lua_headers[name] then
    return not rule.lua and "only core/bind and core/app may see Lua"
  end
  if mark == '"' then
    local folder = folder_of(name) or layer
    if name:find("..", 1, true) then return "includes go down from core/, never up" end
    return folder ~= layer and not rule.sees[folder] and ("core/" .. layer .. " must not see core/" .. folder)
      or layer == "kernel" and room_fault(path, name)
  end
  local allowed = kernel_headers[name] or (path == "core/kernel/status.c" and status_headers[name])
  return layer == "kernel" and not allowed and "a kernel needs no such header"
end

local function check_includes(layer, path, text, complain)
  for number, line in tree.lines(c_text.code(text, true)) do
    local mark, name = line:match('^%s*#%s*include%s*([<"])([^>"]+)[>"]')
    local fault = mark and include_fault(layer, path, mark, name)
    if fault then complain(path, number, ("includes %s: %s"):format(name, fault)) end
  end
end

local function check_calls(layer, path, text, complain)
  local code = c_text.code(text)
  for _, list in ipairs(forbidden_calls(layer, path)) do
    for _, name in ipairs(list) do
      local at = (" " .. code):find("[^%w_]" .. name .. "%s*%(")
      if at then
        complain(path, c_text.line_of(code, at), ("calls %s(): core/%s must not"):format(name, layer))
      end
    end
  end
end

-- A kernel keeps nothing between two calls: data at file scope or static in a function is const.
local function check_state(layer, path, text, complain)
  if layer ~= "kernel" then return end
  for number, line in tree.lines(c_text.code(text)) do
    local head = line:match("^%s*static%s+([^(=;]*)[=;%[]")
    if head and not head:find("%f[%w]const%f[%W]") then
      complain(path, number, "static data that is not const: a kernel keeps no state")
    end
  end
end

--- Complaints about `files` (path -> text of everything below core/).
function c_layers.check(files)
  local complaints = {}
  local function complain(path, number, text)
    complaints[#complaints + 1] = ("%s:%d: %s"):format(path, number, text)
  end
  for _, path in ipairs(tree.sorted(files)) do
    local layer = path:match("^core/([^/]+)/")
    if not layers[layer] then
      complain(path, 1, "no layer of core is called " .. tostring(layer))
    else
      check_includes(layer, path, files[path], complain)
      check_calls(layer, path, files[path], complain)
      check_state(layer, path, files[path], complain)
    end
  end
  return complaints
end

return c_layers
