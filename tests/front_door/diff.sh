#!/usr/bin/env bash
# `./worklog diff` compares the counters of two steps by their names, and shows none unless both have been counted.
#
#   diff.sh REPOSITORY
# shellcheck source-path=SCRIPTDIR source=clone.sh
source "$(dirname "${BASH_SOURCE[0]}")/clone.sh"

mkdir -p "$clone/build/bin"

# counts STEP ENDING NAME=VALUE..: what the step's program prints, and how it ends.
counts() {
  local program=$clone/build/bin/step_$1_cpu ending=$2
  shift 2
  printf '%s\n' '#!/bin/sh' "tr = '\t' <<TEXT" "$@" TEXT "$ending" >"$program"
  chmod +x "$program"
}

# row TEXT, no_row TEXT: what must be in the table, and what not. Spaces are one.
table() { sed '1,/^Counters/d' "$output" | awk '{ $1 = $1; print }'; }
row() { table | grep -qxF -- "$1" || { echo "the row '$1' is missing here:" && cat "$output" && exit 1; } >&2; }
no_row() { ! table | grep -F -- "$1" >&2 || { echo "must not be in the table" >&2 && exit 1; }; }

echo "== in another order, and each with a counter of its own"
counts 04_shared_memory "exit 0" loads=2 atomics=3 barriers=0 shuffles=0
counts 05_warp_shuffle "exit 0" votes=7 shuffles=5 loads=4 barriers=0
run 0 diff 04 05
row "step 04 step 05"
row "loads 2 4 x 2"
row "atomics 3 0 x 0"
row "shuffles 0 5 new"
row "votes 0 7 new"
no_row "barriers"
no_row "The same in both"

echo "== what did not move stands behind the table"
counts 04_shared_memory "exit 0" loads=2 stores=1 barriers=9 launches=1
counts 05_warp_shuffle "exit 0" loads=2 stores=1 barriers=2 launches=1
run 0 diff 04 05
row "barriers 9 2 x 0.222"
row "The same in both: loads 2, stores 1, launches 1."

echo "== one whose results are wrong, and one that crashes"
for ending in "exit 1" 'kill -SEGV $$'; do
  counts 05_warp_shuffle "$ending" loads=4
  for steps in "04 05" "05 04"; do
    # shellcheck disable=SC2086  # two words
    run 1 diff $steps
    says "the counters of step 05 are missing"
    no_row "loads"
  done
done

echo "== of a step whose rows are split among devices the code alone, and nothing is built"
printf 'worklog_add_rank_step()\n' >"$clone/steps/05_warp_shuffle/CMakeLists.txt"
rm "$clone"/build/bin/step_05_warp_shuffle_cpu
run 0 diff 04 05
grep -q '^What crosses the links between devices: ./worklog step 05$' "$output"
! grep -q '^Counters' "$output"
