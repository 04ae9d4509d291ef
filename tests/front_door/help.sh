#!/usr/bin/env bash
# Help of a command is there at once: nothing is configured, built or installed for it, and no build folder made.
#
#   help.sh REPOSITORY
# shellcheck source-path=SCRIPTDIR source=clone.sh
source "$(dirname "${BASH_SOURCE[0]}")/clone.sh"

run 0 help
mapfile -t commands < <(sed -n 's/^  \([a-z]*\) .*/\1/p' "$output")
[ ${#commands[@]} -gt 5 ]
for command in "${commands[@]}"; do
  [ "$command" != help ] || continue
  for option in --help -h; do
    run 0 "$command" $option
    says "usage: ./worklog $command"
    [ ! -s "$tools/calls" ] && [ ! -e "$clone/build" ]
  done
done

echo "== the same as help COMMAND"
run 0 help step
says "usage: ./worklog step"
says_not "./worklog diff"
run 1 help nothing
says "unknown command 'nothing'"

echo "== the options of simt run"
run 0 run --help
while read -r option; do says "$option"; done < <(sed -n "s/^| [^-]\(-[^ \`]*\).*/\1/p" "$clone/simt/docs/run.md")
says "--time-limit S"

echo "== their explanation by simt, where it is built"
mkdir -p "$folder/built/bin"
printf '#!/bin/sh\n[ "$*" = "run --help" ] && printf "Usage: simt run\\nOptions:\\n  --on DEVICE:{h200}\\nsimt run FILE.cu\\n"\n' >"$folder/built/bin/simt"
chmod +x "$folder/built/bin/simt"
WORKLOG_BUILD=$folder/built run 0 run --help
says "usage: ./worklog run"
says "  --on DEVICE:{h200}"
says "./worklog run FILE.cu"
says_not "Usage: simt run"
not_called cmake

echo "== run without a program, or of none that there is"
run 1 run
says "which program?"
not_called cmake
run 1 run no/such.cu
says "there is no file 'no/such.cu'"
not_called cmake

echo "== nor where simt would refuse the command line anyway"
# refuses TEXT ARGUMENT..: at once, with these words.
refuses() {
  local words=$1
  shift
  run 1 run "$@"
  says "$words"
  not_called cmake
}
program=$clone/simt/tests/programs/vector_add.cu
refuses "unknown option '--frob'" "$program" --frob
refuses "unknown option '--frob=1'" --frob=1 "$program"
refuses "nothing is known of a device 'h300'" "$program" --on h300
refuses "There are: h200 h100" --on=h300 "$program"
refuses "--json: a value must follow it" "$program" --json
refuses "--json: a value must follow it" "$program" --json --on h100
refuses "README.md: is neither CUDA (.cu) nor C++" "$clone/README.md"
refuses "there is no file 'no/such.cpp'" "$program" no/such.cpp

echo "== what simt takes is built for, the program's own words too"
printf '#!/bin/sh\necho "simt $*"\n' >"$folder/built/bin/simt"
# takes ARGUMENT..
takes() {
  WORKLOG_BUILD=$folder/built run 0 run "$@"
  says "simt run $*"
}
takes "$program"
while read -r option; do
  case $option in
    *' '*) takes "$program" "${option%% *}" h100 ;;
    *) takes "$program" "${option/NN/20}" ;;
  esac
done < <(sed -n "s/^| [^-]\(-[^\`]*\)\`.*/\1/p" "$clone/simt/docs/run.md")
takes -Icommon -DNAME=1 "$program" --on=a100 -- --frob README.md --json
