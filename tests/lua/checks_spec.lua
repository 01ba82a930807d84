-- The checks of the tree must fail on a tree that is wrong: one bad example for every rule.
local root = debug.getinfo(1, "S").source:match("^@(.*)tests/lua/") or "./"
package.path = root .. "tools/check/?.lua;" .. package.path

local c_layers = require("c_layers")
local c_text = require("c_text")
local house = require("house")
local kernel_docs = require("kernel_docs")
local lua_layers = require("lua_layers")
local readme = require("readme")

local function complaint(list)
  assert.equal(1, #list, table.concat(list, "\n"))
  return list[1]
end

describe("layers of the C core", function()
  local function check(path, text) return c_layers.check({ [path] = text }) end

  it("accept what the layers allow", function()
    assert.same({}, check("core/kernel/a.c", '#include "a.h"\n#include <math.h>\nstatic const int N = 3;\n'))
    assert.same({}, check("core/kernel/a.c", "/* malloc(1), #include <lua.h> */\nint a(void);\n"))
    assert.same({}, check("core/kernel/a.c", 'const char *text = "printf(1)";\n'))
    assert.same({}, check("core/kernel/status.c", "#include <stdio.h>\nint n = snprintf(a, 1, b);\n"))
    assert.same({}, check("core/search/a.c", '#include "kernel/plan.h"\n#include <stdlib.h>\nmalloc(1);\n'))
    assert.same({}, check("core/bind/a.c", '#include <lua.h>\n#include "search/a.h"\n'))
  end)

  it("refuse Lua below bind", function()
    for _, layer in ipairs({ "kernel", "search", "sim", "stats" }) do
      for _, header in ipairs({ "<lua.h>", '"lauxlib.h"', "<lualib.h>" }) do
        assert.matches("only core/bind", complaint(check("core/" .. layer .. "/a.c", "#include " .. header .. "\n")))
      end
    end
  end)

  it("refuse an include upwards or sideways", function()
    assert.matches("must not see core/search", complaint(check("core/kernel/a.c", '#include "search/a.h"\n')))
    assert.matches("must not see core/bind", complaint(check("core/search/a.c", '# include "bind/a.h"\n')))
    assert.matches("must not see core/stats", complaint(check("core/sim/a.c", '#include "stats/a.h"\n')))
    assert.matches("must not see core/kernel", complaint(check("core/app/a.c", '#include "kernel/a.h"\n')))
    assert.matches("never up", complaint(check("core/kernel/a.c", '#include "../bind/a.h"\n')))
    assert.matches("must not see core/kernel/train",
      complaint(check("core/kernel/count/a.c", '#include "kernel/train/a.h"\n')))
    assert.same({}, check("core/kernel/train/a.c", '#include "kernel/count/a.h"\n'))
  end)

  it("refuse headers, calls and state a kernel has no use for", function()
    assert.matches("no such header", complaint(check("core/kernel/a.c", "#include <stdio.h>\n")))
    assert.matches(":2: calls malloc", complaint(check("core/kernel/a.c", "int b;\nx = malloc(3);\n")))
    assert.matches("calls snprintf", complaint(check("core/kernel/a.c", "snprintf(a, 1, b);\n")))
    assert.matches("calls printf", complaint(check("core/search/a.c", "printf (a);\n")))
    assert.matches("calls exit", complaint(check("core/stats/a.c", "if (x) exit(1);\n")))
    assert.matches("not const", complaint(check("core/kernel/a.c", "static int calls;\n")))
    assert.matches("not const", complaint(check("core/kernel/a.c", "    static double last[3];\n")))
  end)

  it("refuse a folder nobody described", function()
    assert.matches("no layer", complaint(check("core/helpers/a.c", "")))
  end)
end)

describe("C text", function()
  it("blanks comments and strings and keeps the lines", function()
    assert.equal('a       b\n"   " \'  \'', c_text.code('a/* x */b\n"x\\"" \'\\\'\''))
    assert.equal("a\n\nb", (c_text.code("a/*\n*/\nb"):gsub(" ", "")))
    assert.equal("a / b", c_text.code("a / b"))
    assert.equal('#include "a.h"', c_text.code('#include "a.h"', true))
  end)
end)

describe("layers of the Lua library", function()
  local function check(path, text) return lua_layers.check({ ["lua/ballpark/" .. path] = text }) end

  it("accept what the layers allow", function()
    assert.same({}, check("report/csv.lua", 'local units = require("ballpark.units")\nunits.format(1, "B")'))
    assert.same({}, check("report/csv.lua", 'require("ballpark.report.rows")'))
    assert.same({}, check("cli/run.lua", 'require "ballpark.scenario"\nrequire("ballpark.cli.common")'))
    assert.same({}, check("scenario/a.lua", "-- require('ballpark.cli')"))
  end)

  it("refuse what they do not", function()
    assert.matches("'near' must not see 'errors'", complaint(check("near.lua", 'require("ballpark.errors")')))
    assert.matches("'report' must not see 'scenario'", complaint(check("report.lua", "require 'ballpark.scenario'")))
    assert.matches("'report' must not see 'core'", complaint(check("report/a.lua", 'require("ballpark.core")')))
    assert.matches("'catalog' must not see 'hf'", complaint(check("catalog/models.lua", 'require("ballpark.hf")')))
    assert.matches("'catalog' must not see 'lfs'", complaint(check("catalog.lua", "local lfs = require('lfs')")))
    local hidden = 'pcall(require, "ballpark.report.a")'
    assert.matches("'errors' must not see 'report'", complaint(check("errors.lua", hidden)))
    assert.matches("'range' must not see 'questions'", complaint(check("range/a.lua",
      'require("ballpark.questions.estimate.run")')))
    assert.matches("'validate' must not see 'calibrate'", complaint(check("validate/a.lua",
      'require("ballpark.calibrate.own")')))
  end)

  it("refuse two of one layer that need each other, and longer circles", function()
    local function circle(...)
      local files, groups = {}, { ... }
      for i, group in ipairs(groups) do
        files["lua/ballpark/" .. group .. ".lua"] = ('require("ballpark.%s")'):format(groups[i % #groups + 1])
      end
      return lua_layers.check(files)
    end
    assert.matches("'csv' and 'json' need each other", circle("csv", "json")[1])
    assert.equal(3, #circle("csv", "files", "json"))
    local a, b = "lua/ballpark/questions/serve/a.lua", "lua/ballpark/questions/sweep/b.lua"
    assert.same({}, lua_layers.check({ [a] = 'require("ballpark.questions.sweep.b")', [b] = "" }))
    assert.matches("'questions/serve' and 'questions/sweep' need each other", lua_layers.check({
      [a] = 'require("ballpark.questions.sweep.b")', [b] = 'require("ballpark.questions.serve.a")' })[1])
    assert.same({}, lua_layers.check({ ["lua/ballpark/csv.lua"] = 'require("ballpark.json")',
      ["lua/ballpark/json.lua"] = 'require("ballpark.files")', ["lua/ballpark/files.lua"] = "" }))
  end)

  it("let nothing but the command line see the command line", function()
    for _, path in ipairs({ "scenario.lua", "init.lua", "search.lua", "report.lua" }) do
      assert.matches("must not see 'cli'", complaint(check(path, 'require("ballpark.cli.run")')))
    end
  end)

  it("refuse require under another name", function()
    assert.matches("another name", complaint(check("errors.lua", 'local r = require; r("ballpark.cli.run")')))
    assert.matches("another name", complaint(check("errors.lua", "local r = require")))
    assert.matches("another name", complaint(check("errors.lua", 'local r = _G["require"]')))
    assert.matches("another name", complaint(check("errors.lua", "local t = { r = require }")))
    assert.same({}, check("errors.lua", "env.required, required_by = 1, 2 -- require"))
  end)

  it("refuse a module nobody described", function()
    assert.matches("no rule says", complaint(check("helpers.lua", "")))
  end)
end)

describe("documentation of kernels", function()
  local function kernel(change)
    local field = { name = "time_s", kind = "num", unit = "s", doc = "how long" }
    local schema = { name = "x", doc = "what goes in", fields = { field } }
    local made = { name = "x", title = "t", formula = "f", validity = "v", source = "s",
      input = schema, output = { name = "y", doc = "what comes out", fields = {} } }
    if change then change(made, field) end
    return kernel_docs.check_kernels({ made })
  end

  it("accepts a described kernel", function() assert.same({}, kernel()) end)

  it("refuses an empty registry and empty texts", function()
    assert.matches("empty", complaint(kernel_docs.check_kernels({})))
    for _, key in ipairs({ "title", "formula", "validity", "source" }) do
      assert.matches("no " .. key, complaint(kernel(function(k) k[key] = " " end)))
    end
    assert.matches("input has no doc", complaint(kernel(function(k) k.input.doc = "" end)))
    assert.matches("time_s has no doc", complaint(kernel(function(_, f) f.doc = "" end)))
  end)

  it("looks into structs inside structs", function()
    assert.matches("x.output.a.b has no doc", complaint(kernel(function(k)
      local inner = { name = "a", doc = "d", fields = { { name = "b", kind = "num", unit = "", doc = "" } } }
      k.output.fields[1] = { name = "a", kind = "struct", unit = "", doc = "d", schema = inner }
    end)))
  end)

  it("knows units and what a name promises", function()
    local function with(name, unit)
      return kernel(function(_, f) f.name, f.unit = name, unit end)
    end
    for name, unit in pairs({ a = "", b_bytes = "B", c_bytes_s = "B/s", d_flop_s = "FLOP/s",
      e_usd_h = "USD/h", f_per_s = "1/s", g_frac = "frac", h_per_tok = "USD/tok",
      i_device_s = "device s", j_flop_w = "FLOP/s/W" }) do
      assert.same({}, with(name, unit))
    end
    assert.matches("no base unit", complaint(with("a", "GB")))
    assert.matches("no base unit", complaint(with("a", "B/")))
    assert.matches("no base unit", complaint(with("a", "1")))
    assert.matches("quantity in B/s", complaint(with("a_bytes_s", "B")))
    assert.matches("quantity in s", complaint(with("a_s", "")))
  end)

  it("wants every function of a header bound or commented", function()
    local function check(text) return kernel_docs.check_headers({ ["a.h"] = text }, { known = true }) end
    local bound = "\nint bp_%s(const struct bp_%s_in *in,\n    struct bp_%s_out *out, struct bp_error *err);\n"
    assert.same({}, check((bound:gsub("%%s", "known"))))
    assert.matches("a.h:2: bp_other is not in the registry", complaint(check((bound:gsub("%%s", "other")))))
    assert.same({}, check("\n/* Halves it. */\ndouble bp_half(double x);\n"))
    assert.matches("bp_half has no comment", complaint(check("\n/* Else. */\n\ndouble bp_half(double x);\n")))
  end)
end)

describe("habits of the house", function()
  local function check(text) return house.check({ ["core/a.c"] = text }) end

  it("accept a tidy file", function() assert.same({}, check("int a;\n\nint b;\n")) end)

  it("refuse what is left lying about", function()
    assert.matches(":2: ends in whitespace", complaint(check("a\nb \n")))
    assert.matches(":1: has a tab", complaint(check("\ta\n")))
    assert.matches("says TO" .. "DO", complaint(check("/* TO" .. "DO: later */\n")))
    assert.matches("path of one machine", complaint(check("/* see /wo" .. "rk/x */\n")))
    assert.matches("line end", complaint(check("a")))
    assert.same({}, check(("a\n"):rep(500)))
  end)
end)

describe("README", function()
  local function exists(path) return path == "tools/run" end

  it("names what is there", function()
    assert.same({}, readme.check("Use `ballpark run` and tools/run.", { "run" }, exists))
    assert.matches("'ballpark search' is not", complaint(readme.check("ballpark searches", { "search" }, exists)))
    assert.matches("tools/walk, which does not", complaint(readme.check("call `tools/walk`", {}, exists)))
  end)
end)

describe("the top of the tree", function()
  it("holds what belongs there and nothing else", function()
    assert.same({}, house.check_top({ ".", "..", ".git", "core", "lua", "README.md", "build", "build-gcc" }))
    assert.matches("notes.txt: does not belong", complaint(house.check_top({ "core", "notes.txt" })))
  end)
end)

describe("blocks of the README", function()
  local blocks = require("readme_blocks")
  local text = "a\n<!-- quickstart begin -->\nold\n<!-- quickstart end -->\nb\n<!-- accuracy begin -->\n"
    .. "old\n<!-- accuracy end -->\nc\n"
  local function output(arguments)
    if arguments:find("^run ") then return "Plan  tp 1\n" end
    if arguments:find("^validate serving") then
      return '{"metrics":{"tpot_ms":{"rows":3,"covered":3,"mape":0.2,"median_ape":0.15,"within_interval":0.5}}}'
    end
    return '{"summary":{"rows":2,"covered":1,"mape":0.125,"median_ape":0.1,"within_interval":0.75},'
      .. '"memory":{"rows":0}}'
  end

  it("are filled with what the program prints, and then hold", function()
    local filled = blocks.filled(text, output)
    assert.matches("^a\n<!%-%- quickstart begin %-%->\n```\nPlan  tp 1\n```\n<!%-%- quickstart end", filled)
    assert.matches("training, experts: step time | 1 of 2 | 12%.5 | 10%.0 | 75%.0 |", filled)
    assert.matches("serving: TPOT | 3 of 3 | 20%.0 | 15%.0 | 50%.0 |", filled)
    assert.same({}, blocks.check(filled, output))
    assert.equal(filled, blocks.filled(filled, output))
  end)

  it("are refused when one character differs", function()
    assert.equal(2, #blocks.check(text, output))
    local changed = blocks.filled(text, output):gsub("tp 1", "tp 2")
    assert.matches("the block 'quickstart' is not what the program prints", complaint(blocks.check(changed, output)))
  end)
end)
