#!/usr/bin/env bash
# one_idea.sh REPOSITORY: what a step adds to the one that it builds on is one idea, and one idea is seldom long. Counted as
# `./worklog diff` counts. A step that adds more lines says in its page why, in a sentence with
# their number, such as "173 lines of code".
set -euo pipefail

repository=$1
most=90
say() { printf '%s\n' "$@"; }
eval "$(sed -n '/^\(count_changed_lines\|code_of\|file_of_kernel\)() {/,/^}/p' "$repository/worklog")"

failures=0
compared=0
for kernel in "$repository"/steps/*/softmax.cu; do
  step=$(dirname "$kernel")
  before=$(sed -n 's/.*builds_on = "\([^"]*\)".*/\1/p' "$kernel")
  [ -n "$before" ] || continue
  [ -f "$repository/$(file_of_kernel "$before")" ] || { say "${step##*/} builds on $before, which there is not"; exit 1; }
  counted=$(count_changed_lines "$repository/$(file_of_kernel "$before")" "$kernel")
  say "$before, ${step##*/}: $counted"
  [[ $counted =~ ([0-9]+)\ added,\ ([0-9]+)\ removed ]] || { say "no count"; exit 1; }
  compared=$((compared + 1))
  if [ "${BASH_REMATCH[1]}" -gt $most ] && ! grep -q "\b${BASH_REMATCH[1]} lines of code" "$step/README.md"; then
    say "${step##*/}: more than $most lines, and its page does not say why, with \"${BASH_REMATCH[1]} lines of code\""
    failures=1
  fi
done
[ "$compared" -gt 0 ] || { say "no steps in $repository"; exit 1; }

# Comments and blank lines are no code, in either file.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf 'a;\n\nb;  // why\nc;\n' >"$scratch/before.cu"
printf '// new\na;\nb;\n  // because\nd;\ne;\n' >"$scratch/after.cu"
counted=$(count_changed_lines "$scratch/before.cu" "$scratch/after.cu")
[[ $counted == *" 2 added, 1 removed."* ]] || { say "counted $counted instead of 2 added, 1 removed"; exit 1; }
counted=$(count_changed_lines "$scratch/before.cu" "$scratch/before.cu")
[[ $counted == *" 0 added, 0 removed."* ]] || { say "counted $counted of a file and itself"; exit 1; }
exit $failures
