#!/bin/sh
# Runs Python with the report's package and what that needs, as ./worklog installs them into the build folder:
#   report_python.sh BUILD_FOLDER ARGUMENT..
# Where they are not installed it says so and ends with 77, by which a test counts as skipped.
python=$1/venv/bin/python
shift
if [ ! -x "$python" ]; then
  echo "The report's package is not installed in $python: ./worklog test, report and docs do so." >&2
  exit 77
fi
exec "$python" -B "$@"
