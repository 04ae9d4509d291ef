#!/usr/bin/env bash
# faults.sh HOW PROGRAM: where a rank fails, every rank ends in time with an error that names it, and nothing is a result. HOW is
# threads, or mpirun's path.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/ranks.sh"

ranks=4
limit=2
longest=30 # seconds: the limits that a rank may reach one after the other, and a slow machine

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

kernels=(none separate_all_reduces)
if [ "$how" = threads ]; then kernels+=(in_kernel); fi
for kernel in "${kernels[@]}"; do
  faulty "$kernel" rows 'rank 2 has rows 5, rank 0 has 4'
  faulty "$kernel" type 'rank 2 has type f16, rank 0 has f32'
  faulty "$kernel" widest 'rank 2 has widest slice 51, rank 0 has 50'
  faulty "$kernel" blocks 'rank 2 has block size 32, rank 0 has 0'
  faulty "$kernel" prepares 'rank 2 says: this rank did not prepare'
  faulty "$kernel" aborts 'rank 2 says: .*aborted'
  faulty "$kernel" leaves 'no word from rank 2|rank 2 left no word'
done
# However many rows and launches there are, a kernel loses patience once.
if [ "$how" = threads ]; then
  missing="rank 2 left no word in the kernel's mailbox"
  faulty in_kernel leaves "$missing" 60
  faulty in_cluster leaves "$missing" 60
  faulty in_kernel_long_row leaves "$missing" 16
fi
faulty none absent 'rank 2 did not come'

# A rank of another process can die in earnest: mpirun ends the others, and says which it was.
if [ "$how" != threads ]; then
  with_ranks $ranks --variant none --rows 4 --cols 200 --type f32 --result softmax --fault killed --fault-rank 2
  [ "$code" != 0 ] || wrong "killed: the program is content"
  [ "$code" != 124 ] || wrong "killed: it did not end within $longest s"
  ! grep -q 'verified' "$work/said" || wrong "killed: there is a result"
  grep -qE 'rank 2 ' "$work/said" || wrong "killed: nobody names the rank"
fi
