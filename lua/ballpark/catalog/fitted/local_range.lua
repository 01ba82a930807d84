-- How far speeds of local engines are from what is predicted, written by tools/fit/local_range.lua; do not edit. As the laws
-- of training_range.lua; a family is a source's rows on a device, features are those of ballpark.range.local_inference.
-- 705 speeds of generation and 372 of prompts, each in the fit and left out of it.
return {
  generation = {
    level = -3.14,
    slopes = {
      0.2925,
      0.5517,
      0.4658,
      0.2882,
    },
    width = 2.574,
  },
  prompt = {
    level = -2.571,
    slopes = {
      0.1994,
      0.494,
      0.233,
      0,
    },
    width = 3.005,
  },
}
