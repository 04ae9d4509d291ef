#!/usr/bin/env bash
# Every baseline in Python is timed at a shape of the bench: baselines_follow_the_bench.sh BASELINES WORKLOG_BENCH_CPU
set -euo pipefail
baselines=$1 bench=$2
names=$(mktemp)
measurements=$(mktemp)
trap 'rm -f "$names" "$measurements"' EXIT

"$bench" --benchmark_list_tests >"$names"
"$bench" --measurements="$measurements"
listed=$(python3 -B "$baselines" --measurements "$measurements" --list)

# The copy, for a top-k the read, and for a backward pass the combination of the same bytes.
ceilings=$(sed -E 's#^[^/]+/[^/]+/(.*)/k[0-9]+/#read/\1/#; t; s#^[^/]+/[^/]+_backward/#combine/#; t; s#^[^/]+/[^/]+_forward/#read/#; t; s#^[^/]+/[^/]+/#copy/#' \
  <<<"$listed" | sort -u)
missing=$(grep -vxFf "$names" <<<"$ceilings" || true)
if [ -n "$missing" ]; then
  printf 'baselines are timed where the bench has no:\n%s\n' "$missing" >&2
  exit 1
fi
for name in pytorch/softmax/f32/1x16777216/cold pytorch/softmax/f16/64x8192/cold pytorch/log_softmax/f32/256x30000/cold \
  pytorch/softmax_then_topk/f32/4000x25000/k{5,10,15,30,64,128}/cold triton/softmax/f32/4000x25000/cold \
  pytorch/softmax_backward/bf16/4096x128256/cold pytorch/log_softmax_backward/f32/8192x50257/cold \
  torch_compile/softmax_backward/bf16/8192x32768/cold {pytorch,torch_compile,liger}/cross_entropy/bf16/8192x32000/cold \
  torch_compile/cross_entropy_forward/f32/8192x50257/cold pytorch/attention{,_of_three_calls}/bf16/16384x16384/cold \
  torch_compile/softmax/f32/4000x4000/cold torch_compile/log_softmax/f32/256x30000/cold; do
  grep -qxF "$name" <<<"$listed" || { echo "not timed: $name" >&2; exit 1; }
done
[ -z "$(sort <<<"$listed" | uniq -d)" ] || { echo "a name comes twice" >&2; exit 1; }
