# What the tests of this folder share: `how` is threads, or mpirun's path; `program` the program; sets `work`, a folder of theirs.
# shellcheck shell=bash
set -euo pipefail

how=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export SIMT_WORKERS=1

limit=240   # seconds that a rank waits for others: by itself it waits 20, in which a busy machine may not do the largest shapes
longest=300 # seconds that the program may take: then it is ended, and its exit code is 124

# with_ranks N OPTION..: the program's output in $work/said, its exit code in `code`.
with_ranks() {
  local ranks=$1
  shift
  set -- --limit "$limit" "$@"
  code=0
  if [ "$how" = threads ]; then
    timeout "$longest" "$program" --ranks "$ranks" "$@" >"$work/said" 2>&1 || code=$?
  else
    # A folder of its own for what Open MPI leaves while it runs, which another mpirun may tidy up.
    TMPDIR=$work timeout "$longest" "$how" -n "$ranks" "$program" "$@" >"$work/said" 2>&1 || code=$?
  fi
}

# wrong WHAT: names what is wrong, shows what the program said, and fails.
wrong() {
  echo "$1 (exit code ${code:-}); the program said:" >&2
  cat "$work/said" >&2
  exit 1
}
