#!/usr/bin/env bash
# large_shapes.sh PROGRAM: what shows in shapes alone that take seconds each, of ranks that are threads.
# shellcheck source-path=SCRIPTDIR
set -- threads "$@"
. "$(dirname "$0")/ranks.sh"

# A shape that one kernel refuses keeps no other from it.
with_ranks 2 --rows 1 --cols 2500000 --type f32 --result softmax --block-size 128
grep -q 'refused: slices of' "$work/said" || wrong "nothing refuses slices of 1250000 columns"
if [ "$code" != 0 ] || ! grep -q 'in_kernel_long_row .* verified' "$work/said"; then wrong "a kernel that refuses ends the others"; fi
with_ranks 2 --rows 1 --cols 2500000 --type f32 --result softmax --block-size 128 --variant in_cluster
[ "$code" = 1 ] || wrong "in_cluster, asked for by name, refuses without an error"

# More rows than a kernel has blocks.
with_ranks 2 --variant in_kernel --rows 134 --cols 58500 --type f32
[ "$code" = 0 ] || wrong "in_kernel, 134 x 58500"
