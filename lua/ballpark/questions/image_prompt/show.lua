-- Images in a prompt in a report.
local parts = require("ballpark.questions.inference.show")

local show = {}

--- Adds an answer of image_prompt{} to a result.
function show.answer(result, answer)
  local case, memory = answer.case, answer.memory
  local list, fact = parts.facts_list("image_prompt", ("%s on %d x %s, %d of %d x %d in a prompt"):format(
    case.model.name or "model", case.setup.network.devices, case.setup.device.name or "device", answer.images,
    answer.width, answer.height))
  fact("image_tok", answer.image_tok, "tok", "Tokens of an image")
  fact("prompt_tok", answer.prompt_tok, "tok", "Tokens of the prompt")
  fact("first_token_s", answer.first_token_s, "s", "First token", answer.range.first_token_s)
  fact("text_first_token_s", answer.text_first_token_s, "s", "Without the images")
  fact("encoder_s", answer.encoder_s, "s", "Vision tower")
  fact("prompts_per_s", answer.prompts_per_s, "1/s", "Prompts per second")
  fact("weights_bytes", memory.weights_bytes, "B", "Weights")
  fact("tower_bytes", answer.tower_bytes, "B", "Weights of the tower")
  fact("activations_bytes", memory.activations_bytes, "B", "Workspace")
  fact("image_kv_bytes", answer.image_kv_bytes, "B", "Keys and values of an image")
  fact("max_sequences", memory.max_sequences, "", "Such prompts in the cache")
  fact("fits", answer.fits, "", "Fits")
  result:facts(list)
  if #answer.sizes > 0 then
    result:table({ name = "sizes", title = "By size of a square image", rows = answer.sizes,
      columns = parts.columns({ "side", "Pixels" }, { "image_tok", "Tokens", "tok" }, { "encoder_s", "Tower", "s" },
        { "first_token_s", "First token", "s" }) })
  end
  if answer.tiles > 1 then result:assume(("The tower sees %d tiles of an image."):format(answer.tiles)) end
  parts.said(result, answer)
  result:assume("Images are decoded and resized on the host beside the device; none is found in a cache.")
  result:assume("Range: " .. answer.range.first_token_s.why[1] .. ".")
end

return show
