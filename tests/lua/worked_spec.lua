-- The worked examples: every scenario of scenarios/worked holds what it expects, and together they
-- cover every example.
local lfs = require("lfs")
local scenario = require("ballpark.scenario")

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local folder = here .. "/../../scenarios/worked"

-- Number of examples by letter: rules of thumb, training, performance, platform.
local EXAMPLES = { A = 24, B = 12, C = 6, D = 9 }

local function worked()
  local paths = {}
  for name in lfs.dir(folder) do
    if name:find("%.lua$") then paths[#paths + 1] = folder .. "/" .. name end
  end
  table.sort(paths)
  return paths
end

-- Ids of examples that a file's name promises: a13-a16-two-tower.lua names two of them.
local function promised(path)
  local ids = {}
  for letter, number in path:match("([^/]*)$"):gmatch("%f[%w]([a-d])(%d+)%f[^%w]") do
    ids[#ids + 1] = letter:upper() .. number
  end
  return ids
end

describe("worked examples", function()
  local checked = {}

  for _, path in ipairs(worked()) do
    it("hold: " .. path:match("[^/]*$"), function()
      local r = scenario.run(scenario.load(path))
      for _, block in ipairs(r.blocks) do
        for _, row in ipairs(block.name == "slips" and block.rows or {}) do
          assert.not_equal("nothing", row[7], row[1]) -- lint finds the slip in the sentence that makes it
        end
      end
      local failed, here_checked = {}, {}
      for _, e in ipairs(r.expectations) do
        if not e.ok then failed[#failed + 1] = e.id .. ": " .. tostring(e.actual) end
        local id = e.id:match("^[A-D]%d+%f[^%d]")
        if id then checked[id], here_checked[id] = true, true end
      end
      assert.same({}, failed)
      assert.is_truthy(r.title)
      for _, id in ipairs(promised(path)) do
        assert.is_true(here_checked[id], id .. " is in the name and not checked")
      end
    end)
  end

  it("are all there", function()
    local missing = {}
    for letter, count in pairs(EXAMPLES) do
      for number = 1, count do
        local id = letter .. number
        if not checked[id] then missing[#missing + 1] = id end
      end
    end
    table.sort(missing)
    assert.same({}, missing)
  end)
end)
