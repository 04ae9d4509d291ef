#!/usr/bin/env bash
# The library beside its peers on a machine with a GPU: see usage below. It builds no program of ours.
set -uo pipefail

usage() {
  cat <<'TEXT'
usage: bench/library_on_gpu.sh OUT PROGRAM [OPTION..]

PROGRAM is worklog_library_times, which has the library for the peers' program beside it (worklog_library_module.so), a build folder
that has both in bin/, or an archive of bench/pack_for_gpu.sh. Build them with nvcc:
  cmake -S . -B build-gpu -G Ninja -DWORKLOG_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90 \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON
  cmake --build build-gpu --target worklog_library_times worklog_library_module
and, where another machine has the GPU, pack them:
  bench/pack_for_gpu.sh build-gpu library_times.tar.xz worklog_library_times worklog_library_module.so

Writes into the folder OUT: own.json (the library, its candidates, cuDNN, copies), peers.json (the others: bench/library_peers.py),
library.json (both, what is recorded), and log.txt. It needs PyTorch; Triton, Liger and QuACK are timed if they can be imported.

  --flashinfer DIR   an unpacked wheel of flashinfer-python, of which only flashinfer/data/include and the folder .dist-info are
                     needed; nvcc compiles its softmax
  --seconds S        that the library and its candidates may take (280)
  --peer-seconds S   that the peers may take (260), torch.compile aside
  --compile-seconds S   that torch.compile may take (40)
  --scaled-seconds S   that what is scaled and masked may take, the peers included (90)
  --only PART        own or peers, where one command may not take as long as both: first one, then the other, on one machine and
                     with OUT's own.json still there
  --dry-run          list what would be timed, and time nothing

Exit code: 0 if all went well, 1 if not, 2 for bad usage.
TEXT
}

bad_usage() {
  echo "library_on_gpu.sh: $1" >&2
  usage >&2
  exit 2
}

out='' program='' flashinfer='' seconds=280 peer_seconds=260 compile_seconds=40 scaled_seconds=90 only='' dry_run=no
while [ $# -gt 0 ]; do
  case $1 in
    --flashinfer | --seconds | --peer-seconds | --compile-seconds | --scaled-seconds | --only)
      [ $# -ge 2 ] || bad_usage "$1: a value is missing"
      option=${1#--}
      printf -v "${option//-/_}" %s "$2"
      shift
      ;;
    --dry-run) dry_run=yes ;;
    --help | -h) usage && exit 0 ;;
    -*) bad_usage "unknown option '$1'" ;;
    *)
      if [ -z "$out" ]; then
        out=$1
      elif [ -z "$program" ]; then
        program=$1
      else
        bad_usage "one argument too many: '$1'"
      fi
      ;;
  esac
  shift
done
[ -n "$program" ] || bad_usage "the output folder or the program is missing"
case $only in
  '' | own | peers) ;;
  *) bad_usage "--only '$only': must be own or peers" ;;
esac
if [ "$only" = peers ] && [ "$dry_run" = no ] && [ ! -e "$out/own.json" ]; then bad_usage "$out/own.json is not there: --only own writes it"; fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
log=$out/log.txt

if [ -d "$program" ]; then
  program=$program/bin/worklog_library_times
elif [ -f "$program" ] && [ ! -x "$program" ]; then
  tar -C "$work" -xJf "$program" || python3 -m tarfile -e "$program" "$work" || exit 1
  program=$work/bin/worklog_library_times
fi
[ -x "$program" ] || bad_usage "$program is no program"

# cuDNN comes with PyTorch, in a folder where no loader looks; so may the CUDA runtime.
for package in cudnn cuda_runtime cu13; do
  folder=$(python3 -c "import nvidia.$package as p; print(list(p.__path__)[0])" 2>/dev/null) || continue
  LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder/lib
done
lib=$(cd "$(dirname "$program")/../lib" 2>/dev/null && pwd)
export LD_LIBRARY_PATH=${lib:+$lib:}${LD_LIBRARY_PATH:-}:/usr/local/cuda/lib64 PATH=$PATH:/usr/local/cuda/bin PYTHONUNBUFFERED=1

failures=0

# attempt NAME COMMAND..: its output goes to the log, and how it went here.
attempt() {
  local name=$1 code=0 begin=$SECONDS
  shift
  printf '\n== %s: %s\n' "$name" "$*" >>"$log"
  "$@" >>"$log" 2>&1 || code=$?
  printf '%-44s %s, %s s\n' "$name" "$([ "$code" = 0 ] && echo well || echo "code $code")" $((SECONDS - begin))
  if [ "$code" != 0 ]; then tail -n 3 "$log"; fi
  return "$code"
}

# FlashInfer's softmax as a shared library.
compile_flashinfer() {
  nvcc -O3 -std=c++17 -arch=sm_90a -shared -Xcompiler -fPIC -I "$flashinfer/flashinfer/data/include" \
    -o "$work/flashinfer_softmax.so" "$root/bench/baselines/flashinfer_softmax.cu"
}

# PyTorch's functions called from C++.
compile_torch_calls() {
  local flags
  flags=$(python3 - <<'PYTHON'
import torch
from torch.utils.cpp_extension import include_paths, library_paths

print(f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
      *(f"-I{path}" for path in include_paths()), *(f"-L{path}" for path in library_paths()))
PYTHON
  ) || return 1
  # shellcheck disable=SC2086 # several flags
  g++ -O2 -std=c++20 -shared -fPIC "$root/bench/baselines/torch_calls.cpp" $flags -ltorch -ltorch_cpu -lc10 \
    -o "$work/torch_calls.so"
}

if [ "$only" != peers ] && [ "$dry_run" = no ]; then
  : >"$log"
  rm -f "$out"/{own,peers,library}.json  # of an earlier run
fi
attempt "cases" "$program" --cases "$work/cases.json" || exit 1
if [ "$dry_run" = yes ]; then
  python3 "$root/bench/library_peers.py" --cases "$work/cases.json" --list
  exit
fi

# Where they cannot be compiled, their rows are left out by name.
if [ "$only" != own ]; then
  if [ -n "$flashinfer" ]; then compile_flashinfer >"$work/flashinfer.log" 2>&1 & fi
  compile_torch_calls >"$work/torch_calls.log" 2>&1 &
fi

if [ "$only" != peers ]; then
  attempt "the library, its candidates, cuDNN" "$program" --out "$out/own.json" --seconds "$seconds" || failures=1
fi
wait
cat "$work"/*.log >>"$log" 2>/dev/null
if [ -e "$work/flashinfer_softmax.so" ]; then
  export FLASHINFER_SOFTMAX=$work/flashinfer_softmax.so
  FLASHINFER_VERSION=$(sed -n 's/^Version: //p' "$flashinfer"/flashinfer_python-*.dist-info/METADATA | head -n 1)
  export FLASHINFER_VERSION
fi
[ "$only" != own ] || exit "$failures"
module=$(dirname "$program")/worklog_library_module.so
if [ -e "$module" ]; then export WORKLOG_LIBRARY=$module; fi
if [ -e "$work/torch_calls.so" ]; then export TORCH_CALLS=$work/torch_calls.so; fi
attempt "peers" python3 "$root/bench/library_peers.py" --cases "$work/cases.json" --out "$out/peers.json" \
  --seconds "$peer_seconds" --compile-seconds "$compile_seconds" --scaled-seconds "$scaled_seconds" || failures=1
grep -E ' is left out: ' "$log"
attempt "library.json" python3 "$root/bench/merge_results.py" --library "$out/own.json" "$out/peers.json" \
  --out "$out/library.json" || failures=1
[ "$failures" = 0 ]
