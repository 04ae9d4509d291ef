#!/usr/bin/env bash
# headers_alone.sh ROOT COMPILER: each stand-in header compiles by itself, without a warning. Those that only include others,
# to have the name that a program asks for, compile together: they are what they include.
set -euo pipefail
root=$1
include=$root/common/simt/include
compiler=$2
failures=0

# compiles HEADER..: as a file that includes these.
compiles() {
  printf '#include <%s>\n' "$@" |
    "$compiler" -std=c++20 -Wall -Wextra -Wshadow -Werror -fsyntax-only -I"$include" -I"$root" -x c++ - || {
    echo "failed: $*" >&2
    failures=$((failures + 1))
  }
}

# only_includes HEADER: nothing in it is code but #include.
only_includes() { ! grep -qvE '^[[:space:]]*(//|#include|#pragma once|$)' "$include/$1"; }

names=()
while read -r header; do
  if only_includes "$header"; then names+=("$header"); else compiles "$header"; fi
done < <(cd "$include" && find . -name '*.h' -printf '%P\n' | sort)
if [ ${#names[@]} -gt 0 ]; then compiles "${names[@]}"; fi
echo "Together: ${names[*]}"
exit $((failures > 0))
