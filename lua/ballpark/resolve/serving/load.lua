-- What a serving load means that does not say all: how a benchmark's client sends, and how lengths differ.
local errors = require("ballpark.errors")
local tables = require("ballpark.tables")

local load = {}

-- How the clients of published benchmarks send, by the name of the benchmark. InferenceX (SemiAnalysis, 2025): lengths
-- uniform from 0.8 L to L, ten requests per client, all clients in one Python loop that starts them at once. Its rates are
-- over all of the run, as those of benchmarks are.
local protocols = {
  inferencex = { lengths = "uniform", spread = 0.8, per_client = 10, client = "python" },
}

--- Tokens of prompts and answers whose length nobody says: the default of core.serve.
load.TOKENS = 1024

--- Tokens, more than any prompt has, that need no computing: another replica sent them, or they are computed already.
load.WHOLE_PROMPT = 1e9

-- Share of the front end's times that remains with a client that costs little (load generators with processes of their
-- own, against InferenceX's one Python loop): chosen among 0.3, 0.4 and 0.6 on published points.
local clients = { python = 1, light = 0.4 }

--- Names of the protocols, sorted.
load.protocols = tables.sorted_keys(protocols)

--- Names of the clients, sorted.
load.clients = tables.sorted_keys(clients)

local function is_closed(given) return (given.arrivals or "closed") == "closed" end

local function choose(path, value, set)
  if value ~= nil and not set[value] then errors.choice(path, tostring(value), tables.sorted_keys(set)) end
  return set[value]
end

--- The load with the tokens that all prompts begin with, which are those that are cached unless it says how many of them;
--- and a sentence on that, or nil.
---@param given table
---@return table load
---@return string|nil assumed
function load.sharing(given)
  if given.shared_tokens and given.shared_tokens > (given.prefix_tokens or 0) then
    errors.input("load.shared_tokens", ("is %g of %g tokens that are in the cache (load.prefix_tokens)")
      :format(given.shared_tokens, given.prefix_tokens or 0))
  end
  if given.shared_tokens or (given.prefix_tokens or 0) == 0 or (given.turns or 1) > 1 then return given end
  return tables.with(given, { shared_tokens = given.prefix_tokens }),
    ("the %g cached tokens are the same of all prompts: the KV cache holds them once"):format(given.prefix_tokens)
end

--- Tokens that a replica holds once for all its requests: those that prompts of a mean length begin with. Turns of a session
--- hold each what they said, and a replica that gets its prompts from others holds each of them whole.
---@param given table load with sharing
---@param prompt_tokens number
---@param is_apart boolean|nil whether others compute its prompts, or blocks of a trace say what they share
function load.held_once(given, prompt_tokens, is_apart)
  if is_apart or (given.turns or 1) > 1 then return 0 end
  return math.min(given.shared_tokens or 0, given.prefix_tokens or 0, prompt_tokens)
end

--- The load with what its protocol stands for; what is given beside it wins. Whether nobody says how lengths differ
--- (of a closed loop) or what the client costs is the answer of `open`.
function load.of(given)
  choose("load.client", given.client, clients)
  local protocol = choose("load.protocol", given.protocol, protocols)
  given = load.sharing(given)
  if not protocol then return given end
  if not is_closed(given) then errors.input("load.protocol", "is of closed loops: leave out arrivals") end
  local full = tables.with({ lengths = protocol.lengths, client = protocol.client }, given)
  if full.lengths == protocol.lengths then full.spread = full.spread or protocol.spread end
  full.requests = full.requests or protocol.per_client * (given.concurrency or 1)
  if full.drains == nil then full.drains = true end
  return full
end

--- Share of the front end's times that the client of a load leaves. Who names no benchmark has clients that cost little:
--- published points of closed loops are of such, and users come by themselves.
function load.front_share(full) return choose("load.client", full.client or "light", clients) end

--- Whether a load is a closed loop of requests of one length.
function load.is_uniform_loop(full)
  return is_closed(full) and (full.lengths or "fixed") == "fixed" and (full.turns or 1) == 1
end

--- Whether a closed loop leaves open how its lengths differ.
function load.leaves_lengths_open(given) return is_closed(given) and not given.lengths and not given.protocol end

return load
