#!/bin/sh
# Where Boost was fetched, cmake --install says that it installs nothing, and why.
#
#   refusal.sh CMAKE SOURCE COMPILER GENERATOR
set -eu
cmake=$1
source=$2
compiler=$3
generator=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# As if it had been fetched.
mkdir "$folder/boost"
cat >"$folder/boost/CMakeLists.txt" <<'TEXT'
file(TOUCH ${CMAKE_CURRENT_BINARY_DIR}/context.cpp)
add_library(boost_context STATIC ${CMAKE_CURRENT_BINARY_DIR}/context.cpp)
add_library(Boost::context ALIAS boost_context)
TEXT
"$cmake" -S "$source" -B "$folder/build" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" -DSIMT_TESTS=OFF \
  -DFETCHCONTENT_SOURCE_DIR_BOOST="$folder/boost" >"$folder/configured.txt" 2>&1 || {
  cat "$folder/configured.txt"
  exit 1
}
code=0
"$cmake" --install "$folder/build" --prefix "$folder/prefix" >"$folder/said.txt" 2>&1 || code=$?
cat "$folder/said.txt"
[ "$code" != 0 ]
[ ! -e "$folder/prefix/bin/simt" ]
tr -s '\n ' ' ' <"$folder/said.txt" | grep -q "Boost.Context is not the system's but was fetched; install libboost-context-dev"
