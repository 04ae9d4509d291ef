"""Writes a file whole or not at all. For programs here that also run where nothing is installed."""

import contextlib
import os
import sys
import tempfile
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Through a file beside `path`, and a rename. Ends the program where that fails."""
    part = None
    try:
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(part, 0o644)  # mkstemp's files are their owner's alone
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            if part:
                os.unlink(part)
        sys.exit(f"{path}: cannot be written: {error.strerror}")
