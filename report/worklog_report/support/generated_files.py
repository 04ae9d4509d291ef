"""Files that the report writes into the repository: renewed, or only looked at."""

import sys
from pathlib import Path

from ..results.records import InputError
from .output import write_whole


def text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def check(texts: dict[Path, str], command: str) -> int:
    """The exit code: 1 if `command` would change a file."""
    stale = [path for path, text in texts.items() if not is_current(path, text)]
    for path in stale:
        print(f"{path}: is out of date; run {command} without --check", file=sys.stderr)
    return 1 if stale else 0


def renew(texts: dict[Path, str]) -> int:
    for path, text in texts.items():
        if not is_current(path, text):
            write_whole(path, text)
            print(f"{path}: renewed")
    return 0


def is_current(path: Path, text: str) -> bool:
    return path.is_file() and text_of(path) == text
