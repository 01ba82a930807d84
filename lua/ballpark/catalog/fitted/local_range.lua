-- How far speeds of local engines are from what is predicted, written by tools/fit/local_range.lua; do not edit. As the laws
-- of training_range.lua; a family is a source's rows on a device, features are those of ballpark.range.local_inference.
-- 705 speeds of generation and 372 of prompts, each in the fit and left out of it.
return {
  generation = {
    level = -3.1,
    slopes = {
      0.2494,
      0.7013,
      0.37,
      0.3211,
    },
    width = 2.576,
  },
  prompt = {
    level = -2.531,
    slopes = {
      0.1959,
      0.7626,
      0,
      0,
    },
    width = 2.796,
  },
}
