-- Requests by their length: what share of a load has how many tokens.
local errors = require("ballpark.errors")

local buckets = {}

local FIELDS <const> = { "share", "input_tokens", "output_tokens" }

--- The buckets of a load, checked, and its mean lengths.
function buckets.check(load)
  local shares, input, output = 0, 0, 0
  if type(load.buckets) ~= "table" or #load.buckets == 0 then
    errors.input("load.buckets", "must be a list of buckets")
  end
  if load.lengths or load.input_tokens or load.output_tokens then
    errors.input("load.buckets", "say the lengths: leave out lengths, input_tokens and output_tokens")
  end
  for i, bucket in ipairs(load.buckets) do
    for _, field in ipairs(FIELDS) do
      local value = type(bucket) == "table" and bucket[field]
      if type(value) ~= "number" or not (value > 0) or value == math.huge then
        errors.input(("load.buckets[%d].%s"):format(i, field), "must be a number above 0, got " .. tostring(value))
      end
    end
    shares = shares + bucket.share
    input, output = input + bucket.share * bucket.input_tokens, output + bucket.share * bucket.output_tokens
  end
  if math.abs(shares - 1) > 1e-6 then
    errors.input("load.buckets", ("their shares must make 1, and make %.6g"):format(shares))
  end
  return { input_tokens = input, output_tokens = output }
end

--- Tokens of the longest request of buckets that were checked.
function buckets.longest(list)
  local longest = 0
  for _, bucket in ipairs(list) do longest = math.max(longest, bucket.input_tokens + bucket.output_tokens) end
  return longest
end

return buckets
