#!/usr/bin/env bash
# While ./worklog builds, a line says what is being built a part of, not where its file lies.
#
#   progress.sh REPOSITORY
set -euo pipefail

words=$(sed -n "/^PROGRESS_WORDS='/,/'\$/p" "$1/worklog")
eval "$words"

# shows LINE AS: what Ninja, ctest or pip says, and what ./worklog makes of it.
shows() {
  local shown
  shown=$(sed -E "$PROGRESS_WORDS" <<<"$1")
  if [ "$shown" != "$2" ]; then
    echo "'$1' is shown as '$shown', not as '$2'" >&2
    exit 1
  fi
}

objects="[7/99] Building CXX object"
shows "$objects simt/CMakeFiles/simt_translation.dir/translate/files.cpp.o" "[7/99] the translator of CUDA: files.cpp.o"
shows "$objects simt/CMakeFiles/simt_executor.dir/executor/log/access_log.cpp.o" "[7/99] the CPU executor: access_log.cpp.o"
shows "$objects common/CMakeFiles/worklog_cpu.dir/verify/verify.cpp.o" "[7/99] what verifies and counts steps: verify.cpp.o"
shows "$objects steps/05_warp_shuffle/CMakeFiles/step_05_warp_shuffle_cpu_objects.dir/translated/variants/safe.cu.cpp.o" \
  "[7/99] step 05: safe.cu.cpp.o"
shows "$objects steps/05_warp_shuffle/CMakeFiles/exercise_05b_warp_shuffle_solution.dir/translated/exercise_b/solution.cu.cpp.o" \
  "[7/99] exercise 05b: solution.cu.cpp.o"
shows "[99/99] Linking CXX executable bin/step_05_warp_shuffle_cpu" "[99/99] step_05_warp_shuffle_cpu"
shows "[3/9] Translating softmax.cu for the CPU executor" "[3/9] Translating softmax.cu for the CPU executor"
shows "        Start  12: 05_warp_shuffle.inputs" "05_warp_shuffle.inputs"
shows "  Downloading numpy-2.1.0-cp311-cp311-manylinux_2_17_x86_64.whl (16.3 MB)" "downloading numpy (16.3 MB)"
