-- Options with values that nobody means, on top of the first example of every command's help:
--
--   tools/check-deep options [COUNT [SEED [COMMAND]]]
--
-- COUNT hostile values of each option, 6 unless said. Prints what ended otherwise than with an answer or one line. Exit
-- code 1 where any does.
local lfs = require("lfs")
local read = require("ballpark.files").read

local count, seed, only = tonumber(arg[1]) or 6, tonumber(arg[2]) or 1, arg[3]
local program = assert(os.getenv("BALLPARK"), "BALLPARK names the program")
local folder = os.tmpname()
os.remove(folder)
assert(lfs.mkdir(folder))
local root = assert(lfs.currentdir())

local HOSTILE <const> = { "", " ", "0", "-1", "0.5", "1.5", "3", "7", "1000000", "1e15", "1e308", "-1e308", "1e-320", "1e400",
  "nan", "inf", "-inf", "0x1p1023", "9223372036854775808", "None", "null", "true", "1,5", "1..", "..", "1..1000000000x1.0000001",
  "GiB(1)", "hours(-1)", "days(1e300)", "about(5)", "between(1,0)", "between(0,1e308)", "around(1e300, 2)", "range(1,2)", "0/0",
  "2^1e9", ("A"):rep(65536), ("("):rep(4096), "\27[31mred", "<script>alert(1)</script>", "../../etc/passwd", "\xff\xfe", "\"",
  "'", "{}", "%s%n", "$(id)", "`id`", "name=", "=", "a=b,c=d", ":", "free", "auto" }

-- Commands that wait for somebody, write where they are told, or run for minutes; files are another check's.
local LEFT_OUT <const> = { answer = true, calibrate = true, catalog = true, compare = true, completion = true, emit = true,
  explain = true, from = true, help = true, lua = true, mcp = true, merge = true, new = true, repl = true, run = true,
  schema = true, sweep = true, tune = true, validate = true, watch = true, lint = true }

local OPTIONS_LEFT_OUT <const> = { ["--output"] = true, ["--help"] = true, ["--time-limit"] = true, ["--checkpoint"] = true,
  ["--svg"] = true, ["--jsonl"] = true }

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function output_of(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read("a")
  pipe:close()
  return text
end

-- Exit code, output and error of a command line.
local function run(line)
  local _, how, code = os.execute(("cd %s && timeout 60 %s >%s/out 2>%s/err </dev/null"):format(quoted(root), line, folder, folder))
  return how == "exit" and code or 128 + code, read(folder .. "/out"), read(folder .. "/err")
end

local function wrong(code, out, err)
  if code == 130 then return "longer than its time" end
  if code > 4 then return "exit code " .. code .. ": " .. err:sub(1, 300) end
  local both = out .. err
  if both:find("\27[31mred", 1, true) then return "an escape" end
  if not utf8.len(both) then return "no UTF-8" end
  if code <= 1 then return out:lower():find("[%s(]%-?nan[%s)]") and "nan in the answer" or nil end
  if select(2, err:gsub("\n", "")) ~= 1 then return "more or less than a line of error" end
  return #err > 5000 and "an error of " .. #err .. " bytes" or nil
end

-- The first example of a help: its lines, without the name of the program.
local function example_of(help, command)
  local joined = help:gsub("\\\n%s*", "")
  return joined:match("\n  ballpark (" .. command:gsub("%-", "%%-") .. " [^\n]+)")
end

local tried, failed = 0, 0
io.stdout:setvbuf("line")
math.randomseed(seed)
for command in output_of(quoted(program) .. " --help"):match("Commands:\n(.*)"):gmatch("\n?   (%l[%l-]*) ") do
  local help = output_of(("%s %s --help"):format(quoted(program), command))
  local example = not LEFT_OUT[command] and (not only or only == command) and example_of(help, command)
  if example then
    local base = quoted(program) .. " " .. example
    local before, codes = failed, {}
    for option in help:gmatch("\n   ?[^\n]-(%-%-%l[%w-]*) %u") do
      for _ = 1, OPTIONS_LEFT_OUT[option] and 0 or count do
        local value = HOSTILE[math.random(#HOSTILE)]
        local code, out, err = run(("%s --time-limit 20 %s %s"):format(base, option, quoted(value)))
        local problem = wrong(code, out, err)
        tried, codes[code] = tried + 1, (codes[code] or 0) + 1
        if problem then
          failed = failed + 1
          print(("%s %s %q: %s"):format(command, option, value:sub(1, 40), problem))
        end
      end
    end
    local list = {}
    for code, times in pairs(codes) do list[#list + 1] = ("%d x %d"):format(code, times) end
    table.sort(list)
    print(("%-14s %4d failed; exit codes %s"):format(command, failed - before, table.concat(list, ", ")))
  end
end
print(("%d passed, %d failed"):format(tried - failed, failed))
os.exit(failed == 0)
