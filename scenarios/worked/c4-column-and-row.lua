-- C4: Cutting a matmul by columns or by rows: what lies where, and which collectives follow?
title "Column and row cuts"

local function cut(which, k, n, chained)
  return kernel.matmul_split { m = 4096, k = k, n = n, cut = which, ways = 8, chained = chained }
end
local function row(name, s)
  return { name, s.a_bytes, s.w_bytes, s.y_bytes, s.forward, s.forward_wire_bytes, s.backward,
    s.backward_wire_bytes }
end
local hidden, ffn = 8192, 28672
local column, alone = cut("column", hidden, ffn, false), cut("row", ffn, hidden, false)
local up, down = cut("column", hidden, ffn, true), cut("row", ffn, hidden, true)
rows {
  name = "cuts", title = "4096 tokens, 8192 to 28672 and back, over 8 devices",
  columns = { { name = "matmul" }, { name = "a_bytes", unit = "B", title = "A" },
    { name = "w_bytes", unit = "B", title = "W" }, { name = "y_bytes", unit = "B", title = "Y" },
    { name = "forward" }, { name = "forward_wire_bytes", unit = "B", title = "sent forward" },
    { name = "backward" }, { name = "backward_wire_bytes", unit = "B", title = "sent backward" } },
  row("column, alone", column), row("row, alone", alone),
  row("column, before a row", up), row("row, after a column", down),
}

expect("C4 column shards n", column.y_sharded and not column.a_sharded, { equals = true })
expect("C4 row shards k", alone.a_sharded and not alone.y_sharded, { equals = true })
expect("C4 column", column.forward, { equals = "all_gather" })
expect("C4 column followed by row", up.forward, { equals = "none" })
expect("C4 row", down.forward, { equals = "all_reduce" })

-- A block: query/key/value and output, up and down: two such pairs.
local forward, backward = 0, 0
for _, pair in ipairs { { cut("column", hidden, 3 * hidden, true), cut("row", hidden, hidden, true) }, { up, down } } do
  for _, half in ipairs(pair) do
    forward = forward + (half.forward == "all_reduce" and 1 or 0)
    backward = backward + (half.backward == "all_reduce" and 1 or 0)
  end
end
facts("One transformer block", {
  { "forward_all_reduces", forward, "", "All-reduces forward" },
  { "backward_all_reduces", backward, "", "All-reduces backward" },
})
expect("C4 per block forward", forward, { equals = 2 })
expect("C4 per block backward", backward, { equals = 2 })
note("Sequence parallelism turns each all-reduce into a reduce-scatter and an all-gather: the same traffic, "
  .. "less memory between them.")
