#!/usr/bin/env bash
# check.sh SIMT FOLDER FILE.cu..: runs each program on the CPU executor; what is found wrong with its kernels is shown as an
# annotation of its line, and written to FOLDER as SARIF, a file for each program.
#
# A `#` in FILE parts it from its arguments: 'src/sort.cu # --size 1000'. The environment may have SIMT_OPTIONS, such as
# '-I include -std=c++20', for all of them. Every launch is counted and checked unless these have another --count. Ends with 1 if
# anything is found, or if a program fails; all of them run in any case.
set -euo pipefail

if [ $# -lt 3 ]; then
  echo "usage: check.sh SIMT FOLDER FILE.cu.." >&2
  exit 2
fi
simt=$1 folder=$2
shift 2
if ! mkdir -p "$folder"; then
  echo "check.sh: cannot write to $folder" >&2
  exit 2
fi

# annotations FILE.sarif: a line for each finding, in the words that a workflow's log turns into annotations.
annotations() {
  python3 - "$1" <<'PYTHON'
import json, sys

ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
KINDS = {"error": "error", "warning": "warning", "note": "notice"}
for run in json.load(open(sys.argv[1], encoding="utf-8"))["runs"]:
    for result in run["results"]:
        place = ""
        for location in result.get("locations", [])[:1]:
            physical = location.get("physicalLocation", {})
            place = " file=" + physical.get("artifactLocation", {}).get("uri", "")
            if "region" in physical:
                place += f",line={physical['region']['startLine']}"
        words = result["message"]["text"].translate(ESCAPES)
        print(f"::{KINDS.get(result.get('level', 'warning'), 'warning')}{place}::{words} [{result['ruleId']}]")
PYTHON
}

# name_of FILE: its path as the name of a file. One that has "_" or "/" must not share its name with another.
name_of() { printf '%s' "$1" | sed 's,_,__,g; s,/,_,g'; }

failed=()
for program in "$@"; do
  source=${program%%#*}
  source=${source%"${source##*[! ]}"}
  arguments=()
  if [ "$program" != "${program#*#}" ]; then read -ra arguments <<<"${program#*#}"; fi
  read -ra options <<<"${SIMT_OPTIONS:-}"
  sarif=$folder/$(name_of "$source").sarif
  rm -f "$sarif"
  echo "::group::simt run $source ${arguments[*]-}"
  code=0
  "$simt" run --count all ${options[@]+"${options[@]}"} --sarif "$sarif" "$source" -- ${arguments[@]+"${arguments[@]}"} || code=$?
  echo "::endgroup::"
  if [ -e "$sarif" ]; then annotations "$sarif"; fi
  if [ "$code" != 0 ]; then failed+=("$source (exit code $code)"); fi
done

echo "$# programs, ${#failed[@]} with findings or failures"
if [ ${#failed[@]} -gt 0 ]; then
  printf '  %s\n' "${failed[@]}"
  exit 1
fi
