-- ranges{}: a function of uncertain numbers.
return {
  name = "ranges",
  title = "a function of uncertain numbers: its range, and what it comes from",
  inputs = {
    { "inputs", "what is uncertain by name: { qps = range(40e3, 80e3), … }", type = "table<string, any>",
      required = true },
    { "run", "function of these that gives a table of numbers by name, or an answer; may be given without a name",
      type = "fun(x: table): table", required = true },
    { "limits", "by the name of a result: { most =, least = }, for the chance of breaking it",
      type = "table<string, table>" },
    { "samples", "draws: 131,072 of a function that can be traced, 64 for each input and two more of any other",
      type = "integer" },
    { "seed", "which draws, 1", type = "integer" },
    { "title", "what the report calls it", type = "string" },
  },
  needs = {
    { "inputs", such = "{ qps = range(40e3, 80e3) }" },
    { "run", such = "function(x) return { gpus = math.ceil(x.qps / 89) } end" },
  },
  outputs = {
    { "ranges", "table<string, table>", "by result: unit, median, low and high (80 %), broken (share of draws beyond a "
      .. "limit), drivers: list of name, first and total (Sobol indices), low and high (the result at the ends of this "
      .. "input)" },
    { "samples", "integer", "draws the quantiles are of" },
    { "traced", "boolean", "whether the function was worked out by the core, as an expression" },
  },
  positional = "run",
  raw = true,
  notes = { "A traced function may use + - * / // % ^, math.ceil, floor, max, min, abs, exp, log and sqrt, less(a, b), "
    .. "at_most(a, b) and choose(condition, a, b). One that asks a question or decides with 'if' is called for every "
    .. "draw." },
}
