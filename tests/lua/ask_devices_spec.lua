-- Prompts about which devices hold a model, how many of them, and two setups beside each other.
local ask = require("ballpark.questions.ask.run")

-- The question that a prompt is handed to and its input.
local function handed(text)
  local question, input = ask.handed_over({ text = text })
  return question, input
end

describe("a prompt about devices", function()
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
