#!/usr/bin/env bash
# Everything that a GPU machine has to say, in one call and without a network: see usage below.
set -uo pipefail

usage() {
  cat <<'TEXT'
usage: bench/run_on_gpu.sh OUT [OPTION..]

Runs on an NVIDIA GPU and writes into the folder OUT: results.json (times), records.json (errors), sweep.json (block sizes),
ncu_hardware.json and ncu_parity.json (profiles), summary.txt, log.txt, and done.txt: what has gone well. Called again with the
same OUT and the same programs, it runs only what has not. Then `./worklog record --from OUT` puts the results where they belong.

A recorded run, which is what happens without any of these, within --limit:
  --bench       times of every step, variant, type and shape, and of cuDNN, beside the fastest copy and read
  --baselines   PyTorch's, Triton's and torch.compile's times, joined to those of the bench; all their errors beside the steps'
  --verify      the GPU tests, and every step's records of the report's cases
  --sanitize    compute-sanitizer's four tools over every step and variant, at small odd shapes, and the exercises' solutions
  --profile     every step under Nsight Compute: what only hardware knows, at the shapes that are shown

Left out of it, for they take minutes more and change only when a step does:
  --huge        GPU tests of more than 2^31 elements, one at a time: each takes tens of gigabytes of host memory
  --sweep       times of all block sizes, from which a step's are chosen
  --parity      counts under Nsight Compute, which the CPU executor must equal

  --build DIR   the build folder, built first if it has no programs (build); or an archive of bench/pack_for_gpu.sh
  --limit S     seconds that all parts together may take, building aside (540); what is left over then is named
  --dry-run     print the commands of each part, and run none

A part that fails does not stop the others. Exit code: 0 if all went well, 1 if not, 2 for bad usage.
TEXT
}

bad_usage() {
  echo "run_on_gpu.sh: $1" >&2
  usage >&2
  exit 2
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build out='' limit=540 dry_run=no
parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --bench | --baselines | --verify | --sanitize | --profile | --huge | --sweep | --parity) parts+=("${1#--}") ;;
    --build | --limit)
      [ $# -ge 2 ] || bad_usage "$1: a value is missing"
      if [ "$1" = --build ]; then build=$2; else limit=$2; fi
      shift
      ;;
    --dry-run) dry_run=yes ;;
    --help | -h) usage && exit 0 ;;
    -*) bad_usage "unknown option '$1'" ;;
    *)
      [ -z "$out" ] || bad_usage "two output folders: $out and $1"
      out=$1
      ;;
  esac
  shift
done
[ -n "$out" ] || bad_usage "the output folder is missing"
[[ $limit =~ ^[1-9][0-9]*$ ]] || bad_usage "--limit $limit: must be a number of seconds"
[ ${#parts[@]} -gt 0 ] || parts=(bench baselines profile sanitize verify)

mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
done=$out/done.txt log=$out/log.txt
cores=$(getconf _NPROCESSORS_ONLN)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
made_of=
if [ -f "$build" ]; then
  made_of=$(sha256sum <"$build")
  mkdir "$work/build"
  tar -C "$work/build" -xJf "$build" || python3 -m tarfile -e "$build" "$work/build" || exit 1
  build=$work/build
elif [ -d "$build" ]; then
  build=$(cd "$build" && pwd)
fi
export LD_LIBRARY_PATH=$build/lib:/usr/local/cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export WORKLOG_DATA_DIR=$root/common/verify/data REQUIRE_GPU=1
export PATH=$PATH:/usr/local/cuda/bin
python=python3

# cuDNN comes with PyTorch, in a folder where no loader looks.
pytorch_cudnn=$("$python" -c 'import nvidia.cudnn; print(list(nvidia.cudnn.__path__)[0])' 2>/dev/null || true)
if [ -n "$pytorch_cudnn" ]; then export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$pytorch_cudnn/lib; fi

say() { printf '%s\n' "$*" | tee -a "$out/summary.txt"; }

# Results of different programs do not belong into one folder.
remember_programs() {
  local line
  line="programs ${made_of:-$(cat "$build"/bin/{worklog_bench,worklog_profile} | sha256sum)}"
  line+=" on $(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)"
  if [ ! -e "$done" ]; then
    printf '%s\n' "$line" >"$done"
  elif [ "$(sed -n 1p "$done")" != "$line" ]; then
    echo "run_on_gpu.sh: $out holds results of other programs, or of another GPU; choose another folder" >&2
    exit 2
  fi
}

was_done() { [ "$dry_run" = no ] && grep -qxF -- "$1" "$done"; }
now_done() { [ "$dry_run" = yes ] || printf '%s\n' "$1" >>"$done"; }

failed=()
# outcome NAME CODE SECONDS: a line of the summary; 124 is a part's time limit.
outcome() {
  case $2 in
    0) say "ok       $1 ($3 s)" ;;
    124 | 137) say "TIMEOUT  $1 (after $3 s)" ;;
    *) say "FAILED   $1 (code $2, $3 s)" ;;
  esac
  if [ "$2" != 0 ]; then failed+=("$1"); fi
}

end=0
# attempt NAME COMMAND..: runs it within what is left of the time. Its output goes to the log, whose last line
# is shown as progress.
attempt() {
  local name=$1 code=0 begin=$SECONDS left=$((end - SECONDS)) child
  shift
  if [ "$dry_run" = yes ]; then
    printf '%s: %s\n' "$name" "$*"
    return 0
  fi
  if [ "$left" -le 0 ]; then
    say "NOT RUN  $name (the $limit s are over)"
    failed+=("$name")
    return 1
  fi
  printf '==== %s\n' "$name" >>"$log"
  timeout --kill-after=10 "$left" "$@" >>"$log" 2>&1 &
  child=$!
  while kill -0 "$child" 2>/dev/null; do
    sleep 0.2
    if [ $((SECONDS - begin)) -ge "$next_line" ]; then
      printf '%s, %s s: %s\n' "$name" $((SECONDS - begin)) "$(tail -n 1 "$log" | cut -c 1-120)"
      next_line=$((SECONDS - begin + 20))
    fi
  done
  next_line=20
  wait "$child" || code=$?
  outcome "$name" "$code" $((SECONDS - begin))
  return "$code"
}
next_line=20

# One line of in_parallel: its output and its exit code go to files of their own.
run_job() {
  local folder=$1 number=${3%%$'\t'*} rest=${3#*$'\t'} code=0
  timeout --foreground --kill-after=10 "$2" bash -c "exec ${rest#*$'\t'}" >"$folder/$number.log" 2>&1 || code=$?
  printf '%s\t%s\n' "$code" "${rest%%$'\t'*}" | tee -a "$folder/codes"
  [ "$code" = 0 ]
}
export -f run_job

# in_parallel NAME WORKERS LIMIT: runs lines "name TAB command" of its input, each for LIMIT seconds at most. Those that
# went well before are left out, unless they leave files in $work (every_time in_parallel ..).
in_parallel() {
  local name=$1 workers=$2 job_limit=$3 folder total before bad code line
  folder=$(mktemp -d "$work/jobs.XXXXXX")
  cat -n | sed 's/^ *//' >"$folder/all"
  while IFS=$'\t' read -r number line rest; do
    was_done "$line" || printf '%s\t%s\t%s\n' "$number" "$line" "$rest"
  done <"$folder/all" >"$folder/jobs"
  total=$(wc -l <"$folder/jobs")
  before=$(($(wc -l <"$folder/all") - total))
  if [ "$dry_run" = yes ]; then
    printf '%s, %s at a time:\n' "$name" "$workers"
    cut -f 3 "$folder/jobs"
    return
  fi
  if [ ! -s "$folder/all" ]; then
    say "FAILED   $name: no programs for it in $build/bin"
    failed+=("$name")
    return
  fi
  if [ "$before" -gt 0 ]; then say "         $before of $name went well before"; fi
  if [ "$total" = 0 ]; then return; fi
  : >"$folder/codes"
  attempt "$name" xargs -a "$folder/jobs" -d '\n' -P "$workers" -I '{}' \
    bash -c 'run_job "$@"' _ "$folder" "$job_limit" '{}'
  bad=$(grep -cv $'^0\t' "$folder/codes")
  say "         $(wc -l <"$folder/codes") of $total done, $bad failed"
  grep -v $'^0\t' "$folder/codes" | head -n 20 | while IFS=$'\t' read -r code line; do say "         code $code: $line"; done
  ${remembers:-true} && sed -n $'s/^0\t//p' "$folder/codes" >>"$done"
  while IFS=$'\t' read -r number line _; do
    printf '==== %s\n' "$line"
    tail -n 60 "$folder/$number.log" 2>/dev/null || echo "not run"
  done <"$folder/jobs" >>"$log"
}

every_time() { remembers=false "$@"; }

programs() { find "$build/bin" -maxdepth 1 -type f -executable -name "$1" | sort; }
step_programs() { programs 'step_[0-9][0-9]_*' | grep -vE '(_cpu|_tests)$'; }

build_if_needed() {
  if [ -x "$build/bin/worklog_bench" ]; then return 0; fi
  say "building in $build (no bin/worklog_bench there)"
  attempt "configure" cmake -S "$root" -B "$build" -G Ninja -DWORKLOG_CUDA=ON &&
    attempt "build" cmake --build "$build" --parallel "$cores"
}

print_machine() {
  say "date     $(date -u +%FT%TZ)"
  say "gpu      $(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>&1 | head -n 1)"
  say "system   $(uname -sr), $cores cores"
  say "nvcc     $(nvcc --version 2>/dev/null | tail -n 2 | head -n 1 || true)"
  say "parts    ${parts[*]}"
}

# What a program needs and does not find would stop it before it could say anything.
name_missing_libraries() {
  local missing
  missing=$(ldd "$build/bin/worklog_bench" 2>/dev/null | awk '/not found/ {print $1}' | sort -u | tr '\n' ' ')
  [ -z "$missing" ] || say "MISSING  ${missing}(LD_LIBRARY_PATH tells where; cuDNN: pip install nvidia-cudnn-cu13)"
}

verify() {
  local program name
  in_parallel "GPU tests" 8 "$limit" < <(
    for program in $(programs '*_gpu_tests'); do
      printf '%s\t%s --test-suite-exclude=huge\n' "${program##*/}" "$program"
    done
  )
  every_time in_parallel "records of the report's cases" 4 "$limit" < <(
    for program in $(step_programs); do
      name=${program##*/}
      printf '%s\t%s --records %s\n' "$name --records" "$program" "$work/$name.records"
    done
  )
  attempt "records.json" "$python" "$root/bench/merge_results.py" --records \
    "$work"/*.records --out "$out/records.json"
}

# The largest problems take tens of gigabytes of host memory each: one at a time.
huge() {
  local program
  in_parallel "GPU tests of more than 2^31 elements" 1 "$limit" < <(
    for program in $(programs 'step_*_gpu_tests'); do
      printf '%s\t%s --test-suite=huge\n' "${program##*/}, huge" "$program"
    done
  )
}

# What an earlier call left stays where this one has nothing newer.
join() {
  local inputs=() file
  for file in "$out/results.json" "$@"; do
    if [ -s "$file" ] || [ "$dry_run" = yes ]; then inputs+=("$file"); fi
  done
  if [ ${#inputs[@]} -eq 0 ]; then return 1; fi
  attempt "results.json" "$python" "$root/bench/merge_results.py" "${inputs[@]}" ${errors[@]+"${errors[@]}"} \
    --out "$out/results.json"
}

bench() {
  local errors=()
  attempt "bench" "$build/bin/worklog_bench" --benchmark_out="$work/bench.json"
  join "$work/bench.json" # also where a row failed
  [ "$dry_run" = yes ] || say "         $(grep -cs '"error_occurred": true' "$out/results.json") rows without a time"
}

# Whatever of it there is gets joined: without PyTorch, cuDNN's errors are still known.
baselines() {
  local errors=() accuracy=() measurements=$work/measurements.json
  mkdir -p "$work/accuracy"
  if attempt "errors on shared inputs" "$build/bin/worklog_accuracy" "$work/accuracy"; then
    accuracy=(--accuracy "$work/accuracy")
    errors=(--accuracy "$work/accuracy/accuracy.json")
  fi
  attempt "what the bench times" "$build/bin/worklog_bench" --measurements="$measurements"
  attempt "PyTorch, Triton, torch.compile" "$python" "$root/bench/baselines" \
    --measurements "$measurements" --out "$work/baselines.json" ${accuracy[@]+"${accuracy[@]}"}
  join "$work/baselines.json"
}

# A step at a time, so that a limit loses one step at most.
sweep() {
  local program name file
  for program in $(step_programs); do
    name=${program##*/step_} file=$work/sweep.json
    if was_done "sweep of $name"; then continue; fi
    attempt "sweep of $name" "$build/bin/worklog_sweep" --out "$file" --steps "$name" &&
      attempt "sweep.json" "$python" "$root/bench/merge_results.py" --sweeps \
        "$(if [ -s "$out/sweep.json" ]; then echo "$out/sweep.json"; else echo "$file"; fi)" "$file" --out "$out/sweep.json" &&
      now_done "sweep of $name"
  done
}

profile() {
  attempt "profile" "$root/bench/profile_on_gpu.sh" "$out" "$build/bin/worklog_profile" hardware
}

parity() {
  attempt "parity" "$root/bench/profile_on_gpu.sh" "$out" "$build/bin/worklog_profile" parity
}

# The step programs refuse, as bad usage, more rows or columns than a step takes.
takes() {
  local code=0
  "$1" --rows "$2" --cols "$3" --type f32 --no-times >/dev/null 2>&1 || code=$?
  [ "$code" != 2 ]
}

# Widths below a warp, beside a vector's multiple, and above a block; most rows are unaligned.
shapes_to_sanitize() {
  if ! takes "$1" 5 32; then
    printf '%s\n' '1 7' '1 33' '1 4099 --block-size 32' '1 100003 --block-size 32'
  elif ! takes "$1" 3 1027; then
    printf '%s\n' '5 7' '5 33' '5 1001'
  else
    printf '%s\n' '5 7' '5 33' '3 1027' '3 4099'
  fi
}

sanitize() {
  local tool program shape
  if [ "$dry_run" = no ] && ! command -v compute-sanitizer >/dev/null; then
    say "NOT RUN  compute-sanitizer is not installed"
    failed+=(sanitize)
    return
  fi
  in_parallel "compute-sanitizer" $((cores > 8 ? 8 : cores)) 200 < <(
    for program in $(step_programs); do
      shapes_to_sanitize "$program" | while read -r shape; do
        for tool in memcheck racecheck initcheck synccheck; do
          # The columns may have an option behind them.
          printf '%s\tcompute-sanitizer --tool %s --error-exitcode 99 %s --no-times --rows %s --cols %s\n' \
            "$tool, ${program##*/}, ${shape/ / x }" "$tool" "$program" "${shape%% *}" "${shape#* }"
        done
      done
    done
    for program in $(programs 'exercise_solutions_gpu_tests'); do
      for tool in memcheck racecheck initcheck synccheck; do
        printf '%s\tcompute-sanitizer --tool %s --error-exitcode 99 %s\n' "$tool, ${program##*/}" "$tool" "$program"
      done
    done
  )
}

: >"$out/summary.txt"
printf '\n#### %s\n' "$(date -u +%FT%TZ)" >>"$log"
end=$((SECONDS + 3600)) # of building
print_machine
if [ "$dry_run" = no ]; then build_if_needed || { say "nothing was run: no programs"; exit 1; }; fi
if [ "$dry_run" = no ]; then remember_programs; fi
name_missing_libraries
end=$((SECONDS + limit))
for part in "${parts[@]}"; do
  printf '\n'
  say "---- $part"
  if was_done "$part"; then
    say "ok       it went well before"
    continue
  fi
  before=${#failed[@]}
  "$part"
  if [ ${#failed[@]} = "$before" ]; then now_done "$part"; fi
done

printf '\n'
if [ ${#failed[@]} -gt 0 ]; then
  say "FAILED: $(printf '%s; ' "${failed[@]}")"
  exit 1
fi
say "all parts ended well"
