#!/usr/bin/env bash
# rename_hooks.sh COMPILER ARGUMENT..: compiles. With -DSIMT_RENAME_HOOKS it then puts "simt" before the names of the hooks that
# the object calls or defines (simt/executor, hooks.cpp): ThreadSanitizer's own library has functions of the same names.
set -euo pipefail
"$@"
case " $* " in
  *" -DSIMT_RENAME_HOOKS "*) ;;
  *) exit 0 ;;
esac
object=
while [ $# -gt 1 ]; do
  if [ "$1" = -o ]; then object=$2; fi
  shift
done
case $object in
  *.o) ;;
  *) exit 0 ;; # a precompiled header
esac
nm "$object" | awk '$NF ~ /^__(tsan_|sanitizer_cov_)/ { print $NF, "simt" $NF }' | sort -u >"$object.hooks"
objcopy --redefine-syms="$object.hooks" "$object"
