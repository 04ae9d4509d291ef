#!/usr/bin/env bash
# .ci/run runs every part, also after one that failed, and says at the end which did.
#
#   ci.sh REPOSITORY
set -euo pipefail

repository=$1
unset THOROUGH_FOLLOWS # which is set where CI runs this test itself
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/.ci"

# Parts that do nothing, but for two: one fails in its middle.
parts=$(sed -n 's/^parts=(\(.*\))$/\1/p' "$repository/.ci/run")
[ -n "$parts" ]
pretended=$(for part in $parts; do
  # shellcheck disable=SC2016  # the part expands it
  printf 'check_%s() { echo "%s ran"; echo "follows: ${THOROUGH_FOLLOWS:-0}"; }\n' "$part" "$part"
done)
awk -v pretended="$pretended" '/^if .* = --only/ { print pretended; print "check_docs() { echo in vain; false; echo went on; }" } { print }' \
  "$repository/.ci/run" >"$folder/.ci/run"
chmod +x "$folder/.ci/run"

# run CODE ARGUMENT..: it must end with CODE.
run() {
  local wanted=$1 code=0
  shift
  "$folder/.ci/run" "$@" >"$folder/output.txt" 2>&1 || code=$?
  [ "$code" = "$wanted" ] || { echo ".ci/run $*: exit code $code, expected $wanted:" && cat "$folder/output.txt" && exit 1; } >&2
}

ends_with() { tail -n 1 "$folder/output.txt" | grep -qF "==== $1 ("; }

run 1
ends_with "FAILED: docs"
for part in $parts; do
  [ "$part" = docs ] || grep -qx "$part ran" "$folder/output.txt"
done
[ "$(grep -c "went on" "$folder/output.txt")" = 0 ]
# The test command leaves to `thorough` what that has whole, only where it runs as well.
[ "$(grep -cx "follows: 1" "$folder/output.txt")" = "$(grep -c ' ran$' "$folder/output.txt")" ]
# What the failed one said stands at the end, too, where a cut output still shows it.
[ "$(grep -cx "in vain" "$folder/output.txt")" = 2 ]

run 0 test style
ends_with "all is well"
[ "$(grep -c ' ran$' "$folder/output.txt")" = 2 ]
[ "$(grep -cx "follows: 0" "$folder/output.txt")" = 2 ]

run 2 test nonsense
grep -qF "there is no part 'nonsense'" "$folder/output.txt"
[ "$(grep -c ' ran$' "$folder/output.txt")" = 0 ]

# Each part is explained at the script's beginning.
for part in $parts; do grep -q "^#   $part  " "$repository/.ci/run"; done

# The host's workflow has them all, and the container for development what ./worklog would install.
for part in $parts; do grep -qE "^ *part: \[.*\b$part\b.*\]" "$repository/.github/workflows/ci.yml"; done
packages=$(sed -n 's/^  for package in \(lib.*\); do$/\1/p' "$repository/worklog")
[ -n "$packages" ]
for package in $packages; do grep -qw -- "$package" "$repository/.devcontainer/Dockerfile"; done
