-- What --group may name: a column of the table, or a trait of the estimates.
local errors = require("ballpark.errors")

--- Refuses a name that neither a column nor a trait has; both are lists of { name, ... }.
return function(group, columns, traits)
  local names = {}
  for _, list in ipairs({ columns, traits or {} }) do
    for _, entry in ipairs(list) do
      if entry[1] == group then return end
      names[#names + 1] = entry[1]
    end
  end
  errors.choice("--group", group, names)
end
