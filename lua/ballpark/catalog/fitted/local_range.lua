-- How far speeds of local engines are from what is predicted, written by tools/fit/local_range.lua; do not edit. As the laws
-- of training_range.lua; a family is a source's rows on a device, features are those of ballpark.range.local_inference.
-- 705 speeds of generation and 372 of prompts, each in the fit and left out of it.
return {
  generation = {
    level = -3.14,
    slopes = {
      0.3159,
      0.5362,
      0.4667,
      0.287,
    },
    width = 2.558,
  },
  prompt = {
    level = -2.565,
    slopes = {
      0.1913,
      0.4886,
      0.2402,
      0,
    },
    width = 3.003,
  },
}
