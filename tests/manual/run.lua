-- Runs every example of the manual and of the README.
--
--   BALLPARK=build/ballpark build/ballpark lua tests/manual/run.lua [--update] [TOPIC]...
--
-- Of a page each fenced block is one example, run in the order of the page in one folder of its own, which has the
-- project's scenarios and tests and `ballpark` on the path:
--   ```sh [exit=N]       a shell script; must end with N, 0 unless given
--   ```lua [exit=N]      a scenario; the same
--   ```lua file=NAME     a file for the blocks below; the same with ```text
--   ```output [from="TEXT"] [lines=N]   what the block before printed, from the line with TEXT on; --update fills it
--   ```text              a picture; not run
-- Of README.md and of the skill for assistants, commands in tables are run. The last line sums up.
local lfs = require("lfs")
local manual = require("ballpark.manual")
local read = require("ballpark.files").read

local here = arg[0]:match("^(.*)/[^/]*$") or "."

local function absolute(path) return path:sub(1, 1) == "/" and path or (lfs.currentdir() .. "/" .. path) end

local root = absolute(here .. "/../..")
local program = absolute(os.getenv("BALLPARK") or (root .. "/build/ballpark"))
local same = dofile(here .. "/../golden/same.lua")

local update, wanted = false, {}
for _, word in ipairs(arg) do
  if word == "--update" then update = true else wanted[#wanted + 1] = word end
end

local passed, failed = 0, 0

local function judge(where, problem)
  if not problem then
    passed = passed + 1
    return
  end
  failed = failed + 1
  print(("--- failed: %s\n%s"):format(where, problem))
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- A folder as a reader has it who stands in the project, with the program on the path.
local function folder()
  local path = os.tmpname()
  os.remove(path)
  assert(lfs.mkdir(path))
  for _, name in ipairs({ "scenarios", "tests", "tools" }) do
    assert(lfs.link(root .. "/" .. name, path .. "/" .. name, true))
  end
  assert(lfs.mkdir(path .. "/.bin"))
  assert(lfs.link(program, path .. "/.bin/ballpark", true))
  return path
end

-- Runs a script of the shell there: exit code, standard output, standard error.
local function run(path, script)
  write(path .. "/.script", script)
  local line = 'cd %s && PATH="$PWD/.bin:$PATH" bash -eu -o pipefail .script >.out 2>.err </dev/null'
  local _, kind, code = os.execute(line:format(quote(path)))
  return kind == "exit" and code or 128 + code, read(path .. "/.out"), read(path .. "/.err")
end

local function lines_of(text)
  local list = {}
  for line in (text:gsub("\n$", "") .. "\n"):gmatch("(.-)\n") do list[#list + 1] = line end
  return list
end

-- The part of an output that a block shows.
local function excerpt(output, info)
  local lines, from, count = lines_of(output), info:match('from="([^"]*)"'), tonumber(info:match("lines=(%d+)"))
  local first = from and 0 or 1
  for i, line in ipairs(lines) do
    if from and first == 0 and line:find(from, 1, true) then first = i end
  end
  if first == 0 then return nil end
  return table.concat(lines, "\n", first, math.min(#lines, first + (count or #lines) - 1)) .. "\n"
end

local function run_block(path, block)
  local exit = tonumber(block.info:match("exit=(%d+)")) or 0
  local script = block.body
  if block.language == "lua" then
    write(path .. "/scenario.lua", block.body)
    script = "ballpark run scenario.lua"
  end
  local code, out, err = run(path, script)
  return out, code ~= exit and ("exit code %d, wanted %d\n%s\n%s"):format(code, exit, block.body, err) or nil
end

-- The parts of a page: text as it is, and fenced blocks.
local function parts_of(text)
  local parts, block = {}, nil
  for number, line in ipairs(lines_of(text)) do
    local info = line:match("^```(.*)$")
    if block and info then
      parts[#parts + 1], block = block, nil
    elseif block then
      block.body = block.body .. line .. "\n"
    elseif info then
      block = { language = info:match("^%a*"), info = info, body = "", line = number }
    else
      parts[#parts + 1] = line
    end
  end
  assert(not block, "a block does not end")
  return parts
end

local function page_text(parts)
  local lines = {}
  for i, part in ipairs(parts) do
    lines[i] = type(part) == "string" and part or ("```%s\n%s```"):format(part.info, part.body)
  end
  return table.concat(lines, "\n") .. "\n"
end

local function check_output(block, before)
  local got = excerpt(before, block.info)
  if not got then return "the output has no such line: " .. block.info end
  local wrong = same.difference(block.body, got)
  if update and wrong then
    block.body = got
    return nil
  end
  return wrong
end

-- Runs or compares one block; `output` is what the last one printed. What it printed, and what is wrong.
local function check_block(path, block, output)
  if block.language == "output" then return output, check_output(block, output) end
  if block.language == "sh" or block.language == "lua" then return run_block(path, block) end
  return output, "no example: ```" .. block.info
end

local function check_page(topic)
  local path, parts = folder(), parts_of(read(manual.path(topic)))
  local output, problem
  for _, block in ipairs(parts) do
    local name = type(block) == "table" and block.info:match("file=(%S+)")
    if name then
      write(path .. "/" .. name, block.body)
    elseif type(block) == "table" and block.language ~= "text" then
      output, problem = check_block(path, block, output)
      judge(topic .. ".md:" .. block.line, problem)
    end
  end
  if update then write(manual.path(topic), page_text(parts)) end
  os.execute("rm -rf -- " .. quote(path))
end

-- Commands in the tables of a page.
local function check_tables(name)
  local path = folder()
  for number, line in ipairs(lines_of(read(root .. "/" .. name))) do
    for command in (line:find("^|") and line or ""):gmatch("`(ballpark [^`]+)`") do
      local code, _, err = run(path, command)
      judge(name .. ":" .. number, code ~= 0 and ("%s\nexit code %d\n%s"):format(command, code, err) or nil)
    end
  end
  os.execute("rm -rf -- " .. quote(path))
end

local function is_wanted(topic)
  for _, word in ipairs(wanted) do
    if word == topic then return true end
  end
  return #wanted == 0
end

for _, topic in ipairs(manual.topics) do
  if is_wanted(topic) then check_page(topic) end
end
if is_wanted("README") then check_tables("README.md") end
if is_wanted("skill") then check_tables("tools/packaging/skill/ballpark/SKILL.md") end

-- A page that no topic names is one nobody finds.
for name in lfs.dir((manual.path("start"):gsub("/[^/]*$", ""))) do
  local topic = name:match("^(.*)%.md$")
  if topic and not manual.has(topic) then judge(name, "is not in the list of topics") end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
