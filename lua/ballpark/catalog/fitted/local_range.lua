-- How far speeds of local engines are from what is predicted, written by tools/fit/local_range.lua; do not edit. As the laws
-- of training_range.lua; a family is a source's rows on a device, features are those of ballpark.range.local_inference.
-- 703 speeds of generation and 370 of prompts, each in the fit and left out of it.
return {
  generation = {
    level = -2.929,
    slopes = {
      0.1019,
      0.6779,
      0.2921,
      0.5482,
    },
    width = 2.551,
  },
  prompt = {
    level = -2.309,
    slopes = {
      0.05521,
      0.6368,
      0.1561,
      0,
    },
    width = 2.757,
  },
}
