#!/usr/bin/env bash
# thinned.sh REPOSITORY: a suite of tests/steps that leaves cases out for `./worklog test` is one that `.ci/run thorough` runs whole.
set -euo pipefail
cd "$1"
whole=" $(sed -nE 's/^set\(worklog_(long|thinned)_suites (.*)\)$/\2/p' cmake/WorklogTests.cmake | tr '\n' ' ')"
thinned=$(awk -F '"' '/^TEST_SUITE/ { suite = $2 } /wants_every_case\(|is_left_out\(|block_sizes\(/ && suite { print suite } /^}/ { suite = "" }' \
  tests/steps/*.cpp | sort -u)
[ "$(wc -w <<<"$thinned")" -ge 6 ] || { echo "of the suites that leave cases out only these were found:" "$thinned" >&2 && exit 1; }
for suite in $thinned; do
  case $whole in *" $suite "*) ;; *) echo "cmake/WorklogTests.cmake: worklog_thinned_suites lacks $suite" >&2 && exit 1 ;; esac
done
