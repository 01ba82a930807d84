-- How far peaks of fine-tuning are off, written by tools/fit/finetuning_range.lua; do not edit. As the memory of
-- training_range.lua; the feature is that of ballpark.range.finetuning.
-- 248 peaks.
return {
  memory = {
    level = -3.052,
    slopes = {
      0.2467,
    },
    sources = {
      all = {
        sources = 7,
        squares = 0.01089,
        weight = 6.5,
      },
      cells = {
        ["fine-tuning"] = {
          sources = 7,
          squares = 0.01089,
          weight = 6.5,
        },
      },
    },
    width = 1.847,
  },
}
