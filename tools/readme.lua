-- Fills the marked blocks of README.md with what the program prints now:
--   build/ballpark lua tools/readme.lua
local files = require("ballpark.files")
local json = require("ballpark.json")

local program = assert(os.getenv("BALLPARK") or "build/ballpark")
local tables = { "training_megatron", "training_frameworks", "training_moe", "training_memory" }

local function output(arguments)
  local pipe = assert(io.popen(("'%s' %s"):format(program, arguments)))
  local text = pipe:read("a")
  assert(pipe:close(), arguments .. " failed")
  return text
end

local function quickstart()
  return "```\n" .. output("run scenarios/quickstart.lua") .. "```"
end

local function percent(value) return value and ("%.1f"):format(100 * value) or "–" end

local function row(name, s)
  return ("| %s | %d of %d | %s | %s | %s | %s |"):format(name, s.covered, s.rows, percent(s.mape),
    percent(s.median_ape), percent(s.bias), percent(s.within_2x))
end

local function accuracy()
  local lines = { "| table | answered | mean, % | median, % | median signed, % | within 2x, % |",
    "|---|---|---|---|---|---|" }
  for _, name in ipairs(tables) do
    local report = json.decode(output(("validate training tests/validate/%s.csv -f json"):format(name)))
    if report.summary.rows > 0 then lines[#lines + 1] = row(name .. ", step time", report.summary) end
    if report.memory.rows > 0 then lines[#lines + 1] = row(name .. ", peak memory", report.memory) end
  end
  return table.concat(lines, "\n")
end

local function fill(text, name, content)
  local first, last = "<!-- " .. name .. " begin -->", "<!-- " .. name .. " end -->"
  local _, from = text:find(first, 1, true)
  local to = text:find(last, 1, true)
  assert(from and to, "README.md has no block " .. name)
  return text:sub(1, from) .. "\n" .. content .. "\n" .. text:sub(to)
end

local text = files.read("README.md")
text = fill(text, "quickstart", quickstart())
text = fill(text, "accuracy", accuracy())
files.write("README.md", text)
