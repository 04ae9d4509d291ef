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
counted=$(mktemp)
trap 'rm -f "$counted"' EXIT
"$1" parity --type "$2" --out "$counted" 2>/dev/null
python3 -B "$(dirname "${BASH_SOURCE[0]}")/ncu" check --recorded "$3" --counted "$counted"
