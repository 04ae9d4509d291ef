#!/usr/bin/env bash
# answers.sh REPOSITORY: a question that no check answers has its answer folded below it.
set -euo pipefail
cd "$1"
questions=0 without=()
for page in steps/*/README.md; do
  while IFS= read -r line; do
    questions=$((questions + 1))
    # The question's paragraph ends with an empty line.
    below=$(tail -n +"$line" "$page" | sed '1,/^$/d' | head -n 1)
    [ "$below" = '<details><summary>An answer</summary>' ] || without+=("$page:$line")
  done < <(grep -n '^Without a check' "$page" | cut -d : -f 1)
done
if [ "$questions" = 0 ]; then
  echo "no page of $1/steps asks anything without a check"
  exit 1
fi
if [ ${#without[@]} -gt 0 ]; then
  printf 'no answer below the question: %s\n' "${without[@]}"
  exit 1
fi
