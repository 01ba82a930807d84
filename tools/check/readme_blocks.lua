-- The marked blocks of README.md and of tests/validate/README.md: what the program prints when it is asked what the
-- block shows. `output` is a function from the arguments of a command line to what it prints.
local json = require("ballpark.json")
local row_names = require("ballpark.measured.row_names")
local statistics = require("ballpark.validate.statistics")

local readme_blocks = {}

-- The answer as far as the tables of where memory and time go, or whole where it has none.
local function quickstart(output)
  local text = output("run scenarios/quickstart.lua")
  local ends = text:find("\nMemory per device", 1, true)
  return "```\n" .. text:sub(1, ends and ends - 1) .. "```"
end

local function percent(value) return value and ("%.1f"):format(100 * value) or "–" end

-- Tables that are shipped: the command that scores one, what its rows are, and what each of its metrics is.
local TABLES = {
  { "training tests/validate/training_megatron.csv", "training, Megatron" },
  { "training tests/validate/training_frameworks.csv", "training, other frameworks" },
  { "training tests/validate/training_moe.csv", "training, experts" },
  { "training tests/validate/training_memory.csv", "training, memory" },
  { "training tests/validate/training_published.csv", "training, well-known runs" },
  { "finetuning tests/validate/finetuning.csv", "fine-tuning" },
  { "serving tests/validate/serving.csv", "serving" },
  { "throughput tests/validate/throughput.csv", "engines at full load" },
  { "memory tests/validate/memory.csv", "memory of engines" },
  { "inference tests/validate/inference.csv", "inference" },
  { "local tests/validate/local.csv", "one local sequence" },
}

-- Metrics of tables with several, in the order they are shown, with their words.
local METRICS = { { "ttft_ms", "TTFT" }, { "tpot_ms", "TPOT" }, { "e2e_ms", "E2E" },
  { "tokens_per_s", "tokens per second" }, { "generation", "generation" }, { "prompt", "prompt" },
  { "weights_gib", "weights" }, { "kv_tokens", "tokens of the KV cache" },
  { "fits", "starts or does not (share wrong)" }, { "encoder", "encoders" }, { "vision", "image transformers" },
  { "convnet", "convolutional networks" }, { "recommendation", "recommendation" }, { "search", "vector search" },
  { "recall", "recall of vector search" } }

local function row(name, what, s)
  return ("| %s: %s | %d of %d | %s | %s | %s |"):format(name, what, s.covered, s.rows, percent(s.mape),
    percent(s.median_ape), percent(s.within_interval))
end

local function accuracy_rows(lines, name, report)
  if report.metrics then
    for _, metric in ipairs(METRICS) do
      local summary = report.metrics[metric[1]]
      if summary then lines[#lines + 1] = row(name, metric[2], summary) end
    end
    return
  end
  if report.summary.rows > 0 then lines[#lines + 1] = row(name, "step time", report.summary) end
  if report.memory.rows > 0 then lines[#lines + 1] = row(name, "peak memory", report.memory) end
end

local function accuracy(output)
  local lines = { "| published and shipped | answered | mean error, % | median, % | inside the 80 % range, % |",
    "|---|---|---|---|---|" }
  for _, source in ipairs(TABLES) do
    accuracy_rows(lines, source[2], json.decode(output("validate " .. source[1] .. " -f json")))
  end
  return table.concat(lines, "\n")
end

local function by_group(report)
  local groups = {}
  for _, group in ipairs(report.groups) do groups[group.group] = group end
  return groups
end

local function pair(name, rows, fit, out)
  return ("| %s | %s | %s | %s | %s | %s | %s |"):format(name, rows, percent(fit.mape), percent(fit.median_ape),
    percent(out.mape), percent(out.median_ape), percent(out.within_interval))
end

local PAIR_HEAD = "| %s | rows | in the fit: mean, %% | median, %% | left out: mean, %% | median, %% | held, %% |\n"
  .. "|---|---|---|---|---|---|---|"

local function summary_lines(fit, out)
  local all, rest = fit.summary, out.summary
  return { pair("all rows", all.covered .. " of " .. all.rows, all, rest),
    ("| mean of families of ten rows | | %s | | %s | | %s |"):format(percent(all.mean_family_mape),
      percent(rest.mean_family_mape), percent(rest.mean_family_within_interval)) }
end

-- Families kept apart are in no fit: the figures of what is shipped say as much as those of a fit without them.
local function family_lines(fit, out, apart)
  local others, lines, kept = by_group(out), {}, {}
  for _, family in ipairs(apart) do kept[family] = true end
  for _, group in ipairs(fit.groups) do
    local name = kept[group.group] and group.group .. " (in no fit)" or group.group
    lines[#lines + 1] = pair(name, group.covered, group, others[group.group])
  end
  return lines
end

local function titled(title, lines) return PAIR_HEAD:format(title) .. "\n" .. table.concat(lines, "\n") end

-- What `validate --where` says of groups that are no families.
local function where_lines(groups)
  local lines = { "| metric | by | group | rows | mean, % | median, % | signed, % | of rows, % | of error, % |",
    "|---|---|---|---|---|---|---|---|---|" }
  for _, group in ipairs(groups) do
    if group.by ~= "family" then
      lines[#lines + 1] = ("| %s | %s | %s | %d | %s | %s | %s | %s | %s |"):format(group.metric, group.by, group.group,
        group.covered, percent(group.mape), percent(group.median_ape), percent(group.bias),
        percent(group.rows_frac), percent(group.error_frac))
    end
  end
  return table.concat(lines, "\n")
end

local BLOCKS = { { "quickstart", quickstart }, { "accuracy", accuracy } }

-- Where the content of a block starts and ends.
local function span(text, name)
  local first, last = "<!-- " .. name .. " begin -->\n", "\n<!-- " .. name .. " end -->"
  local _, from = text:find(first, 1, true)
  local to = text:find(last, 1, true)
  assert(from and to, "there is no block " .. name)
  return from, to
end

local function fill(text, name, content)
  local from, to = span(text, name)
  return text:sub(1, from) .. content .. text:sub(to)
end

--- The text with every block as the program prints it now.
function readme_blocks.filled(text, output)
  for _, block in ipairs(BLOCKS) do text = fill(text, block[1], block[2](output)) end
  return text
end

-- The figures of timed rows that do not disagree with their own twins.
local function agreeing(rows, flags)
  local flagged, list = row_names.read(flags), {}
  for _, timed in ipairs(rows) do
    if timed.error and timed.metric ~= "peak_mem" and not flagged[timed.case_id] then list[#list + 1] = timed end
  end
  return statistics.summary(list)
end

-- What to expect of runs that nobody fitted to, as a sentence.
local function left_out_sentence(out, flags)
  local s, sound = out.summary, agreeing(out.rows, flags)
  local text = "Each source left out in turn of everything that is fitted, %d published training steps are met within "
    .. "%s %%\nin the median and %s %% in the mean, %s %% in the mean of sources of ten steps or more; %s %% of "
    .. "them are inside\ntheir 80 %% range. The %d that agree with their own twins are met within %s, %s and %s %%."
  return text:format(s.covered, percent(s.median_ape), percent(s.mape), percent(s.mean_family_mape),
    percent(s.within_interval), sound.covered, percent(sound.median_ape), percent(sound.mape),
    percent(sound.mean_family_mape))
end

-- How good the plans are that estimates choose, as a sentence.
local function choice_sentence(s)
  local text = "Of %d jobs of them that were published with several plans, the plan predicted fastest takes %s %% longer "
    .. "than\nthe fastest measured in the mean and %s %% in the median, at most 5 %% longer in %s %% of the jobs; of two "
    .. "plans %s %% are\nput in the right order, and it takes %.1f runs to come within 3 %%, %.1f in a random order."
  return text:format(s.groups, percent(s.mean_regret), percent(s.median_regret), percent(s.within_5), percent(s.pairs),
    s.runs, s.random_runs)
end

local function choice_line(name, s)
  return ("| %s | %d | %d | %s | %s | %s | %s | %.2f | %.2f |"):format(name, s.groups, s.plans, percent(s.mean_regret),
    percent(s.median_regret), percent(s.within_5), percent(s.pairs), s.runs, s.random_runs)
end

local function choice_lines(found)
  local lines = { "| family | jobs | plans | regret, % | median, % | within 5 %, % | pairs right, % | runs | at random |",
    "|---|---|---|---|---|---|---|---|---|" }
  for _, family in ipairs(found.families) do lines[#lines + 1] = choice_line(family.family, family) end
  lines[#lines + 1] = choice_line("mean of families", found.of_families)
  lines[#lines + 1] = choice_line("all jobs", found.summary)
  return table.concat(lines, "\n")
end

--- The sentences of README.md and of the manual's page on validation, and the tables of the page of the tables, with
--- the errors of families left out, of published runs in a table that is not shipped.
--- `tables`: runs, flags (of rows that disagree with their twins), skip (those and the families kept apart, which no
--- fit takes), apart (names of these).
---@param tables {runs: string, flags: string, skip: string, apart: string[]}
function readme_blocks.with_left_out(readme, manual, page, output, tables)
  local fit = json.decode(output(("validate training '%s' -f json"):format(tables.runs)))
  local left_out = ("validate training '%s' --leave-out family --skip '%s' "):format(tables.runs, "%s")
  local out = json.decode(output(left_out:format(tables.skip) .. "--where -f json"))
  local chosen = json.decode(output(left_out:format(tables.flags) .. "--choice -f json"))
  local summary = summary_lines(fit, out)
  local lines = family_lines(fit, out, tables.apart)
  table.move(summary, 1, #summary, #lines + 1, lines)
  page = fill(page, "left out", titled("family", lines))
  local sentence = left_out_sentence(out, tables.flags)
  page = fill(page, "where", where_lines(out.where))
  page, readme = fill(page, "choice", choice_lines(chosen)), fill(readme, "choice", choice_sentence(chosen.summary))
  return fill(readme, "left out", sentence), fill(manual, "left out", sentence), page
end

-- Points of serving, and those of them that no file names: how far off they are, and how many are in their range.
local function served_lines(report)
  local lines = { "| points | metric | rows | mean, % | median, % | in the 80 % range, % |", "|---|---|---|---|---|---|" }
  for _, part in ipairs({ { "all", report.metrics }, { "not flagged", report.kept } }) do
    for _, metric in ipairs({ "ttft_ms", "tpot_ms", "e2e_ms" }) do
      local s = part[2][metric]
      lines[#lines + 1] = ("| %s | %s | %d | %s | %s | %s |"):format(part[1], metric, s.covered, percent(s.mape),
        percent(s.median_ape), percent(s.within_interval))
    end
  end
  return table.concat(lines, "\n")
end

--- The page with the errors of points of a serving benchmark, with and without those that `flags` names, and where the
--- error of all sits.
function readme_blocks.with_served(page, output, points, flags)
  local report = json.decode(output(("validate serving '%s' --skip '%s' --where -f json"):format(points, flags)))
  return fill(fill(page, "served ranges", served_lines(report)), "served", where_lines(report.where))
end

--- Complaints about blocks that are not what the program prints now.
function readme_blocks.check(text, output)
  local complaints = {}
  for _, block in ipairs(BLOCKS) do
    local from, to = span(text, block[1])
    if text:sub(from + 1, to - 1) ~= block[2](output) then
      complaints[#complaints + 1] = "README.md: the block '" .. block[1]
        .. "' is not what the program prints: run tools/readme.lua"
    end
  end
  return complaints
end

--- What the program prints for these arguments, run from the folder `root`.
function readme_blocks.output(program, root)
  return function(arguments)
    local pipe = assert(io.popen(("cd '%s' && '%s' %s"):format(root, program, arguments)))
    local text = pipe:read("a")
    assert(pipe:close(), arguments .. " failed")
    return text
  end
end

return readme_blocks
