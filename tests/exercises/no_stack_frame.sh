#!/usr/bin/env bash
# Tests cmake/no_stack_frame.sh with a stand-in for nvcc: no_stack_frame.sh REPOSITORY
set -euo pipefail

launcher=$1/cmake/no_stack_frame.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
output=$folder/output.txt

# compiler CODE LINE: says what ptxas says of two kernels, LINE of the second, and ends with CODE.
compiler() {
  cat >"$folder/nvcc" <<TEXT
#!/bin/sh
[ "\$*" = "-c it.cu -Xptxas -v" ] || exit 77
cat >&2 <<'SAID'
it.cu(3): warning #177-D: variable "y" was declared but never referenced
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for second
    $2
ptxas info    : Used 32 registers, used 0 barriers
SAID
exit $1
TEXT
  chmod +x "$folder/nvcc"
}

# launch CODE: the launcher must end with CODE.
launch() {
  local code=0
  "$launcher" "$folder/nvcc" -c it.cu >"$output" 2>&1 || code=$?
  if [ "$code" != "$1" ]; then
    echo "exit code $code, expected $1:" >&2
    cat "$output" >&2
    exit 1
  fi
  grep -q 'warning #177-D' "$output" # what the compiler says is passed on
}

compiler 0 "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
launch 0
[ "$(wc -l <"$output")" = 1 ]

compiler 0 "32 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
launch 1
grep -q '^error: second: 32 bytes stack frame' "$output"

compiler 0 "0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads"
launch 1
grep -q '^error: second: .* 8 bytes spill stores' "$output"

printf '#!/bin/sh\necho "warning #177-D" >&2\n' >"$folder/nvcc" # ptxas does not run for a virtual architecture
launch 1
grep -q '^error: ptxas says nothing' "$output"

compiler 5 "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
launch 5
