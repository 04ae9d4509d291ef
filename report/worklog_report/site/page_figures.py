"""python -m worklog_report.site.page_figures: the figures beside the pages that show them.

A page shows the figure NAME.svg as ![its words](NAME.svg), so that a code host shows it, too. This
writes the file, and the words, which tell the figure to who cannot see it. The site draws its own.
"""

import argparse
import os
import re
import sys
from pathlib import Path

from ..results import ladder
from ..results.recorded_run import files_of, read_recorded_run
from ..results.records import read_results
from ..support import arguments as common
from ..support.generated_files import check, renew, text_of
from . import figures, ladder_picture, steps_graph
from .renewed import pages_of

_ROOT = Path(__file__).resolve().parents[3]
_SHOWN = re.compile(r"!\[[^\]]*\]\((?P<path>[\w./]+\.svg)\)")
_SCALE = 1.5  # the letters of a file, which no page enlarges


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 1 --check found files out of date; 2 bad input or usage."""
    parser = common.parser(
        "page_figures", __doc__, ("--annotations", "--recorded"), {"--root": _ROOT}
    )
    common.add_check(parser)
    return common.run(parser, arguments, _renew_or_check)


def _renew_or_check(options: argparse.Namespace) -> int:
    recorded = files_of(options.recorded)
    run = read_recorded_run(recorded, options.annotations, options.root / "steps")
    table = ladder.build(run.units, read_results([], [], recorded), "f32")
    drawn = figures.of_pages(run) | {
        "ladder.svg": ladder_picture.picture(table, run),
        "steps.svg": steps_graph.picture(table),
    }
    texts = updated_files(drawn, options.root)
    return check(texts, "page_figures") if options.check else renew(texts)


def updated_files(drawn: dict[str, str], root: Path) -> dict[Path, str]:
    """Every page that shows one of the figures, and the figure's file where the page names it."""
    texts = {}
    for page in pages_of(root):
        text = text_of(root / page)
        for match in reversed(list(_SHOWN.finditer(text))):
            name = Path(match["path"]).name
            if name not in drawn:
                continue
            file = Path(os.path.normpath(root / page.parent / match["path"]))
            texts[file] = as_file(drawn[name])
            shown = f"![{_words(drawn[name])}]({match['path']})"
            texts[root / page] = text = text[: match.start()] + shown + text[match.end() :]
    return texts


def as_file(svg: str) -> str:
    """A themed figure with a size of its own."""
    width, height = svg.split('viewBox="')[1].split('"')[0].split()[2:]
    size = f'width="{float(width) * _SCALE:g}" height="{float(height) * _SCALE:g}"'
    return svg.replace("<svg ", f"<svg {size} ", 1)


def _words(svg: str) -> str:
    """As a page can hold them between brackets."""
    words = svg.partition("<desc")[2].partition(">")[2].partition("</desc>")[0]
    return words.replace("[", "(").replace("]", ")").replace("&#x27;", "'").replace("&amp;", "&")


if __name__ == "__main__":
    sys.exit(main())
