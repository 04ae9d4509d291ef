# shellcheck shell=bash
# Runs ./worklog and looks at what it said. To be sourced.

: "${output:?is the file for what was said}"

# ends_with CODE PROGRAM ARGUMENT..: it must.
ends_with() {
  local wanted=$1 code=0
  shift
  "$@" >"$output" 2>&1 || code=$?
  if [ "$code" != "$wanted" ]; then
    echo "$*: exit code $code, expected $wanted:" >&2
    cat "$output" >&2
    exit 1
  fi
}

# says TEXT: what ran last must have said it.
says() {
  if ! grep -qF -- "$1" "$output"; then
    echo "'$1' is missing here:" >&2
    cat "$output" >&2
    exit 1
  fi
}

says_not() {
  if grep -qF -- "$1" "$output"; then
    echo "'$1' must not be here:" >&2
    cat "$output" >&2
    exit 1
  fi
}
