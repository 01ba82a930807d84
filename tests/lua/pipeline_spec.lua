-- Simulated pipelines from Lua: schedules as functions, what is wrong with them, timeline and SVG.
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local gantt = require("ballpark.questions.pipeline.gantt")
local pipeline = require("ballpark.questions.pipeline.run")
local svg = require("ballpark.report.pipeline_svg")

local function simulate(change)
  local input = { stages = 4, micro_batches = 8 }
  for key, value in pairs(change or {}) do input[key] = value end
  return pipeline.run(input)
end

local function one_f_one_b(device, p, m)
  local list, warm = {}, math.min(p - device - 1, m)
  for i = 0, m + warm - 1 do
    if i < m then list[#list + 1] = { kind = "F", micro_batch = i } end
    if i >= warm then list[#list + 1] = { kind = "B", micro_batch = i - warm } end
  end
  return list
end

describe("a simulated pipeline", function()
  it("agrees with the closed form", function()
    local answer = simulate({ stages = 8, micro_batches = 32 })
    assert.equal(117, answer.makespan_s)
    assert.equal(21, answer.bubble_s)
    assert.equal(21, answer.closed_s)
    assert.near(21 / 117, answer.bubble_frac, 1e-12)
    for i, device in ipairs(answer.devices) do
      assert.equal(i - 1, device.device)
      assert.equal(8 - device.device, device.in_flight)
      assert.equal(64, #device.steps)
    end
    local closed = core.bubble({ stages = 8, micro_batches = 32, vpp = 4 })
    assert.equal(closed.bubble_s, simulate({ stages = 8, micro_batches = 32, vpp = 4 }).bubble_s)
  end)

  it("gives the same for the same schedule as a function", function()
    local named, own = simulate(), simulate({ schedule = one_f_one_b })
    assert.same(named.devices, own.devices)
    assert.equal(named.makespan_s, own.makespan_s)
    assert.is_nil(own.closed_s)
    assert.equal("own schedule", own.name)
  end)

  it("asks a function for every device with the whole shape", function()
    local asked = {}
    simulate({ vpp = 1, schedule = function(device, p, m, v)
      asked[#asked + 1] = { device, p, m, v }
      return one_f_one_b(device, p, m)
    end })
    assert.same({ { 0, 4, 8, 1 }, { 1, 4, 8, 1 }, { 2, 4, 8, 1 }, { 3, 4, 8, 1 } }, asked)
  end)

  it("takes chunks laid out as a v", function()
    -- One device, two chunks: down chunk 0, back through chunk 1.
    local answer = simulate({ stages = 1, micro_batches = 1, vpp = 2, layout = "v", forward_s = 2, backward_s = 6,
      weight_s = 2, schedule = function()
        return { { kind = "F", chunk = 0, micro_batch = 0 }, { kind = "F", chunk = 1, micro_batch = 0 },
          { kind = "B", chunk = 1, micro_batch = 0 }, { kind = "B", chunk = 0, micro_batch = 0 },
          { kind = "W", chunk = 1, micro_batch = 0 } }
      end })
    local steps = answer.devices[1].steps
    assert.equal(8, answer.makespan_s)
    assert.same({ 0, 1, 2, 4, 7 }, { steps[1].start_s, steps[2].start_s, steps[3].start_s, steps[4].start_s,
      steps[5].start_s })
    assert.is_false(steps[3].whole)
    assert.is_true(steps[4].whole)
  end)

  it("counts bytes per stage where they are given", function()
    local answer = simulate({ activation_bytes = { 100, 100, 100, 1000 } })
    assert.equal(400, answer.devices[1].peak)
    assert.equal(1000, answer.fullest.peak)
    assert.equal(3, answer.fullest.device)
    assert.equal(1, answer.fullest.in_flight)
    local step = answer.fullest.steps[1]
    assert.equal(1000, step.kept)
    assert.equal(step.start_s, answer.fullest.peak_at_s)
    assert.equal(0, answer.fullest.steps[#answer.fullest.steps].kept)
  end)

  it("slows down with transfers and slow stages", function()
    local plain = simulate().makespan_s
    assert.equal(12, simulate({ micro_batches = 1 }).makespan_s)
    assert.equal(12 + 6 * 0.25, simulate({ micro_batches = 1, send_s = 0.25 }).makespan_s)
    assert.is_true(simulate({ forward_s = { 1, 1, 1, 2 } }).makespan_s > plain)
  end)

  it("has closed forms of uneven stages under 1f1b and gpipe only", function()
    for _, schedule in ipairs({ "1f1b", "gpipe" }) do
      local answer = simulate({ forward_s = { 1, 1, 1, 2 }, schedule = schedule })
      assert.near(answer.bubble_s, answer.closed_s, 1e-9)
    end
    assert.is_nil(simulate({ forward_s = { 1, 1, 1, 2 }, schedule = "zb_h1" }).closed_s)
    assert.is_nil(simulate({ forward_s = { 1, 1, 1, 2 }, send_s = 0.1 }).closed_s)
  end)
end)

describe("a schedule that is wrong", function()
  local function refusal(change)
    local text, raised = errors.catch(simulate, change)
    assert.is_true(errors.is(raised), "not an input error: " .. tostring(text))
    assert.equal(2, raised.code)
    return text
  end
  local function with(list)
    return { stages = 1, micro_batches = 1, schedule = function() return list end }
  end

  it("is told what is missing, double or nothing", function()
    assert.matches("device 0 never runs B of micro%-batch 0", refusal(with({ { kind = "F", micro_batch = 0 } })))
    assert.matches("second time", refusal(with({ { kind = "F", micro_batch = 0 }, { kind = "F", micro_batch = 0 } })))
    assert.matches("operation 1: needs kind", refusal(with({ { kind = "G", micro_batch = 0 } })))
    assert.matches("operation 1: needs micro_batch", refusal(with({ { kind = "F" } })))
    assert.matches("from 0 to 0", refusal(with({ { kind = "F", micro_batch = 1 } })))
    assert.matches("needs chunk", refusal(with({ { kind = "F", micro_batch = 0, chunk = 1 } })))
    assert.matches("must be {kind", refusal(with({ "F0" })))
    assert.matches("gave nil for device 0", refusal(with(nil)))
    assert.matches("more than the 3", refusal(with({ 1, 2, 3, 4 })))
  end)

  it("is told the first operation that waits for ever", function()
    local text = refusal({ stages = 2, micro_batches = 2, schedule = function(device)
      local a, b = device, 1 - device
      return { { kind = "F", micro_batch = a }, { kind = "B", micro_batch = a }, { kind = "F", micro_batch = b },
        { kind = "B", micro_batch = b } }
    end })
    assert.equal("schedule: deadlock: device 1 waits at operation 1, F of micro-batch 1 (chunk 0), for F of "
      .. "micro-batch 1 on device 0 (chunk 0)", text)
  end)

  it("is no input of other kinds either", function()
    assert.matches("did you mean 'stages'", refusal({ stage = 3 }))
    assert.matches("did you mean 'zb_h1'", refusal({ schedule = "zb_h" }))
    assert.matches("forward_s: ", refusal({ forward_s = { 1, 2 } }))
    assert.matches("forward_s%[2%]: ", refusal({ forward_s = { 1, -2, 1, 1 } }))
    assert.matches("forward_s: ", refusal({ forward_s = "1" }))
    assert.matches("forward_s: ", refusal({ forward_s = 0 }))
    assert.matches("weight_s: ", refusal({ weight_s = 3 }))
    assert.matches("vpp: ", refusal({ schedule = "gpipe", vpp = 2 }))
    assert.matches("too many to simulate", refusal({ micro_batches = 1 << 20 }))
    assert.matches("whole number", refusal({ stages = "4", schedule = one_f_one_b }))
    assert.matches("layout: ", refusal({ layout = "both_ways", schedule = one_f_one_b }))
    assert.matches("send_s", refusal({ send_s = 0 / 0 }))
  end)
end)

describe("the timeline", function()
  it("gives each operation the characters it takes", function()
    local chart = gantt.chart(simulate({ stages = 2, micro_batches = 2 }), 18)
    assert.equal(0.5, chart.column_s)
    assert.is_true(chart.whole)
    assert.same({ { 0, "F0F1....B0==..B1==" }, { 1, "..F0B0==F1B1==...." } }, chart.panels[1].rows)
  end)

  it("writes small letters for odd chunks and splits what runs together", function()
    local chart = gantt.chart(simulate({ schedule = "dualpipe" }), 88)
    local line = chart.panels[1].rows[1][2]
    assert.matches("^F0%-*F1", line)
    assert.matches("f%d", line)
    assert.matches("b%d", line)
  end)

  it("keeps to its width, and shows both ends of what is too long", function()
    for _, m in ipairs({ 1, 4, 9, 10, 40, 200 }) do
      local chart = gantt.chart(simulate({ micro_batches = m, vpp = 2 }), 88)
      assert.is_true(#chart.panels <= 3)
      for _, panel in ipairs(chart.panels) do
        for _, row in ipairs(panel.rows) do assert.is_true(#row[2] <= 88) end
      end
      local last = chart.panels[#chart.panels].rows
      assert.matches("[bB]" .. (#tostring(m - 1) <= 1 and m - 1 or "%d*") .. "=*%.*$", last[1][2])
      assert.equal(m < 40, chart.whole)
    end
  end)
end)

describe("the drawing", function()
  -- Elements open and close in order, and every & is an entity.
  local function check_xml(text)
    local open = {}
    for slash, name, rest in text:gsub("<%?.-%?>", ""):gmatch("<(/?)([%a]+)([^<>]*)>") do
      if slash == "/" then
        assert.equal(table.remove(open), name)
      elseif rest:sub(-1) ~= "/" then
        open[#open + 1] = name
      end
    end
    assert.same({}, open)
    assert.is_nil(text:gsub("&%a+;", ""):find("&", 1, true))
  end

  it("is one well-formed file with every operation", function()
    for _, schedule in ipairs({ "1f1b", "zb_h1", "zbv", "dualpipe" }) do
      local answer = simulate({ schedule = schedule, name = "a <b> & \"c\"" })
      local text, count = svg(answer), 0
      check_xml(text)
      for _, device in ipairs(answer.devices) do count = count + #device.steps end
      assert.equal(count, select(2, text:gsub('<g class="op">', "")))
      assert.equal(4, select(2, text:gsub('<path class="kept"', "")))
      assert.is_nil(text:find("nan", 1, true))
      assert.is_nil(text:find("inf ", 1, true))
      assert.is_nil(text:gsub("http://www%.w3%.org/2000/svg", ""):find("http", 1, true)) -- nothing to fetch
    end
  end)

  it("has one axis in one unit", function()
    for _, forward_s in ipairs({ 1e-4, 0.03, 0.7, 5, 3000 }) do
      local text, ticks = svg(simulate({ forward_s = forward_s, backward_s = 2 * forward_s })), {}
      for tick in text:gmatch('class="tick"[^>]*>([^<]*)<') do ticks[#ticks + 1] = tick end
      local last, unit = ticks[#ticks]:match("^([%d%.,]+) (%S+)$")
      assert.is_string(unit)
      assert.equal(0, tonumber(ticks[1]))
      local step = tonumber((ticks[2]:gsub(",", "")))
      for i = 2, #ticks - 1 do assert.near((i - 1) * step, tonumber((ticks[i]:gsub(",", ""))), 1e-9) end
      assert.near((#ticks - 1) * step, tonumber((last:gsub(",", ""))), 1e-9)
    end
  end)
end)
