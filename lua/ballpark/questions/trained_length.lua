-- Positions beyond those that a model was trained for: they need memory like any others, and mean little.
local trained_length = {}

--- Warns where a context is longer than that.
---@param result ballpark.result
---@param model table
---@param context_tok integer|nil
function trained_length.warn(result, model, context_tok)
  local most = model.max_seq or 0
  if most > 0 and context_tok and context_tok > most then
    result:warn(("%d tokens are more than the %d that %s was trained for"):format(context_tok, most, model.name or "the model"))
  end
end

return trained_length
