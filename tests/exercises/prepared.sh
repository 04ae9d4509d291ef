# shellcheck shell=bash
# For tests of ./worklog's commands for exercises: REPOSITORY BUILD. To be sourced.
#
# BUILD has been built: what the commands need of it lies in a build folder of their own, beside a cmake that has nothing
# to do, so that they neither configure nor build while other tests run.
set -euo pipefail

repository=$1
build=$2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tools" "$folder/build/exercises/05_warp_shuffle"
cat >"$folder/tools/cmake" <<'TEXT'
#!/bin/sh
if [ "$1" = --version ]; then echo "cmake version 3.25.1"; else echo "no work to do"; fi
TEXT
printf '#!/bin/sh\necho installed all\n' >"$folder/tools/dpkg-query" # nor is anything missing
chmod +x "$folder/tools/cmake" "$folder/tools/dpkg-query"
ln -s "$build/bin" "$folder/build/"
cp "$build/exercises/05_warp_shuffle/toolchain.txt" "$folder/build/exercises/05_warp_shuffle/"
touch "$folder/build/build.ninja"
export PATH=$folder/tools:$PATH WORKLOG_BUILD=$folder/build WORKLOG_WORK=$folder/work
output=$folder/output.txt

# shellcheck source-path=SCRIPTDIR source=../front_door/said.sh
source "$(dirname "${BASH_SOURCE[0]}")/../front_door/said.sh"

# run CODE ARGUMENT..: ./worklog with these arguments must end with CODE.
run() {
  local wanted=$1
  shift
  ends_with "$wanted" "$repository/worklog" "$@"
}
