-- Images drawn by diffusion: diffusion{} answers.
local proposals = require("ballpark.questions.ask.proposals")
local units = require("ballpark.units")

return {
  name = "draw", title = "Images that are drawn", words = "Draw images: how long does one take, how many devices for a load?",
  question = "diffusion",
  facts = {
    { "model", "Which model (name of the catalog)?", type = "string", title = "Model", ask = 1,
      propose = proposals.constant("sdxl", "the model most often run by oneself") },
    proposals.device("L40S", "often rented to draw"),
    { "width", "Pixels of width?", unit = "", type = "integer", title = "Width" },
    { "height", "Pixels of height?", unit = "", type = "integer", title = "Height" },
    { "steps", "Steps of an image?", unit = "", type = "integer", title = "Steps" },
    { "batch", "Images of a call?", unit = "", type = "integer", title = "Batch" },
    { "items", "How many images in all?", unit = "", title = "Images" },
    { "time_s", "In what time?", unit = "s", title = "Deadline", also = { "within_s" }, propose = function(f)
      if f.items and not f.rate_per_s then return 30 * 86400, "a month" end
    end },
    { "rate_per_s", "Images per second in the mean?", unit = "1/s", title = "Mean rate", ask = 2, propose = function(f)
      if f.items then return f.items / f.time_s, ("%s in %s"):format(units.format(f.items, ""), units.format(f.time_s, "s")), nil, nil, true end
    end },
    { "peak_ratio", "Peak over the mean?", unit = "", title = "Peak over mean", propose = function(f)
      if f.items then return 1, "nobody waits for one of them", nil, nil, true end
      if f.rate_per_s then return 3, "a service with one region's day: 2 to 4", 2, 4 end
    end },
    { "slo_s", "SLO of an image, seconds?", unit = "s", title = "SLO" },
  },
  input = function(f)
    return { model = f.model, device = f.device, width = f.width, height = f.height, steps = f.steps, batch = f.batch,
      load = f.rate_per_s and { rate_per_s = f.rate_per_s * f.peak_ratio, sla_s = f.slo_s } or nil }
  end,
}
