-- ballpark watch: a scenario, or a folder of them, is run again whenever a file changes.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local interrupt = require("ballpark.interrupt")
local lfs = require("lfs")
local options = require("ballpark.cli.options")
local run = require("ballpark.cli.run")
local run_folder = require("ballpark.cli.run_folder")
local term = require("ballpark.term")

local watch = {
  summary = "Run a scenario again whenever it is saved",
  examples = {
    "ballpark watch scenario.lua",
    "ballpark watch scenario.lua -D cluster.nodes=8 --plot",
    "ballpark watch scenario.lua -o report.html",
  },
  notes = { "Takes the options of 'ballpark run'. Ctrl-C ends it. The files of --rules are watched as well." },
}

-- Seconds between two looks at the files.
local EVERY <const> = 0.3

function watch.define(command)
  run.define(command)
  command:option("--runs", "End after so many runs."):argname("N")
end

-- The scenarios of a folder, and any other path by itself.
local function files_of(path)
  if lfs.attributes(path, "mode") ~= "directory" then return { path } end
  local list = {}
  for i, name in ipairs(run_folder.scenarios(path)) do list[i] = files.beside(path, name) end
  return list
end

-- What is in each file, for one may be written twice in the second that its time counts; a file that is being replaced
-- may be gone for a moment.
local function state_of(paths)
  local list = {}
  for _, path in ipairs(paths) do
    for _, file in ipairs(files_of(path)) do
      local handle = lfs.attributes(file, "mode") == "file" and io.open(file, "rb")
      list[#list + 1] = file .. " " .. (handle and core.digest(handle:read("a") or "") or "gone")
      if handle then handle:close() end
    end
  end
  return table.concat(list, "\n")
end

-- The words of the command line as those of `run`.
local function words_of(chosen)
  local words, skip = {}, false
  for _, word in ipairs(chosen.arguments) do
    if skip then
      skip = false
    elseif word == "--runs" or word == "--time-limit" then
      skip = true
    elseif not (word:find("^%-%-runs=") or word:find("^%-%-time%-limit=")) then
      words[#words + 1] = word
    end
  end
  for i, word in ipairs(words) do
    if word == "watch" then
      words[i] = "run"
      return words
    end
  end
end

function watch.run(chosen)
  options.format(chosen)
  if chosen.scenario == "-" then errors.usage("watch needs a file, not standard input") end
  local most = chosen.runs and math.tointeger(tonumber(chosen.runs))
  if chosen.runs and (not most or most < 1) then errors.usage("--runs: must be a whole number of at least 1") end
  interrupt.limit_all(chosen.time_limit)
  local paths, words, done = { chosen.scenario, table.unpack(chosen.rules or {}) }, words_of(chosen), 0
  while true do
    local seen = state_of(paths)
    if term.is_terminal(io.stdout) then io.stdout:write("\27[H\27[2J") end
    local code, e = require("ballpark.cli").main(words)
    interrupt.end_line()
    done = done + 1
    -- A search takes Ctrl-C for its own end, and its code is what is left of it.
    if code == errors.codes.interrupted or done == most or e and e.kind == "output" then return code end
    options.say(("%s: exit code %d; waiting for it to change"):format(chosen.scenario, code))
    repeat core.wait(EVERY) until state_of(paths) ~= seen
  end
end

return watch
