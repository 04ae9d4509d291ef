#!/usr/bin/env bash
# Step 21 on a machine with several GPUs: see usage below. It builds nothing.
set -uo pipefail

if [ $# -lt 2 ] || [ ! -x "${2:-}" ]; then
  cat >&2 <<'TEXT'
usage: bench/many_gpus_on_gpu.sh OUT PROGRAM [verify|faults|times|peers]..

PROGRAM is ranks_21_many_gpus of a build with nvcc and NCCL. Writes into the folder OUT: verify.txt (every kernel, type and split
against the reference, and wide rows), faults.txt (what each rank says when one fails), times.json (of every kernel, and of
copies and NCCL's calls alone) and peers.json (PyTorch's, where it is installed); all four, or those that are named. All GPUs of
the machine take part. NVLink's multicast stays off.

Exit code: 0 if all went well, 1 if not, 2 for bad usage.
TEXT
  exit 2
fi
out=$1 program=$2
shift 2
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(verify faults times peers)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$out"

export NCCL_NVLS_ENABLE=0
# NCCL comes with PyTorch, in a folder where no loader looks; so may the CUDA runtime.
for package in nccl cuda_runtime cu13; do
  folder=$(python3 -c "import nvidia.$package as p; print(list(p.__path__)[0])" 2>/dev/null) || continue
  LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder/lib
done
lib=$(cd "$(dirname "$program")/../lib" 2>/dev/null && pwd)
export LD_LIBRARY_PATH=${lib:+$lib:}${LD_LIBRARY_PATH:-}:/usr/local/cuda/lib64

failed=0

# run OPTION..: the program, with a limit of its own.
run() {
  echo "== ${*:-all cases}"
  timeout 300 "$program" "$@" 2>&1
}

verify() {
  run --all || return 1
  local type cols variant
  for type in f32 f16 bf16; do
    for cols in 32768 128256 100000; do
      run --rows 300 --cols "$cols" --type "$type" --result softmax --split even || return 1
    done
  done
  run --rows 140 --cols 128257 --type bf16 --split uneven || return 1
  for variant in none in_kernel_long_row; do
    run --rows 1 --cols 33554432 --type f32 --result softmax --variant "$variant" || return 1
  done
  run --rows 3 --cols 3000001 --type bf16 --variant in_kernel_long_row --split uneven || return 1
}

# Each rank must name the one that failed, within the limit; the program must end, and not well.
faults() {
  local fault variant code lines ranks
  ranks=$(nvidia-smi -L | wc -l)
  for variant in none separate_all_reduces in_kernel in_cluster; do
    for fault in absent leaves rows type aborts; do
      echo "== $variant, $fault"
      code=0
      timeout 120 "$program" --variant "$variant" --rows 64 --cols 8000 --type f32 --result softmax --limit 5 \
        --patience 1000000 --fault "$fault" --fault-rank 1 >"$out/fault.txt" 2>&1 || code=$?
      cat "$out/fault.txt"
      lines=$(grep -cE "^rank 1: |^rank [0-9]+: .*rank 1" "$out/fault.txt")
      if [ "$code" != 1 ] || [ "$lines" -lt "$ranks" ] || grep -q verified "$out/fault.txt"; then
        echo "WRONG: code $code, $lines ranks say which it was"
        failed=1
      fi
    done
  done
  rm -f "$out/fault.txt"
}

times() { run --times "$out/times.json" && echo "$out/times.json"; }

peers() { timeout 600 python3 "$root/bench/many_gpus_peers.py" --out "$out/peers.json" 2>&1; }

failures=0
for part in "${parts[@]}"; do
  failed=0
  case $part in
    verify) verify >"$out/verify.txt" || failed=1 ;;
    faults) faults >"$out/faults.txt" ;;
    times) times || failed=1 ;;
    peers) peers || failed=1 ;;
    *) echo "many_gpus_on_gpu.sh: unknown part '$part'" >&2 && exit 2 ;;
  esac
  echo "$part: $([ "$failed" = 0 ] && echo well || echo 'not well')"
  failures=$((failures + failed))
done
[ "$failures" = 0 ]
