-- What a service answers in the long run, by what was simulated of it.
local answered = {}

-- Requests that arrive in a second at a rate that stays; nil of clients, of a trace, and of a day.
local function steady_rate(answer)
  local is_open = not answer.input.trace and answer.input.load.arrivals == "open"
  return is_open and answer.means.rate_per_s or nil
end

--- { requests_per_s, output_tok_s }. An open load that is carried is answered at its rate: how many of it a run of some
--- thousand drawn requests has in its window is chance, and no property of the replicas. What is not carried, or lost, is as
--- it was seen, and never more than arrives. So are closed loops, traces and days.
---@param answer table of serving.run, with seen and keeps_up
---@return {requests_per_s: number, output_tok_s: number}
function answered.of(answer)
  local seen, rate = answer.seen, steady_rate(answer)
  if not rate then return { requests_per_s = seen.requests_per_s, output_tok_s = seen.output_tok_s } end
  if answer.keeps_up and seen.lost == 0 then
    return { requests_per_s = rate, output_tok_s = rate * answer.means.output_tokens }
  end
  local share = math.min(1, rate / seen.requests_per_s)
  return { requests_per_s = share * seen.requests_per_s, output_tok_s = share * seen.output_tok_s }
end

return answered
