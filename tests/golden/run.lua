-- Golden outputs: what the program prints today, kept to see what a change does to it.
--
--   BALLPARK=build/ballpark build/ballpark lua tests/golden/run.lua [--update]
--
-- --update writes the files anew: read the difference before you commit it (`tools/test
-- --update-golden` builds first). Texts must be equal; numbers may differ in the last digits, where C
-- libraries differ. The last line sums up.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local root = here .. "/../.."
local program = os.getenv("BALLPARK") or (root .. "/build/ballpark")
local update = arg[1] == "--update"
local same = dofile(here .. "/same.lua")

local QUICKSTART = "run scenarios/quickstart.lua"
local GRID = "sweep scenarios/quickstart.lua --axis cluster.nodes=8,16,32 --axis job.seq_len=4096,8192"
  .. " --columns devices,plan,step_s,mfu_frac,run_s,cost_usd"
-- A plan that says something in every target, and something that some cannot.
local LAUNCHED = QUICKSTART .. " -D plan=tp=4,pp=4,vpp=5,cp=2,zero=1,micro_batch=1,recompute=selective"

-- File name -> command line, run from the root of the project.
local cases = {
  { "quickstart.txt", QUICKSTART },
  { "quickstart.md", QUICKSTART .. " -f markdown" },
  { "quickstart.csv", QUICKSTART .. " -f csv" },
  { "quickstart.json", QUICKSTART .. " -f json" },
  { "quickstart.jsonl", QUICKSTART .. " -f jsonl --table rejected" },
  { "why.txt", QUICKSTART .. " --why tp=8,pp=4" },
  { "sweep.csv", GRID .. " -f csv" },
  { "emit_deepspeed.txt", LAUNCHED .. " --emit deepspeed" },
  { "emit_maxtext.txt", LAUNCHED .. " --emit maxtext" },
  { "emit_megatron.txt", LAUNCHED .. " --emit megatron" },
  { "emit_nemo.txt", LAUNCHED .. " --emit nemo" },
  { "emit_slurm.txt", LAUNCHED .. " --emit slurm" },
  { "emit_torchtitan.txt", LAUNCHED .. " --emit torchtitan" },
  { "relax.txt", QUICKSTART .. " -D cluster.nodes=2 -D plan=pp=1,micro_batch=2" },
  { "plans.txt", "compare scenarios/quickstart.lua --plans tp=8,pp=4 tp=4,pp=8" },
  { "sensitivity.txt", QUICKSTART .. " --sensitivity" },
  { "compare.txt", "compare scenarios/quickstart.lua -B cluster.device=H200" },
  { "serving.txt", "run scenarios/serving.lua" },
  { "explain_bubble.txt", "explain bubble" },
  { "explain_plan.md", "explain plan -f markdown" },
  { "catalog_h100.json", "catalog devices H100 -f json" },
  { "schema_search.json", "schema search" },
  { "help.txt", "--help" },
  { "../../lua/ballpark/meta/ballpark.lua", "lua tools/meta.lua" },
}

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

local function absolute(path)
  return path:sub(1, 1) == "/" and path or (require("lfs").currentdir() .. "/" .. path)
end

local function output(words)
  local pipe = assert(io.popen(("cd %s && %s %s 2>&1"):format(quote(root), quote(absolute(program)), words)))
  local text = pipe:read("a")
  local _, _, code = pipe:close()
  return code == 0 and text or (text .. "exit code " .. tostring(code) .. "\n")
end

local passed, failed = 0, 0
for _, case in ipairs(cases) do
  local path, got = here .. "/" .. case[1], output(case[2])
  if update then
    local file = assert(io.open(path, "wb"))
    file:write(got)
    file:close()
  end
  local wanted = read(path)
  local problem = wanted and same.difference(wanted, got) or (not wanted and "  there is no such file")
  if problem then
    failed = failed + 1
    print(("--- failed: %s (ballpark %s)\n%s"):format(case[1], case[2], problem))
  else
    passed = passed + 1
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
