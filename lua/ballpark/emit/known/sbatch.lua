-- sbatch: options of Slurm's batch scripts.
-- By version, and by the file of its sources that declares them. A line: name, kind, choices parted by |, other
-- names, = default.
return {
  ["284c3b9"] = {
    ["doc/man/man1/sbatch.1"] = [[
exclusive flag
gpus-per-node word
job-name word -J
nodes word -N
ntasks-per-node int]],
  },
}
