-- A plan in words for people: what the lines of its fields say of them, in their order.
local fields = require("ballpark.fields")

local plan_text = {}

local LAST <const> = 1000 -- behind all places

local ordered -- described when asked for

--- The fields of a plan in the order in which texts and tables have them, as ballpark.fields describes them: those of
--- the short text by their places, then all others as they are listed.
function plan_text.fields()
  if ordered then return ordered end
  ordered = {}
  local place = {}
  for i, field in ipairs(fields.input("train_step", "plan")) do
    if field.kind ~= "note" then
      ordered[#ordered + 1] = field
      place[field] = field.place > 0 and field.place or LAST + i
    end
  end
  table.sort(ordered, function(a, b) return place[a] < place[b] end)
  return ordered
end

--- Whether backward computes single modules again.
function plan_text.remakes(plan)
  for _, field in ipairs(plan_text.fields()) do
    if field.kind == "flag" and field.name:find("^recompute_") and plan[field.name] then return true end
  end
  return false
end

local function recompute(plan, field)
  if plan.recompute == "none" or not plan.recompute then
    return not plan_text.remakes(plan) and "no recompute" or nil
  end
  local share = plan.recompute_share
  local of_layers = share and share < 1 and (" of %d %% of layers"):format(math.floor(100 * share + 0.5)) or ""
  return field.words:format(plan.recompute) .. of_layers
end

-- Fields whose words depend on others, or on more than the default.
local OF_THEIR_OWN = {
  dp = function(plan, field) return plan.dp ~= 0 and field.words:format(plan.dp or 1) or nil end, -- 0: left over
  zero = function(plan, field)
    local stage = plan.zero or field.default
    return field.words:format(stage) .. (stage == 3 and " (FSDP)" or "")
  end,
  recompute = recompute,
  master_bytes = function(plan, field)
    local bytes = plan.master_bytes or field.default
    if bytes == 0 then return "no master copy" end
    return bytes ~= field.default and field.words:format(bytes) or nil
  end,
  shard = function(plan, field)
    local shard, ranks = plan.shard or 0, (plan.dp or 1) * (plan.cp or 1)
    local fewer = (plan.zero or 0) > 0 and shard > 0 and shard < ranks
    return fewer and field.words:format(shard) or nil
  end,
  sequence_parallel = function(plan, field)
    return (plan.tp or 1) > 1 and plan.sequence_parallel == false and field.words or nil
  end,
  overlap_tp = function(plan, field) return (plan.tp or 1) > 1 and plan.overlap_tp and field.words or nil end,
}

-- `also`: whether the field is said at its default, too.
local function words_of(plan, field, also)
  local own = OF_THEIR_OWN[field.name]
  if own then return own(plan, field) end
  local value = plan[field.name]
  if value == nil then value = field.default end
  return field.words and (field.always or also or value ~= field.default) and field.words:format(value) or nil
end

--- "tp 4, pp 4, dp 8, micro-batch 1, ZeRO 1, no recompute, bf16"; with `is`, of the fields alone that answer to it.
--- Fields of the names in `also` are said at their default, too.
---@param plan table
---@param is nil|fun(field: table): boolean
---@param also table<string, boolean>|nil
function plan_text.words(plan, is, also)
  local words = {}
  for _, field in ipairs(plan_text.fields()) do
    if not is or is(field) then words[#words + 1] = words_of(plan, field, also and also[field.name]) end
  end
  return table.concat(words, ", ")
end

--- "tp 4 pp 4 dp 8 mb 1 ZeRO 1 full": for tables.
function plan_text.short(plan)
  local words = {}
  for _, field in ipairs(plan_text.fields()) do
    if field.place > 0 then
      local value = plan[field.name]
      local is_said = field.always or (value or field.default) ~= field.default
      if field.kind == "enum" then
        words[#words + 1] = is_said and value or nil
      elseif is_said and not (field.name == "dp" and value == 0) then -- a dp that does not exist
        words[#words + 1] = field.label .. " " .. tostring(value)
      end
    end
  end
  return table.concat(words, " ")
end

return plan_text
