-- How a served model is cut over devices: ranks that nobody states, ranks that cannot be, and pools of a wide system
-- of which only its width is known.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local layout = {}

-- Devices of one engine where a system of many says nothing else.
local USUAL <const> = 8

--- Refuses a plan whose tensor-parallel ranks do not divide the heads; `path` is where their number stands.
function layout.check_heads(model, plan, path)
  local tp = type(plan) == "table" and plan.tp or 1
  if type(tp) == "number" and type(model) == "table" and model.heads and tp > 0 and model.heads % tp ~= 0 then
    errors.input(path or "plan.tp", ("%d does not divide %d attention heads"):format(tp // 1, model.heads))
  end
end

local function greatest_divisor(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

--- Tensor-parallel ranks of a plan that does not state them: what the stated devices of a replica leave, as far as the
--- heads divide by it; one where nobody stated devices.
function layout.tp(plan, model, devices)
  local rest = devices and math.tointeger(devices / ((plan.pp or 1) * (plan.dp or 1) * (plan.cp or 1)))
  return rest and greatest_divisor(rest, model.heads or 1) or 1
end

--- The ranks that experts are dealt to in a run that was measured: tables label dense models and odd widths with
--- numbers that no engine launches, and then the experts are on every rank of a group.
function layout.launched_ep(plan, model)
  local ep = plan.ep or 1
  return (model.experts or 0) > 0 and ((plan.tp or 1) * (plan.dp or 1)) % ep == 0 and ep or 1
end

--- The pools of a system of `width` devices that was measured, where only its width is known: that of prefill, then
--- that of decode, each { replicas, plan = { tp, dp, ep } }; nil where it is one replica. Devices for prefill by their
--- share of the tokens' work (a token of a prompt costs about a quarter of one that is decoded); few requests decode in
--- replicas of the usual size, many in one wide one.
function layout.pools(model, engine_name, width, load)
  if width <= 2 * USUAL or (model.experts or 0) == 0 then return nil end
  local size = engine_name == "trtllm" and USUAL // 2 or USUAL
  local share = load.input_tokens / (load.input_tokens + 4 * load.output_tokens)
  local for_prompts = math.max(1, math.floor(share * width / size + 0.5)) * size
  local rest = math.max(size, width - for_prompts)
  local wide = (load.concurrency or 1) > 4 * width
  local small = math.min(rest, USUAL)
  return { replicas = for_prompts // size, plan = { tp = 1, dp = size, ep = size } },
    { replicas = wide and 1 or math.max(1, rest // USUAL),
      plan = wide and { tp = 1, dp = rest, ep = rest } or { tp = small, dp = 1, ep = small } }
end

--- A plan cut as another one, its formats and draft tokens as they are.
function layout.cut_as(plan, cut) return tables.with(plan, { tp = cut.tp, dp = cut.dp, ep = cut.ep, pp = 1 }) end

return layout
