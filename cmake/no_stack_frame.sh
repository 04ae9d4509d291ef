#!/usr/bin/env bash
# A compiler launcher for nvcc, by which .ci/run compiles exercises' solutions: no_stack_frame.sh NVCC ARGUMENT..
#
# Fails where a kernel keeps an array or spilled registers in memory: exercises say that theirs lie in registers. No counter
# of the CPU executor shows that; ptxas says it.
set -euo pipefail

said=$(mktemp)
trap 'rm -f "$said"' EXIT

code=0
"$@" -Xptxas -v >"$said" 2>&1 || code=$?
grep -v '^ptxas info\|bytes stack frame' "$said" >&2 || true
[ "$code" = 0 ] || exit "$code"

# A function's properties are on the line below its name.
awk '
  / Function properties for / { name = $NF; said = 1 }
  / bytes stack frame, / && !/^ *0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads$/ {
    sub(/^ */, ""); print "error: " name ": " $0; bad = 1
  }
  END {
    if (!said) { print "error: ptxas says nothing of any kernel: is it compiled for a real architecture?"; bad = 1 }
    exit bad
  }' "$said" >&2
