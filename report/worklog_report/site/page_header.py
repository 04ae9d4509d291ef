"""python -m worklog_report.site.page_header DEFAULT HEADER: the head of every page.

It is Doxygen's own (doxygen -w html), which changes from version to version, with the theme's
switch between light and dark.
"""

import sys
from pathlib import Path

from ..results.records import InputError
from ..support.generated_files import text_of
from ..support.output import write_whole

_SWITCH = """<script src="$relpath^doxygen-awesome-darkmode-toggle.js"></script>
<script>DoxygenAwesomeDarkModeToggle.init()</script>
"""


def main(arguments: list[str]) -> int:
    """Exit codes: 0 done; 2 bad input or usage."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    default, header = map(Path, arguments)
    try:
        write_whole(header, with_switch(text_of(default), default))
    except InputError as error:
        print(f"page_header: {error}", file=sys.stderr)
        return 2
    return 0


def with_switch(text: str, path: Path) -> str:
    if text.count("</head>") != 1:
        raise InputError(f"{path}: is not the head of a page: it needs one </head>")
    return text.replace("</head>", f"{_SWITCH}</head>")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
