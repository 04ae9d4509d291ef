"""A GPU's newest recorded run, with the executor's counts: what docs/pages shows tables of."""

import functools
from dataclasses import dataclass, field
from pathlib import Path

from .annotations import Annotation, read_annotations
from .ladder import computes
from .library_times import LibraryRun, read_library_runs
from .profiles import Hardware, Parity, read_profiles
from .ranks import RankTimes, read_rank_times
from .records import BenchRun, InputError, Record, Results, Shape, by_unit, read_results
from .steps import Unit, read_units


@dataclass(frozen=True)
class RecordedRun:
    units: list[Unit]
    run: BenchRun  # the newest recorded one
    verified: list[Record]  # what that GPU was found to compute, and how exactly
    hardware: Hardware | None
    parities: list[Parity]  # of all GPUs, the main one's first
    annotations: dict[str, Annotation]
    of_ranks: RankTimes | None = None  # of several GPUs together
    libraries: list[LibraryRun] = field(default_factory=list)  # of each GPU, the newest first

    @property
    def parity(self) -> Parity | None:
        return self.parities[0] if self.parities else None

    def operation(self, unit: Unit) -> str:
        """What it computes (see ladder.computes), "" if no GPU has run it."""
        rows = self._records_of[unit.name]
        return computes(rows[0]) if rows else ""

    @functools.cached_property
    def _records_of(self) -> dict[str, list[Record]]:
        return by_unit([*self.verified, *self.run.records])

    def softmaxes(self) -> list[Unit]:
        return [unit for unit in self.units if self.operation(unit) == "softmax"]

    def unmeasured(self) -> list[Unit]:
        return [unit for unit in self.units if not self.operation(unit) and not unit.is_of_ranks]

    def accesses(self, unit: str) -> tuple[float, float] | None:
        """Loads and stores for each logit, counted by the executor; None without a count."""
        annotation = self.annotations.get(unit)
        if annotation is None:
            return None
        logits = annotation.shape.rows * annotation.shape.cols
        counted = [
            sum(line.counters.get(f"global_{kind}_elements", 0) for line in annotation.lines)
            for kind in ("load", "store")
        ]
        return counted[0] / logits, counted[1] / logits

    def predicted(self, unit: str, shape: Shape) -> tuple[float, float] | None:
        """Loads and stores for each logit at a shape that is timed, by the unit's own formula."""
        annotation = self.annotations.get(unit)
        return annotation.predictions.get(shape) if annotation else None

    def time(self, unit: str, shape: Shape) -> dict[str, float] | None:
        """Of a step or a baseline, with a cold cache."""
        return self._cold_times.get((unit, shape))

    @functools.cached_property
    def _cold_times(self) -> dict[tuple[str, Shape], dict[str, float]]:
        found: dict[tuple[str, Shape], dict[str, float]] = {}
        for row in [*self.run.records, *self.run.baselines]:
            name = row.unit if isinstance(row, Record) else row.name
            if row.cache == "cold":
                found.setdefault((name, row.shape), row.times)
        return found

    def dram(self, unit: str, shape: Shape) -> tuple[float, float] | None:
        """Read from and written to DRAM, all launches together, in arrays of logits."""
        launches = self.hardware.of(unit, shape) if self.hardware else []
        if not launches:
            return None
        read = sum(launch.arrays("dram_read_bytes") for launch in launches)
        return read, sum(launch.arrays("dram_write_bytes") for launch in launches)


def files_of(paths: list[Path]) -> list[Path]:
    """Files as they are; of directories their *.json, which may be none."""
    return [
        file
        for path in paths
        for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])
    ]


def read_recorded_run(
    recorded: list[Path], annotations: list[Path], steps: Path, gpu: str = ""
) -> RecordedRun:
    """Of the main GPU, or of the one that is named."""
    results: Results = read_results([], [], recorded)
    runs = [run for run in results.runs if gpu in ("", run.machine.name)]
    if not runs:
        raise InputError("none of the recorded files holds times of a GPU")
    gpu = runs[0].machine.name
    profiles = read_profiles(recorded)
    return RecordedRun(
        read_units(steps),
        runs[0],
        [row for row in results.records if row.machine == gpu and row.verified is not None],
        profiles.hardware_of.get(gpu),
        profiles.parities,
        read_annotations(annotations),
        read_rank_times(recorded),
        read_library_runs(recorded),
    )


def recorded_gpus(recorded: list[Path]) -> list[str]:
    """The main one, if it is among them, then that of the newest run."""
    return [run.machine.name for run in read_results([], [], recorded).runs]


def table(head: list[str], rows: list[list[str]], words: int = 1) -> str:
    """In Markdown: the first columns, of words, to the left, numbers to the right."""
    lines = [head, ["---"] * words + ["---:"] * (len(head) - words), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def label(unit: Unit) -> str:
    return f"{unit.label} {unit.title}"


def machine_text(run: BenchRun) -> str:
    return f"{run.machine.name}, {run.machine.date[:10]}"
