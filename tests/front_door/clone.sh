# shellcheck shell=bash
# A copy of the repository whose tools only pretend: cmake has built everything, ctest says that all tests pass, and
# whatever is asked for is installed. To be sourced with the repository in $1; `clone` is the copy.
#
# So the tests beside this file see what `./worklog` itself decides, in a second.
set -euo pipefail

repository=$1
folder=$(cd "$(mktemp -d)" && pwd)
trap 'rm -rf "$folder"' EXIT
clone=$folder/clone
tools=$folder/tools
mkdir -p "$clone" "$tools"
(cd "$repository" && tar --create --exclude=./.git --exclude='./build*' --exclude=./work --exclude='./.*_cache' \
  --exclude=./.venv --exclude=./.deps .) | tar --extract --directory="$clone"

# Of a build folder, what cmake leaves there and the script reads.
cat >"$tools/cmake" <<'TEXT_OF_TOOL'
#!/bin/sh
echo "cmake $*" >>"$TOOLS/calls"
case $1 in
  --version) echo "cmake version 3.25.1" ;;
  --build) echo "no work to do" ;;
  *)
    mkdir -p "$4/bin" "$4/CMakeFiles"
    printf '%s\n' "$4/CMakeFiles/test.dir" "$4/simt/CMakeFiles/simt_translate.dir" >"$4/CMakeFiles/TargetDirectories.txt"
    touch "$4/build.ninja"
    printf '%s\n' "CMAKE_PROJECT_NAME:STATIC=softmax_worklog" "CMAKE_HOME_DIRECTORY:INTERNAL=$2" \
      "CMAKE_CACHEFILE_DIR:INTERNAL=$4" >"$4/CMakeCache.txt"
    ;;
esac
TEXT_OF_TOOL
cat >"$tools/ctest" <<'TEXT_OF_TOOL'
#!/bin/sh
echo "ctest $*" >>"$TOOLS/calls"
echo "100% tests passed, 0 tests failed out of 7"
TEXT_OF_TOOL
cat >"$tools/python3" <<'TEXT_OF_TOOL'
#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then
  mkdir -p "$3/bin"
  cp "$0" "$3/bin/python"
  cp "$0" "$3/bin/python3"
  cp "$0" "$3/bin/pip"
fi
TEXT_OF_TOOL
printf '#!/bin/sh\necho installed all\n' >"$tools/dpkg-query"
printf '#!/bin/sh\necho amd64\n' >"$tools/dpkg"
printf '#!/bin/sh\n' | tee "$tools/ninja" >"$tools/nvidia-smi" # which knows of no GPU
chmod +x "$tools"/*
export TOOLS=$tools PATH=$tools:$PATH
unset WORKLOG_BUILD WORKLOG_WORK CXX

output=$folder/output.txt

# shellcheck source-path=SCRIPTDIR source=said.sh
source "$(dirname "${BASH_SOURCE[0]}")/said.sh"

# run CODE ARGUMENT..: the copy's ./worklog with these arguments must end with CODE.
run() {
  local wanted=$1
  shift
  : >"$tools/calls"
  ends_with "$wanted" "$clone/worklog" "$@"
}

# called TEXT, not_called TEXT: whether what ran last has called a tool so.
called() { grep -qF -- "$1" "$tools/calls" || { echo "'$1' was not called:" && cat "$tools/calls" && exit 1; } >&2; }
not_called() { ! grep -F -- "$1" "$tools/calls" >&2 || { echo "should not have been called" >&2 && exit 1; }; }
