-- ballpark watch: a scenario is run again whenever its file changes.
local errors = require("ballpark.errors")
local lfs = require("lfs")
local options = require("ballpark.cli.options")
local run = require("ballpark.cli.run")
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

-- When each file was last written, and how large it is; a file that is being replaced may be gone for a moment.
local function state_of(paths)
  local list = {}
  for i, path in ipairs(paths) do
    local about = lfs.attributes(path) or {}
    list[i] = ("%s %s %s"):format(about.modification or 0, about.size or -1, about.ino or 0)
  end
  return table.concat(list, ";")
end

-- The words of the command line as those of `run`.
local function words_of(chosen)
  local words, skip = {}, false
  for _, word in ipairs(chosen.arguments) do
    if skip then
      skip = false
    elseif word == "--runs" then
      skip = true
    elseif not word:find("^%-%-runs=") then
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

-- Beside os.execute, which is deaf to Ctrl-C while it waits.
local function wait()
  local pipe = io.popen(("sleep %g"):format(EVERY))
  pipe:read("a")
  pipe:close()
end

function watch.run(chosen)
  options.format(chosen)
  if chosen.scenario == "-" then errors.usage("watch needs a file, not standard input") end
  local most = chosen.runs and math.tointeger(tonumber(chosen.runs))
  if chosen.runs and (not most or most < 1) then errors.usage("--runs: must be a whole number of at least 1") end
  local paths, words, done = { chosen.scenario, table.unpack(chosen.rules or {}) }, words_of(chosen), 0
  while true do
    local seen = state_of(paths)
    if term.is_terminal(io.stdout) then io.stdout:write("\27[H\27[2J") end
    local code = require("ballpark.cli").main(words)
    done = done + 1
    if done == most then return code end
    options.say(("%s: exit code %d; waiting for it to change"):format(chosen.scenario, code))
    repeat wait() until state_of(paths) ~= seen
  end
end

return watch
