#!/usr/bin/env bash
# Copies the repository, adds steps/99_example there and nothing else, and looks whether the list, the tests and the bench
# have it, and whether it compiles.
#
#   new_step.sh REPOSITORY
#
# Of the bench and of the step's own program it looks at what is linked: the rest of them is the same for every step, and
# would take two minutes to build once more.
set -euo pipefail

repository=$1
git -C "$repository" rev-parse --git-dir >/dev/null 2>&1 || { echo "$repository is no git repository: skipped"; exit 77; }

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# expect TEXT FILE: the file must hold the text.
expect() {
  if grep -q -- "$1" "$2"; then
    echo "found: $1"
  else
    echo "'$1' is missing here:" >&2
    cat "$2" >&2
    exit 1
  fi
}

(cd "$repository" && { git ls-files -z -- . ':!steps'; git ls-files -z -- 'steps/05_*'; } |
  tar --create --null --files-from=- --ignore-failed-read) | tar --extract --directory="$copy"
cp -r "$copy/steps/05_warp_shuffle" "$copy/steps/99_example"
rm -r "$copy"/steps/*/variants "$copy"/steps/*/block_sizes.json
sed -i 's/builds_on = "[^"]*"/builds_on = "05_warp_shuffle"/' "$copy/steps/99_example/softmax.cu"
sed -i '1s/.*/# 99 Example/' "$copy/steps/99_example/README.md"

cd "$copy"
# Without optimization and symbols, which take most of the time to build, and without libraries that no object waits for.
cmake -S . -B build -G Ninja -DWORKLOG_CUDA=OFF -DCMAKE_BUILD_TYPE=None -DCMAKE_OPTIMIZE_DEPENDENCIES=ON \
  >configure.txt 2>&1 || { cat configure.txt >&2; exit 1; }

./worklog list >list.txt
expect '^99 .*Example' list.txt

ctest --test-dir build -N >tests.txt
expect ' 99_example.every_width_f32' tests.txt
expect ' exercise.99_example' tests.txt

cmake --build build --parallel 2 --target step_99_example_cpu_objects >build.txt 2>&1 || { tail -n 40 build.txt >&2; exit 1; }

# links PROGRAM OBJECTS: the program is made of these objects.
links() {
  ninja -C build -t query "bin/$1" >link.txt
  expect "/$2.dir/" link.txt
}

links worklog_bench_cpu step_99_example_cpu_objects
links step_99_example_cpu step_99_example_cpu_objects
links step_99_example_tests step_99_example_cpu_objects
