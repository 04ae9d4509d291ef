#!/usr/bin/env bash
# headers_alone.sh ROOT COMPILER: each stand-in header compiles by itself, without a warning.
set -euo pipefail
include=$1/common/simt/include
compiler=$2
failures=0
while read -r header; do
  echo "#include <$header>" |
    "$compiler" -std=c++20 -Wall -Wextra -Wshadow -Werror -fsyntax-only -I"$include" -I"$1" -x c++ - || {
    echo "failed: $header" >&2
    failures=$((failures + 1))
  }
done < <(cd "$include" && find . -name '*.h' -printf '%P\n' | sort)
exit $((failures > 0))
