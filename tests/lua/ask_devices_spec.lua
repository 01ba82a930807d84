-- Prompts about which devices hold a model, how many of them, and two setups beside each other.
local ask = require("ballpark.questions.ask.run")

-- The question that a prompt is handed to and its input.
local function handed(text)
  local question, input = ask.handed_over({ text = text })
  return question, input
end

describe("a prompt about devices", function()
  it("is two setups of one's own cards beside each other, each with its number", function()
    local parts, names = ask.parts({ text = "dual 3090 vs single 4090 for 70b inference" })
    assert.same({ "2 x RTX-3090", "1 x RTX-4090" }, names)
    for i, part in ipairs(parts) do
      assert.same({ "local", 3 - i }, { part.kind, part.facts.devices })
      assert.is_nil(part.facts.other)
    end
  end)

  it("is cards of which the number and the memory are said", function()
    for _, text in ipairs({ "QLoRA 70B on 2x24GB?", "QLoRA 70B on 2 x 24GB", "QLoRA 70B on two 24 GB cards" }) do
      local question, input = handed(text)
      assert.same({ "finetune", 2, "RTX-4090" }, { question, input.cluster.devices, input.cluster.device }, text)
    end
    local _, input = handed("can I run 70b on 2x24GB")
    assert.same({ 2, "RTX-4090" }, { input.devices, input.on })
    -- Modules of a host's memory are no cards.
    local _, host = handed("pc with 2x16GB RAM, llama 3.1 8b")
    assert.is_nil(host.devices)
  end)

  it("is a run on as many devices as hold it, where nobody says on what", function()
    local _, input = handed("cost to fine tune llama 3 70b with lora on 50k examples")
    assert.is_true(input.cluster.devices > 1)
    local _, small = handed("cost to fine tune llama 3 8b with lora on 50k examples")
    assert.equal(1, small.cluster.devices)
    local _, said = handed("cost to fine tune llama 3 70b with lora on 50k examples on one H100")
    assert.equal(1, said.cluster.devices)
  end)

  it("is which device of the catalog holds it, groups of them too, where that is asked", function()
    for _, text in ipairs({ "what is the cheapest GPU to run mixtral 8x7b", "cheapest GPU for llama 3.1 70b", "which GPU do I need for llama 3.1 70b",
      "what hardware do I need to run mixtral 8x7b", "best GPU for a 70B model" }) do
      local question, input = handed(text)
      assert.same({ "fit" }, { question, input.on, input.devices }, text)
    end
    -- Nobody asks for one: how much it needs is said of what is rented most.
    local _, input = handed("how much memory does llama 3.1 70b need")
    assert.same({ "H100", 2 }, { input.on, input.devices })
  end)
end)
