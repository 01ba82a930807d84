-- The reader that fills structs from tables, seen through kernels that are bound: every way a field
-- can be wrong gives its path, what is allowed and what was given.
local core = require("ballpark.core")
local errors = require("ballpark.errors")

local function device(change)
  local made = { memory_bytes = 80e9, mem_bw_bytes_s = 3.35e12, bf16_flop_s = 989e12 }
  for key, value in pairs(change or {}) do made[key] = value end
  return made
end

local function gemm(change)
  local made = { device = device(), m = 4096, n = 4096, k = 4096 }
  for key, value in pairs(change or {}) do made[key] = value end
  return made
end

-- The text of the error that the input raises; fails when it raises none or a bug.
local function refusal(input, kernel)
  local text, raised = errors.catch(core[kernel or "gemm"], input)
  assert.is_truthy(text, "was accepted")
  assert.is_true(errors.is(raised), "not an input error: " .. tostring(text))
  assert.equal(2, raised.code)
  return text
end

describe("the reader of fields", function()
  it("accepts what is right", function()
    local out = core.gemm(gemm())
    assert.is_true(out.time_s > 0)
    assert.equal(2 * 4096.0 ^ 3, out.flop)
  end)

  it("puts defaults in where nothing is given", function()
    assert.same(core.gemm(gemm()), core.gemm(gemm({ dtype = "bf16", batch = 1, out_bytes = 2 })))
    assert.not_same(core.gemm(gemm()), core.gemm(gemm({ batch = 2 })))
  end)

  it("reads a whole float as a whole number", function()
    assert.same(core.gemm(gemm({ m = 128 })), core.gemm(gemm({ m = 128.0 })))
  end)

  it("accepts text beside the numbers", function()
    local named = device({ name = "H100", source = "data sheet", notes = "any" })
    assert.same(core.gemm(gemm()), core.gemm(gemm({ device = named })))
  end)

  it("leaves the caller's table alone", function()
    local input = gemm()
    core.gemm(input)
    assert.same(gemm(), input)
  end)
end)

describe("an unknown field", function()
  it("is refused with the nearest name", function()
    assert.equal("gemm.btach: unknown field, did you mean 'batch'?", refusal(gemm({ btach = 3 })))
    assert.equal("device.memory: unknown field, did you mean 'memory_bytes'?",
      refusal(gemm({ device = device({ memory = 80e9 }) })))
  end)

  it("is refused with the known names when none is near", function()
    local text = refusal(gemm({ zzzzzz = 1 }))
    assert.matches("^gemm%.zzzzzz: unknown field, known are batch, .*dtype, ", text)
  end)

  it("is named even when another field is missing", function()
    assert.matches("layesr", refusal({ layesr = 3 }))
  end)
end)

describe("a missing field", function()
  it("is named with its path", function()
    local input = gemm()
    input.m = nil
    assert.equal("m: is missing", refusal(input))
    local half = device()
    half.mem_bw_bytes_s = nil
    assert.equal("device.mem_bw_bytes_s: is missing", refusal(gemm({ device = half })))
  end)

  it("can be a whole table", function()
    local input = gemm()
    input.device = nil
    assert.equal("device: is missing", refusal(input))
  end)
end)

describe("a field of the wrong type", function()
  it("is refused, whatever else it is", function()
    for _, value in ipairs({ "4096", true, {}, print }) do
      assert.equal("m: must be a whole number, got " .. (type(value) == "string"
        and ("the text '" .. value .. "'") or type(value)), refusal(gemm({ m = value })))
    end
    assert.equal("out_bytes: must be a number in B, got the text '2'", refusal(gemm({ out_bytes = "2" })))
    assert.equal("dtype: must be a name, got number", refusal(gemm({ dtype = 16 })))
    assert.equal("device: must be a table, got the text 'H100'", refusal(gemm({ device = "H100" })))
  end)

  it("may be a fraction where a whole number is wanted", function()
    assert.equal("m: must be a whole number, got a fraction", refusal(gemm({ m = 1.5 })))
  end)

  it("is not taken for true or false", function()
    for _, value in ipairs({ 0, 1, "true", {} }) do
      local text = refusal({ device = device(), heads = 8, seq_q = 128, causal = value }, "attention")
      assert.matches("^causal: must be true or false, got ", text)
    end
  end)

  it("is refused inside a struct inside a struct", function()
    local text = refusal(gemm({ device = device({ gemm16 = { u = "high" } }) }))
    assert.equal("device.gemm16.u: must be a number in frac, got the text 'high'", text)
  end)
end)

describe("a number out of range", function()
  it("is refused with the range and the unit", function()
    assert.equal("m: must be from 1 to 1000000000000, got 0", refusal(gemm({ m = 0 })))
    assert.equal("m: must be from 1 to 1000000000000, got -3", refusal(gemm({ m = -3 })))
    assert.equal("out_bytes: must be from 0 to 16 B, got 16.5", refusal(gemm({ out_bytes = 16.5 })))
  end)

  it("may be the limit itself", function()
    assert.is_nil(errors.catch(core.gemm, gemm({ out_bytes = 16 })))
    assert.is_nil(errors.catch(core.gemm, gemm({ m = 1 })))
  end)

  it("may not be NaN or infinite", function()
    assert.equal("out_bytes: must be a number in B, got NaN", refusal(gemm({ out_bytes = 0 / 0 })))
    assert.equal("m: must be a whole number, got NaN", refusal(gemm({ m = 0 / 0 })))
    for _, value in ipairs({ math.huge, -math.huge }) do
      assert.matches("^out_bytes: must be from 0 to 16 B, got ", refusal(gemm({ out_bytes = value })))
      assert.matches("^m: must be ", refusal(gemm({ m = value })))
    end
  end)

  it("may not be larger than any integer", function()
    assert.matches("^m: must be from 1 to 1000000000000, got 1e%+30", refusal(gemm({ m = 1e30 })))
    assert.matches("^m: must be from 1 to", refusal(gemm({ m = math.maxinteger })))
    assert.matches("^m: must be from 1 to", refusal(gemm({ m = math.mininteger })))
  end)
end)

describe("a name", function()
  it("is one of the list", function()
    local text = refusal(gemm({ dtype = "bf61" }))
    assert.matches("^dtype: 'bf61' is not one of bf16, fp16, fp32, fp4, fp8, int8, mxfp8, tf32", text)
    assert.matches("did you mean 'bf16'%?$", text)
    assert.matches("^dtype: ''", refusal(gemm({ dtype = "" })))
  end)
end)

describe("a table of the wrong shape", function()
  it("is no list", function()
    assert.equal("gemm: takes named fields, not a list (key 1)", refusal({ 4096, 4096, 4096 }))
    assert.equal("device: takes named fields, not a list (key 1)",
      refusal(gemm({ device = { "H100" } })))
    assert.matches("not a list %(key true%)", refusal(gemm({ [true] = 1 })))
    assert.matches("not a list %(key 2.5%)", refusal(gemm({ [2.5] = 1 })))
  end)

  it("is no table at all", function()
    for _, value in ipairs({ 3, "x", true }) do
      assert.equal("gemm: must be a table", refusal(value))
    end
    assert.equal("gemm: must be a table", refusal(nil))
  end)

  it("holds a huge key or value without harm", function()
    local long = string.rep("x", 100000)
    assert.matches("unknown field", refusal(gemm({ [long] = 1 })))
    assert.matches("^dtype: 'xxx", refusal(gemm({ dtype = long })))
    assert.matches("unknown field", refusal(gemm({ ["a\0b\n"] = 1 })))
  end)
end)

describe("what comes back", function()
  it("has every field the description names, and no other", function()
    for _, kernel in ipairs(core.kernels()) do
      if kernel.name == "gemm" then
        local out = core.gemm(gemm())
        for _, field in ipairs(kernel.output.fields) do
          assert.is_not_nil(out[field.name], field.name)
          out[field.name] = nil
        end
        assert.is_nil(next(out))
      end
    end
  end)

  it("spells enums as their names", function()
    assert.equal("compute", core.gemm(gemm()).bound)
    assert.equal("launch", core.gemm(gemm({ m = 1, n = 1, k = 1 })).bound)
  end)
end)

describe("the descriptions", function()
  it("are sorted by name and complete", function()
    local last = ""
    for _, kernel in ipairs(core.kernels()) do
      assert.is_true(last < kernel.name, kernel.name)
      assert.is_function(core[kernel.name])
      last = kernel.name
    end
    assert.not_equal("", last)
  end)

  it("tell defaults, limits and names", function()
    local by_name = {}
    for _, kernel in ipairs(core.kernels()) do
      if kernel.name == "gemm" then
        for _, field in ipairs(kernel.input.fields) do by_name[field.name] = field end
      end
    end
    assert.is_true(by_name.m.required)
    assert.is_nil(by_name.m.default)
    assert.equal(1, by_name.m.min)
    assert.equal(1, by_name.batch.default)
    assert.equal("bf16", by_name.dtype.default)
    assert.equal("fp32", by_name.dtype.names[1])
    assert.equal("memory_bytes", (function()
      for _, field in ipairs(by_name.device.schema.fields) do
        if field.unit == "B" then return field.name end
      end
    end)())
  end)

  it("tell how a field of a plan behaves in a search", function()
    local fields = require("ballpark.fields")
    assert.same({ "tp", "pp", "vpp", "cp", "ep", "etp" }, fields.that_set("parallelism"))
    assert.same({ "dp", "shard" }, fields.that_set("replicas"))
    local plan = fields.by_name(fields.input("train_step", "plan"))
    assert.is_true(plan.etp.experts_only)
    assert.is_false(plan.tp.experts_only)
    assert.is_nil(plan.lora_rank.free)
    assert.equal("all its values", plan.schedule.free)
  end)
end)
