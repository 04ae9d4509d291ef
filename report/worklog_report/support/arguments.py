"""The options that commands of the report and of the site have in common, each declared once."""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..results.records import InputError

_FILES = {"type": Path, "nargs": "+", "metavar": "FILE"}
_DIRECTORY = {"type": Path, "metavar": "DIR"}

_OPTIONS = {
    "--records": {**_FILES, "help": "records of the step programs (their --records FILE)"},
    "--annotations": {
        **_FILES,
        "help": "counts by line and traced requests (the step programs' --annotations FILE)",
    },
    "--recorded": {
        **_FILES,
        "metavar": "PATH",
        "help": "results of recorded runs on a GPU: files, or directories of *.json",
    },
    "--players": {**_FILES, "help": "pages of the step programs (their --html FILE)"},
    "--steps": {**_DIRECTORY, "help": "the directory of the steps"},
    "--pages": {**_DIRECTORY, "help": "the directory of the pages"},
    "--root": {**_DIRECTORY, "help": "the repository, whose pages are read"},
    "--out": {**_DIRECTORY, "help": "where the files go"},
}


def parser(
    command: str,
    description: str,
    required: Iterable[str] = (),
    optional: Mapping[str, Any] | None = None,
) -> argparse.ArgumentParser:
    """With these of the common options; `optional` gives the default of each."""
    made = argparse.ArgumentParser(prog=command, description=description)
    for name in required:
        made.add_argument(name, required=True, **_OPTIONS[name])
    for name, default in (optional or {}).items():
        made.add_argument(name, default=default, **_OPTIONS[name])
    return made


def add_check(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "--check", action="store_true", help="write nothing, fail if a file would change"
    )


def run(
    made: argparse.ArgumentParser,
    arguments: list[str] | None,
    work: Callable[[argparse.Namespace], int],
) -> int:
    """What `work` returns for these arguments, or 2 for bad input, which is said on stderr."""
    options = made.parse_args(arguments)
    try:
        return work(options)
    except InputError as error:
        print(f"{made.prog}: {error}", file=sys.stderr)
        return 2
