-- Files that came to harm, for every reader of the program:
--
--   tools/check-deep files [COUNT [SEED [READER]]]
--
-- COUNT harmed files of each reader, 300 unless said. Prints what ended otherwise than with an answer or one line; such a
-- file stays in the folder that is named. Exit code 1 where any does.
local lfs = require("lfs")

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local mutated_files = dofile(here .. "/../lua/mutated_files.lua")

local count, seed, only = tonumber(arg[1]) or 300, tonumber(arg[2]) or 1, arg[3]
local program = assert(os.getenv("BALLPARK"), "BALLPARK names the program")
local folder = os.tmpname()
os.remove(folder)
assert(lfs.mkdir(folder))

io.stdout:setvbuf("line")
local passed, failed = 0, 0
for _, reader in ipairs(mutated_files.readers) do
  if not only or reader[1] == only then
    math.randomseed(seed)
    local good, codes = mutated_files.prepare(program, folder, reader), {}
    for i = 0, count do
      local text = i == 0 and good or mutated_files.mutated(math.random, good)
      local code, err = mutated_files.run(program, folder, reader, text)
      local wrong = mutated_files.wrong(reader, code, err) or i == 0 and code > 1 and "the good file is refused" or nil
      codes[code] = (codes[code] or 0) + 1
      if wrong then
        failed = failed + 1
        local kept = ("%s/%s.%d"):format(folder, reader[1]:gsub(" ", "-"), i)
        os.rename(folder .. "/" .. reader[3], kept)
        print(("%s: %s: %s\n%s"):format(reader[1], wrong, kept, err:sub(1, 600)))
      else
        passed = passed + 1
      end
    end
    local parts = {}
    for code = 0, 255 do parts[#parts + 1] = codes[code] and ("%d with %d"):format(codes[code], code) end
    print(("%-24s %s"):format(reader[1], table.concat(parts, ", ")))
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
