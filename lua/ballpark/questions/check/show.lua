-- What a report says of a claim.
local units = require("ballpark.units")
local words = require("ballpark.questions.check.words")

local show = {}

-- Field of answer.known, unit, title and words, by what the claim is about.
local ROWS <const> = {
  training = {
    { "tokens", "tok", "Tokens" },
    { "time_s", "s", "Time" },
    { "device_s", "device s", "Device time" },
    { "tokens_per_s_device", "tok/s", "Speed of a device" },
    { "flop_s_device", "FLOP/s", "Model FLOP of a device", "{flop_s_device}: 6 N tokens/s" },
    { "mfu_frac", "frac", "MFU", "{mfu_frac} of the dense {precision} peak {peak_flop_s}" },
    { "usd_h", "USD/h", "Price", "{usd_h} a device-hour" },
    { "cost_usd", "USD", "Cost" },
    { "mtok_usd", "USD", "Million tokens" },
    { "memory_per_param", "", "Memory", "{memory_per_param} bytes of all devices a parameter; training takes 16, and "
      .. "activations" },
  },
  serving = {
    { "output_per_s", "tok/s", "Tokens written" },
    { "all_per_s", "tok/s", "Tokens, prompts too" },
    { "weights_bytes", "B", "Weights", "{weights_bytes} of {memory_bytes}; {bytes_per_param} bytes of memory a parameter" },
    { "peak_frac", "frac", "Of the peak", "{peak_frac} at 2 N per token; engines rarely reach 60 %" },
    { "floor_token_s", "s", "Fastest token", "{floor_token_s}: all weights read once at the full bandwidth" },
    { "estimated_per_s", "tok/s", "Estimate", "{estimated_per_s}, with {sequences} at one time" },
    { "least_together", "", "Sequences", "{least_together} or more in every step, or the bandwidth does not do" },
    { "room_tok", "tok", "Room for each", "{room_tok} of KV cache in 16 bit, at most" },
    { "floor_ttft_s", "s", "Fastest first token", "{floor_ttft_s}: 2 N L of the prompt at the peak" },
    { "usd_mtok", "USD", "Million tokens, said" },
    { "mtok_usd", "USD", "Million tokens", "{mtok_usd} at {usd_h} a device" },
  },
  calls = {
    { "time_s", "s", "Time" },
    { "rate_per_s_device", "1/s", "Items of a device" },
    { "item_flop", "FLOP", "Work of an item" },
    { "peak_frac", "frac", "Of the peak" },
    { "estimated_per_s", "1/s", "Estimate", "{estimated_per_s} a device at the best batch of 256 at most" },
    { "call_s", "s", "Time of a call", "{call_s} at batch {batch}" },
    { "estimated_call_s", "s", "Estimate of it", "{estimated_call_s}; {floor_call_s} at the peak" },
    { "million_usd", "USD", "Million items" },
  },
}

-- Numbers that the words of other rows name.
local HIDDEN <const> = { { "peak_flop_s", "FLOP/s" }, { "precision", "" }, { "memory_bytes", "B" }, { "bytes_per_param", "" },
  { "usd_h", "USD/h" }, { "params", "" }, { "active", "" }, { "devices", "" }, { "tokens_per_s", "tok/s" },
  { "of_estimated", "" }, { "batch", "" }, { "floor_call_s", "s" }, { "sequences", "" }, { "flop_s_device", "FLOP/s" } }

-- What follows from the others, and needs the price.
local function add_money(answer)
  local known = answer.known
  if answer.about ~= "training" then return end
  local usd_h = known.usd_h or answer.price_usd_h
  if usd_h and known.device_s then
    known.cost_usd = known.cost_usd or known.device_s / 3600 * usd_h
    if known.tokens then known.mtok_usd = known.cost_usd / known.tokens * 1e6 end
  end
  if known.devices then known.memory_per_param = known.devices * answer.device.memory_bytes / known.params end
end

local function add_rows(list, answer)
  local shown = {}
  for _, row in ipairs(ROWS[answer.about]) do
    local value = answer.known[row[1]]
    if value then
      shown[row[1]] = true
      list[#list + 1] = { name = row[1], unit = row[2], title = row[3], value = value, text = row[4] }
    end
  end
  for _, row in ipairs(HIDDEN) do
    if not shown[row[1]] and answer.known[row[1]] then
      list[#list + 1] = { name = row[1], unit = row[2], value = answer.known[row[1]], hide = true }
    end
  end
end

local function add_normal(list, answer)
  local normal, near = answer.normal, answer.comparable
  if normal then
    list[#list + 1] = { name = "normal_median_frac", unit = "frac", title = "Usual", value = normal.median,
      text = normal.count == 1 and "{normal_median_frac} MFU in the one published run of the kind"
        or ("%s to %s MFU in %d published runs of the kind, {normal_median_frac} in the median"):format(
          units.format(normal.low, "frac"), units.format(normal.high, "frac"), normal.count) }
    list[#list + 1] = { name = "normal_low_frac", unit = "frac", value = normal.low, hide = true }
    list[#list + 1] = { name = "normal_high_frac", unit = "frac", value = normal.high, hide = true }
  end
  if not near then return end
  list[#list + 1] = { name = "comparable_ratio", title = "Comparable", value = near.ratio,
    text = ("{comparable_ratio} times %s of %s (%s; %s)"):format(
      answer.about == "serving" and "the speed of a device" or "the share of the peak", near.text, near.date, near.source) }
  list[#list + 1] = { name = "comparable", value = near.text, hide = true }
end

-- The published runs that are meant by usual, with the claim where it stands among them.
local function add_published(r, answer)
  if not (answer.published and answer.known.mfu_frac) then return end
  local rows, own = {}, answer.known.mfu_frac
  local function add_own()
    rows[#rows + 1] = { "this claim", answer.known.devices, answer.device.name, own, nil, nil }
    own = nil
  end
  for _, run in ipairs(answer.published) do
    if own and own > run.mfu_frac then add_own() end
    rows[#rows + 1] = { run.name, run.devices, run.device, run.mfu_frac, run.date, run.source }
  end
  if own then add_own() end
  r:table({ name = "published", title = "MFU of published runs of the kind, all counted as 6 N per token", rows = rows, columns = {
    { name = "run", title = "" }, { name = "devices" }, { name = "device" }, { name = "mfu_frac", unit = "frac", title = "MFU" },
    { name = "date" }, { name = "source", hide = true } } })
end

local function subject(answer)
  local devices = answer.known.devices
  return ("%s on %s%s"):format(answer.subject.name or "a model", devices and ("%d x "):format(devices) or "",
    answer.device.name)
end

--- Adds an answer of check{} to a result.
function show.answer(r, answer)
  local title = ({ training = "training ", serving = "serving ", calls = "" })[answer.about] .. subject(answer)
  local list = { name = "check", title = r.title and title }
  r.title = r.title or title
  add_money(answer)
  list[1] = { name = "verdict", title = "Verdict", value = words.verdict(answer) }
  list[2] = { name = "fits", value = answer.fits, hide = true }
  add_rows(list, answer)
  add_normal(list, answer)
  r:facts(list)
  local rows = {}
  for i, item in ipairs(answer.contradictions) do rows[i] = { item.code, item.text } end
  if rows[1] then
    r:table({ name = "contradictions", title = "Contradicted", rows = rows,
      columns = { { name = "code", title = "check" }, { name = "text", title = "why" } } })
  end
  add_published(r, answer)
  for _, text in ipairs(answer.remarks) do r:note(text) end
  if answer.unread[1] then r:warn(("not looked at: %s"):format(table.concat(answer.unread, ", "))) end
  for _, text in ipairs(answer.assumed) do r:assume(text:gsub("^%l", string.upper) .. ".") end
  if answer.price_usd_h and not answer.claim.usd_h and not answer.claim.cost_usd then
    r:assume(("Price: %.2f USD per device-hour (%s)."):format(answer.price_usd_h, answer.price_source))
  end
end

return show
