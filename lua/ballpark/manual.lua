-- The manual: one page of Markdown for each topic, in the folder manual beside this file. The pages of the
-- glossary and of the questions are made from their data.
local files = require("ballpark.files")

local manual = {}

--- The topics in the order a reader takes them.
manual.topics = {
  "start", "tutorial", "questions", "cookbook", "fit", "ask", "check", "lint", "scenarios", "facts", "training", "search", "tune", "budget", "serving",
  "fleets", "platforms", "latency", "inference", "media", "local",
  "finetuning", "sweeps", "compare", "pipelines", "calibrate", "validate", "others", "ranges", "limits", "rules", "trust", "emit", "units",
  "formats", "exit-codes", "cluster", "embedding", "assistants", "design", "extending", "glossary",
}

local function folder() return (assert(package.searchpath("ballpark.manual", package.path)):gsub("%.lua$", "")) end

--- Where the page of a topic is.
function manual.path(topic) return folder() .. "/" .. topic .. ".md" end

--- Whether there is a page of this name.
function manual.has(topic)
  for _, known in ipairs(manual.topics) do
    if known == topic then return true end
  end
  return false
end

-- The glossary as the table its page ends with.
local function glossary_table()
  local lines = { "| short | long | meaning |", "|---|---|---|" }
  for _, entry in ipairs(require("ballpark.manual.glossary").entries) do
    lines[#lines + 1] = ("| %s | %s | %s |"):format(entry[1], entry[2], entry[3])
  end
  return table.concat(lines, "\n") .. "\n"
end

-- The questions of their page, each above its command.
local function question_lists()
  local parts = {}
  for _, group in ipairs(require("ballpark.manual.questions")) do
    local lines = { "## " .. group[1], "", "```text" }
    for _, question in ipairs(group[2]) do
      lines[#lines + 1] = "# " .. question[1]
      lines[#lines + 1] = question[2]
    end
    parts[#parts + 1] = table.concat(lines, "\n") .. "\n```\n"
  end
  return table.concat(parts, "\n")
end

-- What pages end with that are made from data.
local MADE <const> = { glossary = glossary_table, questions = question_lists }

--- The page of a topic, Markdown.
function manual.text(topic)
  local text = files.read(manual.path(topic))
  return MADE[topic] and text .. "\n" .. MADE[topic]() or text
end

--- The line that says what a page is about: its title without the topic's name.
function manual.title(topic) return (manual.text(topic):match("^# [^\n:]*: ([^\n]*)")) end

return manual
