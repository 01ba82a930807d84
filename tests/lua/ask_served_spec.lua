-- Prompts about what is served: how long prompts and answers are, what prompts have in common, adapters and drafts beside it.
local ask = require("ballpark.questions.ask.run")

-- What is read of a prompt that is answered in five steps.
local function read(text)
  local answer = ask.run({ text = text })
  return answer.known, answer
end

-- The question that a prompt is handed to, its input, and what was read.
local function handed(text) return ask.handed_over({ text = text }) end

describe("a prompt about what is served", function()
  it("has the length of prompts beside that of answers, which is no job of so many prompts", function()
    local known, answer = read("serve DeepSeek-R1 with 1k prompts and 10k token reasoning answers for 500 concurrent users on H200")
    assert.same({ "llm", 1000, 10000, 500 }, { answer.about, known.input_tokens, known.output_tokens, known.concurrency })
    assert.same({}, answer.unread)
    -- So many prompts of their own are a job.
    assert.equal("batch_job", (handed("summarise 10k prompts with Llama 3.1 8B on L4 overnight")))
  end)

  it("has a history as a part of the prompt", function()
    for _, words in ipairs({ "1500 tokens history", "1500 tokens of chat history", "1.5k tokens of conversation history" }) do
      assert.equal(1500, read("chat with 2000 concurrent users on llama 3.1 8b, " .. words .. ", 200 token replies, on L4").input_tokens, words)
    end
  end)

  it("has what prompts begin with in common from the cache", function()
    local text = "30 requests per second, 12k token prompts%s, 400 token answers, Qwen2.5-32B on H100"
    local known, answer = read(text:format(" of which 8k are a shared prefix"))
    assert.same({ 8000, 12000 }, { known.prefix_tok, known.input_tokens })
    local _, whole = read(text:format(""))
    assert.is_true(answer.values.devices < 0.8 * whole.values.devices)
    for _, words in ipairs({ ", 8k shared system prompt", ", a 8k-token shared prefix", ", of which 8000 tokens are cached" }) do
      assert.equal(8000, read(text:format(words)).prefix_tok, words)
    end
    -- No more is cached than a prompt has, and devices that are shared are no prefix.
    local _, input = handed("how many tokens per second do 4 H100 write with Llama 3.1 70B, 1000 tokens in, of which 4000 tokens are cached")
    assert.equal(1000, input.load.prefix_tokens)
    assert.is_nil(read("serve llama 3.1 8b to 1000 users, 5 shared L4").prefix_tok)
  end)

  it("has adapters under a load beside the model that is served", function()
    local known, answer = read("Serve 40 LoRA adapters of rank 16 on Llama 3.1 8B, 5 req/s, L40S")
    assert.same({ "llm", 40, 16, 5 }, { answer.about, known.adapters, known.rank, known.rate_per_s })
    assert.equal("finetune", (handed("fine-tune LoRA adapters of Llama 3.1 8B on 5000 examples, L40S")))
  end)

  it("has drafts of a replica of rented devices", function()
    local about, input = handed("Speculative decoding with EAGLE for Llama 3.3 70B at batch size 8 on 4xH100: how fast?")
    assert.same({ "replica", 3, 8 }, { about, input.plan.draft_tokens, input.load.concurrency })
  end)
end)

describe("a prompt about passages", function()
  it("has them as long as it says", function()
    local _, input = handed("rerank 100 documents of 512 tokens per query with bge-reranker-large at 50 queries per second on L4")
    assert.same({ 100, 512 }, { input.documents, input.document_tokens })
  end)
end)
