-- What busted prints: nothing about a test that passes, place and message of one that does not, and
-- the totals in the words every runner of this project ends with.
return function(options)
  local busted = require("busted")
  local pretty = require("pl.pretty")
  local handler = require("busted.outputHandlers.base")()

  local function show(kind, failure)
    local trace = failure.trace or failure.element.trace or {}
    local message = failure.message
    if type(message) ~= "string" then
      message = message == nil and "no message" or pretty.write(message)
    end
    print(("--- %s: %s"):format(kind, failure.name))
    print(("%s:%s"):format(trace.short_src or "?", trace.currentline or "?"))
    print(message)
    if failure.isError and trace.traceback then print((trace.traceback:gsub("^\n", ""))) end
  end

  local function suite_end()
    for _, failure in ipairs(handler.failures) do show("failed", failure) end
    for _, failure in ipairs(handler.errors) do show("error", failure) end
    for _, pending in ipairs(handler.pendings) do show("skipped", pending) end
    local failed = #handler.failures + #handler.errors
    local skipped = #handler.pendings > 0 and (", " .. #handler.pendings .. " skipped") or ""
    print(("%d passed, %d failed%s"):format(handler.successesCount, failed, skipped))
    return nil, true
  end

  local function test_end(_, _, status)
    if options.verbose and status == "success" then
      print("ok: " .. handler.successes[#handler.successes].name)
    end
    return nil, true
  end

  busted.subscribe({ "test", "end" }, test_end)
  busted.subscribe({ "suite", "end" }, suite_end)
  return handler
end
