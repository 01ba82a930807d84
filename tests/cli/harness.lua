-- Runs a command line in a shell and checks what came of it.
local lfs = require("lfs")

local harness = {}

local Harness = {}
Harness.__index = Harness

-- Becomes the program, with somebody beside it who waits.
local SIGNAL_WHEN <const> = [[
signal=$1 condition=$2 pid=$$
shift 2
(
  until eval "$condition" 2>/dev/null; do
    kill -0 $pid 2>/dev/null || exit 0
    sleep 0.05
  done
  kill -s $signal $pid
) >/dev/null </dev/null &
exec "$@"
]]

--- Half a second of work by the program is done, however long that took (a condition for signal_when; Linux).
Harness.has_worked = '[ "$(cut -d " " -f 14 /proc/$pid/stat)" -ge 50 ]'

local function read(path)
  local file = io.open(path, "rb")
  if not file then return "" end
  local text = file:read("a")
  file:close()
  return text
end

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function absolute(path)
  return path:sub(1, 1) == "/" and path or (lfs.currentdir() .. "/" .. path)
end

--- The folder of all cases has a blank in its name: nothing may mind.
function harness.new(options)
  local folder = os.tmpname()
  os.remove(folder)
  folder = folder .. " cli"
  assert(lfs.mkdir(folder))
  return setmetatable({ program = absolute(options.program), root = absolute(options.root),
    words = options.words, folder = folder, passed = 0, failed = 0 }, Harness)
end

--- Path of a file in the folder of the cases.
function Harness:path(name) return self.folder .. "/" .. name end

--- Writes such a file and returns its path.
function Harness:write(name, text)
  local file = assert(io.open(self:path(name), "wb"))
  file:write(text)
  file:close()
  return self:path(name)
end

function Harness:read(name) return read(self:path(name)) end

--- What to put before the program (`before` of a case) for it to get a signal as soon as a condition holds: a
--- command of the shell, run in the folder of the cases; .err is what the program has said, $pid the program.
function Harness:signal_when(signal, condition)
  self:write("signal_when.sh", SIGNAL_WHEN)
  return "sh signal_when.sh " .. signal .. " " .. quote(condition)
end

--- Runs `ballpark` with the words as arguments, in the folder of the cases. `shell` may hold what comes
--- before the program (variables) and after the arguments (redirections).
function Harness:run(words, shell)
  shell = shell or {}
  local quoted = {}
  for i, word in ipairs(words) do quoted[i] = quote(word) end
  local out, err = self:path(".out"), self:path(".err")
  local line = ("cd %s && %s %s %s >%s 2>%s %s"):format(quote(self.folder), shell.before or "",
    quote(self.program), table.concat(quoted, " "), quote(out), quote(err), shell.after or "</dev/null")
  local _, kind, code = os.execute(line)
  return { code = kind == "exit" and code or (128 + code), out = read(out), err = read(err) }
end

local function differs(what, wanted, got)
  if wanted == nil then return nil end
  if type(wanted) == "function" then return not wanted(got) and (what .. " is not as wanted") or nil end
  if type(wanted) == "number" then
    return wanted ~= got and ("%s is %s, wanted %s"):format(what, got, wanted) or nil
  end
  for _, pattern in ipairs(type(wanted) == "table" and wanted or { wanted }) do
    if pattern == "" and got ~= "" then return what .. " is not empty" end
    if pattern ~= "" and not got:find(pattern) then return what .. " lacks '" .. pattern .. "'" end
  end
end

local function wanted_name(self, name)
  if #self.words == 0 then return true end
  for _, word in ipairs(self.words) do
    if name:find(word, 1, true) then return true end
  end
  return false
end

--- A command line: `base`, without its options that `more` gives another value, and `more`.
---@param base string[] words; an option stands before its one value
---@param more string[]
---@return string[]
function Harness.with(base, more)
  local given, list = {}, {}
  for _, word in ipairs(more) do given[word] = word:find("^%-%-") ~= nil end
  local at = 1
  while at <= #base do
    if given[base[at]] then
      at = at + 2
    else
      list[#list + 1], at = base[at], at + 1
    end
  end
  return table.move(more, 1, #more, #list + 1, list)
end

--- One case: words = arguments; code = exit code (0); out, err = Lua pattern, list of them, "" for
--- nothing, or a function of the text; check = function(got) that raises when something is wrong.
function Harness:case(name, case)
  if not wanted_name(self, name) then return end
  local got = self:run(case, case)
  local problem = differs("exit code", case.code or 0, got.code) or differs("stdout", case.out, got.out)
    or differs("stderr", case.err, got.err)
  if not problem and case.check then
    local ok, message = pcall(case.check, got)
    problem = not ok and tostring(message) or nil
  end
  if not problem then
    self.passed = self.passed + 1
    return
  end
  self.failed = self.failed + 1
  print(("--- failed: %s\n%s\nballpark %s\nexit code %d\nstdout: %s\nstderr: %s"):format(name, problem,
    table.concat(case, " "), got.code, got.out, got.err))
end

--- A case that runs the program itself: `check` is given the folder of the cases, and raises what is wrong.
function Harness:check(name, check)
  if not wanted_name(self, name) then return end
  local ok, message = pcall(check, self.folder)
  if ok then
    self.passed = self.passed + 1
    return
  end
  self.failed = self.failed + 1
  print(("--- failed: %s\n    %s"):format(name, tostring(message)))
end

--- Removes the folder, prints the totals, returns the exit code.
function Harness:finish()
  os.execute("rm -rf -- " .. quote(self.folder))
  print(("%d passed, %d failed"):format(self.passed, self.failed))
  return self.failed == 0
end

return harness
