-- How far peaks of fine-tuning are off, written by tools/fit/finetuning_range.lua; do not edit. As the memory of
-- training_range.lua; the feature is that of ballpark.range.finetuning.
-- 248 peaks.
return {
  memory = {
    level = -3.026,
    slopes = {
      0.2708,
    },
    sources = {
      all = {
        sources = 7,
        squares = 0.01091,
        weight = 6.5,
      },
      cells = {
        ["fine-tuning"] = {
          sources = 7,
          squares = 0.01091,
          weight = 6.5,
        },
      },
    },
    width = 2.08,
  },
}
