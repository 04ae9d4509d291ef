#!/usr/bin/env bash
# bench/library_on_gpu.sh lists what it times, and says what is missing: library_on_gpu.sh SCRIPT WORKLOG_LIBRARY_TIMES_CPU
set -euo pipefail
script=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "$1" >&2
  cat output.txt >&2
  exit 1
}
run() {
  local code=0
  "$script" "$@" >output.txt 2>&1 || code=$?
  echo "$code"
}
expect() { grep -qE -- "$1" output.txt || fail "not there: $1"; }

[ "$(run)" = 2 ] || fail "no folder: must be bad usage"
[ "$(run out)" = 2 ] || fail "no program: must be bad usage"
[ "$(run out nowhere)" = 2 ] || fail "a program that is none: must be bad usage"
[ "$(run out "$program" --flashinfer)" = 2 ] || fail "an option without its value: must be bad usage"
[ "$(run out "$program" more)" = 2 ] || fail "one argument too many: must be bad usage"
[ "$(run out "$program" --only others)" = 2 ] || fail "a part that is none: must be bad usage"
expect "^library_on_gpu.sh: --only 'others': must be own or peers$"
[ "$(run out "$program" --only peers)" = 2 ] || fail "peers alone, without the library's times: must be bad usage"
expect 'own.json is not there: --only own writes it$'

# A build folder will do as well as the program.
mkdir -p build/bin
ln -s "$program" build/bin/worklog_library_times
[ "$(run out build --dry-run)" = 0 ] || fail "a dry run must go well"
expect '^softmax/f32/4096x262144/cold library_with_peers pytorch triton flashinfer quack$'
expect '^softmax/bf16/4096x128256/cold library_with_peers pytorch triton quack torch_compile$'
expect '^cross_entropy/bf16/32768x32000/cold library_with_peers pytorch quack liger$'
expect '^cross_entropy_rows/bf16/32768x32000/cold library_with_peers pytorch quack$'
expect '^cross_entropy_rows/f32/64x32000/warm library_with_peers pytorch quack$'
expect '^top_k/f32/1x50257/k50/warm library_with_peers pytorch$'
"$program" --list >cases.txt
[ "$(cut -d ' ' -f 1 <(grep / output.txt))" = "$(cat cases.txt)" ] || fail "peers are timed elsewhere"
if "$program" --list --filter nothing_such >output.txt 2>&1; then fail "a filter that nothing matches must fail"; fi
expect 'no such case'

# Times of the CPU executor would mean nothing.
[ "$(run out "$program")" = 1 ] || fail "a run without a GPU must fail"
expect '^the library, its candidates, cuDNN +code 1'
expect 'times are taken on GPUs only'
expect '^peers +code 1'
[ ! -e out/library.json ] || fail "there must be no results"
[ "$(run out "$program" --only own)" = 1 ] || fail "a run without a GPU must fail"
expect '^the library, its candidates, cuDNN +code 1'
if grep -q '^peers' output.txt; then fail "the library alone was asked for"; fi
touch out/own.json
[ "$(run out "$program" --only peers)" = 1 ] || fail "peers without a GPU must fail"
expect '^peers +code 1'
if grep -q '^the library, its' output.txt; then fail "the peers alone were asked for"; fi
grep -q '^== the library, its candidates' out/log.txt || fail "the log of the library's times is lost"
grep -q '^== peers' out/log.txt || fail "the peers' times have no log"
[ "$(run out "$program" --only own)" = 1 ] || fail "a run without a GPU must fail"
[ ! -e out/own.json ] || fail "times of an earlier run must not look like this one's"
[ "$(run out "$program" --only peers --dry-run)" = 0 ] || fail "a dry run times nothing, and needs no times"
