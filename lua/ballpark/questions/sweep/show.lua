-- The rows of a sweep in a report.
local show = {}

--- Puts the rows into a result.
function show.answer(r, answer)
  r:table({ name = "sweep", title = answer.title or "Sweep", columns = answer.columns, rows = answer.rows })
end

return show
