#!/usr/bin/env bash
# `./worklog test` remembers that the tests passed, and forgets it when anything changes that they could depend on.
#
#   old_pass.sh REPOSITORY
# shellcheck source-path=SCRIPTDIR source=clone.sh
source "$(dirname "${BASH_SOURCE[0]}")/clone.sh"

run 0 test
called ctest
says "All 7 tests passed."
run 0 test
not_called ctest
says "All 7 tests passed with these very programs"
run 0 test --again
called ctest

echo "== something changed in each of the repository's folders"
shopt -s dotglob nullglob
for entry in "$clone"/*; do
  [ "$entry" != "$clone/build" ] || continue
  file=$(find "$entry" -type f | LC_ALL=C sort | tail -n 1)
  echo "${file#"$clone/"}"
  echo "# changed" >>"$file"
  run 0 test
  called ctest
done

echo "== a file more, a file less, another name"
echo "new" >"$clone/tests/new.txt"
run 0 test
called ctest
mv "$clone/tests/new.txt" "$clone/tests/other.txt"
run 0 test
called ctest
rm "$clone/tests/other.txt"
run 0 test
called ctest

echo "== a program"
touch "$clone/build/bin/other_tests"
run 0 test
called ctest

echo "== what is made in the clone is no part of it"
mkdir -p "$clone/build-ci" "$clone/work/05_warp_shuffle" "$clone/.git" "$clone/tests/report/__pycache__"
touch "$clone/build-ci/a" "$clone/work/05_warp_shuffle/softmax.cu" "$clone/.git/HEAD" "$clone/tests/report/__pycache__/a.pyc"
run 0 test
not_called ctest

echo "== what leaves tests to others is not remembered as a pass"
export WORKLOG_TESTS_ELSEWHERE=thinned
run 0 test --again
called "--label-exclude thinned"
unset WORKLOG_TESTS_ELSEWHERE
run 0 test
called ctest
not_called "--label-exclude"

echo "== a failure is not remembered as a pass"
cp "$tools/ctest" "$folder/ctest_that_passes"
# shellcheck disable=SC2016  # the tool expands it
printf '#!/bin/sh\necho "ctest $*" >>"$TOOLS/calls"\necho "50%% tests passed, 1 tests failed out of 2"\nexit 8\n' >"$tools/ctest"
run 1 test --again
says "some tests failed"
cp "$folder/ctest_that_passes" "$tools/ctest"
run 0 test
called ctest
