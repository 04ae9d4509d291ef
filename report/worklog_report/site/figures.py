"""python -m worklog_report.site.figures: the site's figures as SVG, from results and traces.

Writes access_NN.svg for each step, memory_hierarchy.svg, ranks_exchange.svg, ranks_scaling.svg,
reduction_tree_04.svg, reduction_tree_05.svg and roofline.svg.
"""

import argparse
import sys
from pathlib import Path

from ..pages import roofline_page
from ..pictures import access_picture, ranks_picture
from ..results.recorded_run import RecordedRun, files_of, read_recorded_run
from ..results.records import InputError
from ..support import arguments as common
from ..support.output import write_whole
from . import memory_hierarchy, ranks_exchange, reduction_trees
from .drawing import themed

_STEPS = Path(__file__).resolve().parents[3] / "steps"


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 2 bad input or usage."""
    required, optional = ("--annotations", "--recorded", "--out"), {"--steps": _STEPS}
    parser = common.parser("figures", __doc__, required, optional)
    return common.run(parser, arguments, _write_figures)


def _write_figures(options: argparse.Namespace) -> int:
    print("drawing the figures", flush=True)
    run = read_recorded_run(files_of(options.recorded), options.annotations, options.steps)
    drawn = figures(run)
    for name, svg in drawn.items():
        write_whole(options.out / name, svg)
    print(f"{options.out}: {len(drawn)} figures")
    return 0


def figures(run: RecordedRun) -> dict[str, str]:
    """Every figure by the name of its file."""
    drawn = {"roofline.svg": themed(roofline_page.roofline_svg(run, standalone=False))}
    for unit in run.units:
        if unit.variant or unit.is_of_ranks:
            continue
        if unit.name not in run.annotations:
            raise InputError(f"{unit.name}: none of the files has its annotations")
        svg = access_picture.render(run.annotations[unit.name], unit.sources, standalone=False)
        drawn[f"access_{unit.label}.svg"] = themed(svg)
    return of_pages(run) | drawn


def of_pages(run: RecordedRun) -> dict[str, str]:
    """Those that page_figures puts beside the pages that show them."""
    drawn = {
        "memory_hierarchy.svg": memory_hierarchy.figure(run),
        "ranks_exchange.svg": ranks_exchange.figure(),
        "reduction_tree_04.svg": reduction_trees.shared_memory_tree(),
        "reduction_tree_05.svg": reduction_trees.shuffle_tree(),
    }
    if run.of_ranks:
        drawn["ranks_scaling.svg"] = ranks_picture.picture(run.of_ranks, "var(--other)")
    return {name: themed(svg) for name, svg in drawn.items() if svg}


if __name__ == "__main__":
    sys.exit(main())
