#!/usr/bin/env bash
# Puts the GPU programs of a build folder, without debug information, and the libraries that a GPU machine may lack into one
# folder that can be carried there: bench/run_on_gpu.sh OUT --build FOLDER then needs no compiler and no network.
set -euo pipefail

if [ $# -ne 2 ]; then
  echo "usage: bench/pack_for_gpu.sh BUILD FOLDER" >&2
  exit 2
fi
build=$1 folder=$2

if [ ! -x "$build/bin/worklog_bench" ]; then
  echo "pack_for_gpu.sh: $build/bin/worklog_bench is missing: build with nvcc first" >&2
  exit 1
fi
programs=()
for program in "$build"/bin/*; do
  case ${program##*/} in
    *_gpu_tests) programs+=("$program") ;;
    *_cpu | *_tests) ;;
    worklog_bench | worklog_sweep | worklog_accuracy | step_*) programs+=("$program") ;;
  esac
done

mkdir -p "$folder/bin" "$folder/lib"
for program in "${programs[@]}"; do
  strip -o "$folder/bin/${program##*/}" "$program"
done
# What the programs need beside the C and C++ libraries and the driver.
ldd "$folder"/bin/* | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|libcuda|ld-linux[^/]*)\.so' |
  while read -r library; do cp -L "$library" "$folder/lib/"; done
du -sh "$folder"
