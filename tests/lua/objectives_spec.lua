-- What plans are ordered by, and what `explain search` says of it.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local objectives = require("ballpark.search.objectives")
local result = require("ballpark.result")
local topics = require("ballpark.cli.topics")
local estimating = require("ballpark.questions.estimate.run")
local searching = require("ballpark.questions.search.run")

local function searched(objective)
  return searching.run({ model = catalog.model("llama-3.1-8b"), objective = objective, top = 3,
    cluster = catalog.cluster({ device = "H100", devices = 8 }), deadline_s = 1e7,
    job = { global_batch = 64, seq_len = 4096, tokens = 1e11 }, space = { tp = { 1, 2 }, cp = 1 } })
end

describe("objectives", function()
  it("are those of the core", function()
    local refused = errors.catch(searched, "nonsense")
    local sorted = table.move(objectives.names, 1, #objectives.names, 1, {})
    table.sort(sorted)
    assert.matches("is not one of " .. table.concat(sorted, ", "), refused, 1, true)
    for _, name in ipairs(objectives.names) do
      assert.equal(name, searched(name).found.objective)
      assert.is_string(objectives.says(name))
    end
  end)

  it("have words that mean the same", function()
    local words = 0
    for _, name in ipairs(objectives.names) do
      for _, word in ipairs(objectives.words(name)) do
        words = words + 1
        assert.equal(name, objectives.named(word))
        assert.equal(searched(name).best.score, searched(word).best.score)
      end
    end
    assert.is_true(words >= 10)
    assert.same({ "step_s", "step_j" }, objectives.named({ "time", "energy" }))
    assert.equal("nonsense", objectives.named("nonsense"))
    assert.is_nil(objectives.named(nil))
  end)
end)

describe("explain", function()
  it("names every input of a question", function()
    for name, inputs in pairs({ estimate = estimating.inputs, search = searching.inputs }) do
      local r, said = result.new(), {}
      topics.add(r, name)
      for _, row in ipairs(r.blocks[1].rows) do said[row[1]] = true end
      for _, input in ipairs(inputs) do assert.is_true(said[input], name .. "." .. input) end
      assert.equal(#inputs, #r.blocks[1].rows)
    end
  end)
end)
