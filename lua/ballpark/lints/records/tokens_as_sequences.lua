-- A batch is counted in sequences: of tokens it would be thousands of times as many.
return {
  code = "tokens_as_sequences",
  severity = "warning",
  why = "a batch is counted in sequences: of tokens it would be thousands of times as many",
  fix = "divide the batch by seq_len",
  find = function(log)
    local list = {}
    for _, call in ipairs(log.calls) do
      local job = type(call.input) == "table" and type(call.input.job) == "table" and call.input.job
      local tokens = job and tonumber(job.global_batch) and tonumber(job.seq_len) and job.global_batch * job.seq_len
      if tokens and tokens > 2e8 then
        list[#list + 1] = { where = call.name .. ".job.global_batch", message = ("%.3g tokens a step"):format(tokens) }
      end
    end
    return list
  end,
}
