#!/bin/sh
# One rank and two give the bytes of a search without MPI; a rank that fails ends all with its code.
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

rules=
search() {
  # shellcheck disable=SC2086 # none or two words
  "$@" "$program" search $rules --model llama-3.1-8b --device H100 --devices 16 --global-batch 128 --seq-len 8192 \
    --objective step_s,headroom_bytes -f json
}
count() {
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "--- failed: $2"
  fi
}

search env >"$folder/plain.json"
for ranks in 1 2 3; do
  status=0
  search mpirun --oversubscribe -n "$ranks" >"$folder/$ranks.json" 2>"$folder/err" || status=$?
  cmp -s "$folder/plain.json" "$folder/$ranks.json" || status=1
  count "$status" "$ranks ranks: $(cat "$folder/err")"
done

cat >"$folder/rule.lua" <<'RULE'
return { name = "fails", reject = function(c) return c.tp > 2 and c.nothing > 1 end }
RULE
rules="--rules $folder/rule.lua"
status=0
search mpirun --oversubscribe -n 2 >"$folder/out" 2>"$folder/err" || status=$?
grep -q "fails" "$folder/err" || status=0
[ ! -s "$folder/out" ] || status=0
count "$((status != 4))" "a rule that fails: exit code $status, $(cat "$folder/err")"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
