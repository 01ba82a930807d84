-- HTML reports: whole, self-contained, small, and safe from what names hold.
local report = require("ballpark.report")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")

local MOST_BYTES <const> = 700000

-- Elements that have no end.
local VOID <const> = { meta = true, br = true }

-- The page without what its scripts and style hold.
local function markup(page)
  return (page:gsub("(<script[^>]*>).-(</script>)", "%1%2"):gsub("(<style>).-(</style>)", "%1%2"))
end

-- What is wrong with the nesting of elements; nil where all are closed in order.
local function unbalanced(page)
  local open = {}
  for slash, name, rest in markup(page):gmatch("<(/?)(%w+)([^>]*)>") do
    if slash == "/" then
      if table.remove(open) ~= name then return "</" .. name .. ">" end
    elseif not VOID[name] and rest:sub(-1) ~= "/" then
      open[#open + 1] = name
    end
  end
  return open[1]
end

local function drawn(page)
  return require("ballpark.json").decode(page:match('<script type="application/json" id="pictures">(.-)</script>'))
end

local function estimated(plan)
  result.illustrate(true)
  local state = scenario.state(nil, {})
  local env = require("ballpark.scenario.environment").new(state)
  local ok, problem = pcall(function()
    env.show(env.estimate({ model = env.model("llama-3.1-8b"), plan = plan, job = { global_batch = 128, seq_len = 8192 },
      cluster = env.cluster({ device = "H100", nodes = 4, fabric = "infiniband" }) }))
  end)
  result.illustrate(false)
  assert(ok, problem)
  return scenario.finish(state, "spec")
end

describe("an HTML report", function()
  local page = report.render(estimated({ tp = 2, pp = 4, micro_batch = 1 }), "html", { version = "1.2.3" })

  it("is a whole page, with every element closed", function()
    assert.truthy(page:find("^<!DOCTYPE html>") and page:find("</html>\n$"))
    assert.is_nil(unbalanced(page))
    assert.truthy(page:find("ballpark 1.2.3", 1, true))
  end)

  it("is small and fetches nothing", function()
    assert.is_true(#page <= MOST_BYTES, #page)
    assert.is_nil(markup(page):find("https?://"))
    assert.is_nil(markup(page):find("%ssrc=") or markup(page):find("%shref="))
    assert.is_nil(page:match("<style>(.-)</style>"):find("url%(") or page:match("<style>(.-)</style>"):find("@import"))
  end)

  it("has a box, a label and data for every chart", function()
    local list = drawn(page)
    assert.equal(5, #list)
    for i = 1, #list do assert.truthy(page:find(('id="chart%%-%d" role="img" aria%%-label="%%u'):format(i))) end
    assert.is_nil(page:find(('id="chart-%d"'):format(#list + 1), 1, true))
  end)

  it("keeps the licence of the library", function()
    assert.truthy(page:find("Apache License", 1, true) and page:find("Redistributions in binary form", 1, true))
  end)

  it("is the same each time", function()
    assert.equal(page, report.render(estimated({ tp = 2, pp = 4, micro_batch = 1 }), "html", { version = "1.2.3" }))
  end)

  it("shows hostile names as text", function()
    local bad = "</script><script>alert('x')</script>\"<img src=x onerror=y>&"
    local r = result.new({ title = bad, command = bad })
    r:facts({ name = "answer", { name = "a", title = bad, value = bad } })
    r:table({ name = "time", title = bad, columns = { { name = "part", title = bad }, { name = "part_s", unit = "s" } },
      rows = { { bad, 2 }, { "all", 2 } } })
    for _, add in ipairs({ "assume", "note", "warn" }) do r[add](r, bad) end
    r:ask({ command = bad, path = bad, text = bad })
    local text = report.render(r, "html", {})
    assert.is_nil(unbalanced(text))
    assert.is_nil(text:find("<script>alert", 1, true) or text:find("<img", 1, true))
    assert.equal(bad, drawn(text)[1].title)
  end)

  it("says how many rows of a long table it leaves out", function()
    local r, rows = result.new({ title = "long" }), {}
    for i = 1, 5000 do rows[i] = { i, i } end
    r:table({ name = "many", columns = { { name = "a" }, { name = "b" } }, rows = rows })
    assert.truthy(report.render(r, "html", {}):find("3800 more rows", 1, true))
  end)

  it("leaves rows and charts to machine formats before it grows large", function()
    local r = result.new({ title = "large" })
    for k = 1, 20 do
      local rows = {}
      for i = 1, 1000 do rows[i] = { ("a name of many letters %d"):format(i), k * i + 1 / 3 } end
      r:table({ name = "sweep", columns = { { name = "what", axis = true }, { name = "step_s", unit = "s" } }, rows = rows })
    end
    local text = report.render(r, "html", {})
    assert.is_true(#text <= MOST_BYTES, #text)
    assert.is_true(#text > 0.95 * MOST_BYTES, #text)
    assert.is_nil(unbalanced(text))
    assert.truthy(text:find("more rows: -f csv --table sweep_20 has all", 1, true))
    assert.truthy(text:find("It is not drawn, to keep the file small", 1, true))
    local charts = select(2, text:gsub('class="chart"', ""))
    assert.is_true(charts > 0 and charts < 20, charts)
    assert.equal(charts, #drawn(text))
  end)

  it("puts main figures on top, with the range of uncertain inputs where there is one", function()
    local r = result.new({ title = "tiles" })
    r:facts({ name = "answer", { name = "step_s", title = "Step", unit = "s", value = 20, range = { low = 10, high = 30 } },
      { name = "cost_usd", title = "Cost", unit = "USD", value = 100, range = { low = 90, high = 110 } },
      { name = "devices", title = "Devices", value = 8 }, { name = "other", title = "Other", value = 3 } })
    r:uncertain({ cost_usd = { low = 50, high = 400 } })
    local tiles = report.render(r, "html", {}):match('<ul class="tiles".-</ul>')
    assert.same({ "Step", "Cost", "Devices" }, { tiles:match('name">(%w+).-name">(%w+).-name">(%w+)') })
    assert.truthy(tiles:find("50 to 400", 1, true) and tiles:find("10 to 30", 1, true))
    assert.is_nil(tiles:find("90 to 110", 1, true) or tiles:find("Other", 1, true))
  end)

  it("shows a table once, beside the first picture that has it", function()
    local r = result.new({})
    require("ballpark.questions.pipeline.show").answer(r, require("ballpark.questions.pipeline.run").run({ stages = 2,
      micro_batches = 3, forward_s = 1, backward_s = 2 }))
    local text = report.render(r, "html", {})
    assert.equal(1, select(2, text:gsub(">idle share", "")))
  end)
end)

describe("pictures", function()
  local pictures = require("ballpark.report.pictures")

  it("draw what a figure hangs on around its value at the medians", function()
    local r = result.new({})
    r:table({ name = "tornado", columns = { { name = "input" }, { name = "from" }, { name = "to" }, { name = "low" },
      { name = "high" }, { name = "unit" }, { name = "median" } }, rows = { { "price", "2", "4", 8, 16, "USD", 11 },
      { "length", "1", "2", 12, 10.5, "USD", 11 } } })
    local tornado = pictures.of(r).tornado[1]
    assert.equal(11, tornado.middle)
    assert.same({ "length", 10.5, 12, false, "1 to 2" }, tornado.rows[2])
  end)

  it("follow the memory of every stage over a step, below what the device has", function()
    result.illustrate(true)
    local r = estimated({ tp = 2, pp = 4, micro_batch = 1 })
    local peaks = {}
    for _, block in ipairs(r.blocks) do
      if block.name == "stages" then peaks = require("ballpark.report.pictures.columns").values(block, "peak_bytes") end
    end
    local found = pictures.of(r).operations
    local memory = found[#found]
    assert.equal("Memory over a step", memory.title)
    assert.near(80, memory.limits[1].value, 1e-9)
    for i, series in ipairs(memory.series) do
      local most = 0
      for _, point in ipairs(series.points) do most = math.max(most, point[2]) end
      assert.is_true(most > series.points[1][2] and most <= peaks[i] / 2^30, i)
    end
  end)

  it("set the cost of each lever beside what it costs as it is", function()
    local r = result.new({})
    r:table({ name = "levers", columns = { { name = "lever" }, { name = "cost_usd_h", unit = "USD/h" }, { name = "saves_frac" } },
      rows = { { "as it is", 10, 0 }, { "fp8", 6, 0.4 }, { "two pools", 12, -0.2 } } })
    local levers = pictures.of(r).levers[1]
    assert.same({ "fp8", "two pools" }, levers.categories)
    assert.near(10, levers.limit.value, 1e-9)
  end)

  it("mark the fleet that was chosen, and the SLO of percentiles", function()
    local r = result.new({})
    r:table({ name = "fleets", columns = { { name = "cost" }, { name = "ttft" }, { name = "tpot" }, { name = "simulated" },
      { name = "fleet" } }, rows = { { 1, 0.2, 0.03, "chosen", "a" }, { 2, 0.1, 0.02, nil, "b" }, { 3, 0.3, 0.04, nil, "c" } } })
    r:table({ name = "slo", columns = { { name = "part" }, { name = "limit" }, { name = "seen" } }, rows = { { "TTFT", 0.5, 0.2 } } })
    r:table({ name = "seen", columns = { { name = "what" }, { name = "ttft", unit = "s" } }, rows = { { "mean", 0.2 }, { "P90", 0.4 } } })
    local found = pictures.of(r)
    assert.same({ { 1, 200, "a" } }, found.fleets[1].series[1].points)
    assert.is_true(found.fleets[1].series[1].chosen)
    assert.equal(500, found.seen[1].limit.value)
  end)

  it("name systems, and draw plans of one system by memory", function()
    local r, columns = result.new({}), { { name = "device" }, { name = "devices" }, { name = "usd_h" }, { name = "tp" },
      { name = "step_s", unit = "s" }, { name = "mtok_usd", unit = "USD" }, { name = "total_bytes", unit = "B" } }
    r:table({ name = "plans", columns = columns, rows = { { "B200", 64, 5, 1, 1, 0.2, 9 }, { "B200", 64, 5, 2, 2, 0.3, 8 },
      { "B200", 64, 5, 4, 3, 0.4, 7 } } })
    r:table({ name = "systems", columns = columns, rows = { { "B200", 64, 5, 1, 1, 0.2, 9 }, { "H100", 32, 3, 1, 4, 0.1, 9 } } })
    local found = pictures.of(r)
    assert.equal("Plans by step and memory", found.plans[1].title)
    assert.equal("Systems by step and cost of a million tokens", found.systems[1].title)
    assert.truthy(found.systems[1].series[1].points[1][3]:find("^64 x B200: "))
  end)

  it("draw the memory of each kind of device that a machine has, and of a host that has some", function()
    local memory = require("ballpark.report.pictures.cards").memory
    local GiB <const> = 1 << 30
    local function made(host)
      return memory({ title = "Memory", columns = { { name = "part", title = "" }, { name = "device_bytes", title = "each A" },
        { name = "host_bytes", title = "host" }, { name = "other_bytes", title = "each B" } }, rows = {
        { "weights", 12 * GiB, host, 14 * GiB }, { "KV cache", GiB, 0, 2 * GiB }, { "all", 13 * GiB, host, 16 * GiB } } },
        { facts = { usable_bytes = { value = 23 * GiB } } })
    end
    assert.same({ "each A", "each B" }, made(0).categories)
    assert.same({ { 12, 14 }, { 1, 2 } }, { made(0).series[1].values, made(0).series[2].values })
    assert.same({ "each A", "each B", "host" }, made(3 * GiB).categories)
    assert.same({ 12, 14, 3 }, made(3 * GiB).series[1].values)
    assert.near(23, made(0).limit.value, 1e-9)
  end)

  it("stack the memory of every stage up to what the device was said to need", function()
    local r = estimated({ tp = 2, pp = 4, micro_batch = 1 })
    local picture = pictures.of(r).stages[1]
    assert.equal("bars", picture.kind)
    assert.same({ "0", "1", "2", "3" }, picture.categories)
    local stages = {}
    for _, series in ipairs(picture.series) do
      for i, value in ipairs(series.values) do stages[i] = (stages[i] or 0) + value end
    end
    local total
    for _, fact in ipairs(r:scalars()) do total = fact.name == "total_bytes" and fact.value or total end
    assert.near(total / 2^30, math.max(table.unpack(stages)), 1e-3 * total / 2^30)
    assert.near(80, picture.limit.value, 1e-9)
    assert.equal(0, picture.whiskers[1][1])
  end)

  it("draw every operation of a short pipeline and both ends of a long one", function()
    local r = result.new({})
    require("ballpark.questions.pipeline.show").operations(r, require("ballpark.questions.pipeline.run").run({ stages = 2,
      micro_batches = 3, forward_s = 1, backward_s = 2 }))
    local made = pictures.of(r).operations
    assert.equal(2, #made)
    assert.equal(2 * 3 * 2, #made[1].spans)
    assert.same({ 0, 0, 1, "F0", "0" }, made[1].spans[1])
    local long = result.new({})
    require("ballpark.questions.pipeline.show").operations(long, require("ballpark.questions.pipeline.run").run({ stages = 4,
      micro_batches = 200 }))
    made = pictures.of(long).operations
    assert.equal(3, #made)
    assert.is_true(#made[1].spans + #made[2].spans < 4 * 200 * 2)
    assert.equal(0, made[1].spans[1][2])
  end)

  it("join the plans that no other beats", function()
    local r = result.new({})
    r:table({ name = "plans", columns = { { name = "tp" }, { name = "step_s", unit = "s" }, { name = "total_bytes", unit = "B" } },
      rows = { { 1, 2, 30 }, { 2, 1, 50 }, { 4, 3, 40 }, { 8, 4, 10 } } })
    local series = pictures.of(r).plans[1].series
    assert.same({ "tp 2", "tp 1", "tp 8" }, { series[1].points[1][3], series[1].points[2][3], series[1].points[3][3] })
    assert.same({ "tp 4" }, { series[2].points[1][3] })
  end)

  it("map a sweep over two axes, with the reason where there is no value", function()
    local r = result.new({})
    r:table({ name = "sweep", columns = { { name = "tp", axis = true }, { name = "pp", axis = true }, { name = "status" },
      { name = "reason" }, { name = "step_s", unit = "s" } }, rows = { { 1, 1, "infeasible", "memory" },
      { 1, 2, "ok", nil, 4 }, { 2, 1, "ok", nil, 3 }, { 2, 2, "ok", nil, 2 } } })
    local heat = pictures.of(r).sweep[1]
    assert.same({ { "1", "2" }, { "1", "2" } }, { heat.columns, heat.rows })
    assert.same({ 0, 0, false, "memory" }, heat.cells[1])
    assert.same({ 1, 1, 2 }, heat.cells[4])
  end)

  it("set predictions against measurements, with ranges, by family and figure", function()
    local r = result.new({})
    r:table({ name = "measured", columns = { { name = "case_id" }, { name = "family" }, { name = "metric" },
      { name = "measured" }, { name = "predicted" }, { name = "predicted_low" }, { name = "predicted_high" } },
      rows = { { "a", "x", "step_s", 10, 11, 9, 12 }, { "b", "y", "step_s", 20, 30, 25, 35 }, { "c", "y", "step_s", 5 },
        { "d", "x", "tok_s", 100, 90 } } })
    local made = pictures.of(r).measured
    assert.equal(2, #made)
    assert.same({ 10, 11, "a", 9, 12 }, made[1].series[1].points[1])
    assert.truthy(made[1].about:find("1 of 2 ranges hold", 1, true))
    assert.same({ true, true }, { made[1].x.log, made[1].y.log })
  end)

  it("stack the memory of one machine up to its sum, and leave out what lies beside it", function()
    local r = result.new({})
    r:facts({ name = "fit", { name = "usable_bytes", value = 24 * 2^30, unit = "B" } })
    r:table({ name = "memory", title = "Memory", columns = { { name = "part" }, { name = "bytes", unit = "B" } },
      rows = { { "weights", 15 * 2^30 }, { "KV cache", 5 * 2^30 }, { "all", 20 * 2^30 }, { "beside", 9 * 2^30 } } })
    r:table({ name = "changes", columns = { { name = "change" }, { name = "need_bytes", unit = "B" },
      { name = "usable_bytes", unit = "B" } }, rows = { { "fp8", 10 * 2^30, 20 * 2^30 }, { "two", 30 * 2^30, 20 * 2^30 } } })
    local found = pictures.of(r)
    local memory = found.memory[1]
    assert.same({ { name = "weights", values = { 15 } }, { name = "KV cache", values = { 5 } } }, memory.series)
    assert.equal(24, memory.limit.value)
    assert.truthy(found.changes[1].about:find("1 of 2", 1, true))
  end)

  it("compare waits by policy, follow them over devices, and set a claim among published runs", function()
    local r = result.new({})
    local waits = { { name = "mean_s", unit = "s" }, { name = "p50_s", unit = "s" }, { name = "p90_s", unit = "s" },
      { name = "p99_s", unit = "s" } }
    r:table({ name = "policies", columns = { { name = "policy" }, table.unpack(waits) },
      rows = { { "fifo", 20, 10, 30, 50 }, { "backfill", 10, 5, 20, 40 } } })
    r:table({ name = "classes", columns = { { name = "class" }, table.unpack(waits) }, rows = { { "a", 0, 0, 0, 0 } } })
    r:table({ name = "sizes", columns = { { name = "devices" }, { name = "wait_s", unit = "s" }, { name = "met" } },
      rows = { { 16, 5, true }, { 8, 50, false } } })
    r:table({ name = "published", columns = { { name = "run" }, { name = "mfu_frac", unit = "frac" } },
      rows = { { "x", 0.5 }, { "this claim", 0.75 } } })
    local found = pictures.of(r)
    assert.same({ 30, 20 }, found.policies[1].series[3].values)
    assert.is_nil(found.classes)
    assert.same({ { 8, 50 }, { 16, 5 } }, found.sizes[1].series[1].points)
    assert.same({ 0, 75 }, found.published[1].series[2].values)
  end)

  it("leave tables of the same names alone whose rows have no name", function()
    local r = result.new({})
    for name, column in pairs({ memory = "bytes", time = "seconds", better = "tokens_per_s", policies = "mean_s",
      published = "mfu_frac" }) do
      r:table({ name = name, columns = { { name = column } }, rows = { { 1 }, { 2 } } })
    end
    assert.same({}, pictures.of(r))
  end)

  it("follow a load through the day, and times over the requests in flight up to the limit", function()
    local r = result.new({})
    r:table({ name = "slo", columns = { { name = "part" }, { name = "limit", unit = "s" }, { name = "seen", unit = "s" },
      { name = "seen_low", unit = "s" }, { name = "seen_high", unit = "s" } }, rows = { { "TTFT", 2, 1, 0.5, 3 } } })
    r:table({ name = "curve", columns = { { name = "clients" }, { name = "ttft_s", unit = "s" }, { name = "tpot_s", unit = "s" } },
      rows = { { 1, 0.5, 0.01 }, { 8, 2.5, 0.02 } } })
    r:table({ name = "minutes", columns = { { name = "minute" }, { name = "rate_per_s", unit = "1/s" }, { name = "fixed" },
      { name = "scaled" } }, rows = { { 0, 1, 4, 2 }, { 720, 8, 4, 4 } } })
    local found = pictures.of(r)
    assert.same({ "TTFT", 25, 150, 50, "1 s of 2 s" }, found.slo[1].rows[1])
    assert.same({ { 1, 500 }, { 8, 2500 } }, found.curve[1].series[1].points)
    assert.equal(2000, found.curve[1].limits[1].value)
    assert.same({ { 0, 2 }, { 12, 4 } }, found.minutes[2].series[2].points)
  end)
end)
