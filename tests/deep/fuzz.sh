#!/bin/bash
# Readers under libFuzzer, with AddressSanitizer and UBSan:
#
#   tools/check-deep fuzz [CPU_SECONDS [TARGET...]]
#
# 600 s of CPU time for each of the targets of tests/fuzz/targets.lua unless said, two of them at a time. What is found is
# kept in build-fuzz/found, the corpus that grows in build-fuzz/corpus. Exit code 1 where anything is found.
set -u
cpu_s=${1:-600}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(sed -n 's/^function targets\.\([a-z_]*\)(text).*/\1/p' tests/fuzz/targets.lua)

tools/setup lint || exit
CC=clang tools/build --dir build-fuzz -DBALLPARK_FUZZ=ON || exit
cmake --build build-fuzz --target ballpark_fuzz >/dev/null || exit

# LeakSanitizer looks at the end only, where the Lua state is still there.
export BALLPARK_FUZZ_CPU_S=$cpu_s ASAN_OPTIONS=detect_leaks=0 XDG_CONFIG_HOME=$PWD/build-fuzz/no-config

# Seconds of one input that are too many, by the clock: sanitizers and a shared core make it some fifty times as long.
LONGEST_S=90

fuzz() { # fuzz TARGET: its last line says how it ended
  local target=$1 corpus=build-fuzz/corpus/$1 found=build-fuzz/found/$1 log=build-fuzz/$1.log
  mkdir -p "$corpus" "$found"
  rm -f "$found"/*
  BALLPARK_FUZZ_TARGET=$target build-fuzz/ballpark_fuzz -artifact_prefix="$found/" -timeout="$LONGEST_S" \
    -report_slow_units="$LONGEST_S" -rss_limit_mb=3000 \
    -max_len=4096 -print_final_stats=1 "$corpus" "tests/fuzz/corpus/$target" >"$log" 2>&1
  local status=$?
  local ended
  ended=$(grep -aE '^(done: |stat::number_of_executed)' "$log" | tail -n 1)
  if [ "$status" -eq 0 ] && [ -z "$(ls -A "$found")" ]; then
    printf '%-12s %s\n' "$target" "$ended"
  else
    printf '%-12s found: %s (exit code %s), see %s\n' "$target" "$(find "$found" -type f -printf '%f ')" "$status" "$log"
    return 1
  fi
}
export -f fuzz

# shellcheck disable=SC2016 # expanded by the shells that xargs starts
printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c 'fuzz "$1"' fuzz {}
status=$?
[ "$status" -eq 0 ]
