-- diffusion{}: images drawn by diffusion on one device.
local contradiction = require("ballpark.questions.inference.contradiction")
local inputs = require("ballpark.questions.inputs")
local units = require("ballpark.units")

return {
  name = "diffusion",
  title = "images drawn by diffusion on one device",
  inputs = inputs.joined({
    { "model", "name of the catalog (diffusion), or fields of a diffusion model with its text encoders: ballpark explain "
      .. "diffusion_model", type = "string|table", required = true },
    { "device", "name or fields of a device", is = "device", type = "string|ballpark.device", required = true },
    { "runtime", "eager (the default: PyTorch, as diffusers and ComfyUI run it), compiled, tensorrt, or a table whose "
      .. "name says which it changes: ballpark explain runtime", is = "either", type = "string|ballpark.runtime" },
    { "weights", "format that the denoiser's weights are stored in, where they multiply in 16 bit: fp8, int8, nf4, or a "
      .. "type of llama.cpp's files (Q8_0, Q4_K_S)", type = "string" },
    { "offload", "true: text encoders, denoiser and decoder are on the device one after another", type = "boolean" },
    { "load", "requests of one image each: rate_per_s, and window_s, max_batch, sla_s (99th percentile), "
      .. "utilization_frac (0.7), spares: answers the fewest replicas", is = "group", type = "table",
      whole = { "max_batch", "spares" } },
    { "price_usd_h", "USD per device-hour, instead of the catalog's", type = "number" },
    { "images", "in all: the device time and cost of so many, calls back to back", type = "number" },
    { "devices", "among which those images are dealt, whole ones: the time that they take together", type = "integer" },
  }, inputs.of_kernel("diffusion")),
  needs = { { "model", such = '"sdxl"' }, { "device", such = '"RTX 4090"' } },
  outputs = {
    { "fits", "boolean", "whether it fits into memory and replicas meet the SLO" },
    { "time_s", "number", "of a call, with text encoders" },
    { "per_s", "number", "images per second, calls back to back" },
    { "steps_per_s", "number", "steps of the whole call, as progress bars count them" },
    { "text_s", "number", "text encoders" },
    { "memory_bytes", "number", "of weights, activations and the device's context" },
    { "memory", "table[]", "its parts" },
    { "out", "ballpark.diffusion_out", "of the kernel" },
    { "range", "table<string, ballpark.range>", "80 % ranges of time_s, per_s and steps_per_s" },
    { "batches", "table[]", "time, rate and memory by images of a call" },
    { "changes", "table[]", "what would be different, each with time, memory and whether it fits" },
    { "usd_per_thousand", "number|nil", "of a thousand images, calls back to back" },
    { "dealt", "table|nil", "device_s of all images, and time_s until the device with the most of them is done" },
    { "images_usd", "number|nil", "of all images" },
    { "fleet", "table|false|nil", "replicas of the load; false where none meet the SLO with batches that fit" },
  },
  command = {
    summary = "Draw images by diffusion: time, memory, and replicas for a load",
    examples = {
      "ballpark diffusion --model sdxl --device 'RTX 4090'",
      "ballpark diffusion --model flux.1-dev --device H100 --width 1360 --height 768 --steps 28 --batch 4",
      "ballpark diffusion --model flux.1-dev --device 'RTX 3060' --weights nf4 --offload",
      "ballpark diffusion --model sdxl --device L40S --runtime tensorrt --rate 2 --sla 10",
    },
    options = {
      { "model", "model", "Catalog name: ballpark catalog diffusion.", "text" },
      { "device", "device", "Catalog name.", "text" },
      { "runtime", "runtime", "eager (the default), compiled or tensorrt.", "text" },
      { "weights", "weights", "Format that the denoiser's weights are stored in: fp8, int8, nf4, Q8_0, Q4_K_S ...", "text" },
      { "offload", "offload", "One part of the model on the device at a time.", "flag" },
      { "images", "images", "In all: the device time and cost of so many." },
      { "price", "price_usd_h", "USD per device-hour, instead of the catalog's." },
    },
    after = inputs.load_options,
  },
  contradiction = contradiction.sentence,
  headline = function(answer, asked)
    local time = ("%s a call, %s"):format(units.format(answer.time_s, "s"), units.format(answer.per_s, "1/s"))
    local memory = units.format(answer.memory_bytes, "B")
    if answer.asked.weights and answer.room then time = ("%s with the denoiser in %s"):format(time, answer.asked.weights) end
    if answer.asked.offload and answer.room then time = time .. ", one part on the device at a time" end
    local room = answer.room and "" or ("it does not fit: %s of %s; if it did, "):format(memory, units.format(answer.input.device.memory_bytes, "B"))
    if answer.fleet and answer.room then
      return ("%s of one %s; %s, %s"):format(units.count(answer.fleet.replicas, "replica"), answer.input.device.name, time, memory)
    elseif answer.images and answer.room then
      local usd = answer.images_usd and (", %s"):format(units.format(answer.images_usd, "USD")) or ""
      local made, devices = answer.dealt, answer.asked.devices
      local together = devices and ("%s on %d devices, "):format(units.format(made.time_s, "s"), devices) or ""
      return ("%s%s for all %s%s; %s, %s"):format(together, units.format(made.device_s, "device s"), units.tally(answer.images), usd, time, memory)
    end
    if asked.memory and answer.room then
      local least
      for _, change in ipairs(answer.changes) do
        if not least or change[3] < least[3] then least = change end
      end
      return ("%s%s; %s"):format(memory, least and least[3] < answer.memory_bytes and (", %s with this: %s"):format(units.format(least[3], "B"), least[1]) or "", time)
    end
    return room .. time .. (answer.room and "; " .. memory or "")
  end,
  speed = function(answer) return answer.room and answer.per_s or nil end,
  reason = contradiction.reason,
}
