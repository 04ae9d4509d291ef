#!/usr/bin/env bash
# bench/run_on_gpu.sh runs what it says it runs, and names what it had no time for: run_on_gpu.sh SCRIPT
set -euo pipefail
script=$1
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
refuse() { if grep -qE -- "$1" output.txt; then fail "must not be there: $1"; fi; }

# Programs that do nothing, but for one step that takes one row, and a bench that takes its time.
mkdir -p build/bin
for program in worklog_bench worklog_accuracy worklog_profile worklog_sweep step_05_many_rows step_09_one_row \
  step_05_many_rows_gpu_tests exercise_solutions_gpu_tests; do
  printf '#!/bin/sh\nexit 0\n' >build/bin/$program
done
printf '#!/bin/sh\ncase "$*" in *"--rows 1"*) exit 0 ;; esac\nexit 2\n' >build/bin/step_09_one_row
printf '#!/bin/sh\nsleep 20\n' >build/bin/worklog_bench
chmod +x build/bin/*

[ "$(run)" = 2 ] || fail "no folder: must be bad usage"
[ "$(run out --limit soon)" = 2 ] || fail "--limit soon: must be bad usage"
[ "$(run out --everything)" = 2 ] || fail "--everything: must be bad usage"

[ "$(run out --build build --dry-run)" = 0 ] || fail "a dry run must go well"
[ "$(sed -n 's/^---- //p' output.txt | tr '\n' ' ')" = 'bench baselines profile sanitize verify ' ] || fail "other parts"
expect 'worklog_bench --benchmark_out='
expect 'bench/baselines --measurements .* --out .* --accuracy '
expect 'merge_results.py .*results.json .*baselines.json --accuracy .*accuracy.json --out .*results.json'
expect 'step_05_many_rows_gpu_tests --test-suite-exclude=huge'
expect 'step_05_many_rows --no-times --rows 5 --cols 7$'
expect 'step_09_one_row --no-times --rows 1 --cols 100003 --block-size 32$'
refuse 'step_09_one_row .*--rows [^1]'
expect 'compute-sanitizer --tool racecheck .*/exercise_solutions_gpu_tests$'
expect 'profile_on_gpu.sh .* hardware$'
refuse 'test-suite=huge|worklog_sweep|worklog_profile parity'

[ "$(run out --build build --dry-run --huge --sweep --parity)" = 0 ] || fail "a dry run must go well"
expect '--test-suite=huge'
expect 'worklog_sweep --out'
expect 'worklog_profile parity$'

expect '--sweeps .*sweep.json .*sweep.json --out .*sweep.json'

[ "$(run out --build build --limit 1 --bench --sweep)" = 1 ] || fail "what had no time must be a failure"
expect '^TIMEOUT  bench'
expect '^NOT RUN  sweep'
expect '^FAILED: .*bench; .*sweep of 05_many_rows; '

# What went well is not run again; what did not is.
calls=$folder/calls.txt
# shellcheck disable=SC2016  # for the program
printf '#!/bin/sh\necho bench >>%s\nfor option; do case $option in --benchmark_out=*) %s "${option#*=}";; esac; done\n' \
  "$calls" "cp $folder/bench.json" >build/bin/worklog_bench
echo '{"context": {"gpu": "A"}, "benchmarks": []}' >bench.json
printf '#!/bin/sh\necho test >>%s\n' "$calls" >build/bin/step_05_many_rows_gpu_tests
printf '#!/bin/sh\necho fails >>%s\nexit 1\n' "$calls" >build/bin/exercise_solutions_gpu_tests
[ "$(run out --build build --bench --verify)" = 2 ] || fail "other programs must be refused"
expect 'holds results of other programs'
[ "$(run again --build build --bench --verify)" = 1 ] || fail "a failing test must be a failure"
grep -qx bench again/done.txt || fail "the bench must be remembered"
if grep -qx verify again/done.txt; then fail "a failed part must not be remembered"; fi
[ "$(run again --build build --bench --verify)" = 1 ] || fail "a failing test must be a failure again"
expect 'ok       it went well before'
expect '1 of GPU tests went well before'
[ "$(sort "$calls" | uniq -c | tr -s ' ' | tr '\n' ,)" = ' 1 bench, 2 fails, 1 test,' ] || fail "other calls: $(cat "$calls")"
[ "$(find again -type f | wc -l)" -le 8 ] || fail "more than eight files: $(ls again)"
