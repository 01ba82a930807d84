-- A shell script as far as it can be known without running it: the words of the commands that it starts. Conditions on what
-- the script does not say are tried both ways, one at a time, and each way is a reading of its own.
local condition = require("ballpark.from.shell.condition")
local expansion = require("ballpark.from.shell.expansion")
local syntax = require("ballpark.from.shell.syntax")
local tables = require("ballpark.tables")

local shell = {}

-- Readings that are tried, statements and letters of variables of one, and scripts inside scripts.
local MOST_READINGS <const>, MOST_STATEMENTS <const>, MOST_LETTERS <const>, DEEPEST <const> = 100, 20000, 4 << 20, 8

-- What starts a program of training or a server.
local PROGRAMS <const> = { "%.py%f[%s\"'\0]", "vllm%.entrypoints%.", "vllm%-openai[%s:]", "%f[%w]vllm%s+serve%f[%s\0]",
  "sglang%.launch_server%f[%s\0]", "trtllm%-serve%f[%s\0]" }

local function starts_program(line)
  for _, pattern in ipairs(PROGRAMS) do
    if line:find(pattern) then return true end
  end
  return false
end

-- Programs that start the one which is estimated, whatever that is called.
local STARTERS <const> = tables.set({ "torchrun", "deepspeed", "accelerate", "torch.distributed.run", "torch.distributed.launch" })
-- Commands that print or keep their words, and start none of them.
local PRINTERS <const> = tables.set({ "echo", "printf", "cat", "tee", "pip", "pip3", "mkdir", "git", "cd", "ls", "cp", "rm", "source", ".",
  "module", "trap", "set", "alias" })
local DECLARES <const>, SHELLS <const> = tables.set({ "export", "declare", "local", "readonly", "typeset" }), tables.set({ "bash", "sh", "zsh" })

local function base_name(word) return (word or ""):match("([^/]*)$") end

local run = {}
run.__index = run

-- Assignments ---------------------------------------------------------------------------------------------

-- The name and the rest of a word NAME=value; nil where it is none.
local function assignment(word)
  local first = word[1]
  if not first or not first.text or first.quoted then return nil end
  local name, op, rest = first.text:match("^([%a_][%w_]*)(%+?)=(.*)$")
  if not name then return nil end
  return name, op == "+", table.move(word, 2, #word, 2, { { text = rest } })
end

-- A script that makes more of its words than anyone writes is not run to its end.
function run:spend(letters)
  self.letters = self.letters + letters
  if self.letters > MOST_LETTERS then self.is_over, self.is_cut = true, true end
end

function run:assign(word)
  local name, is_more, rest = assignment(word)
  if not name then return false end
  local before = is_more and self.known[name] or nil
  if word.array then
    local list = {}
    for _, item in ipairs(word.array) do expansion.words(item, self.known, list) end
    self:note(list, false)
    local front = type(before) == "table" and before or { before }
    self:spend(#front + #list)
    self.known[name] = table.move(list, 1, #list, #front + 1, table.move(front, 1, #front, 1, {}))
  else
    local text = expansion.text(rest, self.known)
    if (" " .. text):find("%s%-%-%a") then self:note(expansion.split(text), false) end
    self.known[name] = expansion.joined(before or "") .. text
    self:spend(#self.known[name])
  end
  return true
end

-- Words that options may be among: of a command or of a variable.
function run:note(words, is_launch, words_as_written)
  self:spend(#words)
  if #words > 0 then
    self.noted[#self.noted + 1] = { words = words, is_launch = is_launch, is_program = is_launch and starts_program(words_as_written) }
  end
end

-- Conditions ----------------------------------------------------------------------------------------------

-- Which way a condition goes that the script does not decide: the same for all of the same words.
function run:choose(line, words, open)
  local key = table.concat(words, "\0")
  if not self.met[key] then
    self.met[key] = true
    self.points[#self.points + 1] = { key = key, line = line, open = open, text = table.concat(words, " ") }
  end
  self.last_choice = key
  return self.choices[key] ~= false
end

local TESTS <const> = { ["["] = "]", ["[["] = "]]", test = "" }

-- Whether a test holds, and the words and what is open of one that is not decided.
function run:test(statement, words, open)
  if statement.sum then
    local text, lacks = expansion.text(syntax.parts((statement.sum:sub(3, -3):gsub("%f[%w_$]([%a_][%w_]*)", "$%1"):gsub("%$%$", "$"))), self.known)
    if lacks then return nil, { statement.sum }, lacks end
    return condition.sum(text), { statement.sum }, nil
  end
  local closing = TESTS[words[1]]
  local last = words[#words] == closing and #words - 1 or #words
  if open then return nil, words, open end
  return condition.holds(table.move(words, 2, last, 1, {})), words, nil
end

-- Commands ------------------------------------------------------------------------------------------------

function run:text(text)
  if self.depth >= DEEPEST then return end
  self.depth = self.depth + 1
  self:list(syntax.read(text))
  self.depth = self.depth - 1
end

-- Scripts that a command is given: by <<EOF to a shell or to a file that is one.
function run:heredocs(statement, words)
  local is_shell = false
  for _, word in ipairs(words) do is_shell = is_shell or SHELLS[base_name(word)] or word:find("%.s%w*h$") ~= nil end
  for _, redirect in ipairs(statement.redirects) do
    is_shell = is_shell or (redirect.target or ""):find("%.s%w*h$") ~= nil or (redirect.target or ""):find("%.sl?u?r?m?batch$") ~= nil
  end
  for _, redirect in ipairs(statement.redirects) do
    local heredoc = redirect.heredoc
    if is_shell and heredoc and heredoc.text then
      self:text(heredoc.is_quoted and heredoc.text or (heredoc.text:gsub("\\([$`])", "%1")))
    end
  end
end

local function is_launch(words)
  local line = table.concat(words, " ") .. " "
  if starts_program(line) then return true end
  for i, word in ipairs(words) do
    if STARTERS[base_name(word)] and not (words[i - 1] or ""):find("^%-%-?%a") or word == "-m" and STARTERS[words[i + 1]] then return true end
  end
  return false
end

local function forget(self, words)
  for i = 2, #words do self.known[words[i]] = nil end
end

-- What a command does by its first word; nil for a program. True and false where that is its status.
local BUILT_IN <const> = {
  ["true"] = function() return true end,
  [":"] = function() return true end,
  ["false"] = function() return false end,
  exit = function(self) self.is_over = true end,
  ["return"] = function(self) self.is_back = true end,
  eval = function(self, words) self:text(table.concat(words, " ", 2)) end,
  unset = forget,
  read = forget,
}

-- Runs the program of a command as far as that is known.
function run:program(words)
  local own, scripts = {}, {}
  for i, word in ipairs(words) do
    local is_script = i > 1 and word:find("%s") and starts_program(word .. " ")
      and (SHELLS[base_name(words[i - 2])] or words[i - 1]:find("^%-%l*c$") or i == #words)
    if is_script then scripts[#scripts + 1] = word else own[#own + 1] = word end
  end
  self:note(own, #scripts > 0 or is_launch(own), table.concat(own, " ") .. " ")
  for _, text in ipairs(scripts) do self:text(text) end
end

-- Runs a command; its status, nil where that is not known, with the words that decide it and what is open in them.
function run:command(statement)
  if statement.sum then return self:test(statement, {}, nil) end
  local first = 1
  while statement.words[first] and self:assign(statement.words[first]) do first = first + 1 end
  if first > #statement.words then return true end
  local words, open = {}, nil
  for i = first, #statement.words do
    local word = statement.words[i]
    local lacks = expansion.words(word, self.known, words)
    open = open or lacks
  end
  local head = base_name(words[1])
  if DECLARES[head] then
    for i = first + 1, #statement.words do self:assign(statement.words[i]) end
    return true
  end
  if TESTS[head] then return self:test(statement, words, open) end
  if BUILT_IN[head] then return BUILT_IN[head](self, words), words, open end
  if self.functions[head] and self.depth < DEEPEST then
    self.depth = self.depth + 1
    self:list(self.functions[head])
    self.depth, self.is_back = self.depth - 1, false
  elseif PRINTERS[head] then
    self:note(words, false)
  else
    self:program(words)
  end
  self:heredocs(statement, words)
  return nil, words, open
end

-- Statements ----------------------------------------------------------------------------------------------

-- Runs statements; the status of the last, which is chosen where a branch depends on it.
function run:list(list, is_condition)
  local status = true
  for i, item in ipairs(list) do
    if self.is_over or self.is_back then return true end
    local is_skipped = item.op == "&&" and status == false or item.op == "||" and status ~= false
    if not is_skipped then
      local words, open
      status, words, open = self:statement(item.statement)
      local after = list[i + 1]
      local is_joined = after and (after.op == "&&" or after.op == "||")
      local decides = is_condition and i == #list or is_joined and words
        and (TESTS[words[1]] or item.statement.sum or after.statement.kind ~= "command" or assignment(after.statement.words[1] or {}) ~= nil)
      if status == nil and decides then status = self:choose(item.statement.line, words or {}, open) end
      if item.is_negated and status ~= nil then status = not status end
    end
  end
  return status
end

local STATEMENTS <const> = {
  group = function(self, statement) return self:list(statement.body) end,

  ["function"] = function(self, statement)
    self.functions[statement.name] = statement.body
    return true
  end,

  ["if"] = function(self, statement)
    for _, branch in ipairs(statement.branches) do
      if self:list(branch.condition, true) ~= false then return self:list(branch.body) end
    end
    return self:list(statement.otherwise or {})
  end,

  case = function(self, statement)
    local subject, open = expansion.text(statement.subject, self.known)
    for _, branch in ipairs(statement.branches) do
      local is_it, patterns = false, {}
      for i, word in ipairs(branch.patterns) do
        patterns[i] = expansion.text(word, self.known)
        is_it = is_it or condition.matches(subject, patterns[i])
      end
      if open then is_it = self:choose(statement.line, { "case", subject, table.concat(patterns, "|") }, open) end
      if is_it then return self:list(branch.body) end
    end
    return true
  end,

  -- Arguments are not known: loops over them run for none.
  loop = function(self, statement)
    if statement.is_counted then
      if statement.name then self.known[statement.name] = nil end
      return self:list(statement.body)
    end
    for _, item in ipairs(statement.condition) do
      for _, word in ipairs(item.statement.words or {}) do
        local text = expansion.text(word, {})
        if text:find("^%$[#%d]") or text == "getopts" or text == "shift" then return true end
      end
    end
    self:list(statement.condition)
    return self:list(statement.body)
  end,
}

function run:statement(statement)
  self.count = self.count + 1
  if self.count > MOST_STATEMENTS then self.is_over, self.is_cut = true, true end
  if statement.kind == "command" then return self:command(statement) end
  return STATEMENTS[statement.kind](self, statement)
end

-- Readings ------------------------------------------------------------------------------------------------

local function read(tree, headers, choices, met)
  local self = setmetatable({ known = {}, functions = {}, noted = {}, choices = choices, met = met, points = {}, depth = 0,
    count = 0, letters = 0 }, run)
  for _, words in ipairs(headers) do self:note(words, false) end
  self:list(tree)
  local launches = {}
  for i, noted in ipairs(self.noted) do
    if noted.is_launch or i <= #headers then launches[#launches + 1] = noted end
  end
  self.starts = #launches > #headers
  return self, launches
end

-- The choices by which a script does not end before it starts something, as it does where an argument is lacking.
local function usual_choices(tree)
  local choices = {}
  for _ = 1, MOST_READINGS do
    local self = read(tree, {}, choices, {})
    local key = self.last_choice
    if self.starts or not self.is_over or not key or choices[key] == false then break end
    choices[key] = false
  end
  return choices
end

--- What a script gives to the commands that start a program: words of each in order, and where it starts none, all words.
--- One reading for each way that conditions go which the script does not decide; readings that start nothing count only
--- where none does. Each but the first has the condition by which it differs from another.
---@param text string
---@return { commands: { words: string[], is_program: boolean }[], point: { line: integer, open: string|nil, text: string }|nil }[]
---@return boolean is_whole whether all of it was read, and all conditions were tried
function shell.readings(text)
  local tree, headers = syntax.read(text), {}
  for line in ("\n" .. text):gmatch("\n#SBATCH%s+([^\n]+)") do
    headers[#headers + 1] = expansion.split((line:gsub("%s#.*$", "")))
  end
  local queue, readings, starting, met = { { choices = usual_choices(tree) } }, {}, {}, {}
  local at, is_cut = 1, false
  while queue[at] and at <= MOST_READINGS do
    local one = queue[at]
    local self, launches = read(tree, headers, one.choices, setmetatable({}, { __index = met }))
    local made = { commands = self.starts and launches or self.noted, point = one.point }
    readings[#readings + 1] = made
    is_cut = is_cut or self.is_cut
    if self.starts then starting[#starting + 1] = made end
    for _, point in ipairs(self.points) do
      met[point.key] = true
      local choices = { [point.key] = false }
      for key, choice in pairs(one.choices) do choices[key] = choice end
      queue[#queue + 1] = { choices = choices, point = point }
    end
    at = at + 1
  end
  return #starting > 0 and starting or readings, queue[at] == nil and not is_cut
end

return shell
