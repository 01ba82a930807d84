-- Whether searches hold the plans that were run: one job of a small model, its plans stated or not.
local columns = require("ballpark.measured.training_columns")
local held = require("ballpark.validate.held")
local held_result = require("ballpark.validate.held_result")

local row = {
  case_id = "a-1", family = "a", year = "2025", model = "test", layers = "8", hidden = "2048", heads = "16",
  kv_heads = "16", ffn_hidden = "8192", vocab = "51200", seq_len = "4096", gpu = "A100-80GB-SXM", gpus = "8",
  gpus_per_node = "8", precision = "bf16", flash = "1", tp = "2", pp = "1", dp = "4", cp = "1", zero = "1",
  recompute = "none", micro_batch = "1", global_batch_seqs = "32", framework = "megatron-core", step_s = "1",
}

local function rows(...)
  local list = {}
  for i, changes in ipairs({ ... }) do
    local cells = {}
    for key, value in pairs(row) do cells[key] = value end
    for key, value in pairs(changes) do cells[key] = value end
    list[i] = columns.row(cells)
  end
  return list
end

describe("published plans in searches for their jobs", function()
  it("are held where they fit, and the winner is no slower", function()
    local found = held.of(rows({}, { case_id = "a-2", tp = "4", dp = "2" }))
    assert.same({ 2, 1, 0 }, { found.summary.rows, found.summary.held, found.summary.memory })
    for _, entry in ipairs(found.rows) do
      assert.equal("feasible", entry.verdict)
      assert.is_true(entry.gain >= 0 and entry.differs >= 1)
    end
    assert.equal(found.rows[1].winner, found.rows[2].winner) -- one job
    assert.is_true(found.rows[2].gain > found.rows[1].gain)
    assert.equal("plain", found.rows[1].launch)
  end)

  it("are said to be rejected, by memory and by what the software refuses", function()
    local found = held.of(rows({ micro_batch = "4", gpus = "2", dp = "1", zero = "0", layers = "192" },
      { case_id = "b-1", family = "b", framework = "deepspeed", pp = "2", dp = "2", zero = "3" }))
    assert.same({ "memory", "schedule" }, { found.rows[1].verdict, found.rows[2].verdict })
    assert.matches("stages up to ZeRO 1", found.rows[2].reason)
    assert.same({ 0, 0.5 }, { found.summary.held, found.of_families.memory })
  end)

  it("are held with one of the ways to recompute where none is said", function()
    local large = { layers = "48", hidden = "4096", heads = "32", kv_heads = "32", ffn_hidden = "16384", micro_batch = "4" }
    local function verdict(way)
      local changes = { recompute = way }
      for key, value in pairs(large) do changes[key] = value end
      return held.of(rows(changes)).rows[1].verdict
    end
    assert.same({ "memory", "feasible", "feasible" }, { verdict("none"), verdict("full"), verdict("") })
  end)

  it("are those of rows that state theirs and ran", function()
    local found = held.of(rows({ micro_batch = "" }, { tp = "" }, { status = "oom" }, { peak_mem = "90" }))
    assert.equal(0, #found.rows)
    local r = held_result.of(found, { name = "t.csv" })
    assert.is_true(r.infeasible)
    assert.equal(0, held_result.document(found).summary.rows)
  end)
end)
