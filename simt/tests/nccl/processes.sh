#!/usr/bin/env bash
# processes.sh MPIRUN PROGRAM: runs PROGRAM (processes.cpp) as 1, 2 and 4 processes, and as 2 of two ranks each; and with a fault in
# one of three, which both others must name before they end.
set -euo pipefail
mpirun=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# In containers, one is root; and ranks share cores. Open MPI wants to be told, version 4 and version 5 each in its own words.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

fail() {
  echo "failed: $*; the program's output:" >&2
  cat "$work/output" >&2
  exit 1
}

# run PROCESSES FAULT: its output, and how it ended.
run() {
  code=0
  # A folder of its own for what Open MPI leaves while it runs, which another mpirun may tidy up.
  TMPDIR=$work "$mpirun" -n "$1" "$program" "$2" >"$work/output" 2>&1 || code=$?
}

# well PROCESSES: they have sent and received what they should.
well() {
  local bytes=$(($1 > 1 ? 4 * 101000 : 0)) found
  run "$1" none
  [ "$code" = 0 ] || fail "$1 processes end with $code"
  found=$(grep -c "^process [0-9]: $bytes bytes sent, $bytes received$" "$work/output" || true)
  [ "$found" = "$1" ] || fail "$found of $1 processes have sent and received $bytes bytes"
}

two_of_two_ranks() {
  SIMT_DEVICES=2 run 2 threads
  [ "$code" = 0 ] || fail "two processes of two ranks end with $code"
  [ "$(grep -c 'both are done$' "$work/output")" = 2 ] || fail "not both of two processes are done"
}

# expect FAULT ERROR: processes 0 and 2 end with an error that says this of rank 1. The end of one may be told by MPI alone.
expect() {
  run 3 "$1"
  [ "$code" != 0 ] || fail "with rank 1 $1 the program ends well"
  for process in 0 2; do
    grep -qE "^process $process: error [0-9]+: nccl[A-Za-z]*, rank $process of 3: $2" "$work/output" ||
      fail "with rank 1 $1, process $process does not say: $2"
  done
}

killed() {
  run 3 killed
  [ "$code" != 0 ] || fail "with rank 1 killed the program ends well"
  grep -q 'process rank 1 .*exited on signal 9' "$work/output" || fail "nobody says that rank 1 was killed"
}

# beside CASE [ARGUMENT..]: starts a case in a folder of its own. Three of them side by side, for they mostly wait.
cases=()
beside() {
  local folder=$work/${#cases[@]}
  mkdir "$folder"
  cases+=("$folder")
  while [ "$(jobs -rp | wc -l)" -ge 3 ]; do wait -n || true; done
  alone_in "$folder" "$@" >"$folder/complaint" 2>&1 &
}

alone_in() {
  work=$1
  shift
  "$@"
  touch "$work/well"
}

# Fails if a case has; each says by itself what is wrong.
all_are_well() {
  local folder failed=0
  wait
  for folder in "${cases[@]}"; do
    [ -e "$folder/well" ] || failed=1
    cat "$folder/complaint" >&2
  done
  return $failed
}

export SIMT_NCCL_TIMEOUT=5
beside expect absent 'rank 1 has not joined the communicator in 5 s'
beside expect left 'rank 1 has not come to ncclAllReduce of 100000 ncclFloat32, ncclSum in 5 s'
export SIMT_NCCL_TIMEOUT=60
for processes in 1 2 4; do beside well "$processes"; done
beside two_of_two_ranks
beside expect rows 'rank 1 calls ncclAllReduce of 99999 ncclFloat32'
beside expect aborted 'rank 1 has aborted the communicator'
beside killed
all_are_well
