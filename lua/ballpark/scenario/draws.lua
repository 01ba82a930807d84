-- Questions with uncertain inputs: asked once with all of them at their medians, then for draws of them.
local dimensions = require("ballpark.dimensions")
local draws = require("ballpark.uncertain.draws")
local errors = require("ballpark.errors")
local figures = require("ballpark.questions.ranges.run")
local plain = require("ballpark.scenario.plain")
local plan_text = require("ballpark.questions.training.plan_text")
local questions = require("ballpark.questions")
local result = require("ballpark.result")
local tables = require("ballpark.tables")
local uncertain = require("ballpark.uncertain")

local drawn = {}

-- Draws of a matrix: of a question that takes milliseconds, for which indices take as many more for every input and
-- twice; and of one that searches or simulates.
local SAMPLES <const> = 64
local DEAR <const> = { search = true, serve_search = true, levers = true, serve = true, sweep = true, platform = true,
  finetune = true }

local function is_dear(name, answer) return DEAR[name] or name == "budget" and answer.reached ~= nil end

--- Remembers how `made` was made where uncertain numbers went into it; gives it back.
---@param make fun(): table
function drawn.made(state, make)
  local seen, made = uncertain.watched(make)
  if seen[1] then state.recipes[made] = make end
  return made
end

--- The input with everything that has uncertain numbers in it made anew.
function drawn.renewed(state, input)
  if type(input) ~= "table" or getmetatable(input) then return input end
  if state.recipes[input] then return state.recipes[input]() end
  local copy
  for key, value in pairs(input) do
    if type(value) == "table" and state.recipes[value] then
      copy = copy or table.move(input, 1, #input, 1, {})
      copy[key] = state.recipes[value]()
    end
  end
  if not copy then return input end
  for key, value in pairs(input) do
    if copy[key] == nil then copy[key] = value end
  end
  return copy
end

local function in_words(leaves, of)
  local parts = {}
  for i, leaf in ipairs(leaves) do
    parts[i] = of[leaf] and ("%s = %.6g"):format(leaf.name or "an input", of[leaf]) or nil
  end
  return #parts > 0 and "a draw with " .. table.concat(parts, ", ") or "the median"
end

-- What a question is refused for in one draw and not in another: such a draw cannot be done.
local REFUSED <const> = { input = true, infeasible = true }

-- What one draw answers, or nil and why it is refused; what it would say beside that is not kept.
local function answer_of(state, leaves, of, once)
  local kept = state.result
  state.result = result.new({ numbers_only = true })
  local ok, _, answer = pcall(uncertain.within, of, once)
  state.result = kept
  if ok then return answer end
  local e = _
  if errors.is(e) then
    e.where = in_words(leaves, of)
    if REFUSED[e.kind] then return nil, e end
  end
  error(e, 0)
end

local function winner_of(answer)
  local best = answer.kind == "search" and answer.best
  return best and plan_text.short(best.plan) or nil
end

-- How often each plan is the best, the most frequent first.
local function winners_of(sides)
  local count, list, all = {}, {}, 0
  for _, side in ipairs(sides) do
    if side.winner then
      if not count[side.winner] then list[#list + 1] = side.winner end
      count[side.winner], all = (count[side.winner] or 0) + 1, all + 1
    end
  end
  if not list[1] then return nil end
  table.sort(list, function(a, b)
    if count[a] ~= count[b] then return count[a] > count[b] end
    return a < b
  end)
  local winners = {}
  for i, plan in ipairs(list) do winners[i] = { plan = plan, share = count[plan] / all } end
  return winners
end

-- Figures of an answer; what is no figure stands apart from them, so that it does not vary.
local function row_of(answer)
  if not answer then return {}, { refused = true } end
  local row, judged = figures.figures(answer), nil
  if questions.judges(answer) then judged = questions.is_feasible(answer) and true or false end
  return row, { winner = winner_of(answer), fits = judged }
end

-- Shares of the draws that can be done, nil where nothing says so of any, and of those that are refused.
local function shares_of(sides)
  local fits, judged, refused = 0, 0, 0
  for _, side in ipairs(sides) do
    judged, refused = judged + (side.fits ~= nil and 1 or 0), refused + (side.refused and 1 or 0)
    fits = fits + (side.fits ~= false and not side.refused and 1 or 0)
  end
  return judged + refused > 0 and fits / #sides or nil, refused / #sides
end

-- What goes up and down in steps, as waits behind whole nodes do, may be beyond nine draws in ten where all inputs are at
-- their medians: that is what the answer says, and its range holds it.
local function hold(figure, answered)
  if type(answered) ~= "number" then return end
  for _, range in ipairs({ figure, figure.inputs }) do
    range.low, range.high = math.min(range.low, answered), math.max(range.high, answered)
  end
end

--- Adds answer.drawn: { ranges = the figures of the answer under draws of the leaves, samples, fits_share, winners,
--- scarce = whether figures that vary have no range, as too few draws have them, refused = { share =, why = } of draws that
--- are no such question, where some are }. Where all are, it raises why.
--- Its ranges are answer.ranges, and its winners answer.winners, unless the question has such of its own.
---@param leaves ballpark.uncertain[]
---@param once fun(): table asks the question again
function drawn.add(state, name, answer, leaves, once)
  local sides, count, why = {}, 0, nil
  local spec = state.draws or {}
  local dear = is_dear(name, answer)
  local samples = spec.samples or SAMPLES
  local list, _, scarce = draws.run({ leaves = leaves, samples = samples, seed = spec.seed, indices = dear and "fit" or "saltelli",
    evaluate = function(of)
      local drawn_answer, problem = answer_of(state, leaves, of, once)
      local row, side = row_of(drawn_answer)
      why = why or problem
      count = count + 1
      -- The first draws are those of the quantiles.
      if count <= samples then sides[count] = side end
      return row
    end })
  local found = { ranges = {}, samples = dear and samples or 2 * samples, scarce = scarce }
  local first = row_of(answer)
  for _, figure in ipairs(list) do
    local own = first[figure.name] or {}
    figure.title, figure.place, figure.hide, figure.stored = own.title or figure.title, own.place, own.hide, own.stored
    hold(figure, own.value)
    found.ranges[figure.name] = figure
  end
  local refused
  found.fits_share, refused = shares_of(sides)
  if refused == 1 then error(why, 0) end
  found.refused = refused > 0 and { share = refused, why = tostring(why) } or nil
  found.winners = winners_of(sides)
  local head = type(answer.best) == "table" and answer.best or answer
  head.under_draws = found -- the head says that its brackets are not the whole range
  answer.drawn, answer.ranges, answer.winners = found, answer.ranges or found.ranges, answer.winners or found.winners
  return answer
end

local function limits_of(limit, unit)
  local numbers = plain.inputs("limit", type(limit) == "table" and not getmetatable(limit) and limit or {}, nil, { units = { least = unit, most = unit } })
  errors.only("chance", numbers, { "least", "most" })
  if not (numbers.least or numbers.most) then errors.input("chance", "needs { most = … } or { least = … }") end
  return numbers
end

--- The chance that a figure of an answer to uncertain inputs keeps a limit { least =, most = }, inputs and model
--- uncertain; chance(x, limit) that of an uncertain number.
function drawn.chance(answer, figure, limit)
  if uncertain.is(answer) then
    return 1 - draws.number(answer, limits_of(figure, dimensions.unit(answer.dimension))).broken
  end
  if type(answer) ~= "table" or not answer.drawn then
    errors.input("chance", "takes an answer to uncertain inputs, such as price = range(2, 4)")
  end
  local found = answer.drawn.ranges[figure]
  if not found then
    local names = tables.sorted_keys(answer.drawn.ranges)
    errors.choice("chance", tostring(figure), names)
  end
  local plainly = limits_of(limit, found.unit)
  return 1 - draws.broken(found, plainly)
end

return drawn
