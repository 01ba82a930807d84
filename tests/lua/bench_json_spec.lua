-- Results of vLLM's benchmark become rows of a sweep.
local bench_json = require("ballpark.calibrate.serving.bench_json")
local errors = require("ballpark.errors")
local problem = require("ballpark.calibrate.serving.problem")
local validate = require("ballpark.validate.serving")

-- Fields as vllm bench serve --save-result writes them, and some that are not needed.
local RESULT <const> = '{"date": "20260101-000000", "backend": "vllm", "model_id": "llama-3.1-8b", "num_prompts": 80, '
  .. '"request_rate": "inf", "max_concurrency": %s, "duration": 10.0, "completed": 80, "total_input_tokens": 81920, '
  .. '"total_output_tokens": 10240, "mean_ttft_ms": 50.5, "mean_tpot_ms": 8.25%s}'

-- A field of so many numbers.
local function list_of(field, count, number)
  local list = {}
  for i = 1, count do list[i] = number end
  return (', "%s": [%s]'):format(field, table.concat(list, ", "))
end

local function source(clients, more) return { name = "c.json", text = RESULT:format(clients, more or "") } end

describe("results of vllm bench serve", function()
  it("are rows with the mean lengths and times", function()
    local text = bench_json.sweep({ source(8), source(16, list_of("input_lens", 80, 1024) .. list_of("output_lens", 80, 128)) },
      { gpu = "H100", tp = "2" })
    local rows = validate.read(text, "sweep")
    assert.same({ "vllm", "llama-3.1-8b", "H100", 2, 8, 1024, 128, 50.5, 8.25, "10*conc" }, { rows[1].engine,
      rows[1].model, rows[1].gpu, rows[1].tp, rows[1].concurrency, rows[1].input_len, rows[1].output_len,
      rows[1].ttft_ms, rows[1].tpot_ms, rows[1].num_prompts_rule })
    assert.equal("closed loop; lengths uniform", rows[1].protocol)
    assert.equal("closed loop", rows[2].protocol)
  end)

  it("say the lengths of all their requests or none", function()
    local function protocol_of(more)
      return validate.read(bench_json.sweep({ source(8, more) }, { gpu = "H100" }), "sweep")[1].protocol
    end
    local output = list_of("output_lens", 80, 128)
    for _, more in ipairs({ "", output, ', "input_lens": null' .. output, list_of("input_lens", 79, "1024"):gsub("%]", ", 1023]") .. output }) do
      assert.equal("closed loop; lengths uniform", protocol_of(more))
    end
    for _, value in ipairs({ '"80"', "-1", "true", "80", "[]", "{}", "[1024]", '{"a": 1024}' }) do
      assert.equal("c.json: input_lens is no list of the lengths of num_prompts 80 requests",
        errors.catch(protocol_of, (', "input_lens": %s'):format(value) .. output))
    end
    for _, value in ipairs({ '"1024"', "-1", "1024.5", "1e300", "null", "[1024]" }) do
      assert.matches("^c.json: input_lens is no list", errors.catch(protocol_of, list_of("input_lens", 79, 1024):gsub("%]$", ", " .. value .. "]")))
    end
    assert.equal("c.json: output_lens are 100 in the mean, and total_output_tokens of completed 128",
      errors.catch(protocol_of, list_of("output_lens", 80, 100)))
  end)

  it("make a sweep that can be calibrated", function()
    local sources = {}
    for i, clients in ipairs({ 1, 2, 4, 8, 16 }) do sources[i] = source(clients) end
    assert.equal(5, problem.sweep(bench_json.sweep(sources, { gpu = "H100" }), "sweep").points)
  end)

  it("are refused where they do not say enough", function()
    local function refused(text, given)
      return errors.catch(bench_json.sweep, { { name = "c.json", text = text } }, given or { gpu = "H100" })
    end
    assert.matches("c.json: ", refused(RESULT:format("null", "")))
    assert.matches("c.json: ", refused("{}"))
    assert.matches("mean_ttft_ms is missing", refused((RESULT:format("8", ""):gsub('"mean_ttft_ms": 50.5', '"x": 1'))))
    assert.matches("completed is 0: no request was answered", refused((RESULT:format("8", ""):gsub('"completed": 80', '"completed": 0'))))
    for field, values in pairs({ completed = { '"x"', "[]", "1e-300", "1e300" }, total_input_tokens = { "1e300", "null", "-1" },
      max_concurrency = { "1e300", "0.5" }, num_prompts = { "1e300", "true" } }) do
      for _, value in ipairs(values) do
        local text = RESULT:format("8", ""):gsub('("' .. field .. '": )[^,]*', "%1" .. value)
        assert.matches("c.json: ", refused(text), 1, true)
      end
    end
    for change, says in pairs({
      ['"completed": 80/"completed": 8'] = "completed is 8 of num_prompts 80",
      ['"completed": 80/"completed": 81'] = "completed is 81 of num_prompts 80",
      ['"backend": "vllm"/"backend": "sglang"'] = "%-D engine=NAME",
      ['"request_rate": "inf"/"request_rate": 0.5'] = "0%.549 of the 8 clients are busy", -- 0.5 of 0.0505 + 127 * 0.00825 s
    }) do
      local from, to = change:match("^(.*)/(.*)$")
      assert.matches("c.json: .*" .. says, refused((RESULT:format("8", ""):gsub(from, to))))
    end
    assert.is_nil(refused((RESULT:format("8", ""):gsub('"request_rate": "inf"', '"request_rate": 20')))) -- 22 in flight
    assert.is_nil(refused((RESULT:format("8", ""):gsub('"backend": "vllm"', '"backend": "sglang"')), { gpu = "H100", engine = "sglang" }))
    local other = RESULT:format("8", ""):gsub("llama%-3.1%-8b", "qwen3-8b")
    assert.matches("^d.json: model_id is qwen3%-8b, in c.json llama", errors.catch(bench_json.sweep,
      { source(1), { name = "d.json", text = other } }, { gpu = "H100" }))
    assert.matches("%-D gpu=NAME", refused(RESULT:format("8", ""), {}))
    assert.matches("did you mean 'precision'", refused(RESULT:format("8", ""), { gpu = "H100", precisio = "fp8" }))
  end)
end)
