-- Writes the man page, made of the help texts of the program:
--
--   build/ballpark lua tools/packaging/man.lua build/ballpark.1
local cli = require("ballpark.cli")
local core = require("ballpark.core")

local out = {}
local function say(line) out[#out + 1] = line end

-- A line of text as troff reads it.
local function text(line) return (line:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("^([.'])", "\\&%1")) end

say(('.TH BALLPARK 1 "" "ballpark %s" "User Commands"'):format(core.version))
say(".SH NAME")
say("ballpark \\- capacity of machine learning systems: memory, time and cost, without a GPU")
say(".SH SYNOPSIS")
say(".B ballpark")
say(".I COMMAND")
say("[OPTION]...")
say(".SH DESCRIPTION")
say("Answers what fits, how long it takes, on how many devices, for how much money and how sure that is, of training,")
say("serving, fine\\-tuning and local inference.")
say(".SH COMMANDS")
for _, name in ipairs(cli.commands) do
  say(".TP")
  say(".B " .. text(name))
  say(text(cli.module(name).summary) .. ".")
end
say(".SH EXAMPLES")
say(".nf")
for _, name in ipairs(cli.commands) do
  local example = (cli.module(name).examples or {})[1]
  if example then say(text(example)) end
end
say(".fi")
say(".SH EXIT STATUS")
say("0 ok; 1 nothing feasible, or an expectation failed; 2 usage or scenario error; 3 input or output; 4 a rule failed;")
say("70 internal error; 130 interrupted.")
say(".SH SEE ALSO")
say(".B ballpark help")
say("lists the manual.")
require("ballpark.files").write(arg[1], table.concat(out, "\n") .. "\n")
