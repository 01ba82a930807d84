-- Pipeline schedules from the command line.
local json = require("ballpark.json")

return function(t)
  local function case(name, list, wanted)
    for key, value in pairs(wanted) do list[key] = value end
    t:case(name, list)
  end
  local function simulate(...) return t.with({ "pipeline", "--pp", "4", "--micro-batches", "8" }, { ... }) end

  case("pipeline drawn as text", simulate(), { out = { "33 s, 24 s of it work", "27%.3 %%", "\n +0  F0",
    "4 micro%-batches on device 0" }, err = "", check = function(got)
      for line in got.out:gmatch("[^\n]+") do assert(utf8.len(line) <= 100, line) end
    end })
  case("pipeline as JSON", simulate("--schedule", "zb_h1", "-f", "json"), { err = "", check = function(got)
    local answer = json.decode(got.out)
    assert(answer.facts.pipeline.values.bubble_s == 3)
    assert(#answer.tables.devices.rows == 4 and answer.tables.timeline.rows[1].line:find("^F0%-?F1%-?F2"))
  end })
  case("pipeline of uneven stages", simulate("--forward", "1,1,1,2", "--activation", "GiB(2)"),
    { out = "peak memory, GiB", err = "" })
  case("pipeline with every operation", simulate("--operations", "-f", "csv", "--table", "operations"),
    { err = "", check = function(got)
      assert(select(2, got.out:gsub("\n", "")) == 1 + 4 * 8 * 2)
      assert(got.out:find("\n0,F,0,0,0,1,1\n", 1, true), got.out:sub(1, 80))
    end })
  case("pipeline drawn as SVG", simulate("--svg", t:path("drawing.svg")), { out = "Timeline", err = "",
    check = function()
      local drawn = t:read("drawing.svg")
      assert(drawn:find("^<%?xml") and drawn:find("</svg>\n$"))
    end })
  case("pipeline of a scenario", { "pipeline", t.root .. "/scenarios/pipeline-schedules.lua", "--svg",
    t:path("own.svg") }, { out = "frugal", err = "", check = function()
      assert(t:read("own.svg"):find("<title>frugal, own: 8 devices", 1, true))
    end })
  case("pipeline drawn where nothing can be written", simulate("--svg", "/nowhere/x.svg"), { code = 3, out = "",
    err = "cannot write /nowhere/x%.svg" })
  case("too many operations for a picture", simulate("--micro-batches", "20000", "--svg", t:path("huge.svg")), {
    code = 2, out = "", err = "cannot be told apart in a picture", check = function()
      assert(t:read("huge.svg") == "")
    end })
  case("pipeline without stages", { "pipeline", "--micro-batches", "8" }, { code = 2, out = "",
    err = "pipeline needs %-%-pp" })
  case("pipeline of half a stage", { "pipeline", "--pp", "2.5", "--micro-batches", "8" }, { code = 2, out = "",
    err = "%-%-pp: must be a whole number" })
  case("unknown schedule", simulate("--schedule", "dualpip"), { code = 2, out = "", err = "did you mean 'dualpipe'" })
  case("schedule that needs more", simulate("--schedule", "dualpipe", "--micro-batches", "6"), { code = 2, out = "" })
  case("closed form of uneven stages", simulate("--forward", "2,1,1,1"), { out = { "Step +51 s",
    "Closed form +3 s" }, err = "" })
  case("wrong value of an option", simulate("--weight", "5"), { code = 2, out = "", err = "^ballpark: %-%-weight 5: " })
  case("groups without interleaving", simulate("--group", "4"), { code = 2, out = "", err = "give %-%-vpp" })
  case("groups that cannot run", simulate("--vpp", "2", "--group", "3"), { code = 2, out = "",
    err = "at least %-%-pp" })
  case("pairs of other schedules", simulate("--pair", "0.8"), { code = 2, out = "", err = "only dualpipe" })
  case("no stages", { "pipeline", "--pp", "0", "--micro-batches", "8" }, { code = 2, out = "", err = "at least 1" })
  case("times that do not read", simulate("--forward", "fast"), { code = 2, out = "",
    err = "%-%-forward: must be a number or a list" })
  case("list where one is meant", simulate("--send", "1,2"), { code = 2, out = "", err = "%-%-send: must be a number" })
  case("pipeline of a scenario and options", { "pipeline", "x.lua", "--pp", "3" }, { code = 2, out = "",
    err = "change the scenario with %-D" })
  case("scenario without a pipeline", { "pipeline", t:write("none.lua", "note('nothing')") }, { code = 2, out = "",
    err = "asks for no pipeline" })
end
