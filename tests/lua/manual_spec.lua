-- The manual: its pages, their layout on a terminal, and the glossary.
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local files = dofile(here .. "/files.lua")
local glossary = require("ballpark.manual.glossary")
local index = require("ballpark.cli.index")
local manual = require("ballpark.manual")
local prose = require("ballpark.report.prose")
local result = require("ballpark.result")

describe("the manual", function()
  it("has a page with a title for every topic", function()
    for _, topic in ipairs(manual.topics) do
      assert.equal("# " .. topic .. ": ", manual.text(topic):sub(1, #topic + 4))
      assert.is_true(#manual.title(topic) > 10)
    end
    assert.is_false(manual.has("no such topic"))
  end)

  it("fits a terminal but for its code", function()
    for _, topic in ipairs(manual.topics) do
      for line in prose(manual.text(topic)):gmatch("[^\n]+") do
        assert.is_true(line:find("^    ") ~= nil or utf8.len(line) <= 100, topic .. ": " .. line)
      end
    end
  end)

  it("names topics that are there", function()
    for _, topic in ipairs(manual.topics) do
      for other in manual.text(topic):gmatch("ballpark help ([%l%-]+)") do
        assert.is_true(manual.has(other), topic .. " names " .. other)
      end
    end
  end)
end)

describe("Markdown on a terminal", function()
  it("is wrapped, indented and aligned", function()
    local text = prose("# T\n\nSome **strong**\n[words](x) here.\n\n* one\n  more\n* two\n\n```sh\nls\n```\n\n"
      .. "| a | b |\n|---|---|\n| long cell | x |\n<!-- gone -->\n")
    assert.equal("T\n\nSome strong words here.\n\n  * one more\n  * two\n\n    ls\n\n  a          b\n"
      .. "  long cell  x\n", text)
  end)

  it("breaks long paragraphs", function()
    for line in prose(("word "):rep(100)):gmatch("[^\n]+") do assert.is_true(#line <= 88) end
  end)
end)

describe("the glossary", function()
  it("is in the manual, and found in any case", function()
    assert.matches("| TTFT | time to first token |", manual.text("glossary"), 1, true)
    assert.equal("TTFT", glossary.find("ttft")[1])
    assert.equal("P50", glossary.find("P99")[1])
    assert.is_nil(glossary.find("no such word"))
  end)

  it("has every word once", function()
    local seen = {}
    for _, name in ipairs(glossary.names()) do
      assert.is_nil(seen[name:lower()], name)
      seen[name:lower()] = true
    end
  end)

  -- Names of things in the catalog (H100-SXM, OCI) are no abbreviations of ours.
  local function names_in_catalog()
    local names = {}
    for _, kind in ipairs({ "prices", "devices", "models" }) do
      local text = files.read(here .. "/../../lua/ballpark/catalog/" .. kind .. ".lua")
      for name in text:gmatch("%f[%w]%u%w*") do names[name] = true end
    end
    return names
  end

  -- Short words with two capitals or more, and the small ones that head columns of plans.
  local function abbreviations()
    local found = {}
    for _, name in ipairs(files.list(here .. "/../golden")) do
      local is_report = name:find("%.txt$") and not name:find("^e[mx]") and name ~= "help.txt"
      if is_report then
        for word in files.read(here .. "/../golden/" .. name):gmatch("%f[%w_%-%.]%a+%f[^%w_%-%./]") do
          local capitals = select(2, word:gsub("%u", ""))
          if #word <= 6 and capitals >= 2 then found[word] = name end
        end
      end
    end
    for _, word in ipairs({ "tp", "pp", "vpp", "dp", "cp", "ep", "etp", "mb", "tok", "KV", "TTFT", "TPOT", "ITL", "E2E",
      "MLA", "GQA", "FSDP", "HSDP", "SLO", "PUE", "P90" }) do
      found[word] = found[word] or "reports"
    end
    return found
  end

  it("lets explain answer for every label of a page of ask", function()
    local ask, show = require("ballpark.questions.ask.run"), require("ballpark.questions.ask.show")
    local all, asked, unknown = index.build(), 0, {}
    for _, text in ipairs({ "train 7B on 1T tokens with 256 H100", "serve llama 70b at 20 rps on H100", "chinchilla optimal for 1e24 FLOP",
      "checkpoint 70B every hour to storage at 20 GB/s",
      "100k documents through bge-m3", "1M images per day through a ViT-L", "100M vectors of 1024 dims, 500 qps, p99 20 ms, vector search",
      "100 GPU cluster with 30 users, 5 jobs each per day of 4 GPUs for 2 hours", "store 1B vectors of 768 dims" }) do
      local r = result.new({})
      show.answer(r, ask.run({ text = text }))
      for _, fact in ipairs(r:scalars()) do
        if fact.title and fact.title ~= "" and not fact.hide then
          asked = asked + 1
          local known = index.called(all, fact.title) ~= nil or index.find(all, fact.title).label ~= nil
          if not known then unknown[#unknown + 1] = fact.title .. " of " .. text end
        end
      end
    end
    assert.equal("", table.concat(unknown, "\n"))
    assert.is_true(asked > 60)
  end)

  it("lets explain answer for every abbreviation that a report prints", function()
    local all, known, asked = index.build(), names_in_catalog(), 0
    for word, where in pairs(abbreviations()) do
      local found = index.find(all, word)
      if not known[word] then
        asked = asked + 1
        assert.is_true((found.word or found.unit or found.kernel or found.topic or #found.fields > 0) and true or false,
          where .. " prints " .. word)
      end
    end
    assert.is_true(asked >= 25)
  end)
end)
