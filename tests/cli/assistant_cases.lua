-- Questions as JSON, and the server of assistants.
local json = require("ballpark.json")
local lfs = require("lfs")

-- Answers of the server to messages, by id.
local function answers_of(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do
    local message = json.decode(line)
    list[message.id or "none"] = message
  end
  return list
end

local function messages(t, name, ...)
  local lines = {}
  for i, message in ipairs({ ... }) do lines[i] = type(message) == "string" and message or json.encode(message) end
  return t:write(name, table.concat(lines, "\n") .. "\n")
end

local function request(id, method, params) return { jsonrpc = "2.0", id = id, method = method, params = params } end

return function(t)
  t:write("serve.json", '{"model": "llama-3.1-8b", "cluster": {"device": "H100", "devices": 1}, "load": {"concurrency": 4}}')
  t:write("wrong.json", '{"model": "llama-3.1-8b", "cluster": {"device": "H10", "devices": 1}}')
  t:case("answer is what the same scenario prints", { "answer", "serve", after = "<serve.json", err = "", check = function(got)
    assert(json.decode(got.out).facts)
  end })
  t:case("answer says what is wrong", { "answer", "serve", after = "<wrong.json", code = 2, err = "", check = function(got)
    assert(json.decode(got.out).error.message:find("H100", 1, true))
  end })
  t:write("gap.json", '{"model": "llama-3.1-8b", "devices": ["H100", null, "L4"], "load": {"rate_per_s": 4}, "sla": {"ttft_s": 1}}')
  t:write("digits.json", '{"model": "llama-3.1-8b", "cluster": {"device": "H100", "nic_bytes_s": 1e-320}, "load": {"concurrency": 4}}')
  t:case("answer refuses a null in a list", { "answer", "serve_search", after = "<gap.json", code = 2, err = "",
    out = { "devices%[2%]", "is missing" } })
  t:case("answer refuses a number without digits in an object", { "answer", "serve", after = "<digits.json", code = 2, err = "",
    out = { "cluster%.nic_bytes_s", "must be 0 or at least" } })
  for _, folder in ipairs({ "own", "own/ballpark", "own/ballpark/rules" }) do lfs.mkdir(t:path(folder)) end
  t:write("own/ballpark/rules/none.lua", "return { name = 'none', reject = function() return true end }")
  t:write("plans.json", json.encode({ model = "llama-3.1-8b", cluster = { device = "H100", devices = 8 },
    job = { global_batch = 64, seq_len = 2048 }, space = { tp = { 2, 4 } } }))
  messages(t, "own_input.jsonl", { id = 1, question = "serve", input = { model = "/dev/fd/0", cluster = { device = "H100", devices = 1 },
    load = { concurrency = 4 } } }, { id = 2, question = "kernel.replicas", input = { peak_per_s = 100, capacity_per_s = 10,
    utilization_frac = 0.7 } })
  t:case("a line of questions does not read those after it", { "answer", "--lines", after = "<own_input.jsonl", err = "", check = function(got)
    local list = answers_of(got.out)
    assert(list[1].answer.error.message:find("the questions come from there", 1, true) and list[2].code == 0)
  end })
  t:case("confined answers run no rules of the team's folder", { "answer", "search", "--confined", after = "<plans.json", err = "",
    before = "XDG_CONFIG_HOME='" .. t:path("own") .. "'", check = function(got)
      assert(json.decode(got.out).facts, "no answer")
    end })
  t:case("answers that are not confined do", { "answer", "search", after = "<plans.json", code = 1, err = "", out = "none",
    before = "XDG_CONFIG_HOME='" .. t:path("own") .. "'" })
  t:case("answer of an unknown question", { "answer", "serv", after = "<serve.json", code = 2, err = "",
    out = "did you mean 'serve'" })
  messages(t, "lines.jsonl", { id = 7, question = "kernel.replicas", input = { peak_per_s = 100, capacity_per_s = 10,
    utilization_frac = 0.7 } }, "not JSON", { id = 8, question = "kernel.mfu" })
  t:case("answer JSON lines", { "answer", "--json-lines", after = "<lines.jsonl", err = "", out = "\n.*\n.*\n" })
  t:case("answer line by line", { "answer", "--lines", after = "<lines.jsonl", err = "", check = function(got)
    local lines = {}
    for line in got.out:gmatch("[^\n]+") do lines[#lines + 1] = json.decode(line) end
    assert(#lines == 3 and lines[1].id == 7 and lines[1].answer.needed == 15)
    assert(lines[2].code == 2 and lines[3].id == 8 and lines[3].answer.error.path == "params")
  end })

  messages(t, "mcp.jsonl", request(1, "initialize", { protocolVersion = "2025-06-18" }),
    { jsonrpc = "2.0", method = "notifications/initialized" }, request(2, "tools/list"),
    request(3, "tools/call", { name = "fit", arguments = { model = "llama-3.1-8b", on = "RTX 4090" } }),
    request(4, "tools/call", { name = "estimate", arguments = { model = "/etc" } }),
    request(5, "tools/call", { name = "search", arguments = { rules = { "x.lua" } } }),
    request(6, "resources/read", { uri = "ballpark://manual/units" }), request(7, "resources/read", { uri = "file:///etc/passwd" }),
    request(8, "no/method"), "{", request(9, "tools/call", { name = "explain", arguments = { name = "--help" } }))
  t:case("mcp answers and refuses", { "mcp", after = "<mcp.jsonl", err = "", check = function(got)
    local a = answers_of(got.out)
    assert(a[1].result.protocolVersion == "2025-06-18" and a[1].result.serverInfo.name == "ballpark")
    assert(#a[2].result.tools == 10 and a[2].result.tools[1].inputSchema.type == "object")
    assert(a[3].result.isError == false and a[3].result.content[1].text:find("GiB", 1, true))
    assert(a[4].result.isError and a[4].result.content[1].text:find("outside of the folder", 1, true))
    assert(a[5].error.message:find("rules", 1, true))
    assert(a[6].result.contents[1].text:find("# units", 1, true))
    assert(a[7].error.code == -32602 and a[8].error.code == -32601 and a.none.error.code == -32700)
    assert(a[9].result.isError)
  end })
  messages(t, "long.jsonl", request(1, "tools/call", { name = "search", arguments = { model = "llama-3.1-405b",
    cluster = { device = "H100", devices = 16384 }, job = { global_batch = 16384, seq_len = 8192 } } }))
  t:case("mcp ends a call that takes too long", { "mcp", "--call-seconds", "0.05", after = "<long.jsonl", err = "",
    check = function(got) assert(answers_of(got.out)[1].result.isError) end })
  local search = { name = "search", arguments = { model = "llama-3.1-405b", cluster = { device = "H100", devices = 16384 },
    job = { global_batch = 16384, seq_len = 8192 } } }
  local function cancelled(id) return { jsonrpc = "2.0", method = "notifications/cancelled", params = { requestId = id } } end
  messages(t, "cancelled.jsonl", request(1, "tools/call", search), request("second", "tools/call", search), request(3, "ping"),
    cancelled("second"), cancelled(7), cancelled(1))
  t:case("mcp ends a call that its client cancels, and one that waits", { "mcp", after = "<cancelled.jsonl", err = "",
    check = function(got)
      local a = answers_of(got.out)
      assert(a[1] == nil and a.second == nil and a[3].result, got.out)
    end })
  -- What a client sends that means no harm to itself: each is answered, and so is what comes behind it.
  local long = ("A"):rep(1 << 20)
  messages(t, "strange.jsonl", request(1, "tools/call", { name = "fit", arguments = "llama-3.1-8b" }),
    request(2, "tools/call", { name = "explain", arguments = { name = long } }),
    request(3, "tools/call", { name = "catalog", arguments = { kind = "devices", name = long } }),
    request(4, "tools/call", { name = "explain", arguments = { name = { "gemm" } } }), request(5, "tools/call", { name = { "fit" } }),
    request(6, "tools/call", { name = "fit", arguments = 7 }), request(7, "resources/read", { uri = "ballpark://catalog/-owritten" }),
    request(8, "resources/read", { uri = "ballpark://catalog/--help" }),
    request(9, "tools/call", { name = "explain", arguments = { name = "gemm\0" } }), request(10, "ping"),
    request(11, "tools/call", { name = "explain", arguments = { name = "--" } }),
    request(12, "tools/call", { name = "catalog", arguments = { kind = "models", name = t.root .. "/scenarios/models/llama-3.1-70b" } }),
    request(json.object({}), "ping"))
  t:case("mcp answers strange messages and goes on", { "mcp", after = "<strange.jsonl", err = "", check = function(got)
    local a = answers_of(got.out)
    for id = 1, 9 do
      assert(a[id].error.code == -32602 and #a[id].error.message < 300, a[id].error.message)
      assert(not a[id].error.message:find("0x", 1, true), a[id].error.message)
    end
    assert(a[10].result)
    assert(a[11].error.message == "name: names nothing: '--'", a[11].error.message)
    assert(a[12].result.isError and a[12].result.content[1].text:find("outside of the folder", 1, true), got.out)
    assert(a.none.error.code == -32600 and a.none.error.message:find("an id is", 1, true))
  end })
  -- A comment, which the decoder skips, hides no depth.
  local deep = ("["):rep(60000) .. ("]"):rep(60000)
  messages(t, "deep.jsonl", '/*"*/{"jsonrpc":"2.0","method":"ping","id":' .. deep .. "}", '//"\r{"jsonrpc":"2.0","method":"ping","id":' .. deep .. "}",
    request(1, "ping"))
  t:case("mcp refuses messages that are too deep and goes on", { "mcp", after = "<deep.jsonl", err = "", check = function(got)
    assert(select(2, got.out:gsub("not JSON", "")) == 2 and answers_of(got.out)[1].result, got.out)
  end })
  messages(t, "deep-lines.jsonl", '/*"*/{"question":"fit","id":' .. deep .. "}", { id = 2, question = "kernel.mfu" })
  t:case("answer refuses a line that is too deep and goes on", { "answer", "--lines", after = "<deep-lines.jsonl", err = "",
    out = { "the line is no JSON object", '"id":2' } })
  -- Readers of JSON differ in which of the two they take.
  messages(t, "twice.jsonl", '{"id":1,"question":"fit","question":"estimate","input":{}}', { id = 2, question = "kernel.mfu" })
  t:case("answer refuses a key that a line says twice and goes on", { "answer", "--lines", after = "<twice.jsonl", err = "",
    out = { [[\"question\" is said twice]], '"id":2' } })
  t:write("twice.json", '{"model":"llama-3.1-8b","cluster":{"device":"H100","devices":8,"devices":16}}')
  t:case("answer refuses a question that says a key twice", { "answer", "estimate", after = "<twice.json", code = 2, err = "",
    out = [[\"devices\" is said twice]] })
  messages(t, "twice-mcp.jsonl", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', request(2, "ping"))
  t:case("mcp refuses a message that says a key twice and goes on", { "mcp", after = "<twice-mcp.jsonl", err = "", check = function(got)
    local a = answers_of(got.out)
    assert(a.none.error.code == -32700 and a.none.error.message:find('"method" is said twice', 1, true) and a[2].result, got.out)
  end })
  t:write("deep.json", '/*"*/' .. deep)
  t:case("answer refuses a question that is too deep", { "answer", "estimate", after = "<deep.json", code = 2, err = "",
    out = "nested more than 200 deep" })
  for name, words in pairs({ fit = { "fit", "deep.json", "--on", "H100" },
    calibrate = { "calibrate", "serving", "deep.json", "-D", "gpu=H100", "-o", "deep.lua" } }) do
    words.code, words.out, words.err = 2, "", "^ballpark: deep%.json: [^\n]*nested more than 200 deep\n$"
    t:case(name .. " of a file that is too deep", words)
  end
  t:write("endless.jsonl", (" "):rep(17 << 20) .. "\n" .. json.encode(request(1, "ping")) .. "\n" .. ("A"):rep(17 << 20))
  t:case("mcp refuses messages that are too long, also where the input ends in one, and goes on", { "mcp", after = "<endless.jsonl",
    err = "", check = function(got)
      local a, refused = answers_of(got.out), select(2, got.out:gsub("at most 16 MiB", ""))
      assert(a[1].result and refused == 2, got.out)
    end })
  t:case("mcp says where its program is not", { "mcp", before = "BALLPARK=/no/such/program", after = "<long.jsonl", err = "",
    check = function(got)
      local answered = answers_of(got.out)[1].result
      assert(answered.isError and answered.content[1].text:find("/no/such/program", 1, true))
    end })
  -- Amid a call: the temporary file that the call reads is noted, for what is left of it.
  for _, signal in ipairs({ "INT", "TERM", "HUP" }) do
    t:case("mcp ends its call and takes its files away on " .. signal, { "mcp", after = "<long.jsonl", code = 130, out = "",
      err = "^ballpark: interrupted\n$", before = t:signal_when(signal,
        [[readlink "/proc/$(awk '{ print $NF }' /proc/$pid/task/$pid/children)/fd/0" > .input && grep -q lua_ .input]]),
      check = function()
        local input = t:read(".input"):match("[^\n]+")
        assert(not lfs.attributes(input), input)
        assert(not lfs.attributes(input .. ".folder"), input)
      end })
  end
  t:case("mcp of a folder that is not there", { "mcp", "--folder", "nowhere", code = 3, err = "nowhere: no such folder" })
  t:case("mcp with a wrong limit", { "mcp", "--call-seconds", "-1", code = 2, err = "%-%-call%-seconds: must be a number" })
end
