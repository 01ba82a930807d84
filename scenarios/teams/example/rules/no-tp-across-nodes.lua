-- Tensor parallelism stays inside a node: our fabric cannot carry an all-reduce per matmul pair.
return {
  name = "no TP across nodes",
  why = "tensor-parallel groups larger than a node would all-reduce over the network",
  reject = function(c) return c.tp > c.node_size end,
}
