-- What an API asks for a million tokens: one price, or one of prompts and one of answers.
local tables = require("ballpark.tables")
local units = require("ballpark.units")

local api_price = {}

--- Its facts, as those of a kind of question.
api_price.facts = {
  { "usd_mtok", "What does an API ask for a million tokens, in USD?", unit = "USD", title = "Price of an API for a million tokens" },
  { "usd_mtok_input", "What does it ask for a million tokens of prompts?", unit = "USD", title = "Price of an API for a million tokens of prompts" },
  { "usd_mtok_output", "What does it ask for a million tokens of answers?", unit = "USD", title = "Price of an API for a million tokens of answers" },
}

local function has_both(facts) return facts.usd_mtok_input and facts.usd_mtok_output end

--- Facts with one price of all tokens where there are two, in the shares that a request has of both.
---@param given table<string, any>
---@param input number tokens of a prompt, unless given
---@param output number tokens of an answer, unless given
---@return table<string, any>
function api_price.with_one(given, input, output)
  if not has_both(given) then return given end
  input, output = given.input_tokens or input, given.output_tokens or output
  return tables.with(given, { usd_mtok = (given.usd_mtok_input * input + given.usd_mtok_output * output) / (input + output) })
end

--- What stands behind one price that was made of two; nothing where one is said.
---@param facts table<string, any>
---@return string
function api_price.parts(facts)
  return has_both(facts) and (" (%s of prompts, %s of answers)"):format(units.format(facts.usd_mtok_input, "USD"),
    units.format(facts.usd_mtok_output, "USD")) or ""
end

--- What so many tokens of prompts and of answers cost, in USD, and how that is reckoned; nil where no price is said.
---@param facts table<string, any>
---@param input number
---@param output number
---@return number|nil
---@return string|nil
function api_price.bill(facts, input, output)
  if has_both(facts) then
    return (input * facts.usd_mtok_input + output * facts.usd_mtok_output) / 1e6, ("%s tokens of prompts at %s per million and %s of answers at %s")
      :format(units.tally(input), units.format(facts.usd_mtok_input, "USD"), units.tally(output), units.format(facts.usd_mtok_output, "USD"))
  end
  if not facts.usd_mtok then return nil end
  return (input + output) * facts.usd_mtok / 1e6, ("%s tokens at %s per million"):format(units.tally(input + output), units.format(facts.usd_mtok, "USD"))
end

return api_price
