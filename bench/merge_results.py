#!/usr/bin/env python3
"""Joins the results of one GPU run into one file: worklog_bench's, then those of baselines.

The first file's context stays, with versions that the others add; what names the machine's host or
folders is left out. Of two rows of the same name the later one stays. A baseline's rows get the
copy's or the read's time at their shape, so that they too can be shown as a fraction of it.

The baselines' errors stay too, with those of worklog_accuracy (--accuracy). With --records the
files are those that step programs write, and only their records are joined; with --sweeps those of
worklog_sweep, of which the later one's row stays; with --library those of worklog_library_times and
of library_peers.py.
"""

import argparse
import datetime
import json
import sys
from pathlib import Path

from whole_file import write_whole

PRIVATE = ("host_name", "executable")
SHAPE = ("dtype", "rows", "cols", "cache")
# Of which a clock that ticks in nanoseconds does not know more digits than these.
TIMES = (
    "real_time",
    "median_us",
    "copy_us",
    "read_us",
    "limit_us",
    "us",
    "gbps",
    "fraction",
    "spread",
)
DIGITS = 7


def read(path, *fields, optional=()):
    try:
        data = json.loads(path.read_text())
        return [data[field] for field in fields] + [data.get(field) for field in optional]
    except OSError as error:
        sys.exit(f"merge_results.py: {path}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"merge_results.py: {path}: broken or truncated JSON: {error}")
    except (KeyError, TypeError):
        sys.exit(f"merge_results.py: {path}: has no {' and '.join(fields)}")


def ceilings(rows):
    """Times of copies and reads at each shape."""
    return {
        (row["baseline"], *shape_of(row)): row["median_us"]
        for row in rows
        if row.get("baseline") in ("copy", "read") and "median_us" in row
    }


def rounded(row):
    return {
        name: float(f"{value:.{DIGITS}g}") if name in TIMES and isinstance(value, float) else value
        for name, value in row.items()
    }


def shape_of(row):
    return tuple(row[name] for name in SHAPE)


def with_ceiling(row, known):
    if "median_us" not in row or "copy_us" in row or "read_us" in row:
        return row
    kind = "read" if row["k"] else "copy"
    ceiling = known.get((kind, *shape_of(row)))
    if ceiling is None:
        return row
    return row | {f"{kind}_us": ceiling, "fraction": ceiling / row["median_us"]}


def join_results(paths, accuracy_paths):
    first, *others = [
        read(path, "context", "benchmarks", optional=["baseline_accuracy"]) for path in paths
    ]
    context, rows, errors = first
    known = ceilings(rows)
    for path, (more_context, more_rows, more_errors) in zip(paths[1:], others, strict=True):
        if more_context.get("gpu") != context.get("gpu"):
            sys.exit(f"merge_results.py: {path}: of another GPU, {more_context.get('gpu')!r}")
        context = more_context | context
        rows = rows + [with_ceiling(row, known) for row in more_rows]
        errors = (errors or []) + (more_errors or [])
    for path in accuracy_paths:
        errors = (errors or []) + read(path, "baseline_accuracy")[0]
    context = {name: value for name, value in context.items() if name not in PRIVATE}
    latest_rows = {row["name"]: rounded(row) for row in rows}
    joined = {"context": context, "benchmarks": list(latest_rows.values())}
    if errors:
        latest = {(row["baseline"], row["input"]): row for row in errors}
        joined["baseline_accuracy"] = list(latest.values())
    return joined


def join_sweeps(paths):
    context, rows = {}, {}
    for path in paths:
        more_context, more_rows = read(path, "context", "sweep")
        if context and more_context.get("gpu") != context.get("gpu"):
            sys.exit(f"merge_results.py: {path}: of another GPU, {more_context.get('gpu')!r}")
        context |= more_context
        for row in more_rows:
            rows[tuple(row[name] for name in ("step", "variant", "dtype", "rows", "cols"))] = row
    now = datetime.datetime.now(datetime.timezone.utc)
    context.setdefault("date", now.isoformat(timespec="seconds"))
    return {"context": context, "sweep": list(rows.values())}


def join_library(paths):
    """The library's rows and its peers', of one GPU. What the context says of a peer that is in no
    row is why."""
    context, rows, calls, scaled = {}, [], [], []
    for path in paths:
        more_context, more_rows, more_calls, more_scaled = read(
            path, "context", "of_library", "host_calls", optional=("of_scaling",)
        )
        if context and more_context.get("gpu") != context.get("gpu"):
            sys.exit(f"merge_results.py: {path}: of another GPU, {more_context.get('gpu')!r}")
        context = more_context | context
        rows += [rounded(row) for row in more_rows]
        calls += [rounded(row) for row in more_calls]
        scaled += [rounded(row) for row in more_scaled or []]
    context = {name: value for name, value in context.items() if name not in PRIVATE}
    joined = {"context": context, "of_library": rows, "host_calls": calls}
    return joined | ({"of_scaling": scaled} if scaled else {})


def join_records(paths):
    return {"records": [row for path in paths for row in read(path, "records")[0]]}


def to_text(joined):
    """JSON with a line for each row: a diff shows the rows that changed."""
    parts = []
    for name, value in joined.items():
        if isinstance(value, list):
            rows = ",\n".join(json.dumps(row) for row in value)
            parts.append(f'"{name}": [\n{rows}\n]')
        else:
            parts.append(f'"{name}": {json.dumps(value, indent=1)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inputs", nargs="+", type=Path, metavar="RESULTS.json")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--records", action="store_true", help="of step programs")
    kinds.add_argument("--sweeps", action="store_true", help="of worklog_sweep")
    kinds.add_argument("--library", action="store_true", help="of the library and its peers")
    parser.add_argument(
        "--accuracy",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="of worklog_accuracy",
    )
    options = parser.parse_args()
    if (options.records or options.sweeps or options.library) and options.accuracy:
        parser.error("--accuracy: is of times alone")

    if options.records:
        joined = join_records(options.inputs)
    elif options.sweeps:
        joined = join_sweeps(options.inputs)
    elif options.library:
        joined = join_library(options.inputs)
    else:
        joined = join_results(options.inputs, options.accuracy)
    write_whole(options.out, to_text(joined))


if __name__ == "__main__":
    main()
