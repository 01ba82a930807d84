-- The JSON Schema of answers: made from the fields that the writer writes, and no field goes unnoticed.
local document = require("ballpark.report.document")
local errors = require("ballpark.errors")
local json = require("ballpark.json")
local question_schema = require("ballpark.cli.question_schema")
local questions = require("ballpark.questions")
local report = require("ballpark.report")
local result = require("ballpark.result")

local function record(name)
  for _, known in ipairs(questions.records()) do
    if known.name == name then return known end
  end
end

-- What a value has and its schema does not allow, for the words of schemas that are used here.
local function fault(value, schema, all, path)
  if schema["$ref"] then schema = all["$defs"][schema["$ref"]:match("[^/]+$")] end
  if type(value) ~= "table" then return nil end
  for _, name in ipairs(schema.required or {}) do
    if value[name] == nil then return path .. "." .. name .. " is missing" end
  end
  for name, item in pairs(value) do
    local inner = schema.items or (schema.properties or {})[name] or schema.additionalProperties
    if inner == false or inner == nil and schema.properties then return path .. "." .. name .. " is not declared" end
    local found = inner and fault(item, inner, all, path .. "." .. name)
    if found then return found end
  end
end

describe("the JSON Schema of an answer", function()
  local function answered()
    local r = result.new({ command = "run", title = "title" })
    r:facts({ name = "answer", title = "Answer", items = { { name = "step_s", value = 2.5, unit = "s", title = "Step" } } })
    r:table({ name = "plans", title = "Plans", columns = { { name = "tp", unit = "", title = "tp" } }, rows = { { 4 }, { 8 } } })
    return json.decode(report.render(r, "json"))
  end

  it("holds what a report has", function()
    local schema = question_schema.any()
    assert.is_nil(fault(answered(), schema, schema, "report"))
  end)

  it("refuses what is missing and what nobody declared", function()
    local schema, short, more = question_schema.any(), answered(), answered()
    short.assumed = nil
    assert.equal("report.assumed is missing", fault(short, schema, schema, "report"))
    more.tables.plans.colour = "red"
    assert.equal("report.tables.plans.colour is not declared", fault(more, schema, schema, "report"))
    assert.has_error(function() document.part("lint", { colour = "red" }) end)
  end)

  it("names question and version, and the question's input", function()
    for _, known in ipairs(questions.records()) do
      local schema = question_schema.answer(known)
      assert.equal("urn:ballpark:answer:" .. known.name .. ":" .. document.version, schema["$id"])
      assert.equal("object", schema["$defs"].input.type)
    end
    assert.is_table(question_schema.answer(record("serve"))["$defs"].input.properties.load)
    local of_training = question_schema.answer(record("search")).properties.facts.properties.answer.allOf[2]
    assert.equal("frac", of_training.properties.values.properties.mfu_frac["x-unit"])
  end)

  it("is an error for a question that there is not", function()
    local schema = require("ballpark.cli.schema")
    assert.matches("did you mean 'serve'", errors.catch(schema.run, { question = "serv" }))
  end)
end)
