-- How many replicas a fleet that failed is tried with next: leaps, and halves between what failed and what held.
local growth = {}

-- It grows by the least that percentiles tell apart, one replica in a hundred. A group that had to grow three times and more
-- grows by 2, 4, 8 times that and so on: percentiles may take many times what the mean does.
local ONE_BY_ONE <const>, APART <const> = 2, 100

--- A fleet with so many more replicas of group i, or with as many as there are devices for; nil where there are none. It says
--- where it came from (`step`), and of a leap the smallest fleet that it stands for (`least`).
function growth.larger(this, i)
  local times = this.step and this.step.group == i and this.step.times + 1 or 1
  local by = math.max(1, this.groups[i].up // APART) << math.max(0, times - ONE_BY_ONE)
  local more = this:larger(i, by)
  while not more and by > 1 do
    by = by // 2
    more = this:larger(i, by)
  end
  if more then more.step, more.least = { from = this, group = i, times = times }, by > 1 and this:larger(i) or nil end
  return more
end

--- Between a fleet that failed and one with more replicas of group i that held: the one in the middle, nil where none is.
function growth.between(failed, held, i)
  local gap = held.groups[i].index - failed.groups[i].index
  if gap < 2 then return nil end
  local middle = failed:larger(i, gap // 2)
  middle.step, middle.least = { from = failed, group = i, held = held }, gap > 3 and failed:larger(i) or nil
  return middle
end

return growth
