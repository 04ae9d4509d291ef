"""Writes a file whole or not at all. For programs here that also run where nothing is installed."""

import contextlib
import os
import sys
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Through a file beside `path`, and a rename. Ends the program where that fails."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, "utf-8")
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        sys.exit(f"{path}: cannot be written: {error.strerror}")
