-- Sets of data that a prompt names and whose size nobody says: an answer for a usual size would be about another set.
local errors = require("ballpark.errors")
local mentions = require("ballpark.mentions")

local named_data = {}

local SETS <const> = { "wikipedia", "common crawl", "commoncrawl", "the pile", "fineweb", "redpajama", "slimpajama", "pubmed", "arxiv", "laion",
  "openwebtext", "stack overflow", "stackoverflow", "the stack", "openwebmath", "project gutenberg" }

--- Refuses a named set of which nothing says how large it is.
---@param text string|nil
---@param is_sized boolean|nil
---@param example string how its size is said
function named_data.check(text, is_sized, example)
  local name = not is_sized and mentions.named(text, SETS)
  if name then errors.input("ask", ("does not know how large %s is: say it, as '%s'"):format(name, example)) end
end

return named_data
