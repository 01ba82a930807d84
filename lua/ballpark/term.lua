-- The terminal: whether a stream is one, and colour when that is welcome.
local term = {}

-- lua-term answers isatty; without it nothing counts as a terminal.
local present, library = pcall(require, "term")

--- Whether the stream is a terminal.
function term.is_terminal(stream)
  return present and library.isatty(stream) or false
end

--- Whether text written to the stream may carry colour (https://no-color.org).
function term.wants_color(stream)
  local refused = os.getenv("NO_COLOR")
  if (refused and refused ~= "") or os.getenv("TERM") == "dumb" then return false end
  if os.getenv("OMPI_COMM_WORLD_RANK") then return false end -- mpirun gives every rank a terminal
  return term.is_terminal(stream)
end

local codes = { bold = "1", dim = "2", red = "31", yellow = "33" }

local function plain(s) return s end

--- Functions bold, dim, red, yellow that mark text up when `color` is true.
function term.style(color)
  local style = {}
  for name, code in pairs(codes) do
    style[name] = color and function(s) return "\27[" .. code .. "m" .. s .. "\27[0m" end or plain
  end
  return style
end

return term
