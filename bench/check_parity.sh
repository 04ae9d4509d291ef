#!/usr/bin/env bash
# Whether the CPU executor still counts what was held against Nsight Compute: check_parity.sh PROGRAM TYPE RECORDED.json COMPILER
set -euo pipefail

# Who loads a result that only some threads need follows the compiler (.ci/compare_counts.py). What was recorded is g++ 12's.
case $4 in
  "GNU 12."*) ;;
  *)
    echo "compiled by $4: what was held against Nsight Compute was compiled by GNU 12"
    exit 77 # skipped
    ;;
esac

if ! command -v python3 >/dev/null; then
  echo "python3 is not installed"
  exit 77 # skipped
fi
program=$1 type=$2 recorded=$3
ncu() { python3 -B "$(dirname "${BASH_SOURCE[0]}")/ncu" "$@"; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
counted=()
steps=$(ncu steps --recorded "$recorded")
for step in $steps; do # what was compared, and no other step
  counted+=(--counted "$folder/${#counted[@]}.json")
  "$program" parity --by-line --type "$type" --steps "$step" --out "${counted[-1]}" 2>/dev/null
done
ncu check --recorded "$recorded" "${counted[@]}"
