#!/usr/bin/env bash
# `./worklog step` takes a variant as `./worklog diff` does, and its standard output is the program's alone.
#
#   variant.sh REPOSITORY
# shellcheck source-path=SCRIPTDIR source=clone.sh
source "$(dirname "${BASH_SOURCE[0]}")/clone.sh"

mkdir -p "$clone/build/bin"
program=$clone/build/bin/step_05_warp_shuffle_cpu
printf '#!/bin/sh\necho "the program with: $*"\n' >"$program"
chmod +x "$program"

# prints WORDS ARGUMENT..: standard output of the command must be these words and nothing else.
prints() {
  local words=$1 printed
  shift
  printed=$("$clone/worklog" "$@" 2>"$output")
  [ "$printed" = "$words" ] || { echo "'$printed' was printed, not '$words'" && exit 1; } >&2
}

echo "== a variant"
prints "the program with: --variant safe --counters" step 05/safe --counters
prints "the program with: --variant safe" step 5/safe
prints "the program with: --counters" step 05 --counters
run 1 step 05/none
says "step 05 has no variant 'none'"
says "It has: combine_every_round safe unsafe"
run 1 step 05a
says "a variant has a name, such as 05/safe"
run 1 step 21/in_cluster
says "the program of step 21 runs all its variants"

echo "== of a build that has nothing to do nothing is said, neither there nor on standard error"
prints "the program with: " step 05
[ ! -s "$output" ]

echo "== of one that has, on standard error"
sed -i 's/echo "no work to do"/echo "[1\/1] Linking"/' "$tools/cmake"
prints "the program with: " step 05
says "Building: done in"
