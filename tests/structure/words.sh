#!/usr/bin/env bash
# words.sh REPOSITORY: the executor is a project of its own, in which nothing names the one around it, and Python finds its
# packages without a variable of the environment. Files that git does not know are left alone.
set -euo pipefail
cd "$1"
failures=0
git grep -q -i 'simt' -- simt/ || { echo "git sees no files in simt/ of $1" && exit 1; }

# refuse MESSAGE LINES: the lines of git grep, of which there must be none.
refuse() {
  [ -n "$2" ] || return 0
  printf '%s:\n%s\n' "$1" "$2"
  failures=1
}

refuse "simt/ names the project around it" "$(git grep -n -i worklog -- simt/)"
refuse "a path for Python" "$(git grep -n 'PYTHON''PATH')"
exit $failures
