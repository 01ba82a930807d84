-- A model on one's own machine in a report.
local local_engines = require("ballpark.catalog.local_engines")
local range = require("ballpark.range")
local trained_length = require("ballpark.questions.trained_length")

local show = {}

local DAY_S <const> = 86400

local function named(count, device)
  return ("%s%s"):format(count > 1 and count .. " x " or "", device.name or "device")
end

-- Devices of both kinds.
local function devices_of(input)
  return named(input.devices, input.device) .. (input.others > 0 and " + " .. named(input.others, input.other) or "")
end

-- The longest context, and a longer one where more layers are with the host.
local function context_words(answer)
  local most, dealt = answer.max_context_tok, answer.dealt_context_tok or 0
  local more = dealt > most and ("{dealt_context_tok} with %slayers with the host"):format(answer.with_host and "more " or "")
  if most == 0 then return more or "none that it holds with 90 % chance" end
  return more and "{max_context_tok}; " .. more or nil
end

local function facts(answer)
  local out, full, input = answer.out, answer.full, answer.input
  local title = ("%s, %s, on %s"):format(answer.resolved.model.name or "model", answer.resolved.format, devices_of(input))
  local list = { name = "local_inference", title = title }
  local function fact(name, value, unit, words, more)
    local item = { name = name, value = value, unit = unit, title = words, hide = words == nil }
    for key, extra in pairs(more or {}) do item[key] = extra end
    list[#list + 1] = item
  end
  local several = input.sequences > 1
  fact("generation_tok_s", out.tokens_per_s, "tok/s", ("Generation%s behind %d tokens"):format(
    several and (" of %d sequences"):format(input.sequences) or "", input.prompt_tok),
    { range = answer.range.generation })
  fact("generation_full_tok_s", full.tokens_per_s, "tok/s", ("The same at %d tokens"):format(input.context_tok),
    { range = answer.range.full })
  fact("sequence_tok_s", several and out.tokens_per_s / input.sequences or nil, "tok/s", several and "Each of them" or nil)
  fact("prompt_tok_s", out.prompt_tokens_per_s, "tok/s", ("Prompt%s of %d tokens"):format(several and "s" or "", input.prompt_tok),
    { range = answer.range.prompt })
  fact("prompt_s", out.prompt_s, "s", "Time to the first token")
  fact("token_bound", out.token_bound, "", "Generation bound by")
  fact("prompt_bound", out.prompt_bound, "", "Prompt bound by")
  local fullest = input.others > 0 and (answer.need_bytes == out.other_bytes and input.other or input.device)
  fact("need_bytes", answer.need_bytes, "B", "Memory", { text = "{need_bytes} of {usable_bytes} usable"
    .. (fullest and ", of the fullest: " .. named(1, fullest) or "") })
  fact("usable_bytes", answer.usable_bytes, "B")
  local host = (answer.with_host or answer.max_context_tok == 0) and answer.memory.host_need_bytes or nil
  fact("host_need_bytes", host, "B", host and "Memory of the host", { text = "{host_need_bytes} of {host_usable_bytes} that its system leaves" })
  fact("host_usable_bytes", host and answer.memory.host_usable_bytes or nil, "B")
  fact("fits_chance", answer.fits_chance, "frac", "Fits", { chance = true })
  fact("with_host", answer.with_host, "", answer.with_host and "With the host")
  fact("other_layers", input.others > 0 and out.other_layers or nil, "",
    input.others > 0 and "Layers on " .. named(input.others, input.other) or nil)
  fact("max_context_tok", answer.max_context_tok, "tok", answer.with_host and "Longest context so" or "Longest context",
    { text = context_words(answer) })
  fact("dealt_context_tok", answer.dealt_context_tok, "tok")
  fact("engine", answer.resolved.key, "", "Engine")
  -- A board takes its power at most, whatever the software; a chip that shares memory has that of the whole of it.
  local watts = (input.device.tdp_w or 0) * input.devices + (input.other.tdp_w or 0) * input.others
  if watts > 0 then
    fact("power_w", watts, "W", "Power", { text = "{power_w} at most; {token_j} a token, {day_j} a day" })
    fact("token_j", watts / out.tokens_per_s, "J")
    fact("day_j", watts * DAY_S, "J")
  end
  fact("fits", answer.fits, "")
  return list
end

-- Of how many devices a column of memory is: layers are whole, so that of several one is the fullest.
local function column_words(count, name, answer)
  if count == 1 then return name end
  return (local_engines.get(answer.resolved.key).split == "layers" and "fullest " or "each ") .. name
end

local function memory_table(answer)
  local rows, input = {}, answer.input
  local two = input.others > 0
  for _, part in ipairs(answer.memory.parts) do
    if part[2] > 0 or part[3] > 0 then rows[#rows + 1] = { part[1], part[2], part[3], two and part[4] or nil } end
  end
  rows[#rows + 1] = { "all", two and answer.out.device_bytes or answer.need_bytes, answer.memory.host_bytes,
    two and answer.out.other_bytes or nil }
  local columns = { { name = "part", title = "" },
    { name = "device_bytes", title = column_words(input.devices, two and named(1, input.device) or "device", answer), unit = "B" },
    { name = "host_bytes", title = "host", unit = "B" } }
  if two then columns[4] = { name = "other_bytes", title = column_words(input.others, named(1, input.other), answer), unit = "B" } end
  return { name = "memory", title = "Memory", rows = rows, columns = columns }
end

local function time_table(answer)
  local out, rows = answer.full, {}
  for _, part in ipairs({ { "weights", "token_weights_s" }, { "KV cache", "token_cache_s" },
    { "layers on the host", "token_offload_s" }, { "launches, hops, sampling", "token_other_s" } }) do
    if out[part[2]] > 0 then rows[#rows + 1] = { part[1], out[part[2]], out[part[2]] / out.token_s } end
  end
  return { name = "time", title = "Time of a generated token, context full", rows = rows,
    columns = { { name = "part", title = "" }, { name = "seconds", title = "time", unit = "s", scale = "time" },
      { name = "share", title = "of it", unit = "frac" } } }
end

local function better_table(answer)
  local rows = {}
  for i, item in ipairs(answer.better) do
    rows[i] = { item.what, item.tokens_per_s, item.prompt_tokens_per_s, item.need_bytes, item.fits_chance }
  end
  return { name = "better", title = answer.fits and "What would be different" or "What would make it fit", rows = rows,
    columns = { { name = "what", title = "change" }, { name = "tokens_per_s", title = "generation", unit = "tok/s" },
      { name = "prompt_tokens_per_s", title = "prompt", unit = "tok/s" }, { name = "need_bytes", title = "memory", unit = "B" },
      { name = "fits_chance", title = "fits", unit = "frac", chance = true } } }
end

-- A row of each setup, in the order asked.
local function setups_table(answers)
  local rows, with_host = {}, false
  for i, one in ipairs(answers) do
    with_host = with_host or one.with_host ~= nil
    local generation, prompt = one.range.generation, one.range.prompt
    rows[i] = { devices_of(one.input), one.resolved.format, one.out.tokens_per_s, generation.low, generation.high,
      one.full.tokens_per_s, one.out.prompt_tokens_per_s, prompt.low, prompt.high, one.need_bytes, one.usable_bytes, one.fits_chance,
      one.max_context_tok, one.with_host, one.resolved.key }
  end
  return { name = "setups", title = "Side by side", rows = rows, columns = {
    { name = "device" }, { name = "format", title = "weights" },
    { name = "tokens_per_s", title = "generation", unit = "tok/s" },
    { name = "tokens_per_s_low", unit = "tok/s", hide = true }, { name = "tokens_per_s_high", unit = "tok/s", hide = true },
    { name = "full_tokens_per_s", title = "context full", unit = "tok/s" },
    { name = "prompt_tokens_per_s", title = "prompt", unit = "tok/s" },
    { name = "prompt_tokens_per_s_low", unit = "tok/s", hide = true }, { name = "prompt_tokens_per_s_high", unit = "tok/s", hide = true },
    { name = "need_bytes", title = "memory", unit = "B", scale = "memory" }, { name = "usable_bytes", title = "of", unit = "B", scale = "memory" },
    { name = "fits_chance", title = "fits", unit = "frac", chance = true },
    { name = "max_context_tok", title = "longest", unit = "tok" },
    { name = "with_host", title = "with the host", hide = not with_host }, { name = "engine", hide = true } } }
end

local function sentence(text) return text:sub(1, 1):upper() .. text:sub(2) .. "." end

--- Adds an answer of local_inference{} to a result.
function show.answer(result, answer)
  result:facts(facts(answer))
  if answer.setups then result:table(setups_table(answer.setups)) end
  result:table(memory_table(answer))
  result:table(time_table(answer))
  if #answer.better > 0 then result:table(better_table(answer)) end
  trained_length.warn(result, answer.resolved.model, answer.input.context_tok)
  if not answer.fits then result:warn("the memory does not hold it: the speeds are those it would have") end
  local count = answer.input.devices + answer.input.others
  if count > 1 and local_engines.get(answer.resolved.key).split == "layers" then
    result:warn(("%d devices hold more than one, and are no faster with one sequence: they take turns, layers after layers")
      :format(count))
  end
  for _, text in ipairs(answer.resolved.assumed) do result:assume(sentence(text)) end
  for _, text in ipairs(range.extrapolated(answer.range.generation)) do
    result:assume("Range: wider, for " .. text .. ".")
  end
  local input = answer.input
  if input.sequences > 1 then
    result:assume(("%d sequences as long as each other, which begin and end together."):format(input.sequences))
  end
  result:assume((input.sequences > 1 and "Nothing" or "One sequence, nothing") .. " else on the machine, clocks as sold; chances take the need to be known within 3 %.")
end

return show
