#!/bin/sh
# Runs the quickstart under valgrind; a leak, or a read of what was never written, fails.
#
#   tests/memcheck.sh PROGRAM [SCENARIO]
set -u
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
if valgrind --quiet --leak-check=full --show-leak-kinds=definite,indirect,possible \
  --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=99 \
  "$1" run "${2:-$root/scenarios/quickstart.lua}" >/dev/null; then
  echo "1 passed, 0 failed"
else
  echo "valgrind of the quickstart: exit code $?"
  echo "0 passed, 1 failed"
  exit 1
fi
