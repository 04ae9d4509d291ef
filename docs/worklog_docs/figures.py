"""python -m worklog_docs.figures: the site's figures as SVG, from results and traces.

Writes access_NN.svg for each step, memory_hierarchy.svg, reduction_tree_04.svg,
reduction_tree_05.svg and roofline.svg.
"""

import argparse
import sys
from pathlib import Path

from worklog_report import access_picture, roofline_page
from worklog_report.output import write_whole
from worklog_report.recorded_run import RecordedRun, files_of, read_recorded_run
from worklog_report.records import InputError

from . import memory_hierarchy, reduction_trees
from .drawing import themed

_STEPS = Path(__file__).resolve().parents[2] / "steps"


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 2 bad input or usage."""
    options = _parser().parse_args(arguments)
    print("drawing the figures", flush=True)
    try:
        run = read_recorded_run(files_of(options.recorded), options.annotations, options.steps)
        drawn = figures(run)
        for name, svg in drawn.items():
            write_whole(options.out / name, svg)
    except InputError as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    print(f"{options.out}: {len(drawn)} figures")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="figures", description=__doc__)
    parser.add_argument(
        "--annotations",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="what the step programs wrote with --annotations FILE",
    )
    parser.add_argument(
        "--recorded",
        type=Path,
        nargs="+",
        required=True,
        metavar="PATH",
        help="results of a GPU's run: files, or directories of *.json",
    )
    parser.add_argument(
        "--steps", type=Path, default=_STEPS, metavar="DIR", help="the directory of the steps"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where the figures go"
    )
    return parser


def figures(run: RecordedRun) -> dict[str, str]:
    """Every figure by the name of its file."""
    drawn = {
        "memory_hierarchy.svg": memory_hierarchy.figure(run),
        "reduction_tree_04.svg": reduction_trees.shared_memory_tree(),
        "reduction_tree_05.svg": reduction_trees.shuffle_tree(),
        "roofline.svg": roofline_page.roofline_svg(run, standalone=False),
    }
    for unit in run.units:
        if unit.variant:
            continue
        if unit.name not in run.annotations:
            raise InputError(f"{unit.name}: none of the files has its annotations")
        annotation = run.annotations[unit.name]
        drawn[f"access_{unit.label}.svg"] = access_picture.render(
            annotation, unit.sources, standalone=False
        )
    return {name: themed(svg) for name, svg in drawn.items()}


if __name__ == "__main__":
    sys.exit(main())
