"""Reads the steps' directories: titles, ideas and kernels."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from .records import InputError

_STEP_DIRECTORY = re.compile(r"[0-9][0-9]_[a-z0-9_]+")


@dataclass(frozen=True)
class Unit:
    """A step's own kernel, or one variant of it: a row of the ladder."""

    step: str
    variant: str
    label: str  # "05", and "05a", "05b" for its variants
    title: str
    idea: str
    files: dict[str, str] = field(default_factory=dict)  # name -> source, the kernel's first
    sources: dict[str, str] = field(default_factory=dict)  # of step and variants, real names

    @property
    def name(self) -> str:
        return f"{self.step}/{self.variant}" if self.variant else self.step

    @property
    def number(self) -> int:
        return int(self.step[:2])


def read_units(directory: Path) -> list[Unit]:
    """All steps in the ladder's order, each followed by its variants."""
    if not directory.is_dir():
        raise InputError(f"{directory}: is not a directory of steps")
    units = []
    for step in sorted(directory.iterdir()):
        if step.is_dir() and _STEP_DIRECTORY.fullmatch(step.name):
            units += _units_of(step)
    if not units:
        raise InputError(f"{directory}: holds no step (a directory such as 05_warp_shuffle)")
    return units


def _units_of(directory: Path) -> list[Unit]:
    title, idea = _title_and_idea(directory)
    number = directory.name[:2]
    kernel = directory / "softmax.cu"
    if not kernel.is_file():
        raise InputError(f"{kernel}: is missing")
    headers = {path.name: path.read_text("utf-8") for path in sorted(directory.glob("*.cuh"))}
    files = {kernel.name: kernel.read_text("utf-8"), **headers}
    sources = {path.name: path.read_text("utf-8") for path in sorted(directory.rglob("*.cu*"))}
    units = [Unit(directory.name, "", number, title, idea, files, sources)]
    for index, path in enumerate(sorted(directory.glob("variants/*.cu"))):
        label = number + chr(ord("a") + index)
        variant_title = path.stem.replace("_", " ")
        # Named softmax.cu as well, so that a variant is compared with the step's own kernel.
        files = {kernel.name: path.read_text("utf-8"), **headers}
        units.append(Unit(directory.name, path.stem, label, variant_title, "", files, sources))
    return units


def _title_and_idea(directory: Path) -> tuple[str, str]:
    """The page's title without its number, and its first paragraph."""
    title, idea = directory.name[3:].replace("_", " "), ""
    page = directory / "README.md"
    if page.is_file():
        head, _, rest = page.read_text("utf-8").lstrip().partition("\n")
        title = re.sub(r"^#\s*(\d+\s*)?", "", head).strip() or title
        idea = " ".join(rest.strip().split("\n\n")[0].split()).replace("`", "")
    return title, idea
