#!/usr/bin/env bash
# cmake/FindCUDNN.cmake finds cuDNN as Python's package has it, and tells a version that is too old: find_cudnn.sh MODULES
set -euo pipefail
modules=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

mkdir -p cudnn/include cudnn/lib project
printf '#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 7\n#define CUDNN_PATCHLEVEL 1\n' >cudnn/include/cudnn_version.h
touch cudnn/lib/libcudnn.so.9
cat >project/CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(find_cudnn LANGUAGES CXX)
find_package(CUDNN ${least})
message(STATUS "found=${CUDNN_FOUND} version=${CUDNN_VERSION}")
if(CUDNN_FOUND)
  get_target_property(library CUDNN::cudnn IMPORTED_LOCATION)
  message(STATUS "library=${library}")
endif()
TEXT

configure() {
  rm -rf build
  cmake -S project -B build -DCMAKE_MODULE_PATH="$modules" -DCUDNN_ROOT="$folder/cudnn" "$@" >output.txt 2>&1 || { cat output.txt >&2; exit 1; }
}
expect() {
  grep -qi -- "$1" output.txt || { printf 'not there: %s\n' "$1" >&2; cat output.txt >&2; exit 1; }
}

configure -Dleast=9
expect 'found=TRUE version=9.7.1'
expect "library=$folder/cudnn/lib/libcudnn.so.9"
configure -Dleast=10
expect 'found=FALSE'
expect 'at least "10"'
configure -Dleast=9 -DCMAKE_DISABLE_FIND_PACKAGE_CUDNN=ON
expect 'found= version='
