-- The files of the project as the checks see them: a table of path -> text, paths relative to the root.
local lfs = require("lfs")
local read = require("ballpark.files").read

local tree = {}

local function add(files, root, path, pattern)
  for name in lfs.dir(root .. "/" .. path) do
    local inner = path .. "/" .. name
    local mode = lfs.attributes(root .. "/" .. inner, "mode")
    if name:sub(1, 1) == "." then
      goto continue
    elseif mode == "directory" then
      add(files, root, inner, pattern)
    elseif mode == "file" and name:find(pattern) then
      files[inner] = read(root .. "/" .. inner)
    end
    ::continue::
  end
end

--- All files below `dir` whose name matches `pattern`.
function tree.files(root, dir, pattern)
  local files = {}
  add(files, root, dir, pattern)
  return files
end

--- The text of one file.
function tree.read(root, path) return read(root .. "/" .. path) end

--- Paths in order, so that complaints come in the same order everywhere.
function tree.sorted(files)
  local paths = {}
  for path in pairs(files) do paths[#paths + 1] = path end
  table.sort(paths)
  return paths
end

--- Iterates over line number and line.
function tree.lines(text)
  local number = 0
  local next_line = (text .. "\n"):gmatch("([^\n]*)\n")
  return function()
    local line = next_line()
    if not line then return nil end
    number = number + 1
    return number, line
  end
end

return tree
