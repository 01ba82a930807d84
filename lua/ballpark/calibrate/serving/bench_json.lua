-- Results of vLLM's serving benchmark (vllm bench serve --save-result) as rows of a sweep: a file per concurrency.
-- What a result does not say (device, parallelism, formats) comes from the command line.
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local serving_columns = require("ballpark.measured.serving_columns")
local tables = require("ballpark.tables")

local bench_json = {}

--- Whether a file's name says that it is such a result.
function bench_json.is_path(path) return type(path) == "string" and path:find("%.json$") ~= nil end

local function number(result, field, name)
  local value = result[field]
  if math.type(value) == nil or not (value > 0) then
    errors.input(name, field .. " is missing, or no number above 0")
  end
  return value
end

-- What is counted is less than what a double counts exactly.
local MOST <const> = 1 << 53

local function count(result, field, name)
  if result[field] == 0 then errors.input(name, field .. " is 0: no request was answered") end
  local value = number(result, field, name)
  if value < 1 or value > MOST then errors.input(name, ("%s is %.3g, which is no count"):format(field, value)) end
  return math.tointeger(value // 1)
end

-- Share of the requests that failed, and of the clients that were busy, beyond which the clients that the result names
-- are not the load it was measured at (assumption).
local MOST_FAILED <const>, LEAST_BUSY <const> = 0.1, 0.8

-- Lengths of the requests, in the fields that --save-detailed adds, and of all of them together.
local LENGTHS <const> = { { "input_lens", "total_input_tokens" }, { "output_lens", "total_output_tokens" } }

-- The sum of lengths, nil where one of them is none; whether they are all the same.
local function summed(list)
  local sum, is_one = 0, true
  for _, length in ipairs(list) do
    if math.type(length) ~= "integer" or length < 0 or length > MOST then return nil end
    sum, is_one = sum + length, is_one and length == list[1]
  end
  return sum, is_one
end

-- Where a result has the lengths of its requests, whether they are all the same. Those that failed are in the lists, and
-- not in the totals (recalled).
local function one_length(result, name, sent, done)
  local are_one = true
  for _, fields in ipairs(LENGTHS) do
    local list, total = result[fields[1]], result[fields[2]]
    local length = type(list) == "table" and #list or 0
    local sum, is_one
    if length == sent or length == done then sum, is_one = summed(list) end
    if list ~= nil and not sum then
      errors.input(name, ("%s is no list of the lengths of num_prompts %d requests"):format(fields[1], sent))
    end
    local mean, said = sum and sum / length, total / done
    if mean and math.abs(mean - said) > MOST_FAILED * said then
      errors.input(name, ("%s are %.5g in the mean, and %s of completed %.5g"):format(fields[1], mean, fields[2], said))
    end
    are_one = are_one and is_one or false
  end
  return are_one
end

-- What vllm bench serve calls the protocols that vLLM speaks; other backends are other engines.
local function check_backend(result, name, given)
  local backend = result.endpoint_type or result.backend
  if given.engine or backend == nil then return end
  if type(backend) ~= "string" or not (backend:find("^vllm") or backend:find("^openai")) then
    errors.input(name, ("backend is %s, and not vllm: say the engine by -D engine=NAME"):format(tostring(backend)))
  end
end

-- With a rate of requests the clients wait for them: by Little's law as many are busy as requests come times what
-- each takes.
local function check_rate(result, name, clients, seconds_each)
  local rate = tonumber(result.request_rate)
  if not rate or rate == math.huge then return end
  local busy = rate * seconds_each
  if busy < LEAST_BUSY * clients then
    errors.input(name, ("request_rate is %.4g: %.3g of the %d clients are busy, so this is no point of a sweep of "
      .. "concurrencies"):format(rate, busy, clients))
  end
end

local function row_of(result, name, given)
  if type(result) ~= "table" or result.total_input_tokens == nil then
    errors.input(name, "is no result of vllm bench serve: total_input_tokens is missing")
  end
  if math.type(result.max_concurrency) == nil then
    errors.input(name, "max_concurrency is missing: results at a rate of requests are no sweep of concurrencies")
  end
  local sent, clients = count(result, "num_prompts", name), count(result, "max_concurrency", name)
  local done = result.completed == nil and sent or count(result, "completed", name)
  if done > sent or done < (1 - MOST_FAILED) * sent then
    errors.input(name, ("completed is %d of num_prompts %d: requests failed, so the load is not what it says"):format(done, sent))
  end
  check_backend(result, name, given)
  local function mean(field) return ("%d"):format(math.max(1, (count(result, field, name) + done // 2) // done)) end
  local ttft_ms, tpot_ms = number(result, "mean_ttft_ms", name), number(result, "mean_tpot_ms", name)
  local MS <const> = 1e-3
  check_rate(result, name, clients, MS * (ttft_ms + tpot_ms * (mean("total_output_tokens") - 1)))
  return {
    engine = "vllm", model = result.model_id, concurrency = ("%d"):format(clients),
    input_len = mean("total_input_tokens"), output_len = mean("total_output_tokens"),
    ttft_ms = ("%.9g"):format(ttft_ms),
    tpot_ms = ("%.9g"):format(tpot_ms),
    num_prompts_rule = ("%d*conc"):format(math.max(1, sent // clients)),
    protocol = one_length(result, name, sent, done) and "closed loop" or "closed loop; lengths uniform",
  }
end

local function quoted(value) return '"' .. tostring(value or ""):gsub('"', '""') .. '"' end

--- The text of a table for problem.sweep from { name, text } of results; `given` are columns of all rows.
function bench_json.sweep(sources, given)
  local names, lines = {}, {}
  for i, column in ipairs(serving_columns.list) do names[i] = column[1] end
  for _, column in ipairs(tables.sorted_keys(given)) do
    local known = false
    for _, name in ipairs(names) do known = known or name == column end
    if not known then errors.choice("-D " .. column, column, names) end
  end
  if not given.gpu then errors.usage("results do not say the device: -D gpu=NAME") end
  lines[1] = table.concat(names, ",")
  local first
  for _, source in ipairs(sources) do
    local row, cells = row_of(json.decode(source.text, source.name), source.name, given), {}
    first = first or row
    if row.model ~= first.model and not given.model then
      errors.input(source.name, ("model_id is %s, in %s %s: a calibration is of one model"):format(tostring(row.model),
        sources[1].name, tostring(first.model)))
    end
    for i, name in ipairs(names) do cells[i] = quoted(given[name] or row[name]) end
    lines[#lines + 1] = table.concat(cells, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

return bench_json
