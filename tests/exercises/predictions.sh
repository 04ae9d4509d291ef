#!/usr/bin/env bash
# Tests ./worklog predict: what it takes for a number, and that each reason names the number that is counted.
#
#   predictions.sh REPOSITORY BUILD
# shellcheck disable=SC2154  # prepared.sh sets the folders
# shellcheck source-path=SCRIPTDIR source=prepared.sh
source "$(dirname "${BASH_SOURCE[0]}")/prepared.sh"

# predict STEP LINE..: with these lines typed.
predict() {
  local step=$1
  shift
  { [ $# = 0 ] || printf '%s\n' "$@"; } >"$folder/typed.txt"
  run 0 predict "$step" <"$folder/typed.txt"
}

echo "== wrong commands"
run 1 predict
says "usage: ./worklog predict NN"
run 1 predict 04 05
says "usage: ./worklog predict NN"
run 1 predict 77
says "there is no step '77'"

echo "== nothing typed"
predict 04
says "your prediction: "
says "0 right."
says_not "It is"

echo "== one right, one wrong, one at the end of the input that lacks a line's end"
printf '4\n8\n64 x 9' >"$folder/typed.txt"
run 0 predict 4 <"$folder/typed.txt"
says "Right: 4."
says "It is 2. You said 8, which is 4 times as many."
says "It is 16,384. You said 576; it is 28.4 times that."
says "1 right."
says "steps/04_shared_memory/README.md"

echo "== what is a number, and what is asked again"
predict 04 "" many -4 1k 16K 1,02 1.2.3 "4 5" 1e3 "9999999999 x 9999999999" " 4 "
says "'many' is no number"
says "No count is below 0."
says "'1k' can mean powers of 1000 or of 1024"
says "'16K' can mean"
says "'1,02' is no number"
says "'1.2.3' is no number"
says "'4 5' is no number"
says "'1e3' is no number"
says "At most 999,999,999,999,999"
says "Right: 4."
for right in 4.0 "2 * 2" 2x2 "8 x 0.5" 04; do
  predict 04 "$right"
  says "Right: 4."
done
predict 04 0 2 16,384 9 0
says "It is 4. You said 0."
says "Right: 16,384."
says "Right: 0."
says "4 right."
predict 06 1 1 1 1
says "It is 4,096. You said 1; it is 4,096 times that."

echo "== each reason names what is counted"
for file in "$repository"/steps/*/predictions.txt; do
  step=$(basename "$(dirname "$file")")
  questions=$(grep -c '^  counter: ' "$file")
  [ "$questions" -ge 3 ]
  # No count is this one.
  mapfile -t typed < <(yes 123456789.5 | head -n "$questions")
  predict "$step" "${typed[@]}"
  [ "$(grep -c '^It is ' "$output")" = "$questions" ] || { cat "$output" && exit 1; } >&2
  awk -v step="$step" '
    function judge() { if (counted != "" && !has_number(reason)) { print step ": counted " counted ", but the reason says: " reason; bad = 1 } counted = "" }
    function has_number(text,   words, count, i) {
      count = split(text, words, /[^0-9.,]+/)
      for (i = 1; i <= count; ++i) { sub(/[.,]+$/, "", words[i]); if (words[i] == counted) return 1 }
      return 0
    }
    /^It is / { counted = $3; sub(/\.$/, "", counted); reason = ""; next }
    /^$/ { judge(); next }
    counted != "" { reason = reason " " $0 }
    END { judge(); exit bad }' "$output" >&2
  grep -qF "\`./worklog predict ${step%%_*}\`" "$repository/steps/$step/README.md" # the page leads here
done
