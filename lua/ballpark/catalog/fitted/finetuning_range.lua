-- How far peaks of fine-tuning are off, written by tools/fit/finetuning_range.lua; do not edit. As the memory of
-- training_range.lua; the feature is that of ballpark.range.finetuning.
-- 248 peaks.
return {
  memory = {
    level = -3.285,
    slopes = {
      0.7005,
    },
    width = 2.724,
  },
}
