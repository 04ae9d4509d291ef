"""Writes files whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path

from ..results.records import InputError


def write_whole(path: Path, text: str) -> None:
    """As write_all, of one file."""
    write_all({path: text})


def write_all(texts: dict[Path, str]) -> None:
    """Writes every text to a temporary file beside its place, then renames them all.

    Where a text cannot be written, nothing has changed. Raises InputError that names the file.
    """
    with contextlib.ExitStack() as leftovers:
        temporaries = {}
        try:
            for path, text in texts.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
                leftovers.callback(Path(temporary).unlink, missing_ok=True)
                with open(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                os.chmod(temporary, 0o644)  # mkstemp leaves it to its owner alone
                temporaries[path] = temporary
            for path, temporary in temporaries.items():
                os.replace(temporary, path)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from None
