-- README.md and the manual name every command of the program, and no file of the project that is not there.
local readme = {}

--- Complaints about the text of both. `commands` is the list of command names; exists(path) tells
--- whether a path of the project is there.
function readme.check(text, commands, exists)
  local complaints = {}
  local function complain(...) complaints[#complaints + 1] = "README.md and the manual: " .. string.format(...) end
  for _, name in ipairs(commands) do
    if not text:find("ballpark " .. name:gsub("%-", "%%-") .. "%f[^%w_]") then
      complain("the command 'ballpark %s' is not described", name)
    end
  end
  for _, folder in ipairs({ "tools", "scenarios", "tests", "core", "lua" }) do
    for path in text:gmatch("%f[%w_%./]" .. folder .. "/[%w_%./%-]*[%w_]") do
      if not exists(path) then complain("names %s, which does not exist", path) end
    end
  end
  return complaints
end

return readme
