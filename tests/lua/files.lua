-- A folder for the files of a spec, gone afterwards.
local lfs = require("lfs")

local files = {}

--- A fresh folder.
function files.folder()
  local path = os.tmpname()
  os.remove(path)
  assert(lfs.mkdir(path))
  return path
end

--- Writes a file and returns its path.
function files.write(folder, name, text)
  local path = folder .. "/" .. name
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

--- The text of a file, nil when there is none.
function files.read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

--- Names in a folder, sorted.
function files.list(folder)
  local names = {}
  for name in lfs.dir(folder) do
    if name ~= "." and name ~= ".." then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

--- Removes the folder with what is in it.
function files.remove(folder)
  for _, name in ipairs(files.list(folder)) do os.remove(folder .. "/" .. name) end
  lfs.rmdir(folder)
end

return files
