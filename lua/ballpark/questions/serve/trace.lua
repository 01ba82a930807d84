-- Traces of requests from CSV: arrival_s, input_tokens, output_tokens, and where there are any prefix_blocks
-- (numbers of the blocks a prompt begins with, separated by spaces). Anything odd is refused with its line.
local csv = require("ballpark.csv")
local errors = require("ballpark.errors")
local near = require("ballpark.near")
local tables = require("ballpark.tables")

local trace = {}

local NEEDED <const> = { "arrival_s", "input_tokens", "output_tokens" }
local LEAST <const> = { arrival_s = 0, input_tokens = 1, output_tokens = 1 }
-- Tokens and seconds of a log, which begins near 0: decades.
local MOST <const> = 1e9

local WHOLE <const> = { input_tokens = true, output_tokens = true }

local function number(cells, column, line, name, least)
  local text = cells[column]
  local value = csv.number(text)
  if not text or text == "" then errors.input(name .. ":" .. line, column .. " is missing") end
  if not value then
    errors.input(name .. ":" .. line, ("%s: '%s' is not a number"):format(column, text))
  end
  if value < least then
    errors.input(name .. ":" .. line, ("%s must be at least %g, got %s"):format(column, least, text))
  end
  if value > MOST then
    errors.input(name .. ":" .. line, ("%s must be at most %.0f, got %s%s"):format(column, MOST, text,
      column == "arrival_s" and ": seconds since the log begins, not since 1970" or ""))
  end
  if WHOLE[column] and not math.tointeger(value) then
    errors.input(name .. ":" .. line, ("%s must be a whole number, got %s"):format(column, text))
  end
  return value
end

local function blocks_of(text, line, name)
  if not text or text == "" then return nil end
  local list = {}
  for word in text:gmatch("%S+") do
    local block = math.tointeger(csv.number(word))
    if not block or block < 0 then
      errors.input(name .. ":" .. line, ("prefix_blocks: '%s' is not a whole number of at least 0"):format(word))
    end
    list[#list + 1] = block
  end
  return list
end

local function check_columns(header, name, more)
  local there = tables.set(header)
  for _, column in ipairs(table.move(more or {}, 1, #(more or {}), #NEEDED + 1, { table.unpack(NEEDED) })) do
    local meant = not there[column] and near.name(column, header)
    if not there[column] then
      errors.input(name .. ":1", ("has no column %s%s"):format(column, meant and (" (did you mean '" .. meant .. "'?)") or ""))
    end
  end
end

--- The requests of a CSV text in order of arrival: { arrival_s, input_tokens, output_tokens, blocks }, and the
--- columns of `more`, and of `maybe` where there are any, numbers of at least 0.
function trace.read(text, name, more, maybe)
  local header, records = csv.records(text, name)
  check_columns(header, name, more)
  if #records == 0 then errors.input(name, "has no requests") end
  local list, last = {}, 0
  for i, record in ipairs(records) do
    local cells, line, request = record.cells, record.line, {}
    for _, column in ipairs(NEEDED) do request[column] = number(cells, column, line, name, LEAST[column]) end
    for _, column in ipairs(more or {}) do request[column] = number(cells, column, line, name, 0) end
    for _, column in ipairs(maybe or {}) do
      if (cells[column] or "") ~= "" then request[column] = number(cells, column, line, name, 0) end
    end
    request.blocks = blocks_of(cells.prefix_blocks, line, name)
    if request.arrival_s < last then errors.input(name .. ":" .. line, "arrival_s is before the request above") end
    last = request.arrival_s
    list[i] = request
  end
  return list
end

-- Deviation over mean of numbers of that sum and that sum of squares.
local function cv_of(count, sum, squares) return math.sqrt(math.max(0, squares * count / sum ^ 2 - 1)) end

--- Means of a trace, or of samples: { input_tokens, output_tokens, input_cv and length_cv (deviations over means of
--- prompts and answers), one_token_frac (share of the answers that are one token), rate_per_s (where arrivals
--- differ) }.
function trace.means(list)
  local input, output, input_squares, output_squares, single = 0, 0, 0, 0, 0
  for _, request in ipairs(list) do
    input, output = input + request.input_tokens, output + request.output_tokens
    input_squares = input_squares + request.input_tokens ^ 2
    output_squares = output_squares + request.output_tokens ^ 2
    if request.output_tokens <= 1 then single = single + 1 end
  end
  local first, last = list[1].arrival_s, list[#list].arrival_s
  local rate = first and last and last > first and (#list - 1) / (last - first) or nil
  return { input_tokens = input / #list, output_tokens = output / #list, rate_per_s = rate,
    input_cv = cv_of(#list, input, input_squares), length_cv = cv_of(#list, output, output_squares),
    one_token_frac = single / #list }
end

return trace
