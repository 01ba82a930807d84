-- How far speeds of local engines are from what is predicted, written by tools/fit/local_range.lua; do not edit. As the laws
-- of training_range.lua; a family is a source's rows on a device, features are those of ballpark.range.local_inference.
-- 786 speeds of generation and 441 of prompts, each in the fit and left out of it.
return {
  generation = {
    level = -3.261,
    slopes = {
      0.006439,
      0.9886,
      0.4089,
      0.3366,
    },
    width = 2.539,
  },
  prompt = {
    level = -2.935,
    slopes = {
      0.02925,
      1.135,
      0,
      0,
    },
    width = 3.035,
  },
}
