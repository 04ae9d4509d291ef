#!/usr/bin/env python3
"""Joins the results of one GPU run into one file: worklog_bench's, then those of baselines.

The first file's context stays, with versions that the others add; what names the machine's host or
folders is left out. A baseline's rows get the copy's or the read's time at their shape, so that
they too can be shown as a fraction of it.
"""

import argparse
import json
import os
import re
import sys
from pathlib import Path

PRIVATE = ("host_name", "executable")
SHAPE = re.compile(r"/(f32|f16|bf16)/(\d+x\d+)(/k\d+)?/(cold|warm)$")


def read(path):
    try:
        data = json.loads(path.read_text())
        return data["context"], data["benchmarks"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"merge_results.py: {path}: cannot be read as results: {error}")


def ceilings(rows):
    """Times of copies and reads by the name without its first part."""
    return {
        name: row["median_us"]
        for name, row in ((row["name"], row) for row in rows)
        if name.split("/")[0] in ("copy", "read") and "median_us" in row
    }


def with_ceiling(row, known):
    shape = SHAPE.search(row["name"])
    if shape is None or "median_us" not in row or "copy_us" in row or "read_us" in row:
        return row
    dtype, size, k, cache = shape.groups()
    kind = "read" if k else "copy"
    ceiling = known.get(f"{kind}/{dtype}/{size}/{cache}")
    if ceiling is None:
        return row
    return row | {f"{kind}_us": ceiling, "fraction": ceiling / row["median_us"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inputs", nargs="+", type=Path, metavar="RESULTS.json")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE")
    options = parser.parse_args()

    context, rows = read(options.inputs[0])
    known = ceilings(rows)
    for path in options.inputs[1:]:
        more_context, more_rows = read(path)
        if more_context.get("gpu") != context.get("gpu"):
            sys.exit(f"merge_results.py: {path}: of another GPU, {more_context.get('gpu')!r}")
        context = more_context | context
        rows += [with_ceiling(row, known) for row in more_rows]
    for name in PRIVATE:
        context.pop(name, None)

    part = options.out.with_name(options.out.name + ".part")
    part.write_text(json.dumps({"context": context, "benchmarks": rows}, indent=1) + "\n")
    os.replace(part, options.out)


if __name__ == "__main__":
    main()
