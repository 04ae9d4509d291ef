#!/usr/bin/env bash
# domain.sh HOW PROGRAM: one_fp64_sum is right up to the logits that it names, and wrong beyond, where the step is right.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/ranks.sh"

for type in f32 bf16; do
  with_ranks 3 --variant one_fp64_sum --type $type --input largest --rows 4 --cols 100
  [ "$code" = 0 ] || wrong "$type: wrong within its limit"
  grep -q 'fails as stated' "$work/said" || wrong "$type: does not name its limit"
  with_ranks 3 --variant one_fp64_sum --type $type --input largest --rows 4 --cols 100 --beyond
  [ "$code" = 1 ] || wrong "$type: not wrong beyond its limit"
  grep -q 'WRONG' "$work/said" || wrong "$type: not wrong beyond its limit"
  with_ranks 3 --variant none --result softmax --type $type --input largest --rows 4 --cols 100 --beyond
  [ "$code" = 0 ] || wrong "$type: the step is wrong there, too"
done
