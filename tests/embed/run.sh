#!/bin/sh
# Installs what tools/build -DBALLPARK_PACKAGE=ON built into an empty folder and uses it as a program would: C by
# pkg-config and by CMake, Python by ctypes, stock Lua. The last line sums up: `N passed, N failed`.
#
#   tests/embed/run.sh BUILD_DIR
set -u
build=$(cd -- "$1" && pwd)
here=$(dirname -- "$(readlink -f -- "$0")")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT INT TERM
passed=0
failed=0
try() { # try WHAT COMMAND...
  what=$1
  shift
  if "$@" >"$place/log" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "not ok: $what"
    sed 's/^/  /' "$place/log"
  fi
}

cmake --install "$build" --prefix "$place/usr" >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
lib=$(dirname -- "$(find "$place/usr" -name libballpark.so.1)")
# What is asked here is installed under another name than it will be.
export LD_LIBRARY_PATH="$lib" BALLPARK_LUA="$place/usr/share/ballpark/lua"
flags="-I$place/usr/include -L$lib -lballpark"

compile() { # compile COMPILER OUT SOURCE [FLAG]...
  compiler=$1 out=$2 source=$3
  shift 3
  # shellcheck disable=SC2086 # one word per flag
  $compiler -Wall -Wextra -Werror -o "$out" "$source" "$@" $flags
}
says() { # says PATTERN COMMAND...
  pattern=$1
  shift
  "$@" | grep -q -- "$pattern"
}
named() { PKG_CONFIG_PATH="$lib/pkgconfig" pkg-config --libs ballpark; }
cmake_finds() {
  mkdir "$place/user"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(user C)' 'find_package(Ballpark REQUIRED)' \
    "add_executable(fleet $here/fleet.c)" 'target_link_libraries(fleet Ballpark::ballpark_shared)' \
    >"$place/user/CMakeLists.txt"
  cmake -S "$place/user" -B "$place/user/build" -DCMAKE_PREFIX_PATH="$place/usr" && cmake --build "$place/user/build"
}

try "the header is C++ too" "${CXX:-c++}" -x c++ -fsyntax-only "$place/usr/include/ballpark.h"
try "an example in C compiles" compile "${CC:-cc}" "$place/fleet" "$here/fleet.c"
try "it sizes a fleet" says '^692 replicas$' "$place/fleet"
try "an example in Python" says '^2 x H100-SXM-80GB' python3 "$here/fleet.py"
try "what a program gets wrong compiles" compile "${CC:-cc}" "$place/check" "$here/check.c" -pthread
# A locale with a decimal comma, where the system can make one.
localedef -i de_DE -f UTF-8 "$place/de_DE.UTF-8" >"$place/log" 2>&1
export LOCPATH="$place"
try "what a program gets wrong" says ' 0 failed$' "$place/check"
try "stock Lua" says '^15.0$' env LUA_PATH="$place/usr/share/lua/5.4/?.lua;$place/usr/share/lua/5.4/?/init.lua;;" \
  LUA_CPATH="$lib/lua/5.4/?.so;;" lua5.4 -e 'print(require("ballpark").kernel.replicas({ peak_per_s = 100,
  capacity_per_s = 10, utilization_frac = 0.7 }).needed)'
try "pkg-config" says '-lballpark' named
try "CMake finds it" cmake_finds
try "the program runs where it is installed" env -u BALLPARK_LUA "$place/usr/bin/ballpark" explain TTFT
try "man page" says 'serve' cat "$place/usr/share/man/man1/ballpark.1"
for file in bash-completion/completions/ballpark zsh/vendor-completions/_ballpark fish/vendor_completions.d/ballpark.fish
do try "completion $file" test -s "$place/usr/share/$file"; done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
