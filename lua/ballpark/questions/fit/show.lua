-- Whether a model fits, in a report: the answer first, then what takes the memory and what would change it.
local prices = require("ballpark.catalog.prices")
local trained_length = require("ballpark.questions.trained_length")
local units = require("ballpark.units")
local words = require("ballpark.questions.fit.words")

local show = {}

local NEED <const> = "needs {need_bytes} of {usable_bytes}; fits with {fits_chance} chance"

-- Whether a change of training puts bytes into the memory of the host.
local function takes_host(change) return (change.host_bytes or 0) > 0 end

-- One device: facts, its memory and single changes.
local function add_one(result, answer)
  local row = answer.rows[1]
  local list = { name = "fit", title = words.title(answer, row) }
  local function fact(name, title, value, unit, more)
    local item = { name = name, title = title or name, value = value, unit = unit, hide = title == nil }
    for key, extra in pairs(more or {}) do item[key] = extra end
    list[#list + 1] = item
  end
  fact("fits", nil, row.fits)
  fact("fits_chance", nil, row.fits_chance, "frac", { chance = true })
  fact("usable_bytes", nil, row.usable_bytes, "B")
  fact("need_bytes", "Memory", row.need_bytes, "B", { text = NEED, range = row.need_range })
  fact("all_bytes", row.devices > 1 and "All devices" or nil, row.devices * row.need_bytes, "B", { text = ("{all_bytes} on %d of them together"):format(row.devices) })
  fact("host_need_bytes", row.host_need_bytes and "Host", row.host_need_bytes, "B", { text = "needs {host_need_bytes} of {host_usable_bytes}, which its system leaves" })
  fact("host_usable_bytes", nil, row.host_usable_bytes, "B")
  fact("max_context_tok", nil, row.max_context_tok, "tok")
  fact("max_batch", nil, row.max_batch)
  fact("largest", "Largest", row.max_batch or 0, "", { text = words.largest(answer.setup, row) })
  fact("kv_tokens", (row.kv_tokens or 0) > 0 and "KV cache" or nil, row.kv_tokens, "tok",
    { text = "{kv_tokens} where it takes what is left" })
  local sequence = row.sequence_bytes
  fact("sequence_bytes", sequence and "A sequence", sequence, "B", { text = sequence and ("{sequence_bytes} of keys and values for %s, on "
    .. "all devices together"):format(units.format(answer.setup.context_tok, "tok")) })
  fact("usd_h", row.usd_h and "Rent", row.usd_h, "USD/h")
  fact("card_usd", row.card_usd and "Card", row.card_usd, "USD", { tally = true, text = "{card_usd} USD at its launch" })
  local cheapest = row.cheapest
  fact("cheapest_change", cheapest and "To fit", cheapest and cheapest.what, "", { text = cheapest
    and "cheapest: " .. cheapest.what .. "; then {cheapest_need_bytes} of {cheapest_usable_bytes}"
    .. (takes_host(cheapest) and ", {cheapest_host_bytes} of a host" or "") })
  fact("cheapest_need_bytes", nil, cheapest and cheapest.need_bytes, "B", { scale = "cheapest" })
  fact("cheapest_usable_bytes", nil, cheapest and cheapest.usable_bytes, "B", { scale = "cheapest" })
  fact("cheapest_host_bytes", nil, cheapest and cheapest.host_bytes, "B")
  result:facts(list)
end

local function memory_rows(row)
  local list, total = {}, row.need_bytes
  for _, part in ipairs(row.parts) do
    if part[2] > 0 and not part.beside then list[#list + 1] = { part[1], part[2], part[2] / total } end
  end
  list[#list + 1] = { "all", total, 1 }
  for _, part in ipairs(row.parts) do
    if part.beside then list[#list + 1] = { part[1], part[2] } end
  end
  return list
end

local function add_memory(result, row)
  result:table({ name = "memory", title = "Memory per device", rows = memory_rows(row), columns = {
    { name = "part", title = "" }, { name = "bytes", title = "", unit = "B" },
    { name = "share_frac", title = "", unit = "frac" } } })
end

local function add_changes(result, answer, row)
  local list, of_host = {}, false
  for i, change in ipairs(row.changes) do
    list[i] = { change.what, change.need_bytes, change.usable_bytes, change.fits_chance, change.max_context_tok,
      change.kv_tokens, change.usd_h, change.host_bytes, change.times_step }
    of_host = of_host or takes_host(change)
  end
  local trains = answer.setup.purpose ~= "inference"
  result:table({ name = "changes", title = row.sure and "What would be different" or "Changed by itself", rows = list,
    columns = { { name = "change" }, { name = "need_bytes", title = "needs", unit = "B", scale = "memory" },
      { name = "usable_bytes", title = "of", unit = "B", scale = "memory" },
      { name = "fits_chance", title = "fits", unit = "frac", chance = true },
      { name = "max_context_tok", title = "context", unit = "tok", hide = trains },
      { name = "kv_tokens", title = "KV cache", unit = "tok", hide = trains },
      { name = "usd_h", title = "rent", unit = "USD/h" },
      { name = "host_bytes", title = "of a host", unit = "B", scale = "memory", hide = not of_host },
      { name = "times_step", title = "step, times", hide = not trains } } })
end

-- Whether all rows that are shown have the same software.
local function is_one_software(rows, answer)
  local first
  for _, row in ipairs(rows) do
    if answer.named or row.shown then
      if first and row.software ~= first then return false end
      first = row.software
    end
  end
  return true
end

-- Devices that surely hold it, or those that do not with what would change it. Of the catalog people see some.
local function add_devices(result, answer, name, title, rows, misses)
  local list, skip, shown = {}, {}, false
  for i, row in ipairs(rows) do
    local cheapest = row.cheapest
    list[i] = { name == "groups" and words.devices(row) or row.device.name, row.software, row.format, row.need_bytes, row.usable_bytes, row.fits_chance,
      row.max_context_tok, row.max_batch, row.kv_tokens, row.usd_h, row.card_usd, cheapest and cheapest.what }
    if answer.named or row.shown then shown = true else skip[i] = true end
  end
  result:table({ name = name, title = title, rows = list, skip = skip, hide = not shown, columns = {
    { name = "device", title = name == "groups" and "group" or nil }, { name = "software", title = "with", hide = is_one_software(rows, answer) },
    { name = "format", hide = true },
    { name = "need_bytes", title = "needs", unit = "B", scale = "memory" },
    { name = "usable_bytes", title = "of", unit = "B", scale = "memory" },
    { name = "fits_chance", title = "fits", unit = "frac", chance = true },
    { name = "max_context_tok", title = "context", unit = "tok", hide = misses },
    { name = "max_batch", title = "batch", hide = misses },
    { name = "kv_tokens", title = "KV cache", unit = "tok", hide = misses or answer.setup.purpose ~= "inference" },
    { name = "usd_h", title = "rent", unit = "USD/h" }, { name = "card_usd", title = "card", unit = "USD", exact = true },
    { name = "cheapest_change", title = "cheapest change that makes it fit", hide = not misses } } })
end

-- Parts of each device for machine formats.
local function add_parts(result, rows)
  local list = {}
  for _, row in ipairs(rows) do
    for _, part in ipairs(row.parts) do list[#list + 1] = { row.device.name, part[1], part[2] } end
  end
  result:table({ name = "parts", title = "Memory per device", rows = list, hide = true, columns = {
    { name = "device" }, { name = "part" }, { name = "bytes", unit = "B" } } })
end

local function first_with(rows, field)
  local best
  for _, row in ipairs(rows) do
    if row[field] and (not best or row[field] < best[field]) then best = row end
  end
  return best
end

-- How many fit alone, and how many kinds do in groups.
local function count_of(answer, surely)
  local alone = ("%s of %d with 90 %% chance or more"):format(#surely > 0 and #surely or "none", #answer.rows)
  local group = answer.groups[1]
  if not group then return alone end
  if group.devices > (group.device.node_size or 1) then return ("%s, and no group within a node; %s do"):format(alone, words.devices(group)) end
  return ("%s, %d more kinds in groups of 2, 4 or 8"):format(alone, #answer.groups)
end

-- The facts of what is cheapest by a price: of all, and of one device where a group is cheaper.
local function add_cheapest(fact, name, title, field, rows, unit, text)
  local best, alone = first_with(rows.all, field), first_with(rows.alone, field)
  local said = best and words.devices(best) .. ", " .. text:format(field)
  if best and best.devices > 1 and alone ~= best then
    said = said .. (alone and ("; one device: %s, {%s_alone_usd}"):format(alone.device.name, name) or "; none with a price holds it alone")
  end
  fact(name .. "_device", nil, best and best.device.name)
  fact(name .. "_devices", nil, best and best.devices)
  fact(field, best and title, best and best[field], unit, { tally = unit == "USD", text = said })
  local differs = best and alone and alone ~= best
  fact(name .. "_alone_device", nil, differs and alone.device.name or nil)
  fact(name .. "_alone_usd", nil, differs and alone[field] or nil, unit, { tally = unit == "USD" })
end

local function add_several(result, answer)
  local surely, others = {}, {}
  for _, row in ipairs(answer.rows) do
    local list = row.sure and surely or others
    list[#list + 1] = row
  end
  local by_price = { alone = surely, all = table.move(answer.groups, 1, #answer.groups, #surely + 1, table.move(surely, 1, #surely, 1, {})) }
  local list = { name = "fit", title = words.title(answer) }
  local function fact(name, title, value, unit, more)
    local item = { name = name, title = title or name, value = value, unit = unit, hide = title == nil }
    for key, extra in pairs(more or {}) do item[key] = extra end
    list[#list + 1] = item
  end
  fact("fits", nil, answer.fits)
  fact("fitting", "Fits", #surely, "", { text = count_of(answer, surely) })
  add_cheapest(fact, "rent", "Cheapest rent", "usd_h", by_price, "USD/h", "{%s}")
  add_cheapest(fact, "card", "Cheapest card", "card_usd", by_price, "USD", "{%s} USD at its launch")
  result:facts(list)
  local most = answer.named and "" or ", the cheapest of the catalog"
  if #surely > 0 then add_devices(result, answer, "devices", "Fits" .. most, surely, false) end
  if answer.groups[1] then add_devices(result, answer, "groups", "Fits together, the cheapest of the catalog", answer.groups, false) end
  if #others > 0 then
    add_devices(result, answer, "misses", answer.named and "Does not surely fit" or "Nearly fits", others, true)
  end
  add_parts(result, answer.rows)
  for _, row in ipairs(answer.refused) do
    if answer.named then result:warn(row[1] .. ": " .. row[2]) end
  end
end

local function sentence(text) return text:sub(1, 1):upper() .. text:sub(2) .. "." end

-- What is assumed of prices and chances.
local function assume(result, answer, several)
  local rent, card = first_with(answer.rows, "usd_h"), first_with(answer.rows, "card_usd")
  local setup = answer.setup
  if setup.purpose == "inference" then
    local in_16_bit = several and not setup.format and not setup.model.quantization
    result:assume(sentence((in_16_bit and "16-bit weights, no format was given; " or "")
      .. "chances take the need of inference to be known within 3 %"))
  end
  if not answer.named then
    result:assume(setup.purpose == "inference" and "Without slices of cards and processors."
      or "Without slices of cards, processors and devices that share the host's memory.")
  end
  if rent or card then
    result:assume((rent and "Rent: median of list prices on demand" .. prices.whose(rent.device) or "") .. (rent and card and "; " or "")
      .. (card and (rent and "cards" or "Cards") .. ": list prices at their launch, recalled" or "") .. ".")
  end
end

--- Adds an answer of fit{} to a result.
function show.answer(result, answer)
  trained_length.warn(result, answer.setup.model, answer.setup.context_tok)
  local one = answer.named and #answer.rows == 1 and #answer.refused == 0
  if one then
    local row = answer.rows[1]
    add_one(result, answer)
    add_memory(result, row)
    if #row.changes > 0 then add_changes(result, answer, row) end
    for _, text in ipairs(row.assumed or {}) do result:assume(sentence(text)) end
  else
    add_several(result, answer)
  end
  for _, text in ipairs(answer.assumed) do result:assume(sentence(text)) end
  assume(result, answer, not one)
end

return show
