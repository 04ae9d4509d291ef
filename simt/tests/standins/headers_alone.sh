#!/usr/bin/env bash
# headers_alone.sh SIMT COMPILER STANDARD: each stand-in header compiles by itself without a warning. Those that only include others, to have the name that a program asks for, compile together: they are what they include.
set -euo pipefail
root=$1/..
include=$1/include
compiler=$2
standard=$3
failures=0

# compiles HEADER..: as a file that includes these.
compiles() {
  printf '#include <%s>\n' "$@" |
    "$compiler" -std="$standard" -Wall -Wextra -Wshadow -Werror -fsyntax-only -I"$include" -I"$root" -x c++ - || {
    echo "failed as $standard: $*" >&2
    failures=$((failures + 1))
  }
}

# only_includes HEADER: nothing in it is code but #include.
only_includes() { ! grep -qvE '^[[:space:]]*(//|#include|#pragma once|$)' "$include/$1"; }

# What device code and a program's own tests include of the executor.
while read -r header; do compiles "simt/executor/$header"; done < <(
  cd "$root/simt/executor" && find . -maxdepth 1 -name '*.h' ! -name writable_thread_index.h -printf '%P\n' | sort)

names=()
# Those that stand beside the headers of a library need the others of it: of Thrust what programs include compiles together, and all of
# CUB in programs alone, where they are translated.
stands_beside_library() { [[ $1 == thrust/* || $1 == cuda_standin/thrust/* || $1 == cub/* ]]; }
if [ -e /usr/include/thrust/version.h ]; then
  while read -r header; do of_thrust+=("$header"); done < <(cd "$include/thrust" && find . -maxdepth 1 -name '*.h' -printf 'thrust/%P\n' | sort)
  compiles "${of_thrust[@]}"
fi

while read -r header; do
  if stands_beside_library "$header"; then continue; fi
  if only_includes "$header"; then names+=("$header"); else compiles "$header"; fi
done < <(cd "$include" && find . -type f -printf '%P\n' | sort)
if [ ${#names[@]} -gt 0 ]; then compiles "${names[@]}"; fi

# Sources in C find what they can call.
printf '#include <cuda_runtime.h>\n' |
  "$compiler" -std=c99 -Wall -Wextra -Wshadow -Wpedantic -Werror -fsyntax-only -I"$include" -I"$root" -x c - || {
  echo "failed in C: cuda_runtime.h" >&2
  failures=$((failures + 1))
}
echo "Together: ${names[*]}"
exit $((failures > 0))
