#!/bin/sh
# One rank, two and three give the bytes of a search without MPI, also as shards and from a checkpoint that
# was left when a rank was killed; an interrupt prints what is known; a rank that fails ends all with its code.
#
#   tests/mpi.sh BALLPARK        a program built with -DBALLPARK_MPI=ON
#
# The last line sums up: `N passed, N failed`.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Open MPI refuses root unless told twice, and wants a slot for every rank.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
passed=0
failed=0

count() {
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "--- failed: $2"
  fi
}
# status of a command line: its output in out, what it says in err
status=0
try() {
  status=0
  "$@" >"$folder/out" 2>"$folder/err" || status=$?
}
same() { # FILE NAME: the last command printed the file's bytes
  cmp -s "$1" "$folder/out" || status=1
  count "$status" "$2: $(cat "$folder/err")"
}
ranks() {
  n=$1
  shift
  set -- mpirun --oversubscribe -n "$n" "$program" search "$@"
  try "$@"
}

small="--model llama-3.1-8b --device H100 --devices 16 --global-batch 128 --seq-len 8192
  --objective step_s,headroom_bytes"
# shellcheck disable=SC2086 # words
"$program" search $small -f json >"$folder/small.json"
for n in 1 2 3; do
  # shellcheck disable=SC2086
  ranks "$n" $small -f json
  same "$folder/small.json" "$n ranks"
done

# shellcheck disable=SC2086
for shard in 1 2; do
  ranks $((shard + 1)) $small --shard "$shard/2" -o "$folder/part$shard.json"
  count "$status" "shard $shard: $(cat "$folder/err")"
done
try "$program" merge "$folder/part2.json" "$folder/part1.json" -f json
same "$folder/small.json" "shards searched by ranks"

cat >"$folder/systems.lua" <<'SYSTEMS'
show(search { model = model "llama-3.1-8b", cluster = { device = "H100", fabric = "infiniband" },
  job = { global_batch = 64, seq_len = 8192 }, space = { system = { devices = { 8, 16 } } } })
SYSTEMS
"$program" search "$folder/systems.lua" -f json >"$folder/systems.json"
ranks 2 "$folder/systems.lua" --checkpoint "$folder/systems.checkpoint" -f json
same "$folder/systems.json" "two systems"

cat >"$folder/rule.lua" <<'RULE'
return { name = "fails", reject = function(c) return c.tp > 2 and c.nothing > 1 end }
RULE
# shellcheck disable=SC2086
ranks 2 $small -f json --rules "$folder/rule.lua"
grep -q "fails" "$folder/err" || status=0
[ ! -s "$folder/out" ] || status=0
count "$((status != 4))" "a rule that fails: exit code $status, $(cat "$folder/err")"

# Ranks that find other files: each would search something else, or wait for one that never comes.
mkdir "$folder/0" "$folder/1"
cp "$folder/systems.lua" "$folder/0/apart.lua"
echo 'return { name = "r", reject = function(c) return c.tp > 2 end }' >"$folder/0/rule.lua"
echo 'return { name = "r", reject = function(c) return c.tp > 4 end }' >"$folder/1/rule.lua"
apart() { # RULES TEXT NAME
  # shellcheck disable=SC2016,SC2086
  try timeout 60 mpirun --oversubscribe -n 2 sh -c 'cd "$0/$OMPI_COMM_WORLD_RANK" && exec "$@"' "$folder" \
    "$program" search apart.lua $1 -f json
  [ "$status" -ne 2 ] || status=0
  grep -q "$2" "$folder/err" || status=1
  [ ! -s "$folder/out" ] || status=1
  count "$status" "$3: exit code $status, $(cat "$folder/err")"
}
cp "$folder/0/apart.lua" "$folder/1/apart.lua"
apart "--rules rule.lua" "rank 1 searches something else" "a rank with another rule"
echo 'show(1)' >"$folder/1/apart.lua"
apart "" "rank 1 has ended" "a rank that does not search"
mv "$folder/1/apart.lua" "$folder/1/kept.lua"
mv "$folder/0/apart.lua" "$folder/1/apart.lua"
mv "$folder/1/kept.lua" "$folder/0/apart.lua"
apart "" "show" "a first rank that does not search"

echo "{}" >"$folder/none.json"
# shellcheck disable=SC2086
ranks 2 $small --checkpoint "$folder/none.json"
grep -q "is not a checkpoint" "$folder/err" || status=0
count "$((status != 2))" "no checkpoint: exit code $status, $(cat "$folder/err")"

# A search of a quarter of a minute on one core, cut short when its first checkpoint is there.
long="--model gpt3-175b --device A100 --devices 512 --global-batch 512 --seq-len 2048 --exhaustive"
for field in dp sequence-parallel schedule flash overlap-dp overlap-tp grad-bytes optimizer; do
  long="$long --$field free"
done
checkpoint=$folder/checkpoint.json
launched=0
# (What a script starts in the background ignores Ctrl-C unless told not to.)
launch() {
  rm -f "$checkpoint" "$folder/known.json"
  # shellcheck disable=SC2086
  env --default-signal=INT mpirun --mca odls_base_sigkill_timeout 5 --oversubscribe -n 3 "$program" search $long -f json --checkpoint "$checkpoint" \
    -o "$folder/known.json" >"$folder/out" 2>"$folder/err" &
  launched=$!
  for _ in $(seq 300); do
    [ ! -s "$checkpoint" ] || return 0
    sleep 0.1
  done
}
rank_of() { # N: process of the N-th rank of the launched
  pgrep -P "$launched" | sed -n "$1p"
}
landed() { # waits for the launched
  status=0
  wait "$launched" || status=$?
}
# Before it is in the search, no other rank waits to hear of it.
# shellcheck disable=SC2086 # words
env --default-signal=INT timeout 60 mpirun --oversubscribe -n 3 "$program" search $long -f json >"$folder/out" 2>"$folder/err" &
launched=$!
mpi=
while [ -z "$mpi" ]; do mpi=$(pgrep -P "$launched" | head -n 1); done
early=
while [ -z "$early" ]; do early=$(pgrep -P "$mpi" | sed -n 2p); done
kill -INT "$early"
landed
count "$((status != 130))" "Ctrl-C of a rank that starts: exit code $status, $(cat "$folder/err")"

says_so() {
  grep -q '"looked_at"' "$folder/known.json" && grep -q "goes on from" "$folder/err" && [ -s "$checkpoint" ]
}

launch
kill -INT "$launched"
landed
says_so || status=0
count "$((status == 0))" "Ctrl-C of mpirun: $(cat "$folder/err")"
launch
kill -INT "$(rank_of 2)"
landed
says_so || status=0
count "$((status != 130))" "Ctrl-C of a rank: exit code $status, $(cat "$folder/err")"
launch
kill -KILL "$(rank_of 3)"
landed
[ -s "$checkpoint" ] || status=0
count "$((status == 0))" "a rank that is killed: $(cat "$folder/err")"

# shellcheck disable=SC2086
"$program" search $long -f json >"$folder/long.json"
# shellcheck disable=SC2086
ranks 2 $long -f json --checkpoint "$checkpoint"
same "$folder/long.json" "two ranks go on where three were killed"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
