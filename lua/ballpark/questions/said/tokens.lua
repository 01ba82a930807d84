-- Words and numbers of a question in free words: "7B on 1T tokens, 512 A100, 5 days" as a list of tokens.
local clock = require("ballpark.questions.said.clock")
local devices = require("ballpark.catalog.devices")
local diffusion = require("ballpark.catalog.diffusion")
local mentions = require("ballpark.mentions")
local near = require("ballpark.near")
local powers = require("ballpark.questions.said.powers")
local tables = require("ballpark.tables")
local vocabulary = require("ballpark.questions.said.vocabulary")

local tokens = {}

--- Letters of a number that people write, at most.
tokens.LONGEST_NUMBER = 200

local NUMBERS <const> = { one = 1, two = 2, three = 3, four = 4, five = 5, six = 6, seven = 7, eight = 8, nine = 9,
  ten = 10, eleven = 11, twelve = 12, fifteen = 15, sixteen = 16, twenty = 20, thirty = 30, forty = 40, fifty = 50,
  sixty = 60, seventy = 70, eighty = 80, ninety = 90, half = 0.5, quarter = 0.25, dual = 2, quad = 4 }

-- Words that are a number only before what they multiply or measure: "half a billion", "a dozen GPUs", but not "half the
-- budget", and "a million" but not "an hour".
local PARTS <const> = { half = true, quarter = true }
local SCALES <const> = { hundred = 1e2, thousand = 1e3, million = 1e6, billion = 1e9, trillion = 1e12, dozen = 12 }

-- What multiplies the number before it. Letters only where they touch the number: "5 m" may be metres, "5M" is not.
local GLUED <const> = { k = 1e3, m = 1e6, b = 1e9, bn = 1e9, t = 1e12, mn = 1e6, mm = 1e6, mln = 1e6, mio = 1e6,
  mil = 1e6, bln = 1e9, mrd = 1e9, tn = 1e12, trn = 1e12 }
local SPELLED <const> = { thousand = 1e3, million = 1e6, mio = 1e6, billion = 1e9, trillion = 1e12, k = 1e3, m = 1e6,
  b = 1e9, t = 1e12, hundred = 1e2, dozen = 12,
  thousands = 1e3, millions = 1e6, billions = 1e9, trillions = 1e12, milliards = 1e9, milliard = 1e9, mrd = 1e9,
  -- A word between a number and what it counts is passed over ("10 new users"), so no word for a power of ten may lack.
  mn = 1e6, mm = 1e6, mln = 1e6, mil = 1e6, mill = 1e6, bn = 1e9, bln = 1e9, bil = 1e9, tn = 1e12, trn = 1e12,
  trln = 1e12, tril = 1e12, quadrillion = 1e15, quadrillions = 1e15, grand = 1e3, thsd = 1e3, tsd = 1e3,
  lakh = 1e5, lakhs = 1e5, lac = 1e5, lacs = 1e5, crore = 1e7, crores = 1e7,
  millionen = 1e6, milliarden = 1e9, millones = 1e6, kilo = 1e3, mega = 1e6, giga = 1e9, tera = 1e12 }

-- A card of the GeForce RTX families that is called by its number alone: "two 3090s".
local CARD <const> = "%f[%w]([345]0[6789]0)s?%f[^%w]()"

-- Such numbers with their family before them, but where it is there already or something else is counted.
local function with_families(text)
  text = text:gsub("(%d)x([345]0[6789]0)%f[^%w]", "%1 x rtx-%2")
  text = text:gsub("%f[%w]rtx ([345]0[6789]0)", "rtx-%1")
  return (text:gsub("()" .. CARD, function(at, digits, behind)
    if text:sub(1, at - 1):find("rtx%-$") or text:sub(at - 1, at - 1):find("[%$%.%-=]") then return nil end
    if text:find("^ *tok", behind) or text:find("^ *qps", behind) or text:find("^ *users", behind) then return nil end
    return "rtx-" .. digits
  end))
end

-- A number with a sign between its groups of three digits, as many as there are: "1,099,511,627,776".
local function joined(text, sign)
  return (text:gsub("%d+" .. sign .. "%d%d%d[%d" .. sign .. "]*", function(written)
    local behind = written:match(sign .. "*$") -- the sign of a sentence
    local groups = written:sub(1, #written - #behind)
    return not (groups:match("^%d+(.*)$") .. sign):gsub(sign .. "%d%d%d%f[" .. sign .. "]", ""):find("%d")
      and groups:gsub(sign, "") .. behind or nil
  end))
end

-- Numbers as they are written in other countries: "1.000.000", "50.000", "1'000", "50 000" and "1,5" are thousands and a
-- comma before a fraction. What could be a fraction as well is noted.
local function with_points(text, notes)
  text = joined(text, "'")
  text = text:gsub("%f[%w%.](%d%d?%d?)( %d%d%d [%d ]*%d)%f[%W]", function(first, groups)
    local digits = groups:gsub(" ", "")
    return not (groups .. " "):gsub(" %d%d%d%f[ ]", ""):find("%d") and first .. digits or nil
  end)
  for _ = 1, 3 do text = text:gsub("(%d) (000)%f[%W]", "%1%2") end
  -- Lakhs and crores: groups of two digits before the last of three.
  text = text:gsub("%f[%w%.](%d%d?,%d%d,[%d,]*%d%d%d)%f[%W]", function(written)
    local last, pairs_of = written:sub(-4), written:sub(1, -5)
    return last:find("^,") and not pairs_of:gsub(",%d%d%f[^%d]", ""):find(",") and (written:gsub(",", "")) or nil
  end)
  text = text:gsub("%f[%d%.](%d%d?%d?)(%.%d%d%d%.[%d%.]*%d)%f[%D]", function(first, groups)
    local digits = groups:gsub("%.", "")
    return #digits % 3 == 0 and first .. digits or nil
  end)
  text = text:gsub("%f[%d%.](%d%d?%d?)%.000%f[%W]", function(first)
    if first:find("^0") then return nil end
    notes[#notes + 1] = ("'%s.000' is read as %s thousand."):format(first, first)
    return first .. "000"
  end)
  -- Nobody counts users by thousandths.
  text = text:gsub("%f[%w%.]([1-9]%d?%d?)%.(%d%d%d)%f[%W]([%a ]*)", function(first, last, behind)
    local noun = behind:match("^ (%a+)") or ""
    noun = vocabulary.NOUNS[noun] and noun or behind:match("^ %a+ (%a+)") or noun
    if vocabulary.NOUNS[noun] ~= "users" then return nil end
    notes[#notes + 1] = ("'%s.%s' is read as %s%s."):format(first, last, first, last)
    return first .. last .. behind
  end)
  return (text:gsub("%f[%w,](%d+),(%d%d?)%f[^%d,]", "%1.%2"):gsub("%f[%w,](0),(%d+)%f[^%d,]", "%1.%2"))
end

local FRACTIONS <const> = { ["½"] = ".5", ["¼"] = ".25", ["¾"] = ".75" }

-- "½ day", "1½ days" and "1 ½ days"; "1/2 day" and "1 1/2 days", but no dates and no lists.
local function with_fractions(text)
  text = text:gsub("%f[%w/%.](%d+ ?)(%d)/(%d)%f[^%w/%.]", function(whole, part, parts)
    local frac = whole:find(" ") and tonumber(part) < tonumber(parts) and tonumber(part) / tonumber(parts)
    return frac and ("%.6g"):format(tonumber(whole) + frac) or nil
  end)
  text = text:gsub("%f[%w/%.](%d)/(%d)%f[^%w/%.]", function(part, parts)
    return tonumber(part) < tonumber(parts) and ("%.6g"):format(part / parts) or nil
  end)
  for sign, digits in pairs(FRACTIONS) do
    text = text:gsub("%f[%d%.](%d+) ?" .. sign, "%1" .. digits):gsub(sign, "0" .. digits)
  end
  return text
end

-- Nothing that is asked is below zero: the sign is said to be left out. One that begins a line is an item's.
local function note_signs(text, notes)
  for signed in text:gmatch("[%a,;:=(] %-(%d[%d%.]*)") do
    notes[#notes + 1] = ("'-%s' is read as %s: nothing here is below zero."):format(signed, signed)
  end
end

-- A release belongs to the name of its engine: "vLLM v0.6.3", "TensorRT-LLM 1.0".
local function with_releases(text)
  for name in pairs(vocabulary.ENGINES) do
    text = text:gsub("%f[%w](" .. name:gsub("%-", "%%-") .. ")[ =@%-]+v?(%d+%.%d[%w%.]*)( ?%a*)", function(engine, release, behind)
      return not behind:find("^ util") and ("%s-%s%s"):format(engine, release, behind) or nil -- "vLLM 0.9 utilization"
    end)
  end
  return text
end

-- Links of so many Gb/s are called by them, too ("a 400G network"), and fewer are phones' ("5G").
local LEAST_GIGABYTES <const> = 6
local LINKED <const> = { [10] = true, [25] = true, [40] = true, [50] = true, [100] = true, [200] = true, [400] = true, [800] = true }

-- "A 3090 with 24G", "64G of RAM": gigabytes, but for numbers that are those of links.
local function with_gigabytes(text)
  text = text:gsub("%f[%w](%d+)g ?(v?ram)%f[%W]", "%1gb %2")
  return (text:gsub("%f[%w](%d+)g%f[^%w]", function(size)
    return tonumber(size) >= LEAST_GIGABYTES and not LINKED[tonumber(size)] and size .. "gb" or nil
  end))
end

-- "How many A100 80s": the memory of several, and no seconds.
local function with_memories(text)
  return (text:gsub("%f[%w](%a+%d+) (%d%d+)s%f[%W]", function(name, size)
    local whole = ("%s-%sgb"):format(name, size)
    return devices.resolve(whole) and whole or nil
  end))
end

-- Devices of a rack whose name ends with their number, where it is one rack or racks are counted: "two GB200 NVL72 racks".
-- Others have the name for that of their devices: "64 GB200 NVL72".
local function with_racks(text, notes)
  return (text:gsub("%f[%w](%w+) (g?b[23]00)[ %-]nvl(72)%f[%W]( ?%a*)", function(count, device, each, behind)
    local racks = (count == "a" or count == "an" or count == "single") and 1 or NUMBERS[count] or tonumber(count)
    local is_rack = behind:find("^ racks?$") or behind:find("^ systems?$") or behind:find("^ domains?$")
    if not racks or racks % 1 ~= 0 or racks > 1 and not is_rack then return nil end
    notes[#notes + 1] = ("%s of %s %s are %d devices."):format(count, each, device:upper(), racks * each)
    return ("%d %s%s"):format(racks * each, device, is_rack and "" or behind)
  end))
end

-- "8-GPU H100 nodes" are 8xH100 nodes, "8-GPU nodes" are nodes of 8 GPUs.
local function with_sizes_of_nodes(text)
  text = text:gsub("%f[%w](%a+)(%-gpu )", function(word, gpu) return NUMBERS[word] and ("%d%s"):format(NUMBERS[word], gpu) or nil end)
  text = text:gsub("%f[%w](%d%d?)%-gpu (%a+%d+%w*)", "%1x%2")
  return (text:gsub("%f[%w](%d%d?)%-gpu (%a+)( ?o?f?)", function(each, noun, of)
    if vocabulary.NOUNS[noun] ~= "nodes" then return nil end
    return of == " of" and ("%s of %s"):format(noun, each) or ("%s of %s gpus%s"):format(noun, each, of)
  end))
end

-- "A token budget of 600B" is no sum of money.
local function with_token_budget(text)
  return (text:gsub("token budget *[:=]? *o?f? *i?s? *(%d[%d%.,]*) ?(%a+)( ?%a*)", function(count, scale, behind)
    if not SPELLED[scale] then return ("%s tokens%s%s"):format(count, scale:find("^tok") and "" or " " .. scale, behind) end
    return ("%s %s tokens%s"):format(count, scale, behind:find("^ tok") and "" or behind)
  end))
end

-- Of two sizes the one that is so many times the other is that of the data, where a training is spoken of (assumption).
local LEAST_DATA <const> = 15

-- "N = 7B, D = 2T", as papers on scaling write it, and "13B/2T": parameters and tokens.
local function with_letters(text)
  text = text:gsub("%f[%w%.](%d[%d%.]*b) ?/ ?(%d[%d%.]*t)%f[%W]( ?t?o?k?e?n?s?)", function(params, count, behind)
    return ("%s on %s tokens%s"):format(params, count, behind:find("tok") and "" or behind)
  end)
  text = text:gsub("%f[%w%.](%d[%d%.]*)b ?/ ?(%d[%d%.]*)b%f[%W]", function(params, count)
    local size, data = tonumber(params), tonumber(count)
    return size and data and data >= LEAST_DATA * size and text:find("train") and ("%sb on %sb tokens"):format(params, count) or nil
  end)
  return (text:gsub("%f[%w]n ?= ?(%d[%w%.]*)([, ]+)a?n?d? ?d ?= ?(%d[%w%.]*)%f[%W]", "%1 params%2%3 tokens"))
end

-- Words of systems whose TPS are transactions; of language models they are tokens.
local OF_TRANSACTIONS <const> = { "transaction", "fraud", "payment", "recommend", "retriev", "rank", "embed", "classif", "image", "ads%f[%W]", "ctr%f[%W]", "moderat" }

local function with_tokens_per_s(text, notes)
  for _, word in ipairs(OF_TRANSACTIONS) do
    if text:find(word) then return text end
  end
  return (text:gsub("(%d[%w,%.]*) ?tp([sm])%f[%W]", function(count, unit)
    local time = unit == "s" and "second" or "minute"
    notes[#notes + 1] = ("'%s tp%s' are read as tokens per %s (assumption)."):format(count, unit, time)
    return ("%s tokens/%s"):format(count, unit == "s" and "s" or time)
  end))
end

-- "40 million input and 10 million output tokens per day", "5k input / 1k output tokens/s": both are of a day.
local function with_both_of_a_time(text)
  -- "2B input and 300M output tokens" are tokens both.
  text = text:gsub("(%d[%d%.,]* ?[bm][ilon]* input) (and %d[%d%.,]* ?[bm][ilon]* output tok)", "%1 tokens %2")
  local both = "(%d[%d%.,]* ?%a* input) ?t?o?k?e?n?s? ?(and ?%d[%d%.,]* ?%a* output tokens?) ?"
  text = text:gsub("(%d[%d%.,]* ?%a* input)( ?t?o?k?e?n?s?) ?[/%+,] ?(%d[%d%.,]* ?%a* output tok)", "%1%2 and %3")
  for _, each in ipairs({ "per ", "a ", "each ", "every ", "/ ?", " ?" }) do
    text = text:gsub(both .. "(" .. each .. ")(%a+)%f[%W]", function(input, output, per, time)
      local is_time = each == " ?" and vocabulary.EVERY[time] or each ~= " ?" and vocabulary.TIMES[time]
      return is_time and ("%s tokens %s%s %s %s%s"):format(input, per, time, output, per, time) or nil
    end)
  end
  return text
end

-- Scales that stand before tokens as before units: "300 Gtokens", "2 Ttok", "1000 G tokens".
local function with_scales_of_tokens(text)
  return (text:gsub("(%d) ?([kmgbt])[ %-]?(tok%a*)", function(digit, scale, noun)
    return ("%s%s %s"):format(digit, scale == "g" and "b" or scale, noun)
  end))
end

-- "DDR5-5600": nothing is counted by the speed of a memory, which is that of its processor.
local function without_speeds_of_memory(text, notes)
  return (text:gsub("%f[%w](l?p?ddr[345]x?)[ %-](%d%d%d%d)%f[%D]", function(kind, speed)
    notes[#notes + 1] = ("The speed of '%s-%s' is not read: memory is as fast as the catalog has it."):format(kind, speed)
    return kind
  end))
end

-- Words by which two lengths are set beside each other.
local COMPARES <const> = { "slower", "faster", "difference", "compar", "cheaper", "how much more", "times longer", "vs%f[%W]", "versus", "going from", "dearer", "more expensive" }

-- "4k vs 32k context", "how much slower is 4k to 32k context": two lengths to choose from.
local function with_lengths_beside(text)
  local is_compared = mentions.any(text, COMPARES)
  return (text:gsub("%f[%w%.](%d[%d%.]*k) (%a+)%.? (%d[%d%.]*k) (%a+)", function(first, link, second, what)
    local is_length = what == "context" or what == "ctx" or what == "sequence" or what == "sequences" or what == "seq"
    local is_beside = link == "vs" or link == "versus" or link == "or" or (link == "to" or link == "and") and is_compared
    return is_length and is_beside and ("%s context or %s context"):format(first, second) or nil
  end))
end

-- Vectors have as many dimensions at least (assumption).
local LEAST_DIM <const> = 32

-- One way to write what has several.
local function normal(text, notes)
  text = text:gsub("\u{a0}", " "):gsub("\u{202f}", " "):gsub("\u{2009}", " ")
  text = powers.plain(text:lower():gsub("×", " x "):gsub("{,}", ",")):gsub("–", "-"):gsub("’", "'"):gsub("€", " eur "):gsub("£", " gbp "):gsub("≈", " ")
  text = with_memories(with_gigabytes(clock.plain(text, notes)))
  text = without_speeds_of_memory(with_both_of_a_time(with_lengths_beside(text)), notes)
  text = with_tokens_per_s(with_letters(with_token_budget(with_sizes_of_nodes(with_racks(text, notes)))), notes)
  for _, phrase in ipairs(vocabulary.PHRASES) do text = text:gsub("%f[%w]" .. phrase[1] .. "%f[%W]", phrase[2]) end
  text = text:gsub("%f[%w]w/o%f[%W]", "without"):gsub("%f[%w]w/", "with "):gsub("%f[%w]top%-(%d)", "top %1")
    :gsub("%f[%w]sub%-(%d)", "under %1")
  -- "64 spot H100" are 64 of them, on those terms.
  text = text:gsub("%f[%w](%d+) (%a+) (%a+)", function(count, term, behind) return vocabulary.TERMS[term] and ("%s %s %s"):format(term, count, behind) or nil end)
  -- "500/200 tokens" are those of a prompt and of its answer; the experts of Mixtral are called by their number alone.
  text = text:gsub("%f[%w](%d[%d%.]*k?)%s?[/%+]%s?(%d[%d%.]*k?) tok%a*", "%1 in %2 out")
  if text:find("mixtral", 1, true) then
    text = text:gsub("%f[%w]8 x (%d%d?b)%f[%W]", "8x%1"):gsub("%f[%w](8x%d%d?b)[ %-]mixtral%f[%W]", "mixtral-%1")
  end
  text = text:gsub("()%f[%w](8x%d%d?b)%f[%W]", function(at, size)
    return not text:sub(1, at - 1):find("mixtral[%s%-]*$") and "mixtral-" .. size or nil
  end)
  text = joined(text, "_"):gsub("%f[%w](%d+)_(%d)", "%1%2") -- but "q8_0" is a name
  text = text:gsub("(%d)%.%.+(%d)", "%1-%2")
    :gsub("%f[%w]between (%d[%d%.]*%a?) and (%d)", "%1-%2")
  text = with_scales_of_tokens(with_points(with_releases(text), notes))
  text = text:gsub(" ?@ ?(%$?%d)", " at %1")
  -- "30M docs x 400 tokens" are so long each.
  text = text:gsub("%f[%w](%d[%d%.]*[kmb]? %a+) x (%d[%d%.]*k? tok)", function(things, length)
    local noun = things:match("%a+$")
    return vocabulary.NOUNS[noun] and vocabulary.NOUNS[noun] ~= "devices" and vocabulary.NOUNS[noun] ~= "users" and ("%s of %s"):format(things, length) or nil
  end)
  text = text:gsub("(%d[mb]) ?x ?(%d%d+)( ?%a*)", function(count, dim, behind) -- "100M x 768 vectors"
    return tonumber(dim) >= LEAST_DIM and not behind:find("^ ?tok") and ("%s vectors of %s dimensions %s"):format(count, dim, behind:find("^ vec") and "" or behind) or nil
  end)
  text = text:gsub("%f[%w%.](%d+):(%d+)%f[^%w:]", "ratio-%1-to-%2")
  -- "A question a minute" counts one.
  text = text:gsub("%f[%w]an? (%a+) (%a+) (%a+)", function(noun, per, unit)
    local is_rate = vocabulary.NOUNS[noun] == "requests" and (per == "a" or per == "an" or per == "per" or per == "every") and vocabulary.TIMES[unit]
    return is_rate and ("1 %s %s %s"):format(noun, per, unit) or nil
  end)
  text = text:gsub("per 1 ?m[ilon]* tok%a*", "per million tokens")
  -- "8xH100", "1024x1024", "llama3.1:8b" and "…-GGUF:Q4_K_M"; "8x7b" is the name of a model, "24xlarge" a size of machines.
  text = text:gsub("%f[%d](%d+)x(%a%a?%a?%a?%a?)", function(count, behind)
    return behind ~= "large" and count .. " x " .. behind or nil
  end)
  text = text:gsub("%f[%d](%d%d?)x(%d%d%d%d ?x)", "%1 x %2") -- "2x7900 XTX"
  text = text:gsub("%f[%d](%d+)%s?x%s?(%d+)%s?x%s?(%d+)%f[%D]", "%1 by %2 by %3")
  text = text:gsub("%f[%w](%d%d%d%d?)%s?x%s?(%d%d%d%d?)%f[%D]", "%1 by %2 pixels")
  text = text:gsub("%f[%w](%a+%d+)x(%d+)%f[%W]", "%1 x %2") -- "H100x64"
  text = text:gsub("(%w):(%d[%d%.]*b)%f[%W]", "%1 %2"):gsub("(%w):(i?q%d)", "%1 %2")
  return with_families(joined(text, ","))
end

-- A number at `at` of the text: value, scale letter or "", place behind it. "a100" and "p99" begin with letters and are
-- words.
local function number_at(text, at)
  local digits = text:match("^%d+%.?%d*[eE][%+%-]?%d+", at) or text:match("^%d*%.%d+", at) or text:match("^%d+", at)
  if not digits then return nil end
  local from = at + #digits
  local letters = text:match("^%a+", from) or ""
  local scale = GLUED[letters] and not text:find("^[%d]", from + #letters) and letters or ""
  return tonumber(digits), scale, from + #scale
end

-- Words behind which "4k to 8k" are what was and what shall be, or two to choose from.
local CHANGES <const> = { "from%s+$", "compar", "instead", "increas", "extend", "grow", "scal", "rais", "switch", "upgrad", "mov", "convert",
  "ratio", "goes?%s+$", "going%s+$" }

-- Whether a number is the release of a model that the words before it name: "serve stable diffusion 3.5 to 200 users".
local function is_release(text, at, behind)
  local before, number = text:sub(1, at - 1), text:sub(at, behind - 1)
  local first, second = before:match("(%a*)[ %-]?%f[%w](%a[%w%.]*)[ %-]$")
  if not second then return false end
  local both = first ~= "" and ("%s-%s-%s"):format(first, second, number)
  return vocabulary.WRITERS[second .. number] ~= nil or vocabulary.WRITERS[second .. "-" .. number] ~= nil
    or diffusion.resolve(second .. "-" .. number) ~= nil or both and diffusion.resolve(both) ~= nil
end

-- What stands between the ends of a range: a dash, or "to".
local function range_sign(text, at, behind)
  local further = text:match("^%s?%-%s?()%d", behind)
  if further then return further end
  further = text:match("^%s+to%s+()%d", behind)
  if not further or is_release(text, at, behind) then return nil end
  local before = text:sub(1, at - 1)
  for _, change in ipairs(CHANGES) do
    if before:find(change) then return nil end
  end
  return further
end

-- "2-3M", "10 - 20", "1T to 2T": two numbers of which the first is the lower and takes the scale of the second. From year to
-- year is no such range.
local YEARS <const> = { 1990, 2100 }

local function range_at(text, at)
  local low, low_scale, behind = number_at(text, at)
  if not low then return nil end
  local further = range_sign(text, at, behind)
  if not further then return low, low_scale, behind end
  local high, scale, last = number_at(text, further)
  local shared = low_scale == "" and scale or low_scale
  local from, to = low * (GLUED[shared] or 1), high * (GLUED[scale] or 1)
  if not (from < to) or from >= YEARS[1] and to <= YEARS[2] then return low, low_scale, behind end
  return nil, scale, last, from, to
end

-- A word with what may stand inside names: llama-3.1-8b, vit-l/16, tokens/s is three.
local function word_at(text, at)
  local word = text:match("^%a[%w%-%._']*", at)
  return word and word:gsub("[%.%-']+$", "")
end

-- Words behind which a line is broken but no clause ends, and short forms that end with a point.
local LINKING <const> = vocabulary.LINKING
local SHORTENED <const> = tables.set({ "approx", "ca", "vs", "e.g", "i.e", "no", "incl", "est", "max", "min", "avg",
  "mio", "mrd", "mln", "mn", "bn", "tsd" })

-- Whether a clause ends at a place of the text behind the last of these tokens: at a comma and the like, at the end of a
-- sentence or of a line; and whether that is a colon, behind which its own number stands.
local function clause_end(text, at, last)
  local sign = text:sub(at, at)
  if sign:find("[,;:|]") then return true, sign == ":" end
  local word = last and last.word
  if sign == "." then return text:find("^%s", at + 1) ~= nil and not SHORTENED[word or ""], false end
  return sign == "\n" and last ~= nil and not LINKING[word or ""], false
end

-- Scales long enough to be known with a slip in them.
local LONG_SCALES <const> = { "thousand", "million", "billion", "trillion" }

-- "500 billoin": what stands behind a number and is a scale but for a slip is taken for it, and that is said.
local function mend_scales(list, notes)
  for at = 2, #list do
    local word = list[at].word
    local meant = word and list[at - 1].number and not vocabulary.NOUNS[word] and not SPELLED[word] and near.typo(word, LONG_SCALES)
    if meant then
      notes[#notes + 1] = ("'%s' is read as '%s'."):format(word, meant)
      list[at].word = meant
    end
  end
end

--- The tokens of a text: { number = value, scale = "b", text } or { word = …, text }; punctuation other than / % $ = and
--- signs is left out, but for is_cut of what a comma or the like stands before, and is_named where that is a colon.
---@param text string
---@return table[]
---@return string[] notes how something was read that may have been meant otherwise
function tokens.of(text)
  local list, at, notes, cut, colon = {}, 1, {}, 0, false
  note_signs(text, notes)
  text = with_fractions(normal(text, notes))
  while at <= #text do
    local value, scale, behind, low, high = range_at(text, at)
    local word = not behind and word_at(text, at)
    if low then
      value = math.sqrt(low * high)
      list[#list + 1] = { number = value, scale = scale, text = text:sub(at, behind - 1), at = at, low = low, high = high }
      at = behind
    elseif value then
      list[#list + 1] = { number = value * (GLUED[scale] or 1), scale = scale, text = text:sub(at, behind - 1), at = at }
      at = behind
    elseif word then
      list[#list + 1] = { word = word, text = word, at = at }
      at = at + #word
    else
      local sign = text:sub(at, at)
      if sign:find("[/%%$=]") then list[#list + 1] = { word = sign, text = sign, at = at } end
      local is_end, is_colon = clause_end(text, at, list[#list])
      if is_end then cut, colon = #list + 1, is_colon or colon and cut == #list + 1 end -- what follows is another clause
      at = at + 1
    end
    if list[cut] then list[cut].is_cut, list[cut].is_named, cut = true, colon, 0 end
  end
  mend_scales(list, notes)
  return tokens.scaled(list, notes), notes
end

local function is_article(token) return token ~= nil and (token.word == "a" or token.word == "an" or token.word == "of") end

-- Numbers that say no more than an order: what is taken for them.
local VAGUE <const> = { few = 3, several = 5, tens = 30, dozens = 36, hundreds = 300, thousands = 3000, millions = 3e6, billions = 3e9 }

-- "a few thousand", "several hundred", "hundreds of users": the value and how many tokens it takes.
local function vague_at(list, at)
  if list[at - 1] and list[at - 1].number then return nil end
  local first = list[at].word == "a" and at + 1 or at
  local word = list[first] and list[first].word
  local value, behind = VAGUE[word or ""], list[first + 1] and list[first + 1].word
  if not value or not behind then return nil end
  if word == "few" or word == "several" then
    -- "a few days" is a number, "a few" is none.
    return (SCALES[behind] or SPELLED[behind] or vocabulary.NOUNS[behind] or vocabulary.TIMES[behind]) and value, first - at + 1
  end
  if behind ~= "of" then return nil end
  local further = list[first + 2] and list[first + 2].word
  if VAGUE[further or ""] and further ~= "few" and further ~= "several" then -- "tens of thousands"
    return value * VAGUE[further] / 3, first - at + (list[first + 3] and list[first + 3].word == "of" and 4 or 3)
  end
  return value, first - at + 2
end

-- Numbers below a thousand in words: "two hundred and fifty six", "a hundred and twenty eight"; the value and how many tokens.
local function hundreds_at(list, at)
  local first = list[at].word
  if first ~= "a" and not ((NUMBERS[first or ""] or 0) >= 1) then return nil end
  local value, place = first == "a" and 1 or NUMBERS[first], at + 1
  if not list[place] or list[place].word ~= "hundred" then return nil end
  value, place = value * 100, place + 1
  local rest = place
  if list[rest] and list[rest].word == "and" then rest = rest + 1 end
  local tens = list[rest] and NUMBERS[list[rest].word or ""]
  if not tens or tens < 1 then return value, place - at end
  value, place = value + tens, rest + 1
  local ones = tens >= 20 and list[place] and NUMBERS[list[place].word or ""]
  if ones and ones >= 1 and ones < 10 then value, place = value + ones, place + 1 end
  return value, place - at
end

-- Parts of a number in words at a place of the list: the value and how many tokens it takes; nil where it is none.
local function spelled_at(list, at)
  local word = list[at].word
  local value = NUMBERS[word]
  if PARTS[word] then
    -- "half a billion", "a quarter of a million", "half an hour", but not "half the budget".
    local behind = at + 1
    if list[behind] and SCALES[list[behind].word or ""] and SCALES[list[behind].word] >= SCALES.million then return value, 1 end -- "half million"
    while is_article(list[behind]) do behind = behind + 1 end
    return behind > at + 1 and list[behind] and value or nil, behind - at
  end
  local whole, taken = hundreds_at(list, at)
  if whole then return whole, taken end
  if word == "a" and list[at + 1] and SCALES[list[at + 1].word] then return SCALES[list[at + 1].word], 2 end
  local pair = word == "a" and list[at + 1] and list[at + 1].word
  if pair == "couple" or pair == "pair" then return 2, is_article(list[at + 2]) and 3 or 2 end
  local dashed, ones = (word or ""):match("^(%a+)%-(%a+)$")
  if dashed and (NUMBERS[dashed] or 0) >= 20 and (NUMBERS[ones] or 10) < 10 then return NUMBERS[dashed] + NUMBERS[ones], 1 end
  return value, 1
end

local function phrase_of(list, at, used)
  local words = {}
  for i = at, at + used - 1 do words[#words + 1] = list[i].text end
  return table.concat(words, " ")
end

--- A list with what a rule puts in the place of tokens: rule(at) gives what stands there instead and how many tokens it
--- takes; nil where one stays.
---@param list table[]
---@param rule fun(at: integer): table[]|nil, integer|nil
---@return table[]
function tokens.rewritten(list, rule)
  local out, at = {}, 1
  while list[at] do
    local instead, used = rule(at)
    instead, used = instead or { list[at] }, used or 1
    table.move(instead, 1, #instead, #out + 1, out)
    at = at + used
  end
  return out
end

-- The list with numbers in words as numbers.
local function with_numbers(list, notes)
  return tokens.rewritten(list, function(at)
    local value, used = vague_at(list, at)
    if value then
      notes[#notes + 1] = ("'%s' is read as %.4g (assumption)."):format(phrase_of(list, at, used), value)
    else
      value, used = spelled_at(list, at)
    end
    if not value or not list[at].word then return nil end
    return { { number = value, scale = "", text = phrase_of(list, at, used), at = list[at].at, spelled = true,
      is_cut = list[at].is_cut } }, used
  end)
end

--- The list with "2 million" and "half a billion" as one number.
function tokens.scaled(list, notes)
  local out = {}
  for _, token in ipairs(with_numbers(list, notes)) do
    local before = out[#out]
    local scale = before and before.number and (before.scale == "" or before.scale == "hundred") and token.word
      and SPELLED[token.word]
    if scale then
      before.number, before.scale, before.text = before.number * scale, token.word, before.text .. " " .. token.text
      if before.low then before.low, before.high = before.low * scale, before.high * scale end
    else
      out[#out + 1] = token
    end
  end
  return out
end

return tokens
