-- Expressions of uncertain numbers as a tape for the core (core/stats/tape.h).
local tape = {}

-- Everything below a node, what is needed first first.
local function collect(n, leaves, constants, rest, seen)
  if seen[n] then return end
  seen[n] = true
  for _, inner in ipairs(n.args) do collect(inner, leaves, constants, rest, seen) end
  local list = n.op == "leaf" and leaves or n.op == "number" and constants or rest
  list[#list + 1] = n
end

--- The inputs, constants, lines and results of core.draw_tape for a list of nodes.
---@param nodes ballpark.uncertain[]
---@param leaves ballpark.uncertain[]|nil that come first, used or not
function tape.of(nodes, leaves)
  local inputs, constants, rest, seen, at = table.move(leaves or {}, 1, #(leaves or {}), 1, {}), {}, {}, {}, {}
  for _, leaf in ipairs(inputs) do seen[leaf] = true end
  for _, n in ipairs(nodes) do collect(n, inputs, constants, rest, seen) end
  local made = { leaves = inputs, inputs = {}, constants = {}, lines = {}, results = {} }
  for i, leaf in ipairs(inputs) do made.inputs[i], at[leaf] = leaf.spread, i - 1 end
  for i, n in ipairs(constants) do made.constants[i], at[n] = n.value, #inputs + i - 1 end
  for i, n in ipairs(rest) do
    local line = { n.op }
    for k, inner in ipairs(n.args) do line[k + 1] = at[inner] end
    made.lines[i], at[n] = line, #inputs + #constants + i - 1
  end
  for i, n in ipairs(nodes) do made.results[i] = at[n] end
  return made
end

--- Correlations between leaves as the core takes them.
---@param leaves ballpark.uncertain[]
function tape.correlations(leaves)
  local place, list = {}, {}
  for i, leaf in ipairs(leaves) do place[leaf] = i end
  for i, leaf in ipairs(leaves) do
    for _, pair in ipairs(leaf.correlations) do
      local other = place[pair[1]]
      if other and other > i then list[#list + 1] = { i, other, pair[2] } end
    end
  end
  return list
end

return tape
