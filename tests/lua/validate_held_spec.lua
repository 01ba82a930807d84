-- Rows whose device could not have held what they state.
local errors = require("ballpark.errors")

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local measured_row = dofile(here .. "/measured_row.lua")
local resolve, said = measured_row.resolve, measured_row.said

describe("memory", function()
  local capacity = resolve().device.memory_bytes

  -- Why a row whose weights take so many times the device's memory is refused, or nil.
  local function refused(times, changes)
    return (errors.catch(resolve, changes, nil, times * capacity))
  end

  it("refuses weights that as stated are clearly more than the device holds", function()
    assert.matches("^memory: ", refused(1.26))
    assert.is_nil(refused(1.24))
    -- An A100 may be either; what a name does not leave open is no excuse.
    assert.is_nil(refused(2.4, { gpu = "H100" }))
    assert.is_string(refused(2.6, { gpu = "H100" }))
  end)

  it("takes blank cells for what holds least", function()
    for _, changes in ipairs({ { precision = "" }, { lora_rank = "16" }, { zero = "" }, { zero = "3" },
      { tp = "", dp = "" }, { pp = "", dp = "" } }) do
      assert.is_nil(refused(2.4, changes), next(changes))
    end
    assert.matches("at least 104 GiB", refused(2.6, { precision = "" }), 1, true)
    assert.matches("at least 104 GiB", refused(5.2, { lora_rank = "16" }), 1, true)
    assert.is_string(refused(2.4, { lora_rank = "16", base_bits = "16" }))
    -- Nothing is sharded over one rank.
    assert.is_string(refused(2.4, { zero = "", dp = "1", gpus = "4" }))
  end)

  it("says it of experts where more ranks could hold them", function()
    local moe = { experts = "8", topk = "2", ep = "1", etp = "1" }
    assert.matches("^experts: ", refused(2, moe))
    moe.ep = "2"
    assert.matches("^experts: ", refused(2, moe))
    -- Cut over the two tensor-parallel ranks, which nobody denies, they fit.
    moe.etp = ""
    assert.is_nil(refused(2, moe))
    assert.is_nil(refused(8, { experts = "8", topk = "2", ep = "" }))
  end)

  it("says with the row what only seems not to fit", function()
    local function words(times) return said(resolve({}, function() return times * capacity end)) end
    assert.matches("that memory held it: 104 GiB of 80 GiB are estimated", words(1.3), 1, true)
    assert.not_matches("that memory held it", words(1.2), 1, true)
  end)
end)
