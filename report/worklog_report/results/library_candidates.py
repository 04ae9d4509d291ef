"""What runs timed of the steps that may serve one of the library's operations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .library_times import Case, LibraryRun
from .records import BenchRun, InputError, read_json

Times = dict[str, float]
"""Microseconds, by step."""

TITLES = {
    "softmax": "softmax",
    "log_softmax": "log-softmax",
    "softmax_backward": "softmax's backward pass",
    "cross_entropy": "cross-entropy",
}
"""Operations that a table is made for. Not top-k: its runs are of a few K, and of wide rows."""

_CACHES = ("cold", "warm")


@dataclass(frozen=True)
class Limits:
    """The most rows that a step takes, and the most columns by bytes of an element."""

    rows: float = float("inf")
    cols: Mapping[int, float] = field(default_factory=dict)

    def take(self, rows: float, cols: float, size: int) -> bool:
        return rows <= self.rows and cols <= self.most_cols(size)

    def most_cols(self, size: int) -> float:
        return self.cols.get(size, float("inf"))


@dataclass(frozen=True)
class Operation:
    name: str  # in library/candidates.json and in the records
    units: tuple[str, ...]  # its candidates, in the order in which they take over from each other
    limits: Mapping[str, Limits] = field(default_factory=dict)  # of units that do not take all

    @property
    def title(self) -> str:
        return TITLES[self.name]

    def following(self, unit: str) -> tuple[str, ...]:
        """Who is asked where a table has the unit: it, then those that take over, and the one that
        takes nearly all at the end."""
        *others, last = self.units
        if unit == last:
            return (last, *others)
        first = others.index(unit)
        return (*others[first:], *others[:first], last)

    def serves(self, unit: str, timed: Times) -> str:
        """Who serves a shape that a table gives the unit: where it takes none, the next that was
        timed."""
        return next(one for one in self.following(unit) if one in timed)

    def taking(self, unit: str, rows: float, cols: float, size: int) -> str:
        """Who serves such rows and columns, of elements of `size` bytes, as the library picks; ""
        where nobody takes them."""
        takes = (one for one in self.following(unit) if self.limit(one).take(rows, cols, size))
        return next(takes, "")

    def limit(self, unit: str) -> Limits:
        return self.limits.get(unit, Limits())


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
    """Of library/candidates.json; none where that is not. Raises InputError."""
    file = root / "library/candidates.json"
    if not file.is_file():
        return []
    data = read_json(file)
    try:
        return [_operation(name, data[name]) for name in TITLES]
    except (KeyError, TypeError) as error:
        raise InputError(f"{file}: {error} is missing; ./worklog tables writes it") from None


def _operation(name: str, candidates: list[dict[str, Any]]) -> Operation:
    units = tuple(candidate["step"] for candidate in candidates)
    return Operation(name, units, dict(zip(units, map(_limits, candidates), strict=True)))


def _limits(candidate: dict[str, Any]) -> Limits:
    def most(of: str) -> float:
        value: float | None = candidate[of]
        return float("inf") if value is None else value

    return Limits(most("max_rows"), {size: most(f"max_cols_of_{size}_bytes") for size in (4, 2)})


def sources_of(
    operation: Operation, runs: list[BenchRun], libraries: list[LibraryRun]
) -> list[Source]:
    """Those that count, the library's own runs first, and of the bench's the main one.

    Of the bench's, those that timed the most of the candidates: a run of some of them says nothing
    of the others.
    """
    own = [_of_library(operation, library) for library in libraries]
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
