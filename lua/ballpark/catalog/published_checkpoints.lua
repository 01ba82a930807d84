-- Published sizes of whole checkpoints, weights and states of the optimizer, to set an answer beside.
return {
  { name = "BLOOM", params = 176.2e9, bytes = 2.3e12, source = "huggingface.co/bigscience/bloom, model card, recalled",
    date = "2022-07" },
}
