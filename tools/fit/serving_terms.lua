-- What tools/fit/serving.lua fits: coefficients of all engines, of one, and factors of one release on them, each with a
-- prior; and how a case takes them.
local core = require("ballpark.core")
local engines = require("ballpark.catalog.engines")
local fitted = require("ballpark.catalog.fitted.engine")
local fitted_releases = require("ballpark.catalog.fitted.engine_releases")
local releases = require("ballpark.catalog.engine_releases")
local resolve = require("ballpark.resolve.serving")
local tables = require("ballpark.tables")

local terms = {}

local WIDTH <const> = 0.7         -- of the priors, in e-folds
local RELEASE_WIDTH <const> = 0.2 -- the same of a release's factors

-- A kernel that Python launches costs the host 40 us, most of it in PyTorch's modules and dispatch and in Triton's
-- launcher: without graph and compiler an 8B model of 32 layers takes 15 to 20 ms a step in vLLM (recalled). How many
-- launches an engine has in a layer of experts differs. What latent keys, recurrent states and unpacking take is the
-- model's code, which engines share: about a dozen kernels each, of a chunked scan twenty, with the states that are
-- fetched and put back (counted in the code of 2025).
local priors = {
  common = { launch = 0.5, stream = 1.1, moe = 1.1, expert_launch = 0.7, expert_setup = 0.4, expert_spread = 2,
    sequence_s = 1.5e-5, packed_launches = 12, latent_launches = 12, scan_launches = 20 },
  engine = { step_s = 1.2e-3, kernel_s = 2e-6, eager_kernel_s = 4e-5, front_s = 0.02, front_token_s = 2e-6,
    submit_s = 2e-3, front_sequence_s = 5e-4, lag_steps = 0.2, expert_launches = 12 },
  -- The others send a first token at once, whatever the interval.
  sglang = { stream_wait = 0.2 },
  -- Routing, quantising and one call for all that follows.
  trtllm = { expert_launches = 4 },
}

-- Narrower where something else says it: weights are read as in timings of single matmuls, or a little faster; a lone
-- request's first token comes 15 to 35 ms after a short prompt to an 8B model on H100 (recalled); wider where models' code
-- differs.
local widths = { eager_kernel_s = 0.3, front_s = 0.35, front_sequence_s = 0.35, stream = 0.3, kernel_s = 0.4, launch = 0.4,
  expert_launches = 0.5, packed_launches = 0.5, latent_launches = 0.5, scan_launches = 0.5 }

-- A tokeniser of compiled code takes 1 to 4 us for a token of a prompt (Hugging Face's tokenizers and tiktoken on one
-- core, recalled).
local most = { front_token_s = 4e-6 }

--- The release of a case's row: "" where it states none.
function terms.release(case) return releases.named(case.row.engine, case.row.engine_version) or "" end

local function add_releases(list, cases)
  local seen = {}
  for _, case in ipairs(cases) do
    local key = case.row.engine .. " " .. case.release
    if (case.input.model.experts or 0) > 0 then
      seen[key] = seen[key] or { case.row.engine, case.release, points = 0 }
      seen[key].points = seen[key].points + 1
    end
  end
  for _, key in ipairs(tables.sorted_keys(seen)) do
    for _, field in ipairs(releases.FIELDS) do
      list[#list + 1] = { field = field, engine = seen[key][1], release = seen[key][2], start = 1,
        width = RELEASE_WIDTH, points = seen[key].points }
    end
  end
end

--- { field, engine (nil: all), release (nil: all), start, width }, of engines and of the releases of `cases`.
function terms.list(cases)
  local list = {}
  for _, field in ipairs(tables.sorted_keys(priors.common)) do
    list[#list + 1] = { field = field, start = priors.common[field], width = widths[field] or WIDTH }
  end
  for _, name in ipairs(engines.fitted()) do
    local own = tables.with(priors.engine, priors[name] or {})
    for _, field in ipairs(tables.sorted_keys(own)) do
      list[#list + 1] = { field = field, engine = name, start = own[field], width = widths[field] or WIDTH }
    end
  end
  add_releases(list, cases)
  return list
end

--- The value of a term at `x`, in widths from its prior.
function terms.value(term, x) return math.min(term.start * math.exp(term.width * x), most[term.field] or math.huge) end

local function shipped(term)
  if not term.release then return (fitted[term.engine or "common"] or {})[term.field] end
  return (fitted_releases[term.engine][term.release] or {})[term.field]
end

-- Launches that only the host waits for have no say where a step waits for the device: a fit that starts where they are
-- few would never find more.
local MANY <const> = 1.5
local many = { expert_launches = true, packed_launches = true, latent_launches = true,
  scan_launches = true }

--- Where a fit begins that knows priors only.
function terms.start_anew(list)
  local x = {}
  for j, term in ipairs(list) do x[j] = many[term.field] and math.log(MANY) / term.width or 0 end
  return x
end

--- Where the last fit ended, and anew what it did not have.
function terms.start(list)
  local x = terms.start_anew(list)
  for j, term in ipairs(list) do
    local value = shipped(term)
    if value then x[j] = math.log(value / term.start) / term.width end
  end
  return x
end

--- Takes what is known of releases out of the catalog.
function terms.forget_releases()
  for _, name in ipairs(engines.fitted()) do fitted_releases[name] = {} end
end

--- Whether a term is of a case.
function terms.is_of(term, case)
  return (not term.engine or term.engine == case.row.engine) and (not term.release or term.release == case.release)
end

--- Puts coefficients into the catalog's tables, from which engines of releases are made.
function terms.into_catalog(list, x)
  for j, term in ipairs(list) do
    local part = term.engine or "common"
    if term.release then
      part = fitted_releases[term.engine]
      part[term.release] = part[term.release] or { points = term.points }
      part[term.release][term.field] = terms.value(term, x[j])
    else
      fitted[part] = fitted[part] or {}
      fitted[part][term.field] = terms.value(term, x[j])
    end
  end
  for _, name in ipairs(engines.fitted()) do fitted_releases[name][""] = nil end
end

--- Gives a case its coefficients; as_new: rows that state no release are taken as today's, which others see.
function terms.apply(list, x, case, as_new)
  local engine = case.input.engine
  for j, term in ipairs(list) do
    if not term.release and terms.is_of(term, case) then
      engine[term.field] = terms.value(term, x[j]) * (case.shares[term.field] or 1)
    elseif not as_new and terms.is_of(term, case) then
      engine[term.field] = engine[term.field] * terms.value(term, x[j])
    end
  end
  if as_new then
    local last = engines.get(case.row.engine, case.row.engine_version)
    for _, field in ipairs(releases.FIELDS) do engine[field] = last[field] end
  end
  resolve.pack(case)
end

--- Seconds of the shortest step that computes a prompt of a case, alone.
function terms.lone_prompt_s(case)
  local i = case.input
  return core.infer_step({ model = i.model, device = i.device, network = i.network, curves = i.curves, plan = i.plan,
    engine = i.engine, prompts = 1, prompt_tokens = 1 }).time_s
end

local function number(value) return ("%.4g"):format(value) end

local function lines_of(list, x, wanted)
  local parts = {}
  for j, term in ipairs(list) do
    if wanted(term) then parts[#parts + 1] = ("%s = %s"):format(term.field, number(terms.value(term, x[j]))) end
  end
  return table.concat(parts, ", ")
end

--- Text of the catalog's table of engines.
function terms.engine_text(list, x)
  local lines = {}
  for _, name in ipairs({ "common", table.unpack(engines.fitted()) }) do
    lines[#lines + 1] = ("  %s = { %s },\n"):format(name, lines_of(list, x, function(term)
      return not term.release and (term.engine or "common") == name
    end))
  end
  return table.concat(lines)
end

--- Text of the catalog's table of releases.
function terms.release_text(list, x)
  local lines = {}
  for _, name in ipairs(engines.fitted()) do
    lines[#lines + 1] = ("  %s = {\n"):format(name)
    local done = {}
    for _, term in ipairs(list) do
      if term.engine == name and (term.release or "") ~= "" and not done[term.release] then
        done[term.release] = true
        lines[#lines + 1] = ("    [%q] = { %s, points = %d },\n"):format(term.release, lines_of(list, x, function(other)
          return other.engine == name and other.release == term.release
        end), term.points)
      end
    end
    lines[#lines + 1] = "  },\n"
  end
  return table.concat(lines)
end

return terms
