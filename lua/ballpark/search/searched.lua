-- How much of its space a search looked at, and why it stopped before the end.
local searched = {}

--- { size, looked_at, complete, why }: what there was, what of it was looked at or is known not to be better, and
--- where that is not enough to answer, why.
---@param why string|nil what kept the search from looking at everything that matters
function searched.of(size, looked_at, why)
  return { size = size, looked_at = looked_at, complete = why == nil, why = why }
end

local function add(r, about, things)
  if r.numbers_only then return end
  local block = r:facts({ name = "searched",
    title = about.complete and "Searched" or "The search is not complete: there may be better " .. things,
    { name = "looked_at", value = about.looked_at, title = "Looked at", tally = true,
      text = "{looked_at} of {size} " .. things },
    { name = "size", value = about.size, title = "Size", hide = true, tally = true },
    { name = "complete", value = about.complete, title = "Complete", hide = true },
    { name = "why", value = about.why, title = "Why", hide = about.complete } })
  block.hide = about.complete
end

--- Adds the block `searched` to a result before an answer: of a search that was not complete, for people, too.
---@param r table a result
---@param about table of searched.of
---@param things string what it looked at: "plans"
function searched.before(r, about, things)
  if not about.complete then add(r, about, things) end
end

--- The same behind an answer: of a search that was complete, for machines.
function searched.after(r, about, things)
  if about.complete then add(r, about, things) end
end

return searched
