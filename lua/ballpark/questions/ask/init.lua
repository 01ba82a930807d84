-- ask{}: from a vague prompt to an answer in five steps, with what was not said proposed and marked. Each file of kinds is
-- a kind of question:
--   name, title, words  what it is called and asks
--   facts   rows { name, question, unit, title, type, ask = place in an interview, propose = function(facts) -> value, why,
--           low, high, whether it follows from other facts and is no proposal, also = other names of it in words,
--           also_means = a sentence on how it is meant under one of those },
--           proposals in the order in which they use each other
--   steps   function(page, facts): the lines of the five steps; computes nothing that a question or a kernel has
--   parts   function(facts as given) -> list of { kind, facts } where the words ask several questions beside each other
--   part_facts  names of facts that are of another kind's part, and no strangers here
--   several  of those that another question answers: the path of its input that takes several devices
--   question, input  instead of steps: another question that answers, and function(facts) -> its input
--   compares  where it is asked which device and none is named: "rented", of those commonly rented by its input; "each", of those
--           by an answer of each; "own", by steps of its own
--   priced  true where the steps count money: a device without a price is refused
--   given   function(facts as given, weights of the words, text) -> the same in the kind's own terms, where words have others
--   follows names of kinds whose answers are parts of it, where there are any
local kinds = require("ballpark.questions.ask.kinds")

return {
  name = "ask",
  title = "a vague prompt in five steps: scope, size, compute, fleet, sanity",
  inputs = {
    { "text", "the prompt in free words: 'a chat assistant of 70B for 2M daily users'", type = "string" },
    { "kind", "what it is about, where the words leave it open: " .. table.concat(kinds.names, ", "), type = "string" },
    { "facts", "what is known, by name, over the words: ballpark help ask; { low =, high = } is a range", is = "group", type = "table<string, any>" },
    { "parts", "list of such questions, for a mix: each with text, kind and facts", type = "table[]" },
    { "brief", "true: ten lines", type = "boolean" },
  },
  needs = {},
  outputs = {
    { "fits", "boolean", "whether what was asked can be had" },
    { "values", "table<string, any>", "all numbers of the page by name" },
    { "given", "table<string, any>", "the facts that were given" },
    { "lines", "table", "the page by step: each line with title, value, unit, how, low, high and basis" },
    { "contradictions", "table[]", "what does not go together, each with code and text" },
    { "levers", "table[]", "changes, each evaluated: title, saves_frac, costs" },
  },
  notes = { "Proposals are assumptions. Whatever is given takes their place." },
  command = "ask",
  parts = function(input) return require("ballpark.questions.ask.run").parts(input) end,
  hands_over = function(input) return require("ballpark.questions.ask.run").handed_over(input) end,
  reason = function(answer) return answer.contradictions[1] and answer.contradictions[1].text end,
}
