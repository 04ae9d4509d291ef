#!/usr/bin/env python3
"""Nsight Compute's figures: what to ask for, how to keep them, how the executor's compare.

    python3 bench/ncu metrics parity|hardware
    python3 bench/ncu gather PART --profile A.json --ncu A.csv [--profile B.json ..] --out FILE
    python3 bench/ncu compare --measured FILE --counted CPU.json [--out FILE]
    python3 bench/ncu steps --recorded FILE
    python3 bench/ncu check --recorded FILE --counted CPU.json [--counted MORE.json ..]

`gather` keeps of ncu's output what was asked for. A second run of the same launches is kept beside
the first where it says something else. `compare` fails if a figure differs and no reason is
declared for it (compiler.py); `check` if the executor no longer counts what was compared, of which
`steps` lists the steps.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # whole_file, which they share in bench/

import figures
import gathering
import parity
from rows import InputError, read_json
from whole_file import write_whole


def main() -> int:
    options = _options()
    try:
        if options.command == "metrics":
            print(",".join(figures.metrics(options.part)))
            return 0
        if options.command == "gather":
            pairs = list(zip(options.profile, options.ncu, strict=True))
            write_whole(options.out, _text(gathering.gather(options.part, pairs)))
            return 0
        if options.command == "steps":
            print("\n".join(parity.steps_of(read_json(options.recorded))))
            return 0
        if options.command == "check":
            profiles = [read_json(path) for path in options.counted]
            changed = parity.check(read_json(options.recorded), profiles)
            print("\n".join(changed) or "all figures are those that were compared")
            return 1 if changed else 0
        compared = parity.compare(read_json(options.measured), read_json(options.counted))
        print(parity.summary(compared))
        if options.out:
            write_whole(options.out, _text(compared))
        return 1 if compared["totals"]["unexplained"] else 0
    except InputError as error:
        print(f"bench/ncu: {error}", file=sys.stderr)
        return 2


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/ncu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    metrics = commands.add_parser("metrics")
    metrics.add_argument("part", choices=("parity", "hardware"))
    gather = commands.add_parser("gather")
    gather.add_argument("part", choices=("parity", "hardware"))
    gather.add_argument("--profile", type=Path, action="append", required=True)
    gather.add_argument("--ncu", type=Path, action="append", required=True)
    gather.add_argument("--out", type=Path, required=True)
    compare = commands.add_parser("compare")
    compare.add_argument("--measured", type=Path, required=True)
    compare.add_argument("--counted", type=Path, required=True)
    compare.add_argument("--out", type=Path)
    steps = commands.add_parser("steps")
    steps.add_argument("--recorded", type=Path, required=True)
    check = commands.add_parser("check")
    check.add_argument("--recorded", type=Path, required=True)
    check.add_argument("--counted", type=Path, action="append", required=True)
    options = parser.parse_args()
    if options.command == "gather" and len(options.profile) != len(options.ncu):
        parser.error("gather: as many --profile as --ncu")
    return options


def _text(document: dict) -> str:
    """A line for each case, so that a difference of two files can be read."""
    head = {name: value for name, value in document.items() if name != "cases"}
    lines = ",\n".join(json.dumps(case) for case in document["cases"])
    return json.dumps(head, indent=1)[:-2] + ',\n "cases": [\n' + lines + "\n]}\n"


if __name__ == "__main__":
    sys.exit(main())
