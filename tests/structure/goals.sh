#!/usr/bin/env bash
# goals.sh REPOSITORY: a step's page says at its top what a reader can do afterwards, what to know before, and how long it takes:
# longer than its exercise alone.
set -euo pipefail
cd "$1"

complain() { wrong+=("$1/README.md: ${*:2}"); }

wrong=() pages=0
for step in steps/[0-9][0-9]_*; do
  pages=$((pages + 1))
  # The title and the idea are the first two paragraphs; the goal is the third.
  goal=$(awk 'BEGIN { RS = "" } NR == 3' "$step/README.md" | tr '\n' ' ' | tr -s ' ')
  if ! [[ $goal =~ ^'- **Afterwards you can** '.+'. - **Before it** you need '(.+)'. **It takes** about '([0-9]+)' minutes with its exercise. '$ ]]; then
    complain "$step" "its third paragraph must be a list of two: '- **Afterwards you can** ..' and '- **Before it** you need .." \
      "**It takes** about 60 minutes with its exercise.'"
  else
    needs=${BASH_REMATCH[1]} minutes=${BASH_REMATCH[2]} number=${step#steps/}
    while read -r before; do
      ((10#$before < 10#${number%%_*})) || complain "$step" "needs step $before, which comes later"
    done < <(grep -oE '\[step [0-9]+\]' <<<"$needs" | tr -dc '0-9\n')
    exercise=$(sed -n 's/^Difficulty: .*, about \([0-9]*\) minutes\.$/\1/p' "$step/exercise/README.md")
    ((minutes > exercise)) || complain "$step" "takes $minutes minutes, of which its exercise alone takes $exercise"
  fi
done
if [ "$pages" = 0 ]; then
  echo "there is no step in $1/steps"
  exit 1
fi
if [ ${#wrong[@]} -gt 0 ]; then
  printf '%s\n' "${wrong[@]}"
  exit 1
fi
