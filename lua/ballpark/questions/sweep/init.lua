-- sweep{}: a function over a grid.
return {
  name = "sweep",
  title = "a function over a grid",
  inputs = {
    { "axes", "list of { name =, values = { ... } }", type = "table", required = true },
    { "run", "function of a point { name = value, ... } that gives a table of numbers, texts and true/false, or an "
      .. "answer", type = "fun(point: table): table", required = true },
    { "columns", "list of { name =, unit =, title = } in the order of the report", type = "(string|table)[]" },
    { "title", "what the report calls it", type = "string" },
  },
  needs = {
    { "axes", such = "{ tp = { 1, 2, 4 } }" },
    { "run", such = "function(p) return estimate{ plan = { tp = p.tp }, … } end" },
  },
  outputs = { { "rows", "table[]", "one for each point" }, { "columns", "table[]", "of the report" } },
  notes = { "From outside any scenario is swept by: ballpark sweep FILE --axis name=v1,v2." },
}
