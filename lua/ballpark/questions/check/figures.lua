-- Figures of an estimate in prose beside what the catalog and plain arithmetic say of them: peaks, links, network cards,
-- arithmetic of a network, rates and times that are said twice, memory of weights and of training, runs at one time.
local catalog = require("ballpark.catalog")
local core = require("ballpark.core")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local grammar = require("ballpark.questions.said.grammar")
local mentions = require("ballpark.mentions")
local models = require("ballpark.catalog.models")
local networks = require("ballpark.catalog.networks")
local prices = require("ballpark.questions.said.prices")
local rules = require("ballpark.questions.check.rules")
local slips = require("ballpark.lints.slips")
local sums = require("ballpark.questions.check.sums")
local units = require("ballpark.units")

local figures = {}

local PREFIXES <const> = { [""] = 1, k = 1e3, K = 1e3, M = 1e6, G = 1e9, T = 1e12, P = 1e15, E = 1e18 }
local SECONDS <const> = { s = 1, sec = 1, second = 1, min = 60, minute = 60, h = 3600, hour = 3600, d = 86400, day = 86400,
  week = 604800, month = units.months(1), year = units.years(1) }
local MULTIPLES <const> = { k = 1e3, million = 1e6, thousand = 1e3, billion = 1e9, trillion = 1e12 }

-- What stands behind a number, as { value's factor, base unit }: longer forms first.
local UNITS <const> = {
  { "^([kMGTPE]?)FLOPs?/s", "FLOP/s", 1 }, { "^([kMGTPE]?)FLOPS%f[%A]", "FLOP/s", 1 },
  { "^([kMGTPE]?)FLOPs? per second", "FLOP/s", 1 }, { "^([kMGTPE]?)FLOPs?%f[%A]", "FLOP", 1 },
  { "^([kMGTPE]?)MACs?%f[%A]", "MAC", 1 }, { "^([kMGTPE]?)bit/s", "B/s", 1 / 8 }, { "^([kMGTPE]?)bps", "B/s", 1 / 8 },
  { "^([kMGTPE]?)b/s", "B/s", 1 / 8 }, { "^([kMGTPE]?)B/s", "B/s", 1 }, { "^([MGTP])B%f[%A]", "B", 1 },
}
local BINARY <const> = { KiB = 2^10, MiB = 2^20, GiB = 2^30, TiB = 2^40 }

local function unit_of_time(word)
  return word and (SECONDS[word] or SECONDS[(word:gsub("s$", ""))])
end

-- The unit behind a number: base unit, factor, the noun between.
local function unit_behind(text)
  for _, row in ipairs(UNITS) do
    local prefix = text:match(row[1])
    if prefix then return row[2], PREFIXES[prefix] * row[3] end
  end
  local binary = text:match("^[KMGT]iB%f[^%w/]")
  if binary then return "B", BINARY[binary] end
  if text:find("^ms%f[%A]") then return "s", 1e-3 end
  if text:find("^%%") then return "frac", 0.01 end
  -- "500 workflows a day", "0.35/s", "0.35 starts per second".
  local noun, unit = text:match("^([%a%- ]-)%s*/%s*(%a+)")
  if not noun then noun, unit = text:match("^([%a%-]*)%s*per (%a+)") end
  if not noun then noun, unit = text:match("^([%a%-]+)%s*an? (%a+)") end
  if not noun then noun, unit = text:match("^([%a%-]+%s[%a%-]+)%s*per (%a+)") end
  if not noun then noun, unit = "", text:match("^an? (%a+)") end
  if unit and #noun < 24 and unit_of_time(unit) then return "1/s", 1 / unit_of_time(unit), noun end
  local word = text:match("^(%a+)")
  if word and unit_of_time(word) and word ~= "d" then return "s", unit_of_time(word) end
end

-- Letters behind a number in which its unit and noun stand.
local REACH <const> = 80

--- Figures of a sentence in their order: { value in base units, unit, noun, at, text }.
---@param sentence string
function figures.of(sentence)
  local list, at = {}, 1
  while true do
    local from, to = sentence:find("%f[%w%.]%d[%d,]*%.?%d*", at)
    if not from then return list end
    local power = sentence:match("^[eE][+-]?%d+", to + 1)
    to = to + #(power or "")
    local digits = sentence:sub(from, to):gsub(",(%d%d%d)", "%1"):gsub("[,%.]$", "")
    local behind = sentence:sub(to + 1, to + REACH):gsub("^%s+", "")
    local scale = behind:match("^(%a+)%f[%A]")
    local times = scale and MULTIPLES[scale:lower()] or 1
    if times > 1 then behind = behind:sub(#scale + 1):gsub("^%s+", "") end
    local unit, factor, noun = unit_behind(behind)
    local value = tonumber(digits)
    if unit and value and value > 0 then
      list[#list + 1] = { value = value * times * factor, unit = unit, noun = noun, at = from,
        text = sentence:sub(from, to) }
    end
    at = to + 1
  end
end

local function near(a, b) return math.abs(a / b - 1) < 0.02 end

-- Names of devices in a sentence.
local function device_in(sentence)
  for word in sentence:gmatch("[%a][%w%-]+") do
    if word:find("%d") then
      local name = devices.resolve(word) or devices.resolve((word:gsub("s$", "")))
      if name then return name end
    end
  end
end

-- Devices that have a field at a value, and at half of it.
local function sides(value, field, only)
  local once, twice
  for _, name in ipairs(only and { only } or catalog.list("devices")) do
    local known = catalog.device(name)[field]
    if known and known > 0 then
      once = once or near(value, known) and name
      twice = twice or near(value, 2 * known) and name
    end
  end
  return once, twice
end

local function peak(s, say)
  if s.lower:find("sparse") then return end
  for _, figure in ipairs(s.figures) do
    if figure.unit == "FLOP/s" then
      local field = (s.lower:find("fp8") or s.lower:find("int8")) and "fp8_flop_s"
        or s.lower:find("fp4") and "fp4_flop_s" or "bf16_flop_s"
      local once, twice = sides(figure.value, field, s.device)
      if twice and not once then
        say("sparse_for_dense", ("%s is the sparse peak of %s, whose dense one is %s"):format(units.format(figure.value,
          "FLOP/s"), twice, units.format(figure.value / 2, "FLOP/s")), "compute with the dense peak")
      elseif s.device and not once then
        local right = catalog.device(s.device)[field]
        if right and figure.value > 1.1 * right then
          local slip = slips.of(figure.value, right, "FLOP/s")
          say(slip and slip.code or "above_peak", ("%s is above the dense peak of %s, %s"):format(units.format(figure.value,
            "FLOP/s"), s.device, units.format(right, "FLOP/s")), slips.FIX)
        end
      end
    end
  end
end

local LINKS <const> = { "nvlink", "nvswitch", "xgmi", "all%-?reduce", "all%-?gather", "ring", "nccl", "tensor%-parallel",
  "tensor parallel" }
local CARDS <const> = { "%f[%a]nic", "infiniband", "ethernet", "roce", "%f[%a]ndr", "%f[%a]hdr", "connectx" }
-- Gbit/s of network cards.
local CARD_SPEEDS <const> = { 100, 200, 400, 800 }

local function links(s, say)
  if s.lower:find("both directions") or s.lower:find("bidirectional") or s.lower:find("direction") then return end
  for _, figure in ipairs(s.figures) do
    if figure.unit == "B/s" then
      local once, twice = sides(figure.value, "link_bytes_s", s.device)
      if mentions.any(s.lower, CARDS) then
        for _, gbit in ipairs(CARD_SPEEDS) do
          if near(figure.value, gbit * 1e9) then
            say("bits_for_bytes", ("network cards have %d Gbit/s, which are %g GB/s; %s are eight times that"):format(gbit,
              gbit / 8, units.format(figure.value, "B/s")), "write Gbit/s, or divide by eight")
          end
        end
      elseif mentions.any(s.lower, LINKS) and twice and not (s.device and once) then
        say("both_directions", ("%s is both directions of the link of %s, %s each%s"):format(units.format(figure.value, "B/s"),
          twice, units.format(figure.value / 2, "B/s"), once and (" (and one of " .. once .. ")") or ""),
          "a ring uses one direction: take half, or name the device")
      end
    end
  end
end

-- The arithmetic of a network at its usual size, of one item.
local function item_flop(name)
  return require("ballpark.questions.encode.run").run({ model = name, device = catalog.device("H100") }).out.item_flop
end

-- A network or encoder by one of the ways to write it: ViT-L/16, ResNet-50.
local function network_of(word)
  local plain = word:gsub("/", "-")
  if not plain:find("[%d%-]") then return nil end
  for _, name in ipairs({ plain, plain .. "-224", plain .. "-16-224" }) do
    if networks.resolve(name) then return name end
    local known = models.resolve(name)
    if known and (catalog.model(known).arch or "decoder") ~= "decoder" then return name end
  end
end

-- The network that is spoken of last before a place.
local function network_before(lower, at)
  local last
  for from, word in lower:gmatch("()(%a[%w%-/]+)") do
    if from < at then last = network_of(word) or last end
  end
  return last
end

local function arithmetic(s, say)
  local flop, mac
  for _, figure in ipairs(s.figures) do
    flop, mac = flop or figure.unit == "FLOP" and figure, mac or figure.unit == "MAC" and figure
  end
  if flop and mac and not near(flop.value, 2 * mac.value) then
    say("mac_for_flop", ("%s and %s multiply-accumulates in one comparison"):format(units.format(flop.value, "FLOP"),
      units.format(mac.value, "")), "one multiply-accumulate is two FLOP: count both alike")
  end
  local name = flop and network_before(s.lower, flop.at)
  if not name then return end
  local right = item_flop(name)
  local slip = slips.of(flop.value, right, "FLOP")
  if slip or flop.value > 3 * right or flop.value < right / 3 then
    say(slip and slip.code or "contradiction", ("%s for an item of %s, and it is %s: %s"):format(units.format(flop.value, "FLOP"),
      name, units.format(right, "FLOP"), slip and slip.text or ("off by %.3g"):format(math.max(flop.value / right,
        right / flop.value))), "count two FLOP for each multiply-accumulate")
  end
end

-- Two figures in a row for one thing agree so far.
local AGREE <const> = 1.15
local SAME <const> = { "=", "≈", "→", "%f[%a]is%f[%A]", "%f[%a]are%f[%A]", "%f[%a]i%.e%.", "makes", "%f[%a]or%f[%A]", "around",
  "about" }

-- Rates and times said twice in a sentence: "500 a day, 0.35/s", "3.4e5 s, that is 80 h".
local function twice_said(s, say)
  for i = 2, #s.figures do
    local a, b = s.figures[i - 1], s.figures[i]
    if a.unit == b.unit and (a.unit == "1/s" or a.unit == "s") then
      local between = s.text:sub(a.at + #a.text, b.at - 1)
      local linked = mentions.any(between, SAME)
      local ratio = math.max(a.value / b.value, b.value / a.value)
      local slip = slips.of(a.value, b.value, a.unit)
      local named = a.noun and b.noun and a.noun ~= "" and b.noun ~= "" and a.noun ~= b.noun
      if slip and ratio > 2 and (linked or a.unit == "1/s" and not named) then
        say(slip.code, ("%s and %s are said of one thing: %s"):format(units.format(a.value, a.unit), units.format(b.value, b.unit),
          slip.text), slips.FIX)
      elseif linked and not named and ratio > AGREE and a.unit == "s" and ratio < 100 and between:find("[=≈]") then
        say("contradiction", ("%s = %s: off by %.3g"):format(units.format(a.value, a.unit), units.format(b.value, b.unit), ratio),
          "compute it again, with units")
      end
    end
  end
end

local WEIGHT_BYTES <const> = { { "fp32", 4 }, { "fp16", 2 }, { "bf16", 2 }, { "16%-bit", 2 }, { "fp8", 1 }, { "int8", 1 },
  { "8%-bit", 1 }, { "int4", 0.5 }, { "4%-bit", 0.5 } }

local function billions_in(text)
  local number, scale = text:match("%f[%w%.](%d+%.?%d*)%s?([BMT])%f[%A]")
  return number and tonumber(number) * ({ M = 1e6, B = 1e9, T = 1e12 })[scale] or nil
end

-- Tokens of a training run.
local function tokens_in(text)
  local number, scale = text:match("%f[%w%.](%d+%.?%d*)%s?([BT])%f[%A] tokens")
  if not number then number, scale = text:lower():match("%f[%w%.](%d+%.?%d*)%s(%a)%a*illion tokens") end
  return number and tonumber(number) * ({ B = 1e9, T = 1e12, b = 1e9, t = 1e12 })[scale] or nil
end

-- Whether a figure is the memory by which a device is called, in powers of ten or of two: "2 x A100 80GB".
local function is_of_device(figure, device)
  local bytes = device and catalog.device(device).memory_bytes
  return bytes and (near(figure.value, bytes) or near(figure.value, bytes * 1e9 / 2^30)) or false
end

-- "fits on one 40 GB card": the memory of a device.
local function is_card(s, figure)
  local behind = s.lower:sub(figure.at + #figure.text)
  return behind:find("^%s*[mgt]i?b%s+%a*%s?card") or behind:find("^%s*[mgt]i?b%s+%a*%s?gpu") or behind:find("^%s*[mgt]i?b%s+device")
end

local function memory(s, say)
  local trains = mentions.any(s.lower, { "train", "optimizer", "adam", "gradient" })
  if trains and s.lower:find("%f[%d]14 bytes") then
    say("gradients_forgotten", "14 bytes a parameter are 2 + 4 + 4 + 4: gradients are missing", "16 bytes with them in 16 bit, "
      .. "18 where they add up in 32 bit")
  end
  local params = s.params
  if not params then return end
  for _, figure in ipairs(s.figures) do
    local each = figure.unit == "B" and not is_of_device(figure, s.device) and not is_card(s, figure) and figure.value / params
    if each and trains and near(each, 14) then
      say("gradients_forgotten", ("%s are 14 bytes a parameter: 2 + 4 + 4 + 4, without gradients"):format(units.format(
        figure.value, "stored")), "16 bytes with them in 16 bit, 18 where they add up in 32 bit")
    elseif each and not trains and s.lower:find("weights") then
      for _, row in ipairs(WEIGHT_BYTES) do
        if s.lower:find(row[1]) then
          local slip = slips.of(figure.value, row[2] * params, "B")
          if slip or each > 1.5 * row[2] or each < 0.85 * row[2] then
            say(slip and slip.code or "contradiction", ("weights of %s for %s parameters at %g bytes, which are %s"):format(
              units.format(figure.value, "stored"), units.format(params, ""), row[2], units.format(row[2] * params, "stored")),
              slips.FIX)
          end
          break
        end
      end
    end
  end
end

-- 2 N L over the peak at a stated share: the time that a prompt takes at least.
local function prefill(s, say)
  local ok, said = errors.attempt(grammar.read, s.text)
  if not ok then
    if errors.is(said) then return end
    error(said, 0)
  end
  local f = said.facts
  local tokens = f.input_tokens or f.tokens
  if not (f.slo_s and f.params and f.device and tokens and tokens < 1e7) then return end
  local rule = core.request_rule({ params = f.params, tokens = tokens, peak_flop_s = catalog.device(f.device).bf16_flop_s,
    mfu_frac = f.mfu_frac or f.utilization_frac or 1, devices = f.devices or 1 })
  local apart = f.slo_s / rule.time_s
  if apart < 1 / AGREE or f.mfu_frac and apart > AGREE then
    say("contradiction", ("%s for a prompt of %g tokens, and 2 N L over the peak%s makes %s: off by %.3g"):format(
      units.format(f.slo_s, "s"), tokens, f.mfu_frac and " at the stated MFU" or "", units.format(rule.time_s, "s"),
      math.max(apart, 1 / apart)), "compute it again, with units")
  end
end

-- A price of a device-hour far below the cheapest that is known, or far above the dearest.
local function price(s, say)
  local ok, said = errors.attempt(grammar.read, s.text)
  if not ok then
    if errors.is(said) then return end
    error(said, 0)
  end
  local usd_h, device = said.facts.usd_h, said.facts.device
  local unlike = usd_h and device and prices.unlike(device, usd_h)
  if unlike then say(unlike.code, unlike.text, "state the price with its source and date") end
end

--- What figures of a text contradict: each { line, code, message, fix }.
---@param text string
---@return table[]
function figures.contradicted(text)
  local list, number, device, params, tokens, hours, counted = {}, 0, nil, nil, nil, 0, {}
  for line in (text:gsub("×", "x") .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    for sentence in (line:gsub("[%.;]%s", "\0") .. "\0"):gmatch("(.-)%z") do
      local here = device_in(sentence)
      device, params, tokens = here or device, billions_in(sentence) or params, tokens_in(sentence) or tokens
      local s = { text = sentence, lower = sentence:lower(), figures = figures.of(sentence), device = device, params = params,
        tokens = tokens }
      local function say(code, message, fix)
        list[#list + 1] = { line = number, code = code, message = message, fix = fix }
      end
      for _, check in ipairs({ peak, links, arithmetic, twice_said, memory, prefill, price, rules.check }) do check(s, say) end
      sums.check(sentence, say)
      -- Little's law: jobs a day times hours.
      for count, each in sentence:gmatch("(%d+)%s[%a%- ]-[x%*]%s*(%d+)%s*h%f[%A]") do hours = hours + count * each end
      local low = s.lower:match("(%d+)[%s%-to]*%d*%s*%a*%s*concurrent") or s.lower:match("(%d+)[^%d]*at one time")
        or s.lower:match("(%d+)[^%d]*at once")
      if low then counted[#counted + 1] = { line = number, value = tonumber(low) } end
    end
  end
  for _, item in ipairs(hours > 0 and counted or {}) do
    local right = hours / 24
    if item.value > 1.5 * right or item.value < right / 1.5 then
      list[#list + 1] = { line = item.line, code = "littles_law", message = ("%g at one time, and %g hours of jobs a day are %.3g: "
        .. "off by %.3g"):format(item.value, hours, right, math.max(item.value / right, right / item.value)),
        fix = "rate times mean duration" }
    end
  end
  return list
end

return figures
