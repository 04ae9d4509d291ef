#!/usr/bin/env bash
# check_action.sh SIMT: what the action's check.sh says of a program that is right, of one with a race, of one that is missing, of one
# with arguments and of one whose later launch alone has a mistake, and which of their findings it writes.
set -euo pipefail
program=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
check=$here/../../action/check.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/kernels"
cp "$here/../programs/vector_add.cu" "$here/../programs/reduction.cu" "$work/kernels"
cat >"$work/arguments.cu" <<'CUDA'
#include <cstdio>
int main(int argc, char** argv) { printf("%d arguments, the last is %s\n", argc - 1, argv[argc - 1]); }
CUDA
cat >"$work/later.cu" <<'CUDA'
__global__ void store(float* out, int elements) {
  if (threadIdx.x < elements) out[threadIdx.x] = 1.0f;
}
int main() {
  float* out;
  cudaMalloc(&out, 31 * sizeof(float));
  for (int elements : {31, 32}) store<<<1, 32>>>(out, elements);
  cudaFree(out);
}
CUDA
# As the program is a minute later, when it counts the first launches of a kind alone unless it is told more.
printf '#!/bin/sh\nshift\nexec "%s" run --count first "$@"\n' "$program" >"$work/simt_later"
chmod +x "$work/simt_later"
cd "$work"

# says CODE TEXT..: the last run ended so, and printed each of these.
says() {
  local text
  [ "$code" = "$1" ] || { cat out.txt && echo "exit code $code, not $1" >&2 && exit 1; }
  shift
  for text in "$@"; do
    grep -qF -- "$text" out.txt || { cat out.txt && echo "'$text' is missing" >&2 && exit 1; }
  done
}
run() {
  code=0
  "$check" "$program" found "$@" >out.txt 2>&1 || code=$?
}

run kernels/vector_add.cu 'arguments.cu # one two'
says 0 'Test PASSED' '2 arguments, the last is two' '2 programs, 0 with findings or failures'
if grep -q '^::error' out.txt; then cat out.txt && exit 1; fi
[ -s found/kernels_vector__add.cu.sarif ] && [ -s found/arguments.cu.sarif ]

export SIMT_OPTIONS='-D RACE'
run kernels/reduction.cu kernels/missing.cu
says 1 '::error file=kernels/reduction.cu,line=18::store after load: thread 1 and others of its warp have no __syncwarp() or barrier in between' '[shared-race]' \
  '2 programs, 2 with findings or failures' '  kernels/missing.cu (exit code 1)'
[ ! -e found/kernels_missing.cu.sarif ]

# Every launch is checked, unless the options say otherwise.
unset SIMT_OPTIONS
program=$work/simt_later run later.cu
says 1 '::error file=later.cu,line=2::store of 4 bytes at byte 124 of an allocation of 124 bytes' '[global-out-of-bounds]'
SIMT_OPTIONS='--count first' run later.cu
says 0 '1 programs, 0 with findings or failures'

code=0
"$check" "$program" found >out.txt 2>&1 || code=$?
says 2 'usage: check.sh SIMT FOLDER FILE.cu..'
run=$(touch file && "$check" "$program" file kernels/vector_add.cu 2>&1) || code=$?
[ "$code" = 2 ] && [[ $run == *'cannot write to file'* ]]
