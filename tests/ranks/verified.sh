#!/usr/bin/env bash
# verified.sh HOW PROGRAM RANKS..: every kernel, result, type, split and input is right with each number of ranks, such as 1 2 3,
# and tells the others as many bytes as it says. HOW is threads, or mpirun's path.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/ranks.sh"

for ranks in "${@:3}"; do
  types=()
  if [ "$ranks" = 8 ]; then types=(--type f32); fi # the others take long enough
  with_ranks "$ranks" ${types[@]+"${types[@]}"}
  [ "$code" = 0 ] || wrong "$ranks ranks"
  grep -qE '^([0-9]+) of \1 cases' "$work/said" || wrong "$ranks ranks: not all cases are as they should be"
  grep -q 'the step itself .* verified' "$work/said" || wrong "$ranks ranks: nothing is verified"
  if [ "$how" = threads ]; then
    grep -q 'in_kernel .* verified' "$work/said" || wrong "$ranks ranks: in_kernel is not verified"
  fi
done

# 8 bytes a row and rank, in one call; two calls of 4 bytes each.
with_ranks 3 --rows 5 --cols 100 --result softmax --type f32
grep -qE 'the step itself .* 8 +1$' "$work/said" || wrong "the step tells otherwise than 8 bytes in one call"
grep -qE 'separate_all_reduces .* 8 +2$' "$work/said" || wrong "separate_all_reduces tells otherwise than 8 bytes in two calls"

# As many blocks share a row as fill an H200, though there would be work for more: 16 for each of 33 rows, in `know` and `finish`,
# and in `tell` one. That is 1089 on either rank. And each thing is stored once: here the probabilities, what each block of `know`
# leaves, and m and d of each row and rank; of a cross-entropy 500 gradients, and of each row and rank three numbers and two losses.
if [ "$how" = threads ]; then
  with_ranks 2 --counters --rows 33 --cols 67584 --block-size 64
  grep -qx $'blocks\t2178' "$work/said" || wrong "other blocks share a row than fill the GPU"
  grep -qx $'global_store_elements\t2231460' "$work/said" || wrong "a softmax stores something twice, or not"
  with_ranks 3 --counters --rows 5 --cols 100 --result cross_entropy
  grep -qx $'global_store_elements\t575' "$work/said" || wrong "a cross-entropy stores something twice, or not"
fi

# Labels are given with every result. Of these rows several blocks have one each, and leave something behind what a softmax tells.
with_ranks 2 --variant none --rows 32 --cols 16384 --result softmax --type f32
[ "$code" = 0 ] || wrong "labels: a softmax does not leave them alone"

# Rows that wait in a cluster's shared memory, which the usual ones do not.
if [ "$how" = threads ]; then
  with_ranks 2 --variant in_cluster --rows 70 --cols 12000 --type f32
  [ "$code" = 0 ] || wrong "in_cluster, 70 x 12000"
  with_ranks 2 --variant in_cluster --rows 70 --cols 40000 --type bf16
  [ "$code" = 0 ] || wrong "in_cluster, 70 x 40000"
fi
