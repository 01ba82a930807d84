-- Inference that is no language model, as one door: encoders and image networks, recommendation, search among
-- vectors.
local show = require("ballpark.questions.inference.show")

local inference = {}

--- Procedures by the name of a scenario's function and of an answer's kind; each has run(input).
inference.procedures = {
  encode = require("ballpark.questions.encode.run"),
  recommend = require("ballpark.questions.recommend.run"),
  vector_search = require("ballpark.questions.vector_search.run"),
}

--- Adds an answer of one of them to a result.
inference.show = show.answer

return inference
