#!/usr/bin/env bash
# Puts the GPU programs of a build folder, without debug information, and the libraries that a GPU machine may lack into one
# archive to be carried there: bench/run_on_gpu.sh OUT --build FILE.tar.xz then needs no compiler and no network.
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: bench/pack_for_gpu.sh BUILD FILE.tar.xz [PROGRAM..]: all, or those in BUILD/bin that are named" >&2
  exit 2
fi
build=$1 archive=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

programs=()
for name in "${@:-worklog_bench}"; do
  if [ ! -x "$build/bin/$name" ]; then
    echo "pack_for_gpu.sh: $build/bin/$name is missing: build with nvcc first" >&2
    exit 1
  fi
done
for program in "$build"/bin/*; do
  case " ${*:-all} " in
    *" ${program##*/} "*) programs+=("$program") && continue ;;
    " all ") ;;
    *) continue ;;
  esac
  case ${program##*/} in
    *_gpu_tests) programs+=("$program") ;;
    *_cpu | *_tests | *_mpi) ;;
    worklog_bench | worklog_library_times | worklog_library_module.so | worklog_sweep | worklog_accuracy | worklog_profile) programs+=("$program") ;;
    step_* | ranks_*) programs+=("$program") ;;
  esac
done

mkdir -p "$folder/bin" "$folder/lib"
for program in "${programs[@]}"; do
  strip -o "$folder/bin/${program##*/}" "$program"
done
# What the programs need beside the C and C++ libraries, the driver, cuDNN and NCCL: of these the machine's own are taken, all of
# one version, where PyTorch has them.
ldd "$folder"/bin/* | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
  sed -E '/\/(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|libcuda|libcudnn|libnccl|ld-linux[^/]*)\.so/d' |
  while read -r library; do cp -L "$library" "$folder/lib/"; done
# The programs share most of their kernels: a dictionary that spans several of them keeps one copy.
tar -C "$folder" -c bin lib | xz --lzma2=preset=2,dict=128MiB -T 1 >"$archive.part"
mv "$archive.part" "$archive"
du -h "$archive"
