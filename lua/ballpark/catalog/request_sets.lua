-- Data sets of requests that benchmarks of language models send: mean tokens of a prompt and of an answer.
-- A set whose prompts nobody here knows has no entry, and rows of it are not answered. output_cv: deviation over mean of answers
-- that end by themselves.
return {
  -- Of MLPerf inference's llama2-70b: 24,576 requests of OpenOrca with prompts and answers of at most 1024 tokens.
  -- Answers: 294.45 tokens per sample, MLPerf inference rules 4.1. Prompts: their mean is not in the rules;
  -- taken to be as long as the answers (assumption; of 200 tokens engines are 19 % faster, of 400 15 % slower).
  openorca = { input_tokens = 295, output_tokens = 294.45 },
  -- Sentences of news: 23 words, 12 of deviation, and 1.3 tokens a word in newstest2014 (WMT; recalled).
  translation = { input_tokens = 30, output_tokens = 30, output_cv = 0.5 },
}
