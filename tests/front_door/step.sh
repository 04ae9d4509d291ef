#!/usr/bin/env bash
# What a step's program refuses, it refuses by the name that the user typed.
#
#   step.sh REPOSITORY
# shellcheck source-path=SCRIPTDIR source=clone.sh
source "$(dirname "${BASH_SOURCE[0]}")/clone.sh"

mkdir -p "$clone/build/bin"
program=$clone/build/bin/step_05_warp_shuffle_cpu
# shellcheck disable=SC2016  # the program expands it
printf '%s\n' '#!/bin/sh' 'echo "$WORKLOG_CALLED_AS: $*"' 'exit 2' >"$program"
chmod +x "$program"
run 2 step 05 --bogus
says "./worklog step 05: --bogus"
run 2 step 05_warp_shuffle
says "./worklog step 05_warp_shuffle: "
