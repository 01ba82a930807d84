-- What plans are ordered by, and what `explain search` says of it.
local catalog = require("ballpark.catalog")
local errors = require("ballpark.errors")
local objectives = require("ballpark.search.objectives")
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
