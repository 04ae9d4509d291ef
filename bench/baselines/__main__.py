#!/usr/bin/env python3
"""Times what others' softmax takes on a GPU, as worklog_bench times the steps.

    build/bin/worklog_bench --measurements=cases.json
    python3 bench/baselines --measurements cases.json --out baselines.json [--accuracy FOLDER]
    python3 bench/baselines --measurements cases.json --list

PyTorch's softmax, log-softmax, softmax then top-k, and the backward passes of the first two; a
kernel in Triton; cross-entropy, Liger's too; torch.compile at a few shapes. The output has the form
of Google Benchmark's JSON. A case that fails is a row with its error. Triton and Liger are left
out, and named, where they cannot be imported.

With --accuracy FOLDER (of worklog_accuracy) they also run on the inputs there, and no step that
sums in a tree may have more than twice PyTorch's worst error.
"""

import argparse
import importlib.util
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # whole_file, which they share in bench/

from cases import InputError, all_cases, read_measurements

SECONDS = 120


def main() -> int:
    options = _options()
    try:
        cases = all_cases(read_measurements(options.measurements))
    except InputError as error:
        print(f"bench/baselines: {error}", file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(case.name for case in cases))
        return 0
    if importlib.util.find_spec("torch") is None:
        sys.exit("bench/baselines: PyTorch is not installed here (no module named torch)")
    from measuring import measure

    return measure(cases, options.out, options.accuracy, options.seconds)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/baselines",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--measurements", required=True, type=Path, metavar="FILE", help="of worklog_bench"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the JSON goes")
    parser.add_argument("--accuracy", type=Path, metavar="FOLDER", help="of worklog_accuracy")
    parser.add_argument("--list", action="store_true", help="print the cases' names, and time none")
    parser.add_argument(
        "--seconds",
        type=float,
        default=SECONDS,
        metavar="S",
        help=f"begin no case after S seconds ({SECONDS}); it gets a row that says so",
    )
    options = parser.parse_args()
    if options.list:
        return options
    if options.out is None:
        parser.error("--out FILE is missing")
    if not options.out.absolute().parent.is_dir():
        parser.error(f"--out {options.out}: there is no folder {options.out.absolute().parent}")
    if options.accuracy is not None and not (options.accuracy / "accuracy.json").is_file():
        parser.error(f"--accuracy {options.accuracy}: has no accuracy.json")
    if not options.seconds > 0:
        parser.error(f"--seconds {options.seconds:g}: must be more than 0")
    return options


if __name__ == "__main__":
    sys.exit(main())
