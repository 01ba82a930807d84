-- Lengths of data sets for fine-tuning: tokens of a sample with its prompt template, mean and standard deviation, and of the longest.
return {
  -- 52,002 instructions; most prompts and answers are a few dozen words (recalled from the histogram of the data set's
  -- page, tatsu-lab/stanford_alpaca, and its template of 30 to 40 tokens: an assumption within a fifth).
  -- The longest: 1,304 tokens of Llama's (litgpt, tutorials/resource-tables.md).
  alpaca = { mean = 120, deviation = 90, longest = 1304 },
}
