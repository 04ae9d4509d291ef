#!/usr/bin/env bash
# Builds the Python module as its users do and tests it, notebooks included: tests/python/run.sh BUILD_FOLDER.
# With --if-built it builds nothing: where the module was built from these sources, it runs all tests but the notebooks, else
# it is skipped. With --build it only builds. With --torch it installs PyTorch, too, whose wheels have some gigabytes, and runs
# the tests that want it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
readonly skipped=77

if_built=false
only_build=false
with_torch=false
case ${1:-} in
  --if-built) if_built=true && shift ;;
  --build) only_build=true && shift ;;
  --torch) with_torch=true && shift ;;
esac
[ $# = 1 ] || { echo "usage: tests/python/run.sh [--if-built|--build|--torch] BUILD_FOLDER" >&2 && exit 2; }
environment=$1/python
built=$environment/.built_from

# Everything that the module is made of.
sources() {
  find pyproject.toml CMakeLists.txt README.md LICENSE cmake simt common steps python library -type f -not -name '*.pyc' -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1
}

make_environment() {
  if cmp -s python/requirements.txt "$environment/.pins"; then return 0; fi
  echo "Installing what the module and the notebooks need"
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r python/requirements.txt
  cp python/requirements.txt "$environment/.pins"
}

# The pinned environment has what pyproject.toml asks for, with hashes: so pip need not fetch it again.
build_module() {
  if [ "$(sources)" = "$(cat "$built" 2>/dev/null)" ]; then return 0; fi
  echo "Building the module: some minutes the first time"
  rm -f "$built"
  CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(getconf _NPROCESSORS_ONLN)} \
    "$environment/bin/pip" install --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    --config-settings=build-dir="$1/module/{wheel_tag}" .
  sources >"$built"
}

if $if_built; then
  if [ ! -e "$built" ]; then
    echo "The Python module is not built: .ci/run python builds and tests it."
    exit $skipped
  fi
  if [ "$(sources)" != "$(cat "$built")" ]; then
    echo "The Python module was built from other sources: .ci/run python builds and tests it."
    exit $skipped
  fi
  exec "$environment/bin/python" -m pytest -q -rs -p no:cacheprovider tests/python --ignore=tests/python/test_notebooks.py
fi

make_environment
build_module "$1"
if $only_build; then exit; fi
if $with_torch; then
  "$environment/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r .ci/torch-requirements.txt
  exec "$environment/bin/python" -m pytest -q -p no:cacheprovider --durations=5 tests/python/test_{torch,torch_fast,torch_mixed,torch_operators,torch_scale,torch_scale_mask,torch_distributed,examples,suites_of_others}.py
fi
exec "$environment/bin/python" -m pytest -q -rs -p no:cacheprovider --durations=5 tests/python
