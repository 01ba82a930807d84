-- How a served model is cut over devices: ranks that nobody states, ranks that cannot be, and pools of a wide system
-- of which only its width is known.
local divisors = require("ballpark.divisors")
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local layout = {}

-- Devices of one engine where a system of many says nothing else.
local USUAL <const> = 8

--- Refuses a plan whose tensor-parallel ranks do not divide the heads; `path` is where their number stands.
function layout.check_heads(model, plan, path)
  local tp = type(plan) == "table" and plan.tp or 1
  if type(tp) == "number" and type(model) == "table" and model.heads and tp > 0 and model.heads % tp ~= 0 then
    errors.input(path or "plan.tp", ("%.15g does not divide %d attention heads"):format(tp, model.heads))
  end
end

-- Engines of vLLM deal experts to all ranks of a stage or to none: --enable-expert-parallel takes no number.
local function is_vllm(engine_name) return engine_name ~= nil and engine_name:find("^vllm") ~= nil end

-- Ranks of a stage, which experts are dealt to or cut over.
local function stage_ranks(plan) return (plan.tp or 1) * (plan.dp or 1) * (plan.cp or 1) end

--- Devices of a replica with such a plan.
function layout.ranks(plan) return stage_ranks(plan) * (plan.pp or 1) end

local function check_ep(plan, engine_name, path)
  local ep, all = plan.ep or 1, stage_ranks(plan)
  if is_vllm(engine_name) and ep > 1 and ep ~= all then
    errors.input(path .. ".ep", ("%d is no width that vllm has: it deals experts to all ranks of a stage or to none, "
      .. "so 1 or %d"):format(ep, all))
  end
end

-- Rows and columns that share one scale: weight_block_size of the published fp8 checkpoints (DeepSeek-V3, Qwen3).
local BLOCK <const> = 128
-- What refuses to cut through a block: create_weights of the Fp8 methods of vLLM and SGLang (2025).
local function keeps_blocks(engine_name) return is_vllm(engine_name) or engine_name == "sglang" end

local function check_block(width, ranks, what, engine_name, path, advice)
  if width > 0 and ranks > 1 and width // ranks % BLOCK ~= 0 then
    errors.input(path .. ".tp", ("leaves %g of %d columns of %s to a rank, which cuts through the blocks of %d that "
      .. "share a scale: %s refuses it%s"):format(width / ranks, width, what, BLOCK, engine_name, advice))
  end
end

local function check_blocks(model, plan, engine_name, path)
  if not keeps_blocks(engine_name) then return end
  local all = stage_ranks(plan)
  if (plan.experts or plan.weights) == "fp8_block" and (model.experts or 0) > 0 then
    local advice = ("; ep = %d keeps experts whole"):format(all)
    check_block(model.moe_ffn or 0, all // (plan.ep or 1), "an expert", engine_name, path, advice)
  end
  local plain = (model.experts or 0) == 0 or (model.dense_layers or 0) > 0
  if plan.weights == "fp8_block" and plain then
    check_block(model.ffn_hidden or 0, plan.tp or 1, "the MLP", engine_name, path, "; take fewer ranks")
  end
end

--- Refuses a plan that the engine does not launch: heads that ranks do not divide, experts dealt to some of the ranks,
--- blocks of a format cut through. Formats are those that resolve.plan filled in.
---@param path string|nil where the plan stands
function layout.check_launch(model, plan, engine_name, path)
  path = path or "plan"
  layout.check_heads(model, plan, path .. ".tp")
  check_ep(plan, engine_name, path)
  check_blocks(model, plan, engine_name, path)
end

--- Tensor-parallel ranks of a plan that does not state them: what the stated devices of a replica leave, as far as the
--- heads divide by it; one where nobody stated devices.
function layout.tp(plan, model, devices)
  local rest = devices and math.tointeger(devices / ((plan.pp or 1) * (plan.dp or 1) * (plan.cp or 1)))
  return rest and divisors.greatest(rest, model.heads or 1) or 1
end

--- Devices of one replica as tensor-parallel ranks within a domain of fast links, as far as the heads divide, and stages:
--- how vLLM's guide to parallelism would have it (tensor parallel in a node, stages between nodes; 2025).
---@param domain integer|nil all of them where nobody says
---@return integer tp
---@return integer pp
function layout.within(model, devices, domain)
  local tp = layout.tp({}, model, devices)
  while tp > (domain or tp) or devices % tp ~= 0 or (model.heads or 1) % tp ~= 0 do tp = tp - 1 end
  return tp, devices // tp
end

local CUT <const> = "so many ranks would cut through the blocks that share a scale"

--- The plan over so many devices where nobody states its ranks: tensor-parallel; of experts whose blocks so many ranks would
--- cut through with whole experts, and where that does not help with attention groups of one rank; and what was assumed.
---@param plan table with its formats
---@param devices integer|nil of a replica, where they are stated
---@param domain integer|nil devices that fast links join
function layout.over(plan, model, engine_name, devices, domain)
  local ranks = layout.tp(plan, model, devices)
  if domain and devices and not (plan.pp or plan.dp or plan.cp) then
    local tp, stages = layout.within(model, devices, domain)
    local cut = tables.with(plan, { tp = tp, pp = stages })
    if stages > 1 and stages <= model.layers and errors.attempt(check_blocks, model, cut, engine_name, "plan") then
      return cut, ("tp %d, pp %d, what the devices leave: %d are linked fast"):format(tp, stages, domain)
    end
  end
  local whole = tables.with(plan, { tp = ranks })
  local said = ranks > 1 and ("tp %d, what the devices leave"):format(ranks) or nil
  local function launches(full) return (errors.attempt(check_blocks, model, full, engine_name, "plan")) end
  local free = plan.ep == nil and plan.dp == nil and (model.experts or 0) > 0 and ranks > 1
  if not free or launches(whole) then return whole, said end
  local dealt = tables.with(whole, { ep = ranks })
  if launches(dealt) then return dealt, ("%s, experts dealt to all: %s"):format(said, CUT) end
  return tables.with(plan, { tp = 1, dp = ranks, ep = ranks }), ("%d attention groups, experts dealt to all: %s"):format(ranks, CUT)
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
