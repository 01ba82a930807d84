-- A platform's jobs: sums by hand, waits, the devices for a target, storage, sweeps, budgets; logs of jobs.
local capacity = require("ballpark.questions.platform.capacity")
local core = require("ballpark.core")
local errors = require("ballpark.errors")
local job_trace = require("ballpark.measured.job_trace")
local platform = require("ballpark.questions.platform.run")
local questions = require("ballpark.questions")
local tables = require("ballpark.tables")
local simulate = require("ballpark.questions.platform.simulate")
local result = require("ballpark.result")
local scenario = require("ballpark.scenario")
local show = require("ballpark.questions.platform.show")

local HOUR <const>, DAY <const> = 3600, 86400

-- Fewer jobs than usual: the tests look at structure and sums.
local QUICK <const> = { jobs = 4000 }

local function classes()
  return { { name = "fine-tunes", per_day = 50, duration = 6 * HOUR }, { name = "sweeps", per_day = 10, gpu_hours = 48 },
    { name = "RLHF", per_day = 5, duration_s = 16 * HOUR }, { name = "evaluations", rate_per_s = 100 / DAY, duration = HOUR } }
end

local function ask(changes)
  local input = { classes = classes(), simulation = QUICK, nodes = 8 }
  for key, value in pairs(changes or {}) do input[key] = value or nil end
  return platform.run(input)
end

local function said(changes) return errors.catch(ask, changes) end

describe("a platform", function()
  it("adds up device-hours, devices and jobs at one time", function()
    local answer = ask()
    assert.near(960 * HOUR, answer.device_s_per_day, 1e-6)
    assert.near(40, answer.sustained, 1e-9)
    assert.near(40, answer.concurrent, 1e-9)
    assert.near(165 / DAY, answer.starts_per_s, 1e-12)
    assert.equal(64, answer.devices)
    assert.is_true(answer.peak > 50 and answer.peak < 120)
    assert.is_true(answer.fits)
    assert.is_true(answer.range.wait_s.low <= answer.seen.wait.mean_s and answer.seen.wait.mean_s <= answer.range.wait_s.high)
  end)

  it("is sized by the mean load or the largest gang where nodes are left open", function()
    local input = { classes = classes(), simulation = QUICK }
    assert.equal(8, platform.run(input).nodes) -- 40 / 0.7 = 57.1 devices
    input.classes[5] = { name = "gang", per_day = 0.01, duration = 1, devices = 128 }
    assert.equal(16, platform.run(input).nodes)
  end)

  it("says when the queue grows without end", function()
    local answer = ask({ nodes = 5 })
    assert.is_false(answer.fits)
    assert.matches("40 devices busy in the mean, and there are 40", answer.contradictions[1].text)
    assert.is_nil(answer.range)
  end)

  it("does not go on nodes that have too little room for its jobs at one time, and says how many have it", function()
    local train = { { name = "train", per_day = 3, duration = 12 * HOUR, devices = 64 } } -- 1.5 of 8 nodes each
    local answer = ask({ classes = train, nodes = 15 })
    assert.is_false(answer.fits)
    assert.matches("1.5 jobs of train run at one time in the mean, and 15 nodes of 8 devices run 1: the queue grows without end; "
      .. "16 nodes, 128 devices, carry the load", answer.contradictions[1].text)
    assert.is_true(ask({ classes = train, nodes = 16 }).fits)
    assert.equal(24, platform.run({ classes = train, simulation = QUICK }).nodes) -- 1.5 / 0.7, three of them
    local five = { { name = "five", per_day = 80, duration = 6 * HOUR, devices = 5 } } -- 20 of a node each
    assert.is_false(ask({ classes = five, nodes = 20 }).fits)
    assert.is_true(ask({ classes = five, nodes = 21 }).fits)
    five[1].gang = false -- 100 of a device each
    assert.is_true(ask({ classes = five, nodes = 13 }).fits)
  end)

  it("counts the work that failures lose", function()
    local function run(nodes, changes)
      local class = { name = "x", per_day = 1, duration = DAY, durations = "fixed", devices = 128 }
      for key, value in pairs(changes or {}) do class[key] = value end
      return ask({ classes = { class }, nodes = nodes, policy = "fifo", failures = { node_mtbf_s = 10 * DAY, repair_s = HOUR } })
    end
    -- 16 nodes fail 1.6 times a day: (exp(1.6) - 1) / 1.6 = 2.47 days each
    assert.matches("316 devices busy in the mean, with the work that failures lose, and there are 256", run(32).contradictions[1].text)
    assert.is_true(run(48).fits)
    assert.is_true(run(32, { checkpoint_s = HOUR }).fits)
    assert.matches("failures stop the jobs of x before they end", run(32, { duration = 40 * DAY, per_day = 0.01 }).contradictions[1].text)
    local fields = { node_size = 8, node_mtbf_s = 10 * DAY }
    local class = { duration_s = DAY, devices = 128, checkpoint_s = DAY / 4, durations = "fixed", restart_s = 100 }
    assert.near(math.exp(1.6 / 864) * 4 * (math.exp(0.4) - 1) / 1.6 * DAY, capacity.runs_s(class, fields), 1e-6)
    class.durations = nil -- of drawn ones the least
    assert.is_true(capacity.runs_s(class, fields) < 4 * (math.exp(0.4) - 1) / 1.6 * DAY and capacity.runs_s(class, fields) > DAY)
  end)

  it("does not go where a mix leaves parts of nodes that nobody fits, and the queue of a run grows", function()
    local mix = { { name = "a", per_day = 36.8, duration = 2.73 * HOUR, devices = 5 }, { name = "b", per_day = 11.6,
      duration = 4.06 * HOUR, devices = 4 } } -- 4.19 nodes with one of 5, and 1.96 of 4: two of these on a node
    local answer = ask({ classes = mix, nodes = 5, simulation = { jobs = 20000 } })
    assert.is_false(answer.fits)
    assert.is_true(answer.seen.grows)
    assert.matches("keep 29 devices busy in the mean, and under backfill the 40 that there are do the work of 28: .*; 6 nodes", answer.contradictions[1].text)
    assert.is_nil(answer.range)
    assert.is_true(ask({ classes = mix, nodes = 6, simulation = { jobs = 20000 } }).fits)
    local own = ask({ classes = mix, nodes = false, utilization_frac = 0.95, simulation = { jobs = 20000 } })
    assert.is_true(own.fits) -- five by themselves
    assert.equal(6, own.nodes)
  end)

  it("takes no rush of a day and no high load for a queue that grows", function()
    for _, load in ipairs({ 0.85, 0.95 }) do
      for seed = 1, 3 do
        local simulation = { jobs = 4000, seed = seed }
        local list = { { name = "a", per_day = load * 64, duration = 6 * HOUR, devices = 5 } }
        assert.is_true(ask({ classes = list, nodes = 16, simulation = simulation }).fits)
        list = { { name = "a", per_day = load * 3000, duration = HOUR, devices = 1, burst = 3 } } -- a run of a day and a half
        assert.is_true(ask({ classes = list, node_size = 125, nodes = 1, simulation = simulation }).fits)
      end
    end
  end)

  it("has the range of a month that finds what the one before it has left", function()
    -- One device at a load of 0.9 relaxes in hundreds of jobs. Of three million waits, each from the one before it (Lindley,
    -- 1952), means of a hundred are below 1.03 days one time in ten, and above 10.3.
    local answer = platform.run({ classes = { { name = "a", per_day = 1.8, duration = 12 * HOUR } }, devices = 1 })
    local wait = answer.range.wait_s
    assert.is_true(wait.low > 0.5 * DAY and wait.low < 1.4 * DAY)
    assert.is_true(wait.high > 8 * DAY and wait.high < 13 * DAY)
  end)

  it("searches the fewest devices for a wait", function()
    local answer = ask({ nodes = 6, wait_target_s = 0.5 * HOUR })
    local target = answer.target
    for _, row in ipairs(target.tried) do
      assert.equal(row.nodes >= target.nodes, row.met)
      assert.equal(row.wait_s <= 0.5 * HOUR, row.met)
    end
    assert.is_true(target.nodes > 5)
    assert.is_true(ask({ nodes = target.nodes, wait_target_s = 0.5 * HOUR }).fits)
    local short = ask({ nodes = target.nodes - 1, wait_target_s = 0.5 * HOUR })
    assert.is_false(short.fits)
    assert.equal(target.nodes, short.target.nodes)
    assert.matches(target.devices .. " devices keep it", short.contradictions[#short.contradictions].text)
  end)

  it("shows the policies that the classes tell apart", function()
    local function names(list)
      local found = {}
      for i, row in ipairs(ask({ classes = list }).policies) do found[i] = row.policy end
      return table.concat(found, " ")
    end
    assert.equal("fifo backfill", names({ classes()[1] }))
    local list = classes()
    assert.equal("fifo backfill fair_share", names(list))
    list[4].priority = 1
    assert.equal("fifo backfill priority preemption fair_share", names(list))
  end)

  it("lets urgent jobs go first, and displaces others for them", function()
    local list = { { name = "long", per_day = 20, duration = 5 * HOUR, checkpoint_s = HOUR },
      { name = "urgent", per_day = 20, duration = 0.5 * HOUR, priority = 1 } }
    local answer = platform.run({ classes = list, simulation = QUICK, node_size = 1, nodes = 5, policy = "preemption" })
    local waits = {}
    for _, row in ipairs(answer.policies) do waits[row.policy] = row.classes[2].wait.mean_s end
    assert.is_true(waits.priority < waits.fifo / 2)
    assert.is_true(waits.preemption < waits.priority / 10)
    assert.is_true(answer.seen.preemptions > 50 and answer.seen.lost_frac > 0)
  end)

  it("keeps what jobs write until it expires, in tiers", function()
    local list = { { name = "runs", per_day = 10, duration = HOUR, bytes = 1e12, ttl_s = 30 * DAY, cold_after_s = 10 * DAY,
      replication = 2 } }
    local kept = ask({ classes = list, storage = { { name = "logs", bytes_per_day = 1e9 } } }).storage
    assert.near(200e12, kept.rows[1].hot_bytes, 1) -- 10 TB a day, two copies, ten days
    assert.near(400e12, kept.rows[1].cold_bytes, 1)
    assert.near(200e3 * 0.023 + 400e3 * 0.0125, kept.rows[1].usd_month, 1e-6)
    assert.near(365e9, kept.rows[2].bytes, 1)
    assert.is_true(kept.grows)
    assert.is_false(ask({ classes = list }).storage.grows)
  end)

  it("keeps what expires after the horizon in its steady state too, and what never does as it is at the horizon", function()
    local function row(class)
      return ask({ classes = { tables.with({ name = "runs", per_day = 10, duration = HOUR, bytes = 100e9 }, class) } }).storage.rows[1]
    end
    assert.near(1095e12, row({ ttl_s = 1095 * DAY }).bytes, 1) -- 1 TB a day
    local old = row({ ttl_s = 1095 * DAY, cold_after_s = 400 * DAY })
    assert.near(400e12, old.hot_bytes, 1)
    assert.near(695e12, old.cold_bytes, 1)
    local ever = row({ cold_after_s = 100 * DAY })
    assert.near(100e12, ever.hot_bytes, 1)
    assert.near(265e12, ever.cold_bytes, 1)
    ever = row({ cold_after_s = 400 * DAY }) -- at the horizon nothing has moved yet
    assert.near(365e12, ever.hot_bytes, 1)
    assert.near(0, ever.cold_bytes, 0)
    local besides = ask({ storage = { { name = "logs", bytes_per_day = 1e12, ttl_s = 730 * DAY } } }).storage
    assert.near(730e12, besides.bytes, 1)
  end)

  it("counts trials of every method, and refuses what breaks a budget", function()
    local answer = ask({ price = 2, sweeps = { { trial_hours = 4, parameters = 5, values = 4, project = "chat" },
      { name = "usual", method = "bayesian", trials = 20, trial_hours = 4, pruned_frac = 0.5, pruned_at_frac = 0.2 } },
      projects = { { name = "chat", budget_device_hours = 500 } } })
    local by = {}
    for _, row in ipairs(answer.sweeps) do by[row.name] = row end
    assert.equal(1024, by.grid.trials)
    assert.is_false(by.grid.allowed)
    assert.near(3596 * HOUR, by.grid.over_device_s, 1e-6)
    assert.is_true(by.random.allowed)
    assert.near(48 * HOUR, by.usual.device_s, 1e-6)
    assert.near(96, by.usual.usd, 1e-9)
    assert.is_nil(by.usual.allowed)
  end)

  it("guards a sweep beside what the project's jobs and earlier sweeps take of its month", function()
    local list = { { name = "a", project = "chat", per_day = 24, duration = HOUR } } -- 730 device-hours a month
    local function sweep(name, trials) return { name = name, method = "random", trials = trials, trial_hours = 1, project = "chat" } end
    local rows = ask({ classes = list, sweeps = { sweep("first", 150), sweep("second", 150), sweep("third", 20) },
      projects = { { name = "chat", budget_device_hours = 1000, spent_device_hours = 100 } } }).sweeps
    assert.is_true(rows[1].allowed) -- 100 + 730 + 150
    assert.is_false(rows[2].allowed)
    assert.near(130 * HOUR, rows[2].over_device_s, 1e-6)
    assert.is_true(rows[3].allowed) -- 100 + 730 + 150 + 20, what was refused is not spent
    local often = sweep("daily", 1)
    often.per_day = 12 -- 365 device-hours a month
    rows = ask({ classes = list, sweeps = { often }, projects = { { name = "chat", budget_device_hours = 1000 } } }).sweeps
    assert.near(95 * HOUR, rows[1].over_device_s, 1e-6)
  end)

  it("has as many nodes as the wait takes where only the wait is given", function()
    local answer = ask({ nodes = false, wait_target_s = 0.5 * HOUR })
    assert.is_true(answer.fits)
    assert.equal(answer.target.nodes, answer.nodes)
    assert.is_true(ask({ nodes = answer.nodes - 1, wait_target_s = 0.5 * HOUR }).fits == false)
  end)

  it("says when preprocessing is late, and how many workers are in time", function()
    local answer = ask({ preprocessing = { { name = "tokens", items = 1e7, rate_per_s = 1e3, deadline_s = 2500 } } })
    assert.is_false(answer.fits)
    assert.matches("tokens takes 2.78 h, and has 41.7 min: 4 workers do it", answer.contradictions[1].text)
  end)

  it("says which share of a project's jobs its budget would have refused", function()
    local list = { { name = "a", project = "chat", per_day = 24, duration = HOUR } } -- 730 device-hours a month
    local row = ask({ classes = list, projects = { { name = "chat", budget_device_hours = 500, spent_device_hours = 135 } } })
      .projects[1]
    assert.near(730, row.jobs, 1e-9)
    assert.near(365, row.refused, 1e-9)
    assert.near(365 * HOUR, row.lasts_s, 1e-6)
  end)

  it("does not go together with budgets of projects that refuse jobs, or every way of a sweep", function()
    local list = { { name = "a", project = "chat", per_day = 24, duration = HOUR } } -- 730 device-hours a month
    local chat = { { name = "chat", budget_device_hours = 730.5 } }
    assert.is_true(ask({ classes = list, projects = chat }).fits)
    local answer = ask({ classes = list, projects = chat, sweeps = { { name = "lr", trial_hours = 1, project = "chat" } } })
    assert.is_false(answer.fits) -- halving alone takes 3.7 device-hours
    assert.equal(1, #answer.contradictions)
    assert.equal("project", answer.contradictions[1].code)
    assert.matches("^lr, random would break the budget of chat", answer.contradictions[1].text)
    chat[1].budget_device_hours = 740
    assert.is_true(ask({ classes = list, projects = chat, sweeps = { { trial_hours = 1, project = "chat" } } }).fits)
    chat[1].budget_device_hours = 365
    assert.matches("^the budget of chat, 365 device%-hours a month, refuses 365 of 730 jobs",
      ask({ classes = list, projects = chat }).contradictions[1].text)
    assert.matches("^sweeps%[1%].project: 'chta' is not one of chat, did you mean 'chat'", said({ classes = list, projects = chat,
      sweeps = { { trial_hours = 1, project = "chta" } } }))
  end)

  it("says what keeps devices busy beside its classes", function()
    local answer = ask({ sweeps = { { method = "random", trials = 12, trial_hours = 4, per_day = 2 } } }) -- 96 hours a day
    assert.matches("Sweeps keep 4.0 devices busy", table.concat(answer.assumed, "; "))
  end)

  it("costs devices and storage by the month, against a budget", function()
    local answer = ask({ price = 2, budget_usd_month = 90000 })
    assert.near(64 * 2 * 730, answer.usd_month, 1e-9)
    assert.matches("it costs 93,400 USD a month, and the budget is 90,000 USD", answer.contradictions[1].text)
  end)

  it("times preprocessing, and the workers that its jobs keep busy", function()
    local list = classes()
    list[1].items, list[1].items_per_s = 1e6, 1000
    local work = ask({ classes = list, preprocessing = { { name = "tokens", items = 1e7, rate_per_s = 1e4 } } }).preprocessing
    assert.near(1000, work[1].time_s, 1e-9)
    assert.near(50 * 1000 / DAY, work[2].workers_needed, 1e-12)
  end)

  it("names what is wrong with a question", function()
    assert.matches("classes%[1%].per_day: is missing", said({ classes = { { duration = 1 } } }))
    assert.matches("classes%[1%].duration: is missing", said({ classes = { { per_day = 1 } } }))
    assert.matches("^classes%[1%].duration: is missing: .*; classes%[2%].per_day is missing: jobs a day, such as 50$",
      said({ classes = { { per_day = 1 }, { duration = 1 } } }))
    assert.matches("classes%[1%].per_dy: unknown field, did you mean 'per_day'", said({ classes = { { per_dy = 1 } } }))
    assert.matches("per_day: and rate_per_s say the same", said({ classes = { { per_day = 1, rate_per_s = 1, duration = 1 } } }))
    assert.matches("gpu_hours: and duration say the same", said({ classes = { { per_day = 1, gpu_hours = 1, duration = 1 } } }))
    assert.matches("policy: 'fif'", said({ policy = "fif" }))
    assert.matches("devices: of a job are 65, more than the 64", said({ classes = { { per_day = 1, duration = 1, devices = 65 } } }))
    assert.matches("nodes say the same", said({ devices = 64 }))
    assert.matches("sweeps%[1%].method: 'annealing'", said({ sweeps = { { method = "annealing", trial_hours = 1 } } }))
    assert.matches("trial_hours: and trial_device_s say the same", said({ sweeps = { { trial_hours = 1, trial_device_s = 7 } } }))
    assert.matches("budget_device_hours: and budget_usd say the same",
      said({ price = 2, projects = { { name = "a", budget_device_hours = 1, budget_usd = 1 } } }))
    assert.matches("projects%[2%].name: 'a' has a budget already",
      said({ projects = { { name = "a", budget_device_hours = 1 }, { name = "a", budget_device_hours = 2 } } }))
    assert.matches("spent_device_hours: must be", said({ projects = { { name = "a", budget_device_hours = 1, spent_device_hours = -1 } } }))
    assert.matches("duration_cv: is 0 of fixed durations, got 3",
      said({ classes = { { per_day = 1, duration = 1, durations = "fixed", duration_cv = 3 } } }))
    assert.matches("tier: 'tape'", said({ storage = { { bytes_per_day = 1, tier = "tape" } } }))
  end)

  it("takes lists of what there may be several of, and not one of them by itself", function()
    for _, name in ipairs({ "storage", "preprocessing", "sweeps", "projects" }) do
      assert.matches("^" .. name .. ": must be a list, got a table that has 'name'$",
        errors.catch(questions.check_types, "platform", { [name] = { name = "a" } }))
    end
  end)

  it("is shown, and takes units", function()
    local r = result.new({})
    show.answer(r, ask({ wait_target_s = HOUR, price = 1, sweeps = { { trial_hours = 1 } } }))
    assert.is_true(#r.blocks >= 5)
    local function run(duration)
      return (scenario.run({ path = "s.lua", source = ([[show(platform { nodes = 1, simulation = { jobs = 200 },
        classes = { { name = "a", per_day = per_day(24), duration = %s } } })]]):format(duration) }))
    end
    local values = {}
    for _, fact in ipairs(run("hours(2)").blocks[1].items) do values[fact.name] = fact.value end
    assert.near(2, values.sustained, 1e-9)
    assert.matches("classes%[1%].duration: takes seconds, got bytes", errors.catch(run, "GiB(2)"))
  end)
end)

local LOG <const> = [[
job_id,user,submit_time,start_time,end_time,num_gpus
1,ann,0,0,100,4
2,ann,10,10,60,4
3,bob,20,100,150,8
4,bob,30,,,2
5,bob,40,200,,2
6,bob,50,60,70,0
]]

describe("a log of jobs", function()
  it("is read, and what is no job counted", function()
    local jobs = job_trace.read(LOG, "log.csv")
    assert.equal(3, #jobs)
    assert.same({ ["never started"] = 1, ["still running"] = 1, ["without devices"] = 1 }, jobs.left_out)
    assert.equal("user", jobs.group)
    assert.equal("bob", jobs[3].class)
    assert.equal(8, jobs[3].devices)
  end)

  it("may be what sacct prints, with steps, dates and resources, between bars or in columns", function()
    local bars = "JobID|Account|Submit|Start|End|AllocTRES|State\n"
      .. "7|a|2024-02-28T23:59:50|2024-02-29T00:00:00|2024-03-01T00:00:00|billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2|COMPLETED\n"
      .. "7.batch|a|2024-02-28T23:59:50|2024-02-29T00:00:00|2024-03-01T00:00:00|cpu=8,gres/gpu=2|COMPLETED\n"
      .. "8_[1-4]|a|2024-02-29T00:00:00|Unknown|Unknown||PENDING\n"
    local jobs = job_trace.read(bars, "sacct")
    assert.equal(1, #jobs)
    assert.equal(10, jobs[1].start - jobs[1].submit)
    assert.equal(DAY, jobs[1].ends - jobs[1].start)
    assert.equal(2, jobs[1].devices)
    local ruled = "Submit              Start               End                 AllocGRES \n"
      .. "------------------- ------------------- ------------------- ----------\n"
      .. "2024-01-01T00:00:00 2024-01-01T00:00:05 2024-01-01T00:01:05 gpu:4     \n"
    jobs = job_trace.read(ruled, "sacct")
    assert.equal(4, jobs[1].devices)
    assert.equal(60, jobs[1].ends - jobs[1].start)
  end)

  it("of sacct has arrays, jobs of several parts, cancelled jobs and sums of types of devices", function()
    local text = "JobID|Account|Submit|Start|End|AllocTRES|State\n"
      .. "7_4|a|2024-01-01T01:00:00+0100|2024-01-01T01:00:00+0100|2024-01-01T00:00:10Z|cpu=8,gres/gpu:a100=2,gres/gpu:v100=1|FAILED\n"
      .. "7_4.batch|a|2024-01-01T01:00:00+0100|2024-01-01T01:00:00+0100|2024-01-01T00:00:10Z|cpu=8,gres/gpu=1|FAILED\n"
      .. "8+1.0|a|2024-01-01T01:00:00|2024-01-01T01:00:00|2024-01-01T02:00:10|gres/gpu=1|COMPLETED\n"
      .. "9_[1-4%2]|a|2024-01-01T00:00:00|Unknown|Unknown||PENDING\n"
      .. "10|a|2024-01-01T00:00:00|None|2024-01-01T00:05:00||CANCELLED by 12\n"
    local jobs = job_trace.read(text, "sacct")
    assert.equal(1, #jobs)
    assert.equal(3, jobs[1].devices)
    assert.equal(8, jobs[1].cpus)
    assert.equal(10, jobs[1].ends - jobs[1].start)
    assert.same({ ["never started"] = 2 }, jobs.left_out)
    assert.matches("cut off, print it with sacct %-P", errors.catch(job_trace.read,
      "submit,start,end,AllocTRES\n0,1,2,billing=8+\n", "log.csv"))
    assert.matches("^log.csv: has no job that ran on a device and ended: 1 never started", errors.catch(job_trace.read,
      "submit,start,end,devices\n0,,,1\n", "log.csv"))
    assert.matches("^log.csv:1: column 'acount' is not known, did you mean 'account'%?", errors.catch(job_trace.read,
      "submit,start,end,devices,acount\n0,1,2,1,a\n", "log.csv"))
  end)

  it("has cores, storage and preprocessing, as logged or said, and names the line of a job without room", function()
    -- Two jobs of a day: 10 and 20 hours on 4 and 2 cores, 3 GB each.
    local text = "submit,start,end,devices,cpus,bytes\n0,0,36000,1,4,3e9\n14400,14400,86400,2,2,3e9\n"
    local function run(changes)
      local input = { jobs = job_trace.read(text, "log.csv"), nodes = 1, node_size = 2 }
      for key, value in pairs(changes or {}) do input[key] = value end
      return platform.run(input)
    end
    local answer = run({ classes = { { name = "jobs", ttl_s = 5 * DAY, items = 3600, items_per_s = 1 } } })
    assert.near((4 * 10 + 2 * 20) / 24, answer.cpu_cores, 1e-9)
    assert.near(30e9, answer.storage.bytes, 1e-3)
    assert.near(2 / 24, answer.preprocessing_workers, 1e-9)
    assert.is_nil(answer.range) -- one day says nothing of how days differ
    assert.matches("^log.csv:3: takes 2 devices, more than the 1 of the platform", errors.catch(run, { node_size = 1 }))
  end)

  it("does not go on devices that its jobs held more of", function()
    local jobs = job_trace.read("submit,start,end,devices\n0,0,100,8\n0,0,100,8\n10,10,110,8\n", "log.csv") -- 24 of 110 s
    assert.matches("held 22 devices in the mean", platform.run({ jobs = jobs, nodes = 1 }).contradictions[1].text)
    assert.is_true(platform.run({ jobs = jobs, nodes = 3 }).fits)
  end)

  it("has the range of a month from its days, drawn again", function()
    local rows = { "submit,start,end,devices" }
    for day = 0, 9 do -- on even days two jobs meet, and one waits an hour
      for i = 0, day % 2 == 0 and 1 or 0 do
        local at = day * DAY + 3600
        rows[#rows + 1] = ("%d,%d,%d,8"):format(at, at + i * 3600, at + (i + 1) * 3600)
      end
    end
    local jobs = job_trace.read(table.concat(rows, "\n") .. "\n", "log.csv")
    local answer = platform.run({ jobs = jobs, nodes = 1, policy = "fifo" })
    assert.near(1200, answer.seen.wait.mean_s, 1e-9) -- 5 hours over 15 jobs
    assert.is_true(answer.range.wait_s.low < 1200 and answer.range.wait_s.high > 1200 and answer.range.wait_s.high <= 1800)
  end)

  it("is refused where a row cannot be, with its line, unless such rows are left out", function()
    local function fault(rows, options)
      return errors.catch(job_trace.read, "submit,start,end,devices\n" .. rows, "log.csv", options)
    end
    assert.matches("^log.csv:2: starts before it is submitted; skip_damaged", fault("5,4,6,1\n"))
    assert.matches("^log.csv:3: ends before it starts; 1 more row cannot be, line 4;", fault("0,1,2,1\n0,5,4,1\n0,9,4,1\n"))
    assert.matches("^log.csv:2: submit: 'soon' is no time", fault("soon,1,2,1\n"))
    assert.matches("^log.csv:2: submit: '1700000000000' is no time in seconds", fault("1700000000000,1700000100000,1700000200000,8\n"))
    assert.equal("log.csv:1: column 'Submit' is there twice", errors.catch(job_trace.read, "Submit|Submit|Start|End|AllocTRES|\n", "log.csv"))
    assert.matches("^log.csv:2: devices: '1.5' is no number of devices", fault("0,1,2,1.5\n"))
    for _, resources in ipairs({ "gres/gpu=99999999999999999999", "gres/gpu=1e300", "gres/gpu=1.5", "gres/gpu:a=99999999999999999999",
      "gpu:99999999999999999999", "gpu:a100:99999999999999999999" }) do
      assert.matches("is no number of devices", fault("0,1,2," .. resources .. "\n"))
    end
    assert.matches("submit: '2023%-02%-29T00:00:00' is no time", fault("2023-02-29T00:00:00,2023-03-01T00:00:00,2023-03-02T00:00:00,1\n"))
    assert.matches("bytes must be a size", errors.catch(job_trace.read, "submit,start,end,devices,bytes\n0,1,2,1,-5\n", "log.csv"))
    assert.matches("^log.csv:2: submit is missing", fault(",1,2,1\n"))
    assert.matches("^log.csv:2: 3 fields, the header has 4", fault("0,1,2\n"))
    assert.matches("^log.csv: has no job that ran", fault("0,,,1\n"))
    assert.matches("one is missing: devices", errors.catch(job_trace.read, "submit,start,end\n1,2,3\n", "log.csv"))
    local jobs = job_trace.read("submit,start,end,devices\n0,5,4,1\n0,1,2,1\n", "log.csv", { skip_damaged = true })
    assert.equal(1, #jobs)
    assert.equal(1, jobs.left_out.damaged)
    assert.matches("has no column for account", errors.catch(job_trace.read, LOG, "log.csv", { by = "account" }))
  end)

  it("refuses more classes than it takes by the column that tells them apart", function()
    local rows = { "submit,start,end,devices,user" }
    for i = 1, 4097 do rows[i + 1] = ("%d,%d,%d,1,u%d"):format(i, i, i + 10, i) end
    local jobs = job_trace.read(table.concat(rows, "\n") .. "\n", "log.csv")
    assert.matches("^by: log.csv has 4097 different values of user", errors.catch(platform.run, { jobs = jobs, nodes = 1, node_size = 8 }))
  end)

  it("is replayed: what it recorded beside what the policy would have done", function()
    local answer = platform.run({ jobs = job_trace.read(LOG, "log.csv"), node_size = 4, nodes = 2, policy = "fifo" })
    assert.near((0 + 0 + 80) / 3, answer.recorded.wait.mean_s, 1e-9)
    assert.equal(8, answer.recorded.peak_held)
    assert.near(answer.recorded.wait.mean_s, answer.seen.wait.mean_s, 1e-9)
    assert.near(0, answer.seen.apart.mean_s, 1e-9)
    assert.equal(16, answer.peak) -- the third would have started at 20
    assert.near((400 + 200 + 400), answer.device_s, 1e-9)
    local half = platform.run({ jobs = job_trace.read(LOG, "log.csv"), node_size = 8, nodes = 2, policy = "fifo" })
    assert.near(0, half.seen.wait.mean_s, 1e-9)
    assert.near(80, half.seen.apart.mean_s * 3, 1e-9)
  end)

  it("shows which of its jobs budgets would have refused", function()
    local answer = platform.run({ jobs = job_trace.read(LOG, "log.csv"), node_size = 4, nodes = 2,
      projects = { { name = "ann", budget_device_s = 500 }, { name = "bob", budget_device_s = 500 } } })
    assert.equal(1, answer.projects[1].refused) -- 400, then 200 more
    assert.equal(200, answer.projects[1].refused_device_s)
    assert.equal(0, answer.projects[2].refused)
  end)
end)

describe("the simulation of jobs", function()
  it("asks for a price where there is a budget, and of devices that nobody rents", function()
    assert.matches("^device: RTX%-4090 is not rented by the hour: give price", errors.catch(platform.run, { device = "RTX-4090",
      classes = { { name = "a", per_day = 50, duration = 6 * HOUR } } }))
    assert.matches("^budget_usd_month: needs a price", errors.catch(platform.run, { budget_usd_month = 10000,
      classes = { { name = "a", per_day = 50, duration = 6 * HOUR } } }))
  end)

  it("has fewer jobs where each is put on thousands of nodes", function()
    local gangs = { rate_per_s = 5 / 86400, duration_s = 16 * HOUR, devices = 1000000 }
    local seen = simulate.run({ fields = { nodes = 595239, node_size = 8 }, classes = { gangs } }, "fifo")
    assert.equal(1e8 / 125000, seen.jobs)
    assert.is_true(seen.wait.mean_s > 0)
  end)

  it("has its months in the one run where failures have each of its jobs put on hundreds of thousands", function()
    -- 1,024 nodes fail 20 times a day: a run of 14 days starts 400 times. Twenty months of a hundred such were half a minute.
    local case = { fields = { nodes = 1250, node_size = 8, node_mtbf_s = 50 * DAY, repair_s = 4 * HOUR }, classes = {
      { rate_per_s = 0.033 / DAY, duration_s = 14 * DAY, devices = 8192, checkpoint_s = HOUR, restart_s = 600 } } }
    local seen = simulate.run(case, "fifo")
    assert.is_true(seen.jobs >= 100 and #seen.stretches >= 20)
    local months = simulate.months(case, "fifo", seen)
    assert.near(0.9 * seen.jobs / 20 / (0.033 / DAY), months.span_s, 1 / (0.033 / DAY))
    assert.is_true(months.mean.low < seen.wait.mean_s and seen.wait.mean_s < months.mean.high)
  end)

  it("names a field of another type, before anything is calculated with it", function()
    local function refusal(class, changes)
      return errors.catch(platform.run, tables.with({ nodes = 4, classes = { tables.with({ name = "a", per_day = 20, duration = HOUR }, class) } },
        changes))
    end
    assert.matches("^classes%[1%]%.devices: must be a number", refusal({ devices = { 4 } }))
    assert.matches("^classes%[1%]%.devices: must be a whole number", refusal({ devices = 1.5 }))
    assert.matches("^classes%[1%]%.checkpoint_s: must be a number", refusal({ checkpoint_s = "x" }))
    assert.matches("^failures%.repair_s: must be a number", refusal({}, { failures = { node_mtbf_s = 1e7, repair_s = {} } }))
    assert.matches("^simulation%.jobs: must be a number", refusal({}, { simulation = { jobs = "x" } }))
  end)

  it("names a field that cannot be", function()
    assert.matches("classes%[1%].devices: must be", errors.catch(core.platform, { nodes = 1 }, { { rate_per_s = 1, devices = 0 } }))
    assert.matches("classes: must be a list of 1 to 4096", errors.catch(core.platform, { nodes = 1 }, {}))
    assert.matches("trace.run_s: must be a list of a number for every job", errors.catch(core.platform, {}, { {} },
      { submit_s = { 0, 1 }, run_s = { 1 }, devices = { 1, 1 }, class = { 1, 1 } }))
    assert.matches("trace%[2%]: is submitted before the one above", errors.catch(core.platform, {}, { {} },
      { submit_s = { 2, 1 }, run_s = { 1, 1 }, devices = { 1, 1 }, class = { 1, 1 } }))
    assert.matches("class that is not there", errors.catch(core.platform, {}, { {} },
      { submit_s = { 1 }, run_s = { 1 }, devices = { 1 }, class = { 2 } }))
  end)
end)
