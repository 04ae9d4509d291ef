#!/usr/bin/env bash
# install.sh CMAKE BUILD SOURCE COMPILER GENERATOR: installs simt from the build folder BUILD into a folder of its own, and uses it there:
# `simt run` on a program, and a project of ten lines that finds the package. No file of text that is installed may name the source tree SOURCE or BUILD.
set -euo pipefail
cmake=$1 build=$2 source=$3 compiler=$4 generator=$5
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "failed: $*" >&2
  exit 1
}

# untouched FILE..: none of these speaks of the source tree or the build folder.
untouched() {
  local found
  found=$(grep -lF -e "$source/" -e "$build/" -- "$@" || true)
  [ -z "$found" ] || fail "these name the source tree or the build folder: $found"
}

"$cmake" --install "$build" --component simt --prefix "$work/built" >"$work/install.log" || {
  cat "$work/install.log" >&2
  fail "cmake --install"
}
# It may be moved: what it needs lies beside it.
mv "$work/built" "$work/prefix"
find "$work/prefix" -type f \( -name '*.txt' -o -name '*.cmake' -o -name '*.h' \) -print0 >"$work/texts"
[ -s "$work/texts" ] || fail "nothing has been installed"
mapfile -d '' -t texts <"$work/texts"
untouched "${texts[@]}"

# simt run, in another folder.
mkdir "$work/elsewhere"
cd "$work/elsewhere"
cp "$here/user/main.cu" "$here/user/scale.cuh" .
export SIMT_CACHE=$work/cache
"$work/prefix/bin/simt" --version | grep -q '^simt [0-9]' || fail "simt --version"
"$work/prefix/bin/simt" run main.cu --json run.json >run.txt || {
  cat run.txt >&2
  fail "simt run main.cu"
}
grep -q '^64 floats doubled: 16 sectors$' run.txt || fail "main.cu prints: $(cat run.txt)"
grep -q '"kernel": "scale"' run.json || fail "run.json tells of no launch of scale"
grep -q 'scale.cuh' run.json || fail "run.json names no line of scale.cuh"
mapfile -d '' -t made < <(find "$work/cache" -type f \( -name '*.d' -o -name '*.command' \) -print0)
[ ${#made[@]} -gt 0 ] || fail "simt run leaves no commands in SIMT_CACHE"
untouched "${made[@]}"
code=0
"$work/prefix/bin/simt" run -D WITHOUT_BOUND main.cu >wrong.txt 2>&1 || code=$?
[ "$code" = 1 ] || fail "a kernel that writes out of bounds ends with $code"
grep -q 'global-out-of-bounds' wrong.txt || fail "a kernel that writes out of bounds: $(cat wrong.txt)"

# find_package, from a project elsewhere.
cp "$here/user/CMakeLists.txt" "$here/user/ranks.cpp" "$here/user/numbers.cpp" "$here/user/products.cpp" .
build_own() {
  "$cmake" -S . -B own -G "$generator" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" &&
  "$cmake" --build own
}
if ! build_own >own.log 2>&1; then
  cat own.log >&2
  fail "a project with find_package(simt)"
fi
own/user >own.txt || fail "the project's program: $(cat own.txt)"
grep -q '^64 floats doubled: 16 sectors$' own.txt || fail "the project's program prints: $(cat own.txt)"
own/ranks >ranks.txt || fail "the project's program with NCCL: $(cat ranks.txt)"
grep -q '^1 rank, 0 kinds of calls$' ranks.txt || fail "the project's program with NCCL prints: $(cat ranks.txt)"
own/numbers >numbers.txt || fail "the project's program with cuRAND: $(cat numbers.txt)"
grep -q '^the first number: 3179217846$' numbers.txt || fail "the project's program with cuRAND prints: $(cat numbers.txt)"
if [ -e own/products ]; then # where OpenBLAS was found
  own/products >products.txt || fail "the project's program with cuBLAS: $(cat products.txt)"
  grep -q '^3 times 2: 6$' products.txt || fail "the project's program with cuBLAS prints: $(cat products.txt)"
fi
# Programs without cuBLAS do not need its library.
if ldd own/user own/ranks own/numbers | grep openblas; then fail "a program without cuBLAS needs OpenBLAS"; fi
mapfile -d '' -t made < <(find own -type f \( -name '*.ninja' -o -name '*.make' -o -name link.txt -o -name '*.d' \) -print0)
untouched "${made[@]}"
echo "installed, moved, run and found"
