-- Inference that is no language model, as one door: encoders and image networks, recommendation, search among
-- vectors.
local show = require("ballpark.inference.show")

local inference = {}

--- Procedures by the name of a scenario's function and of an answer's kind; each has run(input).
inference.procedures = {
  encode = require("ballpark.inference.encode"),
  recommend = require("ballpark.inference.recommend"),
  vector_search = require("ballpark.inference.vector_search"),
}

--- Adds an answer of one of them to a result.
inference.show = show.answer

return inference
