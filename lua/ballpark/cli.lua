-- The command line (being built).
local cli = {}
require("ballpark.errors")
function cli.main(arg)
  if arg[1] == "lua" then
    _G.arg = table.move(arg, 3, #arg, 1, { [0] = arg[2] })
    assert(loadfile(arg[2]))(table.unpack(_G.arg))
    return 0
  end
  return 2
end
return cli
