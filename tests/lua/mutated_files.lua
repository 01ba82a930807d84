-- Files that the program reads, good ones and such as came to harm: for every reader a command line and what its files
-- hold. Whatever is in them, the program answers (exit code 0 or 1) or refuses in one line (2).
local read = require("ballpark.files").read

local mutated_files = {}

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- The header and the first rows of a table of measurements.
local function head(name, rows)
  local text, at = read(here .. "/../validate/" .. name .. ".csv"), 0
  for _ = 1, (rows or 3) + 1 do at = text:find("\n", at + 1, true) end
  return text:sub(1, at)
end

local RUNS <const> = "case_id,family,year,model,gpu,gpus,seq_len,tp,pp,zero,recompute,micro_batch,global_batch_seqs,"
  .. "framework,step_s\n"

local function runs()
  local list = { RUNS }
  for i = 1, 6 do
    list[#list + 1] = ("r%d,mine,2025,llama-3.1-8b,H100-SXM-80GB,16,2048,%d,1,1,full,1,%d,megatron,%.1f\n"):format(i,
      i % 2 + 1, 16 * i, 0.6 * i + 0.1)
  end
  return table.concat(list)
end

local function sweep()
  local list = { "engine,model,gpu,tp,input_len,output_len,concurrency,tpot_ms,ttft_ms\n" }
  for _, n in ipairs({ 1, 4, 16, 32, 64 }) do
    list[#list + 1] = ("vllm,llama-3.1-8b,H100-SXM-80GB,1,1024,128,%d,%.2f,%.1f\n"):format(n, 7 + n / 16, 40 + 3 * n)
  end
  return table.concat(list)
end

local BENCH <const> = '{"date": "20260101-000000", "backend": "vllm", "model_id": "llama-3.1-8b", "num_prompts": 80, '
  .. '"request_rate": "inf", "max_concurrency": %d, "duration": 10.0, "completed": 80, "total_input_tokens": 81920, '
  .. '"total_output_tokens": 10240, "mean_ttft_ms": %d.5, "mean_tpot_ms": %d.25, "input_lens": [' .. ("1024, "):rep(79)
  .. '1024], "output_lens": [' .. ("128, "):rep(79) .. "128]}"

local function training_log()
  local list = {}
  for i = 1, 9 do
    list[i] = (" iteration %d/ 9 | elapsed time per iteration (ms): 90%d.0 | global batch size: 64 | lm loss: 2.5E+00 |\n")
      :format(i, i)
  end
  return table.concat(list)
end

local CONFIG <const> = '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, '
  .. '"intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32, '
  .. '"vocab_size": 128256, "head_dim": 128, "tie_word_embeddings": false, "max_position_embeddings": 131072, '
  .. '"torch_dtype": "bfloat16", "rope_scaling": {"factor": 8.0}, "quantization_config": {"bits": 4, '
  .. '"quant_method": "awq", "group_size": 128}}'

local JOBS <const> = "id,submit,start,end,devices,class\na,2026-01-01T00:00:00,2026-01-01T00:10:00,2026-01-01T03:00:00,8,x\n"
  .. "b,2026-01-01T01:00:00,2026-01-01T03:10:00,2026-01-01T05:00:00,16,y\n"
  .. "c,2026-01-01T02:00:00,2026-01-01T02:10:00,2026-01-01T02:20:00,1,x\n"

local SACCT <const> = "JobID|Account|Submit|Start|End|AllocTRES|State\n"
  .. "1|a|2026-01-01T00:00:00|2026-01-01T00:10:00|2026-01-01T03:00:00|cpu=8,gres/gpu=8,node=1|COMPLETED\n"
  .. "2|b|2026-01-01T01:00:00|Unknown|Unknown|cpu=8,gres/gpu=4,node=1|CANCELLED by 5\n"
  .. "3|b|2026-01-01T01:00:00|2026-01-01T03:10:00|2026-01-02T03:00:00|gres/gpu=16,node=2|TIMEOUT\n"

local SERVE <const> = "show(serve { model = 'llama-3.1-8b', cluster = cluster { device = 'H100', devices = 1 }, engine = %s, "
  .. "%s })\n"

local SMALL <const> = "show(search { model = model 'llama-3.1-8b', cluster = cluster { device = 'H100', devices = 8 }, "
  .. "job = { global_batch = 64, seq_len = 2048 }, space = { tp = { 1, 2 }, pp = 1, recompute = 'none', micro_batch = 1 } })\n"

local SEARCH <const> = "search --model llama-3.1-8b --device H100 --devices 8 --global-batch 64 --seq-len 2048 --tp 2 "

local SWEPT <const> = "local tp = param('tp', 1)\nshow(estimate { model = model 'llama-3.1-8b', "
  .. "cluster = cluster { device = 'H100', devices = 8 }, job = { global_batch = 64, seq_len = 2048 }, plan = { tp = tp } })\n"

local ESTIMATE <const> = "show(estimate { model = model '%s', cluster = cluster { device = 'H100', devices = 8 }, "
  .. "job = { global_batch = 64, seq_len = 2048 }, plan = { tp = 2 }%s })\n"

--- Readers: { name, words of the command line, harmed file, files by name, made = command lines that write a file
--- before, quiet = true where errors are a part of the answer }; @ in a word is the folder of the files.
mutated_files.readers = {
  { "training", "validate training @/t.csv", "t.csv", { ["t.csv"] = head("training_moe") } },
  { "training memory", "validate training @/t.csv", "t.csv", { ["t.csv"] = head("training_memory") } },
  { "serving", "validate serving @/t.csv", "t.csv", { ["t.csv"] = head("serving") } },
  { "throughput", "validate throughput @/t.csv", "t.csv", { ["t.csv"] = head("throughput") } },
  { "inference", "validate inference @/t.csv", "t.csv", { ["t.csv"] = head("inference") } },
  { "local", "validate local @/t.csv", "t.csv", { ["t.csv"] = head("local") } },
  { "memory", "validate memory @/t.csv", "t.csv", { ["t.csv"] = head("memory") } },
  { "finetuning", "validate finetuning @/t.csv", "t.csv", { ["t.csv"] = head("finetuning") } },
  { "requests", "validate requests @/t.csv @/m.json", "t.csv",
    { ["t.csv"] = head("requests", 12), ["m.json"] = read(here .. "/../validate/requests.json") } },
  { "about requests", "validate requests @/t.csv @/m.json", "m.json",
    { ["t.csv"] = head("requests", 12), ["m.json"] = read(here .. "/../validate/requests.json") } },
  { "runs", "calibrate @/t.csv --few -o @/p.lua", "t.csv", { ["t.csv"] = runs() } },
  { "sweep", "calibrate serving @/t.csv -o @/e.lua", "t.csv", { ["t.csv"] = sweep() } },
  { "results of a benchmark", "calibrate serving @/a.json @/b.json @/c.json @/d.json @/e.json -D gpu=H100 -o @/x.lua", "b.json",
    { ["a.json"] = BENCH:format(4, 50, 8), ["b.json"] = BENCH:format(16, 80, 9), ["c.json"] = BENCH:format(64, 200, 11),
      ["d.json"] = BENCH:format(32, 120, 10), ["e.json"] = BENCH:format(8, 60, 8) } },
  { "a training log", "calibrate @/t.log -D model=llama-3.1-8b -D gpu=H100 -D gpus=16 -D seq_len=2048 -D tp=2 --few -o @/p.lua",
    "t.log", { ["t.log"] = training_log() } },
  { "measured plans", "tune @/s.lua --measured @/t.csv", "t.csv", { ["s.lua"] = SMALL,
    ["t.csv"] = "tp,pp,zero,recompute,micro_batch,step_s\n1,1,1,none,1,2.5\n2,1,1,none,1,2.9\n" } },
  { "jobs", "platform @/t.csv --nodes 4 --node-size 8", "t.csv", { ["t.csv"] = JOBS } },
  { "jobs of sacct", "platform @/t.csv --nodes 4 --node-size 8", "t.csv", { ["t.csv"] = SACCT } },
  { "a trace", "run @/s.lua", "t.csv", { ["s.lua"] = SERVE:format("'vllm'", "trace = 't.csv'"),
    ["t.csv"] = "arrival_s,input_tokens,output_tokens\n0,500,20\n0.5,700,10\n1.25,90,30\n" } },
  { "lengths", "run @/s.lua", "t.csv", { ["s.lua"] = "show(finetune { model = 'llama-3.1-8b', method = 'lora', "
    .. "cluster = cluster { device = 'H100', devices = 1 }, lengths = 't.csv' })\n", ["t.csv"] = "tokens\n512\n1024\n90\n2048\n" } },
  { "config.json", "run @/s.lua", "config.json", { ["s.lua"] = ESTIMATE:format("config.json", ""), ["config.json"] = CONFIG } },
  { "a profile", "run @/s.lua", "p.lua", { ["s.lua"] = ESTIMATE:format("llama-3.1-8b", ", profile = 'p.lua'"),
    ["t.csv"] = runs() }, made = { "calibrate @/t.csv --few -o @/p.lua" } },
  { "an engine", "run @/s.lua", "e.lua", { ["s.lua"] = SERVE:format("'e.lua'", "load = { input_tokens = 500, output_tokens = 50 }"),
    ["t.csv"] = sweep() }, made = { "calibrate serving @/t.csv -o @/e.lua" } },
  { "a part", "merge @/a.json @/b.json", "b.json", {}, made = { SEARCH .. "--shard 1/2 -o @/a.json",
    SEARCH .. "--shard 2/2 -o @/b.json" } },
  { "rows to resume", "sweep @/s.lua --axis tp=1,2,4 --resume -o @/r.jsonl", "r.jsonl", { ["s.lua"] = SWEPT },
    made = { "sweep @/s.lua --axis tp=1,2,4 --resume -o @/r.jsonl" } },
  { "a question in JSON", "answer estimate @<q.json", "q.json", { ["q.json"] = '{"model": "llama-3.1-8b", "cluster": {"device": "H100", '
    .. '"devices": 8}, "job": {"global_batch": 64, "seq_len": 4096}, "plan": {"tp": 2}}' },
    quiet = true },
  { "a rule", "run @/s.lua --rules @/x.lua", "x.lua", { ["s.lua"] = SMALL,
    ["x.lua"] = "return { name = 'wide', score = function(c) return c.tp * 2.5 + c.step_s / 1e-3 end }\n" } },
  { "a scenario", "run @/s.lua", "s.lua", { ["s.lua"] = SMALL .. ESTIMATE:format("llama-3.1-8b", "") } },
}

local CELLS <const> = { "", "-1", "0", "1e308", "1e-320", "1e400", "nan", "inf", "-inf", "0x10", "true", "null", "abc",
  "9999999999999999999", "1.5", "\xff\xfe", "\0", ",", '"', "\n", "2147483648", "7", "{}", "[]", "[[", "-0.0", "1e-9",
  "\27[2J", "</script>" }

--- The text with a few numbers, words or stretches of it replaced.
---@param random fun(...): integer
function mutated_files.mutated(random, text)
  for _ = 1, random(1, 4) do
    local at, cell = random(1, math.max(#text, 1)), CELLS[random(#CELLS)]
    local first, last = text:find(random(3) > 1 and "[%d%.]+" or "[%w_%-]+", at)
    if random(8) == 1 or not first then first, last = at, at + random(0, 30) end
    text = text:sub(1, first - 1) .. cell .. text:sub(last + 1)
  end
  return text
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function line_of(program, folder, words)
  local parts, input = { quoted(program) }, "</dev/null"
  for word in words:gmatch("%S+") do
    if word:sub(1, 2) == "@<" then
      input = "<" .. quoted(folder .. "/" .. word:sub(3))
    else
      parts[#parts + 1] = quoted((word:gsub("@", folder)))
    end
  end
  return table.concat(parts, " ") .. " " .. input
end

--- Writes the good files of a reader into the folder; gives back the text of the one that is to be harmed.
function mutated_files.prepare(program, folder, reader)
  for name, text in pairs(reader[4]) do write(folder .. "/" .. name, text) end
  for _, words in ipairs(reader.made or {}) do
    local line = line_of(program, folder, words)
    local ok, _, code = os.execute(line .. " >/dev/null 2>&1")
    assert(ok or code == 1, line)
  end
  return read(folder .. "/" .. reader[3])
end

--- Runs a reader with this text in its file.
---@return integer code
---@return string err what the program said
function mutated_files.run(program, folder, reader, text)
  write(folder .. "/" .. reader[3], text)
  local line = line_of(program, folder, reader[2]) .. " >/dev/null 2>" .. quoted(folder .. "/err")
  local _, how, code = os.execute("timeout 60 " .. line)
  return how == "exit" and code or 128 + code, read(folder .. "/err")
end

--- What is wrong with how the program ended; nil: nothing.
function mutated_files.wrong(reader, code, err)
  if code == 0 or code == 1 then return nil end
  if code ~= 2 and code ~= 4 then return "exit code " .. code end
  local _, lines = err:gsub("\n", "\n")
  return lines ~= (reader.quiet and 0 or 1) and lines .. " lines of error" or err:find("[%z\1-\9\11-\31\127]") and "a control character" or nil
end

return mutated_files
