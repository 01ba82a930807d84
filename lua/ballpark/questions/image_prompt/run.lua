-- image_prompt{}: an image is cut into patches, the vision tower sees them once, and what it leaves are tokens of the
-- prompt like others. Times and memory are those of the serving kernels.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local encode = require("ballpark.questions.encode.run")
local errors = require("ballpark.errors")
local questions = require("ballpark.questions")
local ranges = require("ballpark.range.media")
local resolve = require("ballpark.resolve.serving")
local serving_curves = require("ballpark.catalog.serving_curves")
local tables = require("ballpark.tables")
local units = require("ballpark.resolve.serving.units")

local image_prompt = {}

local SIDE <const>, TEXT <const> = 1024, 64 -- where nobody says them (assumptions)
local SIZES <const> = { 448, 896, 1344, 1792 }
local KILO <const> = 1000

local function check_model(model)
  local tower = model.encoder or {}
  if (tower.layers or 0) == 0 or (tower.patch_size or 0) == 0 then
    errors.input("model", "has no vision tower, as Qwen2.5-VL or Gemma 3 have")
  end
end

-- Towers with a table of positions see one size, of which there may be tiles; others see the image as it is.
local function has_one_size(model)
  return (model.image_size or 0) > 0 and (model.encoder.learned_positions or 0) > 0
end

--- Places of an image of width x height in the prompt, and how many tiles the tower sees: merged patches of the image,
--- rounded to whole ones, with its longer side made no longer than the model's image_size; of a tower of one size those of
--- a tile times the tiles.
function image_prompt.tokens(model, width, height, tiles)
  local tower = model.encoder
  local merge = tower.merge or 1
  if has_one_size(model) then
    local side = model.image_size // tower.patch_size
    return math.floor(side * side / merge + 0.5) * (tiles or 1), tiles or 1
  end
  local step = tower.patch_size * math.sqrt(merge)
  local longest = (model.image_size or 0) > 0 and model.image_size or math.huge
  local scale = math.min(1, longest / math.max(width, height))
  local function count(pixels) return math.max(1, math.floor(scale * pixels / step + 0.5)) end
  return count(width) * count(height), 1
end

-- The step that reads a prompt: images are inputs of the tower, each tile one of them.
local function reads(case, image_tok, tiles, images)
  local model = tables.with(case.model, { images = images * tiles, image_tok = math.max(1, image_tok // tiles) })
  local setup = tables.with(case.setup, { model = model })
  local prompt = images * image_tok + case.text_tokens
  return core.infer_step(tables.with(setup, { prompts = 1, prompt_tokens = prompt })), setup, prompt
end

local function by_size(case, tiles, images)
  local list = {}
  if has_one_size(case.model) then return list end
  for _, side in ipairs(SIZES) do
    local tok = image_prompt.tokens(case.model, side, side, tiles)
    local step = reads(case, tok, 1, images)
    list[#list + 1] = { side, tok, step.encoder_s, step.time_s }
  end
  return list
end

local function case_of(input)
  local model, device = input.model, encode.device(input.device)
  local devices = errors.whole("devices", input.devices or 1)
  local engine = resolve.engine({ name = input.engine or "vllm" }, device)
  local plan, assumed = resolve.plan({ weights = input.weights, tp = devices }, model, engine.name, devices)
  units.check(plan, device, engine.name, "")
  return { model = model, text_tokens = errors.whole("text_tokens", input.text_tokens or TEXT), assumed = assumed,
    setup = { model = model, device = device, network = catalog.cluster({ device = device, devices = devices }).network, curves = (serving_curves.get(device)),
      plan = plan, engine = engine } }
end

local function kv_of(setup, tokens)
  return core.kv_cache({ model = setup.model, sequences = 1, tokens = tokens, tp = setup.plan.tp }).device_bytes
end

--- Answers image_prompt{}, see its record.
function image_prompt.run(input)
  questions.check_known("image_prompt", input)
  check_model(input.model)
  if input.tiles and not has_one_size(input.model) then
    errors.input("tiles", ("%s sees an image as it is, in one piece"):format(input.model.name or "the model"))
  end
  local case = case_of(input)
  local usual = has_one_size(input.model) and input.model.image_size or SIDE
  local width = errors.whole("width", input.width or usual)
  local height, images = errors.whole("height", input.height or width), errors.whole("images", input.images or 1)
  local image_tok, tiles = image_prompt.tokens(input.model, width, height, input.tiles and errors.whole("tiles", input.tiles))
  local step, setup, prompt = reads(case, image_tok, tiles, images)
  local text = core.infer_step(tables.with(tables.with(case.setup, { model = tables.with(case.model, { images = 0 }) }),
    { prompts = 1, prompt_tokens = case.text_tokens }))
  local params = core.params({ model = case.model })
  local answer = { kind = "image_prompt", case = case, width = width, height = height, images = images, tiles = tiles,
    image_tok = image_tok, prompt_tok = prompt, encoder_s = step.encoder_s, first_token_s = step.time_s,
    text_first_token_s = text.time_s, prompts_per_s = 1 / step.time_s, tower_bytes = 2 * params.encoder,
    memory = core.infer_memory(tables.with(setup, { sequence_tokens = prompt + 1 })), assumed = case.assumed }
  answer.image_kv_bytes = kv_of(setup, image_tok + KILO) - kv_of(setup, KILO)
  answer.fits = answer.memory.fits
  answer.sizes = by_size(case, tiles, images)
  answer.range = { first_token_s = ranges.around("image_prompt", answer.first_token_s) }
  return answer
end

return image_prompt
