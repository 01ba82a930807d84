-- What pipeline schedules waste and keep, simulated side by side: 8 stages, 24 micro-batches, and a
-- last stage that also carries the head. Then a schedule of one's own, written as a function.
--
--   ballpark run scenarios/pipeline-schedules.lua -D send_s=us(500)
--   ballpark pipeline scenarios/pipeline-schedules.lua --svg own.svg     draws the last one
title("Pipeline schedules, simulated")

local stages = param("stages", 8, "devices of the pipeline, an even number")
local micro_batches = param("micro_batches", 24, "micro-batches of a step, at least twice the stages")
local send = param("send_s", us(200), "a transfer from stage to stage")
local head = param("head", 1.3, "time of the last stage over that of the others")

local FORWARD, BACKWARD, WEIGHT = ms(10), ms(20), ms(9)
local KEPT = GiB(1.2)

-- The list that a simulation takes per stage: `chunks` stages per device, the very last one slower.
local function per_stage(whole, chunks)
  local list = {}
  for i = 1, stages * chunks do list[i] = whole / chunks end
  list[#list] = list[#list] * head
  return list
end

local function ask(schedule, more)
  more = more or {}
  local chunks = more.chunks or 1
  return pipeline {
    name = more.name, schedule = schedule, stages = stages, micro_batches = micro_batches, vpp = more.vpp,
    layout = more.layout, pair_frac = more.pair_frac, send_s = send,
    forward_s = per_stage(FORWARD, chunks), backward_s = per_stage(BACKWARD, chunks),
    weight_s = per_stage(WEIGHT, chunks), activation_bytes = KEPT,
  }
end

-- One forward, one backward, with about half of the micro-batches of 1F1B in flight.
local function frugal(device, p, m)
  local list = {}
  local ahead = (p - device + 1) // 2
  for i = 0, m + ahead - 1 do
    if i < m then list[#list + 1] = { kind = "F", micro_batch = i } end
    if i >= ahead then list[#list + 1] = { kind = "B", micro_batch = i - ahead } end
  end
  return list
end

local answers = {
  ask("gpipe"),
  ask("1f1b"),
  ask("1f1b", { name = "interleaved x 2", vpp = 2, chunks = 2 }),
  ask("zb_h1"),
  ask("zb_h2"),
  ask("zbv", { chunks = 2 }),
  ask("dualpipe", { pair_frac = 0.85 }),
  ask("dualpipe_v", { pair_frac = 0.85, chunks = 2 }),
  ask(frugal, { name = "frugal, own" }),
}

local table_of = {}
for i, answer in ipairs(answers) do
  table_of[i] = { answer.name, answer.makespan_s, answer.span_s, answer.bubble_frac, answer.fullest.peak,
    answer.fullest.device }
end
rows {
  name = "schedules", title = "Schedules",
  columns = { "schedule", { name = "makespan_s", unit = "s", title = "step" },
    { name = "span_s", unit = "s", title = "one device" }, { name = "bubble_frac", unit = "frac", title = "bubble" },
    { name = "peak_bytes", unit = "B", title = "most kept" }, { name = "peak_device", title = "on device" } },
  rows = table_of,
}
show(answers[#answers])
assume("dualpipe and dualpipe_v run a forward and a backward together in 85 % of the time of both")

expect("gpipe keeps everything", answers[1].fullest.peak, { equals = micro_batches * KEPT, rel = 1e-9 })
expect("1f1b keeps as much as there are stages", answers[2].fullest.peak, { equals = stages * KEPT, rel = 1e-9 })
expect("h1 is faster than 1f1b", answers[4].makespan_s, { most = answers[2].makespan_s })
