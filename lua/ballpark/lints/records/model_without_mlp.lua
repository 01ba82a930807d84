-- A model without an MLP has a third of its parameters.
return {
  code = "model_without_mlp",
  severity = "warning",
  why = "a model without an MLP has a third of its parameters",
  fix = "give ffn_hidden, or leave it out for the usual width",
  find = function(log)
    local list = {}
    for _, call in ipairs(log.calls) do
      local model = type(call.input) == "table" and call.input.model
      if type(model) == "table" and model.ffn_hidden == 0 and (model.experts or 0) == 0 and (model.mamba_layers or 0) == 0
        and (model.layers or 0) > 0 then
        list[#list + 1] = { where = call.name, message = (model.name or "the model") .. " has layers and ffn_hidden = 0" }
      end
    end
    return list
  end,
}
