-- Tokens that models were trained on, of models whose device time nobody published: patterns of names of the catalog in
-- lower-case letters, tokens, source. All are recalled, and none is fitted to.
return {
  { "^gpt3%-", 300e9, "arXiv:2005.14165, table 2.1" },
  { "^llama%-2%-13b", 2e12, "arXiv:2307.09288" },
  { "^qwen2%.5%-%d", 18e12, "arXiv:2412.15115" },
  { "^qwen3%-%d", 36e12, "arXiv:2505.09388" },
  { "^gemma%-2%-2b", 2e12, "arXiv:2408.00118" },
  { "^gemma%-2%-9b", 8e12, "arXiv:2408.00118" },
  { "^gemma%-2%-27b", 13e12, "arXiv:2408.00118" },
  { "^kimi%-k2", 15.5e12, "arXiv:2507.20534" },
}
