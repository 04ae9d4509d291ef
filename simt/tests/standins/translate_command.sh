#!/usr/bin/env bash
# translate_command.sh TRANSLATE: simt_translate's exit codes, messages, and that nothing is half-written.
set -euo pipefail
translate=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "failed: $*" >&2
  exit 1
}

# expect CODE MESSAGE COMMAND...: the exit code, and standard error to the letter
expect() {
  local code=$1 message=$2 actual=0
  shift 2
  "$@" 2>errors || actual=$?
  [ "$actual" = "$code" ] || fail "exit code $actual instead of $code: $*"
  [ "$(cat errors)" = "$message" ] || fail "'$(cat errors)' instead of '$message'"
}

echo 'void f() { k<<<1, 2>>>(3); }' >good.cu
printf '\nvoid f() { __shared__ int row = 1; }\n' >bad.cu

expect 0 '' "$translate" good.cu good.cpp
[ "$(head -1 good.cpp)" = "#line 1 \"$folder/good.cu\"" ] || fail "first line: $(head -1 good.cpp)"

expect 1 "bad.cu:2: error: the __shared__ variable 'row' has an initializer, which CUDA does not allow" "$translate" bad.cu bad.cpp
[ ! -e bad.cpp ] || fail "a refused file was written"

cp good.cpp before
expect 1 "bad.cu:2: error: the __shared__ variable 'row' has an initializer, which CUDA does not allow" "$translate" bad.cu good.cpp
cmp -s good.cpp before || fail "a refusal changed the output of an earlier run"

expect 1 'simt_translate: error: absent.cu: there is no such file' "$translate" absent.cu out.cpp
expect 1 'simt_translate: error: nowhere/out.cpp: cannot be written' "$translate" good.cu nowhere/out.cpp
mkdir directory
expect 1 'simt_translate: error: directory: is a directory' "$translate" directory out.cpp
expect 1 'simt_translate: error: directory: is a directory' "$translate" good.cu directory
expect 2 'usage: simt_translate INPUT OUTPUT' "$translate" good.cu
[ -z "$(ls ./*.partial* 2>/dev/null)" ] || fail "a partial file is left"
