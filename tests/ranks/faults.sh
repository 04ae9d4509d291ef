#!/usr/bin/env bash
# faults.sh HOW PROGRAM: where a rank fails, every rank ends in time with an error that names it, and nothing is a result. HOW is
# threads, or mpirun's path.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/ranks.sh"

ranks=4
limit=2 # seconds that a rank waits for another
[ "$how" = threads ] || limit=5 # for processes, of which a busy machine starts one after the other
longest=60 # seconds: the limits that a rank may reach one after the other, and a slow machine
at_once=6 # cases side by side: nearly all of their time, ranks wait

# beside CASE [ARGUMENT..]: starts a case beside the others, in a folder of its own.
cases=()
beside() {
  local folder=$work/${#cases[@]}
  mkdir "$folder"
  cases+=("$folder")
  while [ "$(jobs -rp | wc -l)" -ge $at_once ]; do wait -n || true; done
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

# faulty KERNEL FAULT EXPECTED [ROWS]: what each rank must say of rank 2, as a regular expression.
faulty() {
  local rank
  with_ranks $ranks --variant "$1" --rows "${4:-4}" --cols 200 --type f32 --result softmax \
    --fault "$2" --fault-rank 2
  [ "$code" != 0 ] || wrong "$1, $2: the program is content"
  [ "$code" != 124 ] || wrong "$1, $2: it did not end within $longest s"
  ! grep -q 'verified' "$work/said" || wrong "$1, $2: there is a result"
  ! grep -q ': error: ' "$work/said" || wrong "$1, $2: the executor found a mistake in a kernel"
  for rank in 0 1 3; do
    grep -qE "^rank $rank: .*($3)" "$work/said" || wrong "$1, $2: rank $rank does not say '$3'"
  done
}

# Kernels that wait keep cores busy, so these are one after the other. However many rows and launches there are, a kernel loses
# patience once. Whoever loses it first names rank 2, and leaves: one that is behind it by then may miss that rank's word instead.
kernels_that_wait() {
  lose_patience in_kernel 4
  lose_patience in_kernel 60
  lose_patience in_cluster 60
  lose_patience in_kernel_long_row 16
}

# lose_patience KERNEL ROWS
lose_patience() {
  faulty "$1" leaves "rank [0-3] left no word in the kernel's mailbox" "$2"
  grep -qE "^rank [013]: rank 2 left no word in the kernel's mailbox" "$work/said" || wrong "$1, leaves: nobody names rank 2"
}

kernels=(none separate_all_reduces)
if [ "$how" = threads ]; then
  beside kernels_that_wait
  kernels+=(in_kernel)
fi
for kernel in "${kernels[@]}"; do
  beside faulty "$kernel" rows 'rank 2 has rows 5, rank 0 has 4'
  beside faulty "$kernel" type 'rank 2 has type f16, rank 0 has f32'
  beside faulty "$kernel" widest 'rank 2 has widest slice 51, rank 0 has 50'
  beside faulty "$kernel" blocks 'rank 2 has block size 32, rank 0 has 0'
  beside faulty "$kernel" prepares 'rank 2 says: this rank did not prepare'
  beside faulty "$kernel" aborts 'rank 2 says: .*aborted'
  [ "$kernel" = in_kernel ] || beside faulty "$kernel" leaves 'no word from rank 2|rank 2 left no word'
done
beside faulty none absent 'rank 2 did not come'

# A rank of another process can die in earnest: mpirun ends the others, and says which it was.
killed() {
  with_ranks $ranks --variant none --rows 4 --cols 200 --type f32 --result softmax --fault killed --fault-rank 2
  [ "$code" != 0 ] || wrong "killed: the program is content"
  [ "$code" != 124 ] || wrong "killed: it did not end within $longest s"
  ! grep -q 'verified' "$work/said" || wrong "killed: there is a result"
  grep -qE 'rank 2 ' "$work/said" || wrong "killed: nobody names the rank"
}
if [ "$how" != threads ]; then beside killed; fi

all_are_well
