-- Facts of a row of what an engine printed of its memory.
local memory = require("ballpark.validate.memory")
local memory_facts = require("ballpark.measured.memory_facts")

local function engine(cells)
  local row = memory.read("engine,device,model,max_loras,max_lora_rank,notes,fits\n" .. cells .. ",1\n", "table")[1]
  return (memory_facts.of(row)).engine
end

describe("facts of an engine's printed memory", function()
  it("have room for adapters where columns or notes say so, of the rank that the program takes", function()
    local function room(cells)
      local e = engine(cells)
      return { e.max_loras or 0, e.max_lora_rank or 0 }
    end
    assert.same({ 0, 0 }, room("vllm,H100,llama-3.1-8b,,,"))
    assert.same({ 1, 0 }, room("vllm,H100,llama-3.1-8b,,,LoRA serving on"))
    assert.same({ 1, 64 }, room("vllm (inside unsloth),H100,llama-3.1-8b,,,notebook; LoRA serving on"))
    assert.same({ 2, 32 }, room("vllm (inside unsloth),H100,llama-3.1-8b,2,32,LoRA serving on"))
    assert.same({ 0, 0 }, room("vllm (inside unsloth),H100,llama-3.1-8b,,,"))
  end)
end)
