#!/usr/bin/env bash
# install.sh CMAKE BUILD SOURCE COMPILER GENERATOR: installs the library and the executor from the build folder BUILD, moves
# them, and builds and runs library/examples of the source tree SOURCE against them, as a project elsewhere.
set -euo pipefail
cmake=$1 build=$2 source=$3 compiler=$4 generator=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "failed: $*" >&2
  exit 1
}

for component in simt softmax_worklog; do
  "$cmake" --install "$build" --component "$component" --prefix "$work/built" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "cmake --install of $component"
  }
done
mv "$work/built" "$work/prefix"
named=$(grep -rlF -e "$source/" -e "$build/" "$work/prefix" --include='*softmax_worklog*.cmake' --include='*.h' || true)
[ -z "$named" ] || fail "these name the source tree or the build folder: $named"

cp -r "$source/library/examples" "$work/examples"
if ! { "$cmake" -S "$work/examples" -B "$work/own" -G "$generator" -DCMAKE_PREFIX_PATH="$work/prefix" \
         -DCMAKE_CXX_COMPILER="$compiler" && "$cmake" --build "$work/own"; } >"$work/log" 2>&1; then
  cat "$work/log" >&2
  fail "a project with find_package(softmax_worklog)"
fi

mkdir "$work/only_c"
printf '%s\n' 'cmake_minimum_required(VERSION 3.24)' 'project(only_c LANGUAGES C)' \
  'find_package(softmax_worklog REQUIRED)' >"$work/only_c/CMakeLists.txt"
if "$cmake" -S "$work/only_c" -B "$work/only_c/build" -G "$generator" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1; then
  fail "a project without C++ finds the library, which it cannot link"
fi
grep -qF 'project(NAME LANGUAGES C CXX)' "$work/log" || fail "a project without C++ is not told so: $(cat "$work/log")"

# prints PROGRAM LINE: the program succeeds, and prints this line.
prints() {
  "$work/own/$1" >"$work/out" || fail "$1 ends with $?: $(cat "$work/out")"
  grep -qxF -e "$2" "$work/out" || fail "$1 prints no line '$2': $(cat "$work/out")"
}
prints probabilities 'the CPU executor: 4 rows add up to 1'
prints probabilities 'invalid argument: logits = null: must be device memory of 16000 bytes'
prints sampling 'row 7: token 49'
prints classifier 'step 0: loss 13.522'
echo "installed, moved and built against: three programs run"
