-- The command line from inside: parser, index of names, the sink of sweeps, files.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local cli = require("ballpark.cli")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local index = require("ballpark.cli.index")
local ours = dofile(here .. "/files.lua")
local product = require("ballpark.files")
local templates = require("ballpark.cli.templates")

describe("the library", function()
  it("is there for Lua programs that run inside", function()
    local ballpark = require("ballpark")
    for _, name in ipairs({ "catalog", "errors", "json", "kernel", "report", "result", "scenario", "units" }) do
      assert.is_table(ballpark[name], name)
    end
    for _, name in ipairs({ "estimate", "search" }) do assert.is_function(ballpark[name], name) end
  end)
end)

describe("the commands", function()
  it("each have a summary, examples and a parser", function()
    for _, name in ipairs(cli.commands) do
      local command = cli.module(name)
      assert.is_string(command.summary, name)
      assert.is_table(command.examples, name)
      assert.is_function(command.define, name)
      assert.is_function(command.run, name)
    end
  end)

  it("show their examples in the help", function()
    local help = cli.parser():get_help()
    for _, name in ipairs(cli.commands) do assert.matches("\n +" .. (name:gsub("%-", "%%-")) .. " ", help) end
    assert.matches("Exit codes: 0 ok", help)
  end)
end)

describe("the examples of the help", function()
  -- The parser wraps longer lines, and what is wrapped cannot be pasted into a shell.
  it("are no wider than the help", function()
    for _, name in ipairs(cli.commands) do
      for _, example in ipairs(cli.module(name).examples or {}) do
        assert.is_true(#example <= 98, example)
      end
    end
  end)

  it("name files that are there", function()
    local named = 0
    for _, name in ipairs(cli.commands) do
      for _, example in ipairs(cli.module(name).examples or {}) do
        for path in example:gmatch("%f[%w]tests/[%w_/%.%-]+") do
          named = named + 1
          assert.is_true(product.exists(here .. "/../../" .. path), path)
        end
        for path in example:gmatch("%f[%w]scenarios/[%w_/%.%-]+") do
          named = named + 1
          assert.is_true(product.exists(here .. "/../../" .. path), path)
        end
      end
    end
    assert.is_true(named >= 5)
  end)
end)

describe("the index of names", function()
  local all = index.build()

  it("knows every kernel and every field of its input and output", function()
    local names = {}
    for _, name in ipairs(index.names(all)) do names[name] = true end
    for _, kernel in ipairs(core.kernels()) do
      assert.equal(kernel.name, index.find(all, kernel.name).kernel.name)
      for _, side in ipairs({ "input", "output" }) do
        for _, field in ipairs(kernel[side].fields) do
          assert.is_true(names[field.name], kernel.name .. "." .. field.name)
          assert.is_true(#index.find(all, kernel.name .. "." .. field.name).fields > 0)
        end
      end
    end
  end)

  it("finds a field by its owner only", function()
    local found = index.find(all, "plan.tp")
    assert.equal(1, #found.fields)
    assert.equal("plan", found.fields[1].struct.schema.name)
    assert.equal(0, #index.find(all, "model.tp").fields)
  end)

  it("gives all owners of a bare name", function()
    assert.is_true(#index.find(all, "mfu_frac").fields > 1)
  end)

  it("knows every name that an answer about training carries", function()
    local folder = ours.folder()
    local path = ours.write(folder, "s.lua", templates.search)
    local r = require("ballpark.scenario").run(require("ballpark.scenario").load(path),
      { search = { why = { tp = 8 } } })
    ours.remove(folder)
    for _, block in ipairs(r.blocks) do
      for _, item in ipairs(block.items or block.columns) do
        local found = index.find(all, item.name)
        assert.is_true(found.column ~= nil or #found.fields > 0 or item.human == true, item.name)
      end
    end
  end)

  it("knows the ends of the range of what it knows, and of nothing else", function()
    assert.equal("step_s", index.find(all, "step_s_low").range_of)
    assert.equal("cost_usd", index.find(all, "cost_usd_high").range_of)
    assert.is_nil(index.find(all, "nothing_low").range_of)
    assert.is_nil(index.find(all, "step_s").range_of)
  end)

  it("knows columns and units", function()
    assert.equal("USD", index.find(all, "cost_usd").column.unit)
    assert.equal("bytes", index.find(all, "GiB").unit)
  end)
end)

describe("files", function()
  local folder
  before_each(function() folder = ours.folder() end)
  after_each(function() ours.remove(folder) end)

  it("are written whole, and leave nothing else behind", function()
    product.write(folder .. "/a", "one")
    product.write(folder .. "/a", "two")
    assert.equal("two", ours.read(folder .. "/a"))
    assert.same({ "a" }, ours.list(folder))
  end)

  it("that cannot be written are input/output errors and stay as they were", function()
    local _, e = errors.catch(product.write, folder .. "/no/such/folder/a", "x")
    assert.equal(3, e.code)
    local text
    text, e = errors.catch(product.write, folder, "x")
    assert.equal(3, e.code)
    assert.matches("is a directory", text)
    _, e = errors.catch(product.read, folder .. "/none")
    assert.equal(3, e.code)
    _, e = errors.catch(product.read, folder)
    assert.equal(3, e.code)
  end)

  it("may be devices", function()
    product.write("/dev/null", "x")
    assert.is_true(product.exists("/dev/null"))
  end)

  it("know their folders", function()
    assert.equal("a/b", product.folder("a/b/c.lua"))
    assert.equal(".", product.folder("c.lua"))
    assert.equal("/", product.folder("/c.lua"))
    assert.equal("a/x", product.beside("a", "x"))
    assert.equal("/x", product.beside("a", "/x"))
    assert.equal("x", product.beside(".", "x"))
  end)
end)

describe("templates", function()
  local scenario = require("ballpark.scenario")
  local folder
  before_each(function() folder = ours.folder() end)
  after_each(function() ours.remove(folder) end)

  for _, kind in ipairs({ "training", "search", "sweep" }) do
    it("of kind " .. kind .. " run as they are", function()
      local path = ours.write(folder, "t.lua", templates[kind])
      local r = scenario.run(scenario.load(path))
      assert.is_true(#r.blocks > 0)
      assert.is_falsy(r.infeasible)
    end)
  end

  it("of a rule work in a search", function()
    ours.write(folder, "rule.lua", templates.rule)
    local path = ours.write(folder, "t.lua", templates.search)
    local r = scenario.run(scenario.load(path), { rules = { folder .. "/rule.lua" } })
    local found = false
    for _, row in ipairs(r:pick("rejected").rows) do found = found or row[1] == "rule: no TP across nodes" end
    assert.is_true(found)
  end)
end)

-- Nobody reads the report of a shard, and what another shard has is not missing.
describe("a shard without a feasible plan", function()
  it("searches nothing again", function()
    local folder = ours.folder()
    local path, part = ours.write(folder, "t.lua", templates.search), folder .. "/part.json"
    local searches, search = 0, core.search
    core.search = function(...)
      searches = searches + 1
      return search(...)
    end
    local ok, code = pcall(cli.main, { "search", path, "--shard", "1000000/1000000", "-o", part })
    core.search = search
    local written = product.exists(part)
    ours.remove(folder)
    assert.is_true(ok, tostring(code))
    assert.equal(0, code)
    assert.is_true(written)
    assert.equal(0, searches)
  end)
end)
