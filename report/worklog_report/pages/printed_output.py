"""python -m worklog_report.pages.printed_output: what a step's program prints, in a page.

Between the lines <!-- output: step 01:begin --> and <!-- output: step 01:end --> stands what the
first step's program printed, which comes in through standard input.
"""

import argparse
import re
import sys
from pathlib import Path

from ..support import arguments as common
from ..support.generated_files import check, renew, text_of
from .markdown import replace_between

# The worst error and its share of the bound: of exponentials that the machine's libm computes.
_ERROR = re.compile(r" *[0-9.]+ +[0-9]+ %")


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 1 --check found the page out of date; 2 bad input or usage."""
    parser = common.parser("printed_output", __doc__)
    parser.add_argument("--page", type=Path, required=True, help="the page to write")
    parser.add_argument("--step", required=True, metavar="NN", help="the step's number, such as 01")
    common.add_check(parser)
    return common.run(parser, arguments, _renew_or_check)


def _renew_or_check(options: argparse.Namespace) -> int:
    page, shown = options.page, text_of(options.page)
    text = updated(shown, sys.stdin.read(), options.step, page)
    if options.check:
        return (
            0
            if _without_errors(text) == _without_errors(shown)
            else check({page: text}, "printed_output")
        )
    return renew({page: text})


def updated(text: str, printed: str, step: str, page: Path) -> str:
    """The page with that output. Raises InputError unless it has the two marker lines."""
    markers = (f"<!-- output: step {step}:begin -->", f"<!-- output: step {step}:end -->")
    return replace_between(text, markers, f"\n```text\n{printed.strip()}\n```\n\n", page)


def _without_errors(text: str) -> str:
    return _ERROR.sub("", text)


if __name__ == "__main__":
    sys.exit(main())
