"""Reads the steps' directories: titles, ideas and kernels."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from .records import InputError

# What a step's page shows its results at, where that is not what the ladder shows:
# <!-- results: counted at 64 x 1000, timed at 1000000 x 64 -->
_SHOWN = re.compile(r"^<!-- results: (.*) -->$", re.MULTILINE)
_PLACE = re.compile(r"(counted|timed) at (\d+) x (\d+)")

# Which step or variant a kernel's registration says that it builds on.
_BUILDS_ON = re.compile(r'\.builds_on = "([^"]*)"')

_STEP_DIRECTORY = re.compile(r"[0-9][0-9]_[a-z0-9_]+")


@dataclass(frozen=True)
class Shown:
    """The shapes, as rows and columns, that a step's page shows; None: the ladder's."""

    counted: tuple[int, int] | None = None
    timed: tuple[int, int] | None = None


# The list below a page's first paragraph.
_GOAL = re.compile(
    r"^- \*\*Afterwards you can\*\* (?P<afterwards>[^\n]+(?:\n  [^\n]+)*)\.\n"
    r"- \*\*Before it\*\* you need (?P<needs>[^\n]+(?:\n  [^\n]+)*?)\. "
    r"\*\*It\s+takes\*\*\s+about\s+(?P<minutes>\d+)\s+minutes\s+with\s+its\s+exercise\.$",
    re.MULTILINE,
)
_LINK_TO_STEP = re.compile(r"\[step (\d\d)\]")


@dataclass(frozen=True)
class Goal:
    """What a step's page says of itself for a reader who asks whether to begin it."""

    afterwards: str  # what its reader can do then: "say what a warp is, and .."
    steps_before: tuple[str, ...]  # the numbers of the steps that it needs
    minutes: int  # with its exercise, estimated


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
    shown: Shown = Shown()
    goal: Goal | None = None  # of a step's own kernel whose page states it

    @property
    def name(self) -> str:
        return f"{self.step}/{self.variant}" if self.variant else self.step

    @property
    def number(self) -> int:
        return int(self.step[:2])

    @property
    def is_of_ranks(self) -> bool:
        """Rows are split among devices: no program counts lines, or takes times of one GPU."""
        return any("WORKLOG_RANK_STEP(" in text for text in self.files.values())

    @property
    def builds_on(self) -> str:
        """As the kernel's source has it: results say so, too, but not of a step that is newer."""
        kernel = next(iter(self.files.values()), "")
        registered = _BUILDS_ON.search(kernel)
        return registered[1] if registered else ""


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
    page = _page_text(directory)
    title, idea = _title_and_idea(directory, page)
    shown = _shown(directory, page)
    number = directory.name[:2]
    kernel = directory / "softmax.cu"
    if not kernel.is_file():
        raise InputError(f"{kernel}: is missing")
    headers = {path.name: path.read_text("utf-8") for path in sorted(directory.glob("*.cuh"))}
    files = {kernel.name: kernel.read_text("utf-8"), **headers}
    sources = {path.name: path.read_text("utf-8") for path in sorted(directory.rglob("*.cu*"))}
    goal = _goal(page)
    units = [Unit(directory.name, "", number, title, idea, files, sources, shown, goal)]
    for index, path in enumerate(sorted(directory.glob("variants/*.cu"))):
        label = number + chr(ord("a") + index)
        # Named softmax.cu as well, so that a variant is compared with the step's own kernel.
        files = {kernel.name: path.read_text("utf-8"), **headers}
        units.append(
            # By the name that options and `./worklog diff` take.
            Unit(directory.name, path.stem, label, path.stem, "", files, sources, shown)
        )
    return units


def _page_text(directory: Path) -> str:
    page = directory / "README.md"
    return page.read_text("utf-8") if page.is_file() else ""


def _title_and_idea(directory: Path, page: str) -> tuple[str, str]:
    """The page's title without its number, and its first paragraph."""
    head, _, rest = page.lstrip().partition("\n")
    title = re.sub(r"^#\s*(\d+\s*)?", "", head).strip() or directory.name[3:].replace("_", " ")
    idea = " ".join(rest.strip().split("\n\n")[0].split()).replace("`", "")
    return title, idea


def _goal(page: str) -> Goal | None:
    found = _GOAL.search(page)
    if found is None:
        return None
    afterwards = " ".join(found["afterwards"].split())
    return Goal(afterwards, tuple(_LINK_TO_STEP.findall(found["needs"])), int(found["minutes"]))


def _shown(directory: Path, page: str) -> Shown:
    line = _SHOWN.search(page)
    if line is None:
        return Shown()
    places = [_PLACE.fullmatch(place) for place in line[1].split(", ")]
    found = {place[1]: (int(place[2]), int(place[3])) for place in places if place}
    if len(found) < len(places):
        raise InputError(
            f"{directory / 'README.md'}: '{line[0]}' must read as "
            "'<!-- results: counted at 64 x 1000, timed at 4000 x 1000 -->', or name one of both"
        )
    return Shown(**found)
