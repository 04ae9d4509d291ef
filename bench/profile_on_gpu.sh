#!/usr/bin/env bash
# Every step under Nsight Compute, on a GPU machine: see usage below. bench/run_on_gpu.sh --profile calls it.
set -euo pipefail

if [ $# -lt 2 ] || [ ! -x "${2:-}" ]; then
  cat >&2 <<'TEXT'
usage: bench/profile_on_gpu.sh OUT PROGRAM [parity|hardware] [OPTION..]

PROGRAM is worklog_profile of a build with nvcc. Needs ncu, and the right to read the GPU's counters. Writes into the folder
OUT: ncu_parity.json (counts at small shapes, taken twice) and ncu_hardware.json (what only hardware knows, at large shapes),
or the one that is named. Options go to the program: --steps 06 profiles that step alone.
TEXT
  exit 2
fi
out=$1 program=$2
shift 2
parts=(parity hardware)
case ${1:-} in
  parity | hardware)
    parts=("$1")
    shift
    ;;
esac
options=("$@")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if ! command -v ncu >/dev/null; then
  echo "profile_on_gpu.sh: ncu (Nsight Compute) is not installed" >&2
  exit 1
fi
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# profile NAME PART OPTION..: one run of the program under ncu, whose clocks stay as they are: no times are taken here.
profile() {
  local name=$1 part=$2
  shift 2
  echo "$name"
  ncu --clock-control none "$@" --metrics "$(python3 "$root/bench/ncu" metrics "$part")" --csv --page raw \
    --print-units base --print-kernel-base function --print-metric-instances details \
    "$program" "$part" ${options[@]+"${options[@]}"} --out "$work/$name.json" >"$work/$name.csv" 2>"$work/$name.log" || {
    tail -n 5 "$work/$name.log" >&2
    grep -h ERROR "$work/$name.csv" >&2 || true
    exit 1
  }
}

# Counts do not depend on what the caches hold, so they need not be emptied between passes. The second run shows which
# counts the hardware itself does not repeat.
parity() {
  profile parity1 parity --cache-control none
  profile parity2 parity --cache-control none
  python3 "$root/bench/ncu" gather parity --out "$out/ncu_parity.json" \
    --profile "$work/parity1.json" --ncu "$work/parity1.csv" --profile "$work/parity2.json" --ncu "$work/parity2.csv"
}

# With cold caches, as the bench takes its times.
hardware() {
  profile hardware hardware --cache-control all
  python3 "$root/bench/ncu" gather hardware --out "$out/ncu_hardware.json" \
    --profile "$work/hardware.json" --ncu "$work/hardware.csv"
}

for part in "${parts[@]}"; do "$part"; done
