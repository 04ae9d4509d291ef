"""Writes files whole or not at all."""

import os
import tempfile
from pathlib import Path

from .records import InputError


def write_whole(path: Path, text: str) -> None:
    """Writes to a temporary file beside `path`, then renames it. Raises InputError if it can't."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as temporary:
            try:
                temporary.write(text)
            except BaseException:
                os.unlink(temporary.name)
                raise
        os.chmod(temporary.name, 0o644)
        os.replace(temporary.name, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
