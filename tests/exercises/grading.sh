#!/usr/bin/env bash
# Tests ./worklog handout and ./worklog check --json, as a teacher meets them.
#
#   grading.sh REPOSITORY BUILD
# shellcheck disable=SC2154  # prepared.sh sets the folders
# shellcheck source-path=SCRIPTDIR source=prepared.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepared.sh"

course=$folder/course
json=$folder/check.json

# field NAME..: what the JSON of the last check has there: .verdict, or .counters.0.state.
field() {
  python3 -c '
import functools, json, sys
value = json.load(open(sys.argv[1]))
steps = sys.argv[2].strip(".").split(".")
print(functools.reduce(lambda at, step: at[int(step) if step.isdigit() else step], steps, value))' "$json" "$1"
}

# is FIELD VALUE: in the JSON of the last check.
is() {
  if [ "$(field "$1")" != "$2" ]; then
    echo "$1 is not '$2' here:" >&2
    cat "$json" >&2
    exit 1
  fi
}

# grade CODE [WORK]: what a program reads of exercise 05 in the folder WORK.
grade() {
  local code=0
  WORKLOG_WORK=${2:-$course} "$repository/worklog" check 05 --json >"$json" 2>"$output" || code=$?
  [ "$code" = "$1" ] || { cat "$output" "$json" && exit 1; } >&2
}

echo "== wrong commands"
run 1 handout
says "which folder?"
run 1 handout 05
says "is the number of an exercise"
run 1 handout "$course" 77
says "there is no step '77'"
[ ! -e "$course" ]
run 1 check 05 --xml
says "usage: ./worklog check"
run 1 check 05 --json "$folder"
says "cannot write to $folder"
run 1 check 05 --json "$folder/nowhere/check.json"
says "cannot write to $folder/nowhere/check.json"
touch "$folder/file"
run 1 handout "$folder/file"
says "cannot write to $folder/file"

echo "== two exercises"
run 0 handout "$course" 5 06
says "Handed out to $course: 05 06"
[ "$(cd "$course" && ls -d ./*)" = "$(printf './%s\n' 05_warp_shuffle 06_vectorized README.md)" ]
cmp "$course/05_warp_shuffle/softmax.cu" "$repository/steps/05_warp_shuffle/exercise/skeleton.cu"
[ -e "$course/06_vectorized/normalizer.cuh" ]

echo "== no file of any exercise tells its answers, or leads to a page that is not there"
run 0 handout "$folder/all"
[ "$(find "$folder/all" -mindepth 1 -type d | wc -l)" = "$(find "$repository/steps" -path '*/exercise*/skeleton.cu' | wc -l)" ]
[ -z "$(find "$folder/all" -name '*.part' -o -name 'solution*')" ]
for page in "$folder"/all/*/README.md; do
  grep -q '^## Hints$' "$page"
  grep -q 'WORKLOG_WORK=FOLDER ./worklog check' "$page"
  if grep -nE '^## Answers|\]\(|Open it when you have predicted|yours +at most|worklog exercise' "$page"; then exit 1; fi
done

echo "== what was changed stays"
echo "// mine" >>"$course/05_warp_shuffle/softmax.cu"
cp -p "$course/05_warp_shuffle/softmax.cu" "$folder/before.cu"
run 0 handout "$course" 05
says "stay as they are"
says "  $course/05_warp_shuffle/softmax.cu"
says_not "README.md"
cmp "$course/05_warp_shuffle/softmax.cu" "$folder/before.cu"

echo "== nothing was handed in"
grade 1 "$folder/nobody"
is .exercise 05_warp_shuffle
is .verdict missing
[ ! -e "$folder/nobody" ]

echo "== the skeleton"
grade 1
is .verdict "right, not all reached"
is .right True
is .reached False
is .parts.0.state right
is .first_wrong None
is .counters.2.counter block_barriers
is .counters.2.got 576
is .counters.2.state "not reached"
is .counters.0.state reached

# hand_in NAME: the skeleton, its gap filled with this wrong solution.
hand_in() {
  local skeleton=$repository/steps/05_warp_shuffle/exercise/skeleton.cu
  {
    sed '/^\/\/ ---- your part begins ----$/q' "$skeleton"
    cat "$repository/tests/exercises/wrong/05_warp_shuffle/$1.cu"
    sed -n '/^\/\/ ---- your part ends ----$/,$p' "$skeleton"
  } >"$course/05_warp_shuffle/softmax.cu"
}

echo "== a wrong one: what it counts is too early to say"
hand_in no_barrier
grade 1
is .verdict wrong
is .right False
is .findings.0.kind shared-race
is .findings.0.file softmax.cu
[ "$(field .findings.0.line)" -gt 30 ]
is .first_wrong.case "9 x 1, random"
is .parts.0.state wrong
is .parts.1.state "too early to say"
is .counters.2.state "too early to say"

echo "== one that ends the program, and prints what is no JSON"
sed 's/^  mine = warp_reduce(mine);/&\n  printf("}\\n"); __builtin_trap();/; s/<cstdint>/<cstdio>/' \
  "$repository/steps/05_warp_shuffle/exercise/solution.cu" >"$course/05_warp_shuffle/softmax.cu"
grade 1
is .right False
is .counters.2.state "too early to say"
[ -n "$(field .first_wrong.failure)" ]

echo "== one that does not compile"
echo "}" >>"$course/05_warp_shuffle/softmax.cu"
grade 1
is .verdict "not built"
says "$course/05_warp_shuffle/softmax.cu:"

echo "== a right one, in a file beside what a learner reads"
cp "$repository/steps/05_warp_shuffle/exercise/solution.cu" "$course/05_warp_shuffle/softmax.cu"
WORKLOG_WORK=$course run 0 check 05 --json "$json"
says "All reached."
is .verdict "all reached"
is .reached True
[ ! -e "$json.part" ]
