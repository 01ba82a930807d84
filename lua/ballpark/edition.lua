-- Which program answers: what one version of it has found does not stand beside what another has. The number of the
-- version is the same between two releases, so files tell it.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local lfs = require("lfs")

local edition = {}

local function sorted_names(folder)
  local names = {}
  for name in lfs.dir(folder) do
    if name:sub(1, 1) ~= "." then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- Files of the library are small and plain: what files.read looks out for in a user's would take most of the time.
local function text_of(path)
  local file = io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  return text or errors.io("cannot read " .. path)
end

-- Names and digests of the Lua files below a folder, `within` the first one.
local function add_digests(list, folder, within)
  for _, name in ipairs(sorted_names(folder)) do
    local path = folder .. "/" .. name
    if lfs.attributes(path, "mode") == "directory" then
      add_digests(list, path, within .. name .. "/")
    elseif name:find("%.lua$") then
      list[#list + 1] = within .. name .. " " .. core.digest(text_of(path))
    end
  end
end

--- A text that is another one where the sources of the core or a file of the library is another one: coefficients, prices and
--- devices are such files. An input/output error where one cannot be read.
---@return string
function edition.text()
  local list = { core.sources }
  add_digests(list, package.searchpath("ballpark.edition", package.path):match("^(.*)/[^/]*$"), "")
  return core.version .. " " .. core.digest(table.concat(list, "\n"))
end

return edition
