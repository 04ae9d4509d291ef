#!/usr/bin/env bash
# Tests ./worklog exercise and ./worklog check, as a learner meets them.
#
#   commands.sh REPOSITORY BUILD
#
# shellcheck disable=SC2154  # prepared.sh sets the folders
# shellcheck source-path=SCRIPTDIR source=prepared.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepared.sh"

copy=$folder/work/05_warp_shuffle/softmax.cu

echo "== the list"
run 0 exercise
for page in "$repository"/steps/*/exercise*/README.md; do
  number=$(sed -n '1s/^# Exercise \([0-9]*[a-z]*\): .*/\1/p' "$page")
  title=$(printf '%-3s %s' "$number" "$(sed -n '1s/^[^:]*: //p' "$page")")
  says "$title"
  effort=$(sed -n 's/^Difficulty: \(.*\), about \(.*\) minutes\./\1, \2 min/p' "$page")
  grep -F -- "$title" "$output" | grep -qF " $effort " # on the same line
  says " $(sed -n '/^[^# ]/{p;q}' "$page")" # what it is about
done
[ ! -e "$folder/work" ]

echo "== what a command is for"
for command in list report test step diff predict exercise hint check handout docs; do
  for option in --help -h; do
    run 0 "$command" "$option"
    says "usage: ./worklog $command "
    [ "$(grep -c worklog "$output")" -le 2 ] # nothing of the other commands
  done
done
run 1 nothing --help
says "unknown command 'nothing'"
[ ! -e "$folder/work" ]

echo "== wrong commands"
run 1 exercise 77
says "there is no step '77'"
run 1 check 77
says "there is no step '77'"
run 1 exercise 05 06
says "usage: ./worklog exercise"
run 1 check
says "usage: ./worklog check"

run 1 exercise 05z
says "there is no exercise '05z'"
run 1 hint
says "usage: ./worklog hint"
run 1 hint 77
says "there is no step '77'"
run 1 hint 05 --layer 4
says "there is no layer '4'"
run 1 hint 05 --more 1
says "usage: ./worklog hint"
[ ! -e "$folder/work" ]

echo "== a hint that was asked for by its number is not remembered"
run 0 hint 05 --layer 3
says "Exercise 05: one barrier (hint 3 of 3)"
says "lane < warps ? Normalizer"
says_not "Write the version of step 05 first"
[ ! -e "$folder/work" ]

echo "== one hint after the other"
run 0 hint 5
says "hint 1 of 3"
says "Write the version of step 05 first"
says_not "details"
says_not "lane < warps ? Normalizer"
run 0 hint 05
says "hint 2 of 3"
says_not "Write the version of step 05 first"
for _ in 3 last; do
  run 0 hint 05
  says "hint 3 of 3"
  says "That was the last."
done
for page in "$repository"/steps/*/exercise*/README.md; do
  for layer in 1 2 3; do
    run 0 hint "$(sed -n '1s/^# Exercise \([^:]*\): .*/\1/p' "$page")" --layer $layer
    [ "$(sed 1,2d "$output" | wc -w)" -ge 10 ] # words of its own, behind the title
  done
done

echo "== a folder for hints that cannot be written"
touch "$folder/file"
WORKLOG_WORK=$folder/file run 1 hint 05
says "cannot write to $folder/file/05_warp_shuffle"
rm -r "$folder/work" "$folder/file"

echo "== a check before there is a copy"
run 1 check 05
says "./worklog exercise 05"
[ ! -e "$folder/work" ]

echo "== a folder that cannot be written"
touch "$folder/file"
WORKLOG_WORK=$folder/file run 1 exercise 05
says "cannot write to $folder/file/05_warp_shuffle"

echo "== a copy"
run 0 exercise 5
says "$copy"
says "./worklog check 05"
cmp "$copy" "$repository/steps/05_warp_shuffle/exercise/skeleton.cu"

echo "== the skeleton is not enough"
run 1 check 05
says "Right, but not all counters are reached."
says "docs/pages/numerics.md"
grep -E '^ *block_barriers .*not reached' "$output"

echo "== once more: nothing is touched"
echo "// mine" >>"$copy"
cp -p "$copy" "$folder/before.cu"
run 0 exercise 05
says "is there already"
cmp "$copy" "$folder/before.cu"
[ "$(stat -c %Y "$copy")" = "$(stat -c %Y "$folder/before.cu")" ]
[ "$(ls "$folder/work" "$folder/work/05_warp_shuffle")" = "$(printf '%s\n' "$folder/work:" 05_warp_shuffle "" "$folder/work/05_warp_shuffle:" softmax.cu)" ]

solution=$repository/steps/05_warp_shuffle/exercise/solution.cu

echo "== a missing semicolon"
sed 's/__syncthreads();/__syncthreads()/' "$solution" >"$copy"
line=$(grep -n '__syncthreads()$' "$copy" | cut -d : -f 1)
run 1 check 05
says "$copy:$line:"
says "could not be built"

echo "== a missing registration"
sed '/^WORKLOG_EXERCISE/,$d' "$solution" >"$copy"
run 1 check 05
says "the file registers no exercise"

echo "== what all programs include first is compiled already, where g++ compiles"
if grep -q '^precompiled ' "$build/run/toolchain.txt"; then
  grep -q '^precompiled ' "$build/exercises/05_warp_shuffle/toolchain.txt"
  [ -e "$(sed -n 's/^precompiled //p' "$build/exercises/05_warp_shuffle/toolchain.txt").gch" ]
fi

echo "== the solution"
cp "$solution" "$copy"
run 0 check 05
says "All reached."
says_not "not reached"
