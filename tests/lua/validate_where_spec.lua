-- Where the error of a table sits: groups that no column has, and the shares of error they carry.
local csv = require("ballpark.csv")
local statistics = require("ballpark.validate.statistics")
local traits = require("ballpark.validate.traits")
local validate = require("ballpark.validate")
local where = require("ballpark.validate.where")

local here = debug.getinfo(1, "S").source:match("^@(.*)/lua/[^/]*$") or "tests"

local function row(family, part, err)
  return { family = family, metric = "step_s", row = { family = family }, traits = { part = part }, error = err }
end

local function many(count, ...)
  local list = {}
  for i = 1, count do list[i] = row(...) end
  return list
end

local function joined(...)
  local all = {}
  for _, list in ipairs({ ... }) do table.move(list, 1, #list, #all + 1, all) end
  return all
end

local function named(groups, by)
  local found = {}
  for _, group in ipairs(groups) do
    if group.by == by then found[group.group] = group end
  end
  return found
end

describe("groups of errors", function()
  it("are in the order of their numbers, then of their letters", function()
    local rows = { row("10 to 30 B"), row("3 to 10 B"), row("b"), row("a"), row("100 B and more") }
    local names = statistics.split(rows, function(r) return r.family end)
    assert.same({ "3 to 10 B", "10 to 30 B", "100 B and more", "a", "b" }, names)
  end)

  it("are by columns, or by what the estimate says where the table has no such column", function()
    local of_part = statistics.group_of("part")
    assert.equal("bubble", of_part({ row = {}, traits = { part = "bubble" } }))
    assert.equal("own", of_part({ row = { part = "own" }, traits = { part = "bubble" } }))
    assert.equal("(blank)", of_part({ row = {} }))
  end)

  it("carry their shares of rows and of error", function()
    local rows = joined(many(30, "a", "matmuls", 0.1), many(10, "b", "host", -0.5))
    local groups = where.groups(rows, "training", "step_s")
    local a, host = named(groups, "family").a, named(groups, "part").host
    assert.near(0.75, a.rows_frac, 1e-12)
    assert.near(3 / 8, a.error_frac, 1e-12)
    assert.near(5 / 8, host.error_frac, 1e-12)
    assert.near(-0.5, host.bias, 1e-12)
    assert.near(0.5, host.mape, 1e-12)
  end)

  it("put families of a few rows into one line, and leave out rows without estimate", function()
    local rows = joined(many(10, "a", "x", 0.1), many(9, "b", "x", 0.1), many(2, "c", "x", 0.4), many(3, "d", "x"))
    local families = named(where.groups(rows, "training", "step_s"), "family")
    assert.is_nil(families.b)
    assert.equal(11, families["(families of fewer rows)"].covered)
    assert.near(10 / 21, families.a.rows_frac, 1e-12)
    assert.same({}, where.groups(many(3, "a", "x"), "training", "step_s"))
  end)

  it("say nothing of a way to group that makes one group", function()
    assert.is_nil(next(named(where.groups(many(12, "a", "x", 0.1), "training", "step_s"), "part")))
  end)

  it("have shares without errors", function()
    local groups = where.groups(joined(many(10, "a", "x", 0), many(10, "b", "y", 0)), "training", "step_s")
    assert.is_nil(named(groups, "family").a.error_frac)
    assert.equal(0.5, named(groups, "family").a.rows_frac)
  end)
end)

describe("traits of an estimate", function()
  local function training(time, count)
    local model = { layers = 32, hidden = 4096, heads = 32, ffn_hidden = 11008, vocab = 32000 }
    return traits.training({ model = model }, { time = time }, count)
  end

  it("name the largest part, and the largest beside computing", function()
    local of = training({ step_s = 1, matmul_s = 0.5, attention_s = 0.2, tp_s = 0.1, bubble_s = 0.2 }, 64)
    assert.equal("matmuls", of.part)
    assert.equal("pipeline bubble", of.beside)
    assert.equal("3 to 10 B", of.size)
    assert.equal("9 to 64", of.devices)
  end)

  it("name nothing beside computing below a twentieth", function()
    assert.equal("nothing", training({ step_s = 1, matmul_s = 0.96, tp_s = 0.04 }, 1).beside)
    assert.equal("tensor-parallel traffic", training({ step_s = 1, matmul_s = 0.95, tp_s = 0.05 }, 1).beside)
  end)

  it("count devices in classes without gaps", function()
    local expected = { [1] = "1", [2] = "2 to 8", [8] = "2 to 8", [9] = "9 to 64", [512] = "65 to 512",
      [513] = "513 and more" }
    for count, class in pairs(expected) do
      assert.equal(class, training({ step_s = 1, matmul_s = 1 }, count).devices)
    end
  end)

  it("are there for every row of a shipped table, and the shares add up", function()
    local path = here .. "/validate/training_moe.csv"
    local answer = validate.run((validate.read(csv.read(path), path)), { group = "part" })
    local sums = {}
    for _, group in ipairs(where.groups(answer.times, "training", "step_s")) do
      assert.are_not.equal("(blank)", group.group)
      sums[group.by] = (sums[group.by] or 0) + group.error_frac
    end
    for by, sum in pairs(sums) do assert.near(1, sum, 1e-9, by) end
    assert.is_true(#answer.groups >= 2)
  end)
end)
