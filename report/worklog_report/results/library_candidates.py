"""What runs timed of the steps that may serve one of the library's operations."""

import re
from dataclasses import dataclass
from pathlib import Path

from .library_times import Case, LibraryRun
from .records import BenchRun, InputError

Times = dict[str, float]
"""Microseconds, by step."""

TITLES = {
    "softmax": "softmax",
    "log_softmax": "log-softmax",
    "softmax_backward": "softmax's backward pass",
}
"""Operations that a table is made for. Not top-k: its runs are of a few K, and of wide rows."""

_CACHES = ("cold", "warm")
_LIST = re.compile(r"std::vector<Named> (\w+) = \{(.*?)\n  \};", re.DOTALL)
_NAMED = re.compile(r'\{"(\w+)",\s*"(\w*)"')


@dataclass(frozen=True)
class Operation:
    name: str  # in library/candidates.cpp and in the records
    units: tuple[str, ...]  # its candidates, in the order in which they take over from each other

    @property
    def title(self) -> str:
        return TITLES[self.name]

    def serves(self, unit: str, timed: Times) -> str:
        """Who serves a shape that a table gives the unit: where it takes none, the next that was
        timed."""
        first = self.units.index(unit)
        following = self.units[first:] + self.units[:first]
        return next(one for one in following if one in timed)


@dataclass(frozen=True)
class Source:
    """One run: of the library beside its candidates, or of the bench."""

    gpu: str
    date: str
    times: dict[Case, Times]  # where it timed any of the candidates

    @property
    def machine(self) -> str:
        return f"{self.gpu}, {self.date[:10]}"

    @property
    def units(self) -> set[str]:
        return {unit for measured in self.times.values() for unit in measured}


def read_operations(root: Path) -> list[Operation]:
    """As library/candidates.cpp has them; none where that is not. Raises InputError."""
    file = root / "library/candidates.cpp"
    if not file.is_file():
        return []
    lists = dict(_LIST.findall(file.read_text("utf-8")))
    operations = []
    for name in TITLES:
        named = _NAMED.findall(lists.get(name, ""))
        if not named:
            raise InputError(f"{file}: the candidates for {name} are not where they were")
        units = tuple(f"{step}/{variant}" if variant else step for step, variant in named)
        operations.append(Operation(name, units))
    return operations


def sources_of(
    operation: Operation, runs: list[BenchRun], library: LibraryRun | None
) -> list[Source]:
    """Those that count, the library's own run first, and of the bench's the main one.

    Of the bench's, those that timed the most of the candidates: a run of some of them says nothing
    of the others.
    """
    own = [_of_library(operation, library)] if library else []
    benches = [_of_bench(operation, run) for run in runs if run.machine.recorded]
    most = max((len(source.units) for source in benches), default=0)
    found = own + [source for source in benches if len(source.units) == most]
    return [source for source in found if len(source.units) > 1]


def _of_library(operation: Operation, run: LibraryRun) -> Source:
    times = {
        cell.case: {unit: us for unit, us in cell.steps.items() if unit in operation.units}
        for cell in run.cells
        if cell.case.operation == operation.name
    }
    return Source(run.context["gpu"], run.context["date"], {c: t for c, t in times.items() if t})


def _of_bench(operation: Operation, run: BenchRun) -> Source:
    times: dict[Case, Times] = {}
    for row in run.records:
        if row.unit in operation.units and row.cache in _CACHES and "median_us" in row.times:
            case = Case(operation.name, row.cache, row.shape)
            times.setdefault(case, {})[row.unit] = row.times["median_us"]
    return Source(run.machine.name, run.machine.date, times)
