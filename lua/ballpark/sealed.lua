-- Files that the program writes for itself to read again (checkpoints, parts): JSON around a digest of their content.
-- A file that came to harm on the way is refused with one line.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local files = require("ballpark.files")
local json = require("ballpark.json")

local sealed = {}

local FORM <const> = '{"digest":"%s","content":%s}\n'
local PATTERN <const> = '^{"digest":"(%x+)","content":(.*)}\n$'

--- The text of such a file.
---@param content table
---@return string
function sealed.text(content)
  local text = json.encode(content)
  return FORM:format(core.digest(text), text)
end

--- The content of the file at `path`; an error calls it `name` and says that it is not `what` ("a part of a search")
--- or that it is damaged.
---@param path string
---@param name string
---@param what string
function sealed.read(path, name, what)
  local digest, text = files.read(path):match(PATTERN)
  if not digest then
    errors.usage(("%s: is not %s of this version, or is damaged: no digest of its content"):format(name, what))
  end
  if core.digest(text) ~= digest then
    errors.usage(("%s: is damaged: its content is not what was written"):format(name))
  end
  return json.decode(text, name)
end

return sealed
