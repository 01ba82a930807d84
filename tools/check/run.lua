-- Checks of the tree itself. Runs inside the program, which knows its kernels:
--
--   build/ballpark lua tools/check/run.lua
--
-- Prints what is wrong and ends with `N passed, N failed`, one per check.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local root = here .. "/../.."
package.path = here .. "/?.lua;" .. package.path

local core = require("ballpark.core")
local kernel_docs = require("kernel_docs")
local lfs = require("lfs")
local tree = require("tree")

local function kernel_names()
  local names = {}
  for _, kernel in ipairs(core.kernels()) do names[kernel.name] = true end
  return names
end

-- Sources that people read and edit; tables of data and generated files are neither.
local function is_source(path)
  local name = path:match("[^/]+$")
  return not path:find("^lua/ballpark/meta/")
    and (name:find("%.[ch]$") or name:find("%.lua$") or name:find("%.sh$") or not name:find(".", 1, true))
end

local function sources()
  local files = {}
  for _, folder in ipairs({ "core", "lua", "scenarios", "tests", "tools" }) do
    for path, text in pairs(tree.files(root, folder, "")) do
      if is_source(path) then files[path] = text end
    end
  end
  return files
end

-- What `ballpark explain` must have an answer for, each name once.
local function names_to_explain()
  local names = { search = true, estimate = true }
  for _, kernel in ipairs(core.kernels()) do
    names[kernel.name] = true
    for _, field in ipairs(kernel.output.fields) do names[field.name] = true end
    for _, field in ipairs(kernel.input.fields) do
      names[field.name] = true
      for _, inner in ipairs(field.schema and field.schema.fields or {}) do
        names[field.schema.name .. "." .. inner.name] = true
        for _, value in ipairs(inner.names or {}) do names[value] = true end
      end
    end
  end
  return tree.sorted(names)
end

local function check_explain()
  local complaints = {}
  local cli = require("ballpark.cli")
  for _, name in ipairs(names_to_explain()) do
    local ok, code = pcall(cli.main, { "explain", name, "-o", "/dev/null" })
    if not ok or code ~= 0 then complaints[#complaints + 1] = "ballpark explain " .. name .. ": " .. tostring(code) end
  end
  return complaints
end

-- The scenarios whose reports are about questions, not cases with words of their own.
local function check_report_words()
  local paths = {}
  for path in pairs(tree.files(root, "scenarios", "%.lua$")) do
    if path:find("^scenarios/[^/]+%.lua$") or path:find("^scenarios/inference/") then paths[#paths + 1] = path end
  end
  table.sort(paths)
  return require("report_words").check(root, paths, require("ballpark.cli.explain").knower())
end

-- The program under test, as the README's blocks need it.
local function program()
  local path = os.getenv("BALLPARK") or (root .. "/build/ballpark")
  return path:sub(1, 1) == "/" and path or (lfs.currentdir() .. "/" .. path)
end

local function top_level()
  local names = {}
  for name in lfs.dir(root) do names[#names + 1] = name end
  return names
end

local function exists(path) return lfs.attributes(root .. "/" .. path, "mode") ~= nil end

local checks = {
  { "layers of the C core", function()
    return require("c_layers").check(tree.files(root, "core", "%.[ch]$"))
  end },
  { "layers of the Lua library", function()
    return require("lua_layers").check(tree.files(root, "lua/ballpark", "%.lua$"))
  end },
  { "kernels and fields are documented", function() return kernel_docs.check_kernels(core.kernels()) end },
  { "functions of kernel headers are bound or documented", function()
    return kernel_docs.check_headers(tree.files(root, "core/kernel", "%.h$"), kernel_names())
  end },
  { "everything can be explained", check_explain },
  { "what reports print can be explained", check_report_words },
  { "habits of the house", function() return require("house").check(sources()) end },
  { "nothing strays at the top", function() return require("house").check_top(top_level()) end },
  { "README shows what the program prints", function()
    local blocks = require("readme_blocks")
    return blocks.check(tree.read(root, "README.md"), blocks.output(program(), root))
  end },
  { "README and manual name commands and files that are there", function()
    local pages = { tree.read(root, "README.md") }
    for _, text in pairs(tree.files(root, "lua/ballpark/manual", "%.md$")) do pages[#pages + 1] = text end
    return require("readme").check(table.concat(pages, "\n"), require("ballpark.cli").commands, exists)
  end },
}

local passed, failed = 0, 0
for _, check in ipairs(checks) do
  local complaints = check[2]()
  if #complaints == 0 then
    passed = passed + 1
  else
    failed = failed + 1
    print("--- " .. check[1])
    for _, complaint in ipairs(complaints) do print(complaint) end
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0, true)
