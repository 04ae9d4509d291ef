#!/usr/bin/env bash
# Whether the CPU executor still counts what was held against Nsight Compute: check_parity.sh PROGRAM TYPE RECORDED.json
set -euo pipefail

if ! command -v python3 >/dev/null; then
  echo "python3 is not installed"
  exit 77 # skipped
fi
counted=$(mktemp)
trap 'rm -f "$counted"' EXIT
"$1" parity --type "$2" --out "$counted" 2>/dev/null
python3 -B "$(dirname "${BASH_SOURCE[0]}")/ncu" check --recorded "$3" --counted "$counted"
