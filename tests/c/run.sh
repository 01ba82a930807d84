#!/bin/sh
# Runs the C tests of a build folder; the last line sums up: `N passed, N failed`.
#
#   tests/c/run.sh BUILD_DIR
#
# A test program that ends without its totals (a crash, a sanitizer's report) counts as one failure.
set -u
here=$(dirname -- "$(readlink -f -- "$0")")
build=$1
output=$(mktemp)
trap 'rm -f "$output"' EXIT
passed=0
failed=0

totals_of() { # totals_of PASSED|FAILED: cmocka's "[  PASSED  ] 5 test(s)."
  sed -n "s/^\[  $1  \] \([0-9][0-9]*\) test(s).*/\1/p" "$output" | tail -n 1
}

for source in "$here"/test_*.c; do
  name=$(basename -- "$source" .c)
  "$build/$name" >"$output" 2>&1
  status=$?
  good=$(totals_of PASSED)
  bad=$(totals_of FAILED)
  passed=$((passed + ${good:-0}))
  failed=$((failed + ${bad:-0}))
  if [ "$status" -ne 0 ] && [ "${bad:-0}" -eq 0 ] || [ -z "$good$bad" ]; then
    failed=$((failed + 1))
    bad=1
  fi
  if [ "${bad:-0}" -gt 0 ]; then
    echo "--- $name, exit code $status"
    grep -v '^\[ *\(RUN\|OK\) *\]' "$output"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
