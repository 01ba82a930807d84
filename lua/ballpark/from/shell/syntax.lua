-- The statements of a shell script, as far as they decide which words a command gets. Nothing is refused: what is no
-- shell is read as words.
local tables = require("ballpark.tables")

local syntax = {}

-- Statements inside statements; deeper ones are read as words.
local DEEPEST <const> = 60

-- Words and operators ------------------------------------------------------------------------------------

local function dollar_at(text, at)
  return text:match("^%$%b()", at) or text:match("^%$%b{}", at) or text:match("^%$[%a_][%w_]*", at) or text:match("^%$[%d@*#?!$-]", at)
end

-- Parts of a text in double quotes from `at` to its end: literal texts, and what begins with a $. Nil where the quote has
-- no end.
local function quoted_parts(text, at, parts, closing)
  local from = at
  local function add(to) parts[#parts + 1] = { text = text:sub(from, to), quoted = true } end
  while true do
    local stop = text:find('["\\$`]', at)
    if not stop then
      if not closing then add(#text) end
      return not closing and #text + 1 or nil
    end
    local char, raw = text:sub(stop, stop), nil
    at = stop + 1
    if char == '"' and closing then
      add(stop - 1)
      return stop + 1
    elseif char == "\\" then
      local escaped = text:sub(at, at)
      if escaped:find('["\\$`\n]') then
        add(stop - 1)
        if escaped ~= "\n" then parts[#parts + 1] = { text = escaped, quoted = true } end
        from, at = at + 1, at + 1
      end
    elseif char == "$" then
      raw = dollar_at(text, stop)
    elseif char == "`" then
      raw = text:match("^`[^`]*`", stop)
    end
    if raw then
      add(stop - 1)
      parts[#parts + 1] = { raw = raw, quoted = true }
      at = stop + #raw
      from = at
    end
  end
end

--- The parts of a text as in double quotes.
---@param text string
---@return table[]
function syntax.parts(text)
  local parts = {}
  quoted_parts(text, 1, parts, false)
  return parts
end

local read_array

-- A word from `at`, and where it ends.
local function read_word(text, at)
  local word = {}
  local function add(part) word[#word + 1] = part end
  while at <= #text do
    local plain = text:match("^[^%s\\'\"$`;&|<>()]+", at)
    local char = text:sub(at, at)
    if plain then
      add({ text = plain })
      at = at + #plain
    elseif char == "\\" then
      local line_end = text:match("^\\\r?\n", at)
      if not line_end then add({ text = text:sub(at + 1, at + 1), quoted = true }) end
      at = at + (line_end and #line_end or 2)
    elseif char == "'" then
      local stop = text:find("'", at + 1, true)
      add({ text = text:sub(stop and at + 1 or at, stop and stop - 1 or at), quoted = true })
      at = (stop or at) + 1
    elseif char == '"' then
      local count = #word
      local stop = quoted_parts(text, at + 1, word, true)
      if not stop then
        for i = #word, count + 1, -1 do word[i] = nil end
        add({ text = char, quoted = true })
      end
      at = stop or at + 1
    elseif char == "$" or char == "`" then
      local raw = char == "$" and dollar_at(text, at) or text:match("^`[^`]*`", at)
      add(raw and { raw = raw } or { text = char, quoted = true })
      at = at + #(raw or char)
    elseif char == "(" and #word == 1 and word[1].text and word[1].text:find("^[%a_][%w_]*%+?=$") then
      word.array, at = read_array(text, at + 1)
      return word, at
    else
      break
    end
  end
  return word, at
end

-- Where the next word may begin: behind blanks, continued lines and a comment.
local function skip_blanks(text, at)
  while true do
    local blanks = text:match("^[ \t\r]+", at) or text:match("^\\\r?\n", at) or text:match("^#[^\n]*", at)
    if not blanks then return at end
    at = at + #blanks
  end
end

function read_array(text, at)
  local items = {}
  while true do
    at = skip_blanks(text, at)
    if at > #text then return items, at end
    local char = text:sub(at, at)
    if char == ")" then return items, at + 1 end
    local word, after = read_word(text, at)
    if after > at then
      items[#items + 1] = word
      at = after
    else
      at = at + 1 -- a line end, or an operator that has no place there
    end
  end
end

-- The text that words without expansions have: reserved words and delimiters are such.
local function plain_text(word)
  local texts = {}
  for i, part in ipairs(word) do
    if not part.text then return nil end
    texts[i] = part.text
  end
  return table.concat(texts)
end

local OPERATORS <const> = { "^&&", "^||", "^;;&?", "^;&", "^[;&|()\n]" }

-- Texts that follow a line, each up to its delimiter.
local function read_heredocs(text, at, pending)
  for _, heredoc in ipairs(pending) do
    local start, found = at, nil
    while at <= #text and not found do
      local line = text:match("^[^\n]*", at)
      if line:gsub("^\t+", "") == heredoc.delimiter then
        heredoc.text, found = text:sub(start, at - 1), true
      end
      at = at + #line + 1
    end
    if not found then at = start end
  end
  return at
end

local function tokens_of(text)
  local tokens, pending, at, line, counted = {}, {}, 1, 1, 1
  local function add(token)
    local _, ends = text:sub(counted, at - 1):gsub("\n", "")
    line, counted = line + ends, math.max(at, counted)
    token.line = line
    tokens[#tokens + 1] = token
  end
  while true do
    at = skip_blanks(text, at)
    if at > #text then return tokens end
    local sum = text:match("^%(%b()%)", at)
    local redirect = text:match("^&?%d*[<>]+[&|]?", at)
    if sum then
      add({ sum = sum })
      at = at + #sum
    elseif redirect then
      local word, after = read_word(text, skip_blanks(text, at + #redirect))
      local target = plain_text(word)
      local is_here = redirect:find("^%d*<<$") and target
      local delimiter = is_here and target:gsub("^%-", "") or nil -- <<-EOF
      local is_taken = #word > 0 and (is_here or not target or not target:find("^%-"))
      local heredoc = is_taken and delimiter and { delimiter = delimiter, is_quoted = word[#word].quoted } or nil
      if is_taken then add({ redirect = redirect, target = target, heredoc = heredoc }) end
      pending[#pending + 1] = heredoc
      at = is_taken and after or at + #redirect
    else
      local op
      for _, pattern in ipairs(OPERATORS) do op = op or text:match(pattern, at) end
      if op then
        add({ op = op })
        at = at + #op
        if op == "\n" and #pending > 0 then at, pending = read_heredocs(text, at, pending), {} end
      else
        local word, after = read_word(text, at)
        add({ word = word, text = plain_text(word), is_bare = word[1] and not word[1].quoted })
        at = math.max(after, at + 1)
      end
    end
  end
end

-- Statements ---------------------------------------------------------------------------------------------

local JOINS <const> = tables.set({ "&&", "||", "|" })

local parser = {}
parser.__index = parser

function parser:token() return self.tokens[self.at] end

-- Whether the token is one of the reserved words.
function parser:is(...)
  local token = self:token()
  for _, name in ipairs({ ... }) do
    if token and token.is_bare and token.text == name or token and token.op == name then return true end
  end
  return false
end

function parser:take(name)
  if self:is(name) then self.at = self.at + 1 end
end

function parser:skip_ends()
  while self:is("\n", ";", "&") do self.at = self.at + 1 end
end

-- Statements up to one of the words; each with what joins it to the one before.
function parser:list(...)
  local list, op = {}, nil
  while true do
    local token = self:token()
    if not token or self:is(...) then return list end
    if token.op and token.op ~= "(" then
      op = JOINS[token.op] and token.op or token.op == "\n" and JOINS[op] and op or nil
      self.at = self.at + 1
    else
      local is_negated = false
      while self:is("!") do
        is_negated = not is_negated
        self.at = self.at + 1
      end
      local before = self.at
      local statement = self:token() and self:statement()
      if self.at == before then self.at = before + 1 end
      if statement then list[#list + 1] = { statement = statement, op = op, is_negated = is_negated } end
      op = nil
    end
  end
end

function parser:body(...)
  self.depth = self.depth + 1
  local list = self:list(...)
  self.depth = self.depth - 1
  return list
end

function parser:conditional(line)
  local made = { kind = "if", line = line, branches = {} }
  repeat
    self.at = self.at + 1
    local condition = self:body("then", "fi")
    self:take("then")
    made.branches[#made.branches + 1] = { condition = condition, body = self:body("elif", "else", "fi") }
  until not self:is("elif")
  if self:is("else") then
    self.at = self.at + 1
    made.otherwise = self:body("fi")
  end
  self:take("fi")
  return made
end

function parser:case(line)
  local made = { kind = "case", line = line, branches = {} }
  self.at = self.at + 1
  made.subject = self:token() and self:token().word or {}
  self.at = self.at + 1
  self:skip_ends()
  self:take("in")
  self:skip_ends()
  while self:token() and not self:is("esac") do
    local patterns = {}
    while self:token() and not self:is(")") do
      patterns[#patterns + 1] = self:token().word
      self.at = self.at + 1
    end
    self:take(")")
    made.branches[#made.branches + 1] = { patterns = patterns, body = self:body(";;", ";&", ";;&", "esac") }
    while self:is(";;", ";&", ";;&", "\n") do self.at = self.at + 1 end
  end
  self:take("esac")
  return made
end

function parser:loop(line)
  local made = { kind = "loop", line = line, is_counted = not self:is("while", "until") }
  self.at = self.at + 1
  if made.is_counted then
    made.name = self:token() and self:token().text
    while self:token() and not self:is("do") do self.at = self.at + 1 end
  else
    made.condition = self:body("do", "done")
  end
  self:take("do")
  made.body = self:body("done")
  self:take("done")
  return made
end

function parser:group(closing)
  self.at = self.at + 1
  local body = self:body(closing)
  self:take(closing)
  return { kind = "group", body = body }
end

-- A function's body; nil where no function begins here.
function parser:definition()
  local token, tokens, at = self:token(), self.tokens, self.at
  local is_said = token.is_bare and token.text == "function" and (tokens[at + 1] or {}).text ~= nil
  local named = is_said and at + 1 or at
  local has_brackets = (tokens[named + 1] or {}).op == "(" and (tokens[named + 2] or {}).op == ")"
  if not (tokens[named].text and (is_said or has_brackets)) then return nil end
  self.at = has_brackets and named + 3 or named + 1
  self:skip_ends()
  if not self:is("{", "(") then
    self.at = at
    return nil
  end
  return { kind = "function", name = tokens[named].text, body = self:group(self:is("{") and "}" or ")").body }
end

function parser:command(line)
  local made = { kind = "command", line = line, words = {}, redirects = {} }
  local is_test = self:is("[[")
  while self:token() do
    local token = self:token()
    if token.word then
      made.words[#made.words + 1] = token.word
      if is_test and token.text == "]]" then is_test = false end
    elseif token.sum then
      if #made.words > 0 then break end
      made.sum, self.at = token.sum, self.at + 1
      break
    elseif token.redirect then
      made.redirects[#made.redirects + 1] = token
    elseif is_test and token.op ~= "\n" then
      made.words[#made.words + 1] = { { text = token.op } }
    elseif token.op ~= "(" then
      break
    end
    self.at = self.at + 1
  end
  return made
end

function parser:statement()
  local token = self:token()
  if self.depth < DEEPEST and not token.redirect then
    if self:is("if") then return self:conditional(token.line) end
    if self:is("case") then return self:case(token.line) end
    if self:is("while", "until", "for", "select") then return self:loop(token.line) end
    if self:is("(") then return self:group(")") end
    if self:is("{") then return self:group("}") end
    local definition = token.word and self:definition()
    if definition then return definition end
  end
  return self:command(token.line)
end

--- The statements of a script: a list of { statement, op = what joins it to the one before, is_negated }. A statement is
--- a command of words and redirections, a group, a function, or an if, case or loop around lists.
---@param text string
---@return table[]
function syntax.read(text)
  local self = setmetatable({ tokens = tokens_of(text), at = 1, depth = 0 }, parser)
  local list = {}
  while self:token() do
    table.move(self:list(), 1, #self.tokens, #list + 1, list)
    self.at = self.at + 1
  end
  return list
end

return syntax
