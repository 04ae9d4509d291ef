"""python -m worklog_report.pages.doc_pages: the tables and the picture of docs/pages.

In docs/pages each table stands between <!-- NAME:begin --> and <!-- NAME:end -->. Times and errors
are of the newest recorded GPU run, counts of the step programs' --annotations.
"""

import argparse
import sys
from pathlib import Path

from ..results.recorded_run import RecordedRun, files_of, read_recorded_run
from ..support import arguments as common
from ..support.generated_files import check, renew, text_of
from . import (
    errata_page,
    executor_page,
    library_peers_page,
    numerics_page,
    roofline_page,
    syllabus_page,
)
from .markdown import replace_between

_PAGES = {
    "errata.md": errata_page.sections,
    "executor.md": executor_page.sections,
    "numerics.md": numerics_page.sections,
    "roofline.md": roofline_page.sections,
    "syllabus.md": syllabus_page.sections,
}
_PICTURE = "roofline.svg"
_OF_THE_LIBRARY = "library_beside_peers.md"  # which waits for a record of its own


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 1 --check found files out of date; 2 bad input or usage."""
    required = ("--recorded", "--annotations", "--steps", "--pages")
    parser = common.parser("doc_pages", __doc__, required)
    common.add_check(parser)
    return common.run(parser, arguments, _renew_or_check)


def _renew_or_check(options: argparse.Namespace) -> int:
    recorded = read_recorded_run(files_of(options.recorded), options.annotations, options.steps)
    texts = updated_files(recorded, options.pages)
    return check(texts, "doc_pages") if options.check else renew(texts)


def updated_files(recorded: RecordedRun, pages: Path) -> dict[Path, str]:
    """The pages and the picture as they should be."""
    texts = {pages / _PICTURE: roofline_page.roofline_svg(recorded, standalone=True)}
    made = {name: sections(recorded) for name, sections in _PAGES.items()}
    if recorded.libraries:
        made[_OF_THE_LIBRARY] = library_peers_page.sections(*recorded.libraries)
    for name, sections in made.items():
        page = pages / name
        text = text_of(page)
        for marker, section in sections.items():
            markers = (f"<!-- {marker}:begin -->", f"<!-- {marker}:end -->")
            text = replace_between(text, markers, section, page)
        texts[page] = text
    return texts


if __name__ == "__main__":
    sys.exit(main())
