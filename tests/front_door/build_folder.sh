#!/usr/bin/env bash
# A build folder that was copied or moved with its clone is made anew, and so is one that is older than a move of the
# repository's own folders; what was written into it stays. One of somebody else's is left as it is.
#
#   build_folder.sh REPOSITORY
# shellcheck source-path=SCRIPTDIR source=clone.sh
source "$(dirname "${BASH_SOURCE[0]}")/clone.sh"

run 0 test
called "cmake -S"
run 0 test
not_called "cmake -S"
mkdir -p "$clone/build/records" "$clone/build/report" "$clone/build/_deps/boost-subbuild/CMakeFiles" "$clone/build/CMakeFiles"
echo "times" | tee "$clone/build/records/bench.gpu.json" >"$clone/build/report/index.html"
echo "CMAKE_CACHEFILE_DIR:INTERNAL=$clone/build/_deps/boost-subbuild" >"$clone/build/_deps/boost-subbuild/CMakeCache.txt"
echo "downloaded" >"$clone/build/_deps/boost-subbuild/boost.tar.xz"

# is_made_anew OLD: and what was in the folder is there.
is_made_anew() {
  run 0 test
  says "build was built as $1/build, for $1: building anew."
  called "cmake -S $clone -B $clone/build"
  called ctest # it is no old pass
  [ "$(cat "$clone/build/records/bench.gpu.json" "$clone/build/report/index.html")" = "$(printf 'times\ntimes')" ]
  [ -e "$clone/build/_deps/boost-subbuild/boost.tar.xz" ]
  [ ! -e "$clone/build/_deps/boost-subbuild/CMakeCache.txt" ] # it names the old place, too
  run 0 test
  not_called "cmake -S"
}

echo "== moved"
original=$clone
clone=$folder/moved
mv "$original" "$clone"
is_made_anew "$original"

echo "== copied: the original stays as it is"
original=$clone
clone=$folder/copied
cp -a "$original" "$clone"
cp -a "$original/build" "$folder/before"
is_made_anew "$original"
diff -r "$original/build" "$folder/before"

echo "== built before a folder of the repository moved"
echo "$clone/build/common/simt/CMakeFiles/simt_translate.dir" >>"$clone/build/CMakeFiles/TargetDirectories.txt"
echo "$clone/build/_deps/boost-build/CMakeFiles/boost.dir" >>"$clone/build/CMakeFiles/TargetDirectories.txt"
run 0 test
says "The repository's folders have moved since build was built (there is no common/simt now): building anew."
called "cmake -S"
[ "$(cat "$clone/build/report/index.html")" = times ]
run 0 test
not_called "cmake -S"

echo "== reached by another name"
ln -s "$clone" "$folder/link"
clone=$folder/link run 0 test
not_called "cmake -S"

echo "== another clone's"
export WORKLOG_BUILD=$original/build
run 1 test
says "$original/build is the build folder of another clone, $original"
says "WORKLOG_BUILD="
diff -r "$original/build" "$folder/before"

echo "== another project's"
export WORKLOG_BUILD=$folder/other
mkdir "$folder/other"
printf '%s\n' "CMAKE_PROJECT_NAME:STATIC=LLVM" "CMAKE_HOME_DIRECTORY:INTERNAL=/src/llvm" >"$folder/other/CMakeCache.txt"
run 1 test
says "$folder/other is the build folder of another project, LLVM in /src/llvm"
[ "$(ls -A "$folder/other")" = CMakeCache.txt ]
