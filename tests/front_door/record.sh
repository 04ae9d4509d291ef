#!/usr/bin/env bash
# `./worklog record` makes a run on the GPU, or takes one that was made elsewhere, and puts it in place only when it went well.
#
#   record.sh REPOSITORY
# shellcheck disable=SC2016  # what programs expand
# shellcheck source-path=SCRIPTDIR source=clone.sh
source "$(dirname "${BASH_SOURCE[0]}")/clone.sh"

# The run and the package's commands say that they were called, as cmake does.
cat >"$clone/bench/run_on_gpu.sh" <<'TEXT_OF_TOOL'
#!/bin/sh
echo "run_on_gpu $*" >>"$TOOLS/calls"
[ ! -e "$TOOLS/run_fails" ]
TEXT_OF_TOOL
cat >"$tools/python3" <<'TEXT_OF_TOOL'
#!/bin/sh
echo "python $*" >>"$TOOLS/calls"
if [ "$1 $2" = "-m venv" ]; then
  mkdir -p "$3/bin"
  for name in python python3 pip; do cp "$0" "$3/bin/$name"; done
fi
[ "$2" != worklog_report.recording ] || [ ! -e "$TOOLS/is_unsound" ]
TEXT_OF_TOOL
printf '#!/bin/sh\necho "pack $*" >>"$TOOLS/calls"\n' >"$clone/bench/pack_for_gpu.sh"
mkdir -p "$clone/build/bin" "$folder/elsewhere"
for step in "$clone"/steps/[0-9][0-9]_*/; do
  printf '#!/bin/sh\n[ -z "$2" ] || touch "$2"\n' >"$clone/build/bin/step_$(basename "$step")_cpu"
done
printf '#!/bin/sh\necho "counts $*" >>"$TOOLS/calls"\n' >"$clone/build/bin/worklog_profile_cpu"
printf '#!/bin/sh\necho "candidates" >>"$TOOLS/calls"\necho "{}"\n' >"$clone/build/bin/list_candidates"
chmod +x "$clone"/build/bin/*

run 1 record
says "there is no GPU here"
says "./worklog record --pack gpu-programs.tar.xz"
not_called "cmake"
run 1 record --everything
says "unknown option '--everything'"
run 1 record --from
says "--from: a value is missing"
run 1 record --from "$folder/nowhere"
says "there is no such folder"

# Made elsewhere: only put in place. Without a profiler's counts there is nothing to count.
run 0 record --from "$folder/elsewhere" --dry-run
called "python -m worklog_report.recording $folder/elsewhere --root $clone --dry-run"
not_called "worklog_report --update-readme"
not_called "counts"
# What was counted of a step that is gone since stays out of the pages.
mkdir -p "$clone/build/records" "$clone/build/annotations"
touch "$clone/build/records/05_old_name.json" "$clone/build/annotations/05_old_name.json"
touch "$folder/elsewhere/ncu_parity.json"
run 0 record --from "$folder/elsewhere"
called "counts parity --by-line --out"
called "bench/ncu compare --measured $folder/elsewhere/ncu_parity.json"
called "--parity $clone/build/records/parity.json"
called "worklog_report --update-readme"
called "/records/05_warp_shuffle.json"
called "/annotations/05_warp_shuffle.json"
not_called "05_old_name"
called "candidates"
cmp "$clone/build/candidates.json" "$clone/library/candidates.json"
called "worklog_report.claims"
not_called "run_on_gpu"

touch "$tools/is_unsound"
run 1 record --from "$folder/elsewhere"
says "nothing has been put in place"
not_called "worklog_report --update-readme"
rm "$tools/is_unsound"

# For a machine without a network: built here with nvcc, beside the build without.
printf '#!/bin/sh\n' >"$tools/nvcc"
chmod +x "$tools/nvcc"
run 0 record --pack programs.tar.xz
called "cmake -S $clone -B $clone/build/gpu -G Ninja -DWORKLOG_CUDA=ON"
called "cmake --build $clone/build/gpu"
called "pack $clone/build/gpu programs.tar.xz"
says "There: bench/run_on_gpu.sh OUT --build programs.tar.xz"

# On a machine with a GPU: one command does both.
printf '#!/bin/sh\necho "GPU 0: a GPU"\n' >"$tools/nvidia-smi"
run 0 record --bench --sweep
called "cmake --build $clone/build --parallel"
called "--target gpu_programs"
called "run_on_gpu $clone/build/recorded_run --build $clone/build --limit 7200 --bench --sweep"
called "worklog_report.recording $clone/build/recorded_run"
touch "$tools/run_fails"
run 1 record
says "the run has not gone well; what has stays in $clone/build/recorded_run"
not_called "worklog_report.recording"
