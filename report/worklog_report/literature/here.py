"""What was measured here: times by the names of their benchmarks, counts, labels of kernels."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..results.ladder import Accesses, Verdict, accesses, verdict
from ..results.profiles import Hardware
from ..results.records import BenchRun, Results, Shape
from ..results.steps import Unit
from .cells import Missing

_CACHE = "cold"  # what all documents are compared at
_WITHOUT_K = ("copy", "read")  # they move the bytes of a shape, whatever is selected from it


@dataclass(frozen=True)
class Times:
    """Of one GPU, in microseconds, in the order of what was asked for."""

    gpu: str
    microseconds: tuple[float, ...]


def benchmark_name(subject: str, shape: Shape) -> str:
    """The name of the row in a result file: 05_warp_shuffle/f32/4000x4000/cold."""
    k = f"/k{shape.k}" if shape.k else ""
    return f"{subject}/{shape.dtype}/{shape.rows}x{shape.cols}{k}/{_CACHE}"


class Here:
    """All that the sections compare with. `subject`: a step, a step/variant, or a baseline."""

    def __init__(self, units: list[Unit], results: Results, hardware: Hardware | None):
        self.hardware = hardware
        self._units = {unit.name: unit for unit in units}
        self._results = results
        self._runs = [(run.machine.name, _medians(run), run) for run in results.runs]

    @property
    def gpu(self) -> str:
        """The GPU that a table's head names; "" if none was ever timed."""
        return self._runs[0][0] if self._runs else ""

    def unit(self, name: str) -> Unit:
        """The step or variant; one that has no directory here is known by its name alone."""
        step, _, variant = name.partition("/")
        title = (variant or step[3:]).replace("_", " ")
        return self._units.get(name) or Unit(step, variant, step[:2], title, "")

    def title(self, name: str) -> str:
        unit = self.unit(name)
        return f"{unit.label} {unit.title}"

    def times(self, *wanted: tuple[str, Shape]) -> Times | Missing:
        """Of the first GPU that has all of them, so that they may be divided by each other."""
        wanted = tuple((subject, _of_its_own(subject, shape)) for subject, shape in wanted)
        for gpu, medians, _ in self._runs:
            if all(key in medians for key in wanted):
                return Times(gpu, tuple(medians[key] for key in wanted))
        return self._why_not(wanted)

    def sizes(self, subjects: Iterable[str], like: Shape, across: str) -> "Curves":
        """Times at all shapes that are as `like` but for their `across` ("cols" or "k"), of the GPU
        that timed most of the subjects there."""
        found = [
            Curves(gpu, _lines(medians, subjects, like, across)) for gpu, medians, _ in self._runs
        ]
        return max(found, key=lambda curves: len(curves.lines), default=Curves("", {}))

    def accesses(self, name: str, dtype: str) -> Accesses | Missing:
        """Counted at the widest rows of that type."""
        counted = [
            row
            for row in self._results.counted
            if row.unit == name and row.shape.dtype == dtype and row.counts
        ]
        widest = max(counted, key=lambda row: row.shape.cols, default=None)
        if widest is None:
            return Missing("not counted on the CPU executor yet", (f"{name}/{dtype}",))
        return accesses(counted, widest.shape)

    def verdict(self, name: str) -> Verdict:
        """Over all shapes and machines."""
        return verdict([row for row in self._results.records if row.unit == name])

    def expected_failure(self, name: str) -> str:
        """What a kernel that is wrong by design says of itself; "" if nothing is known."""
        own = (row for row in self._results.records if row.unit == name)
        return next((row.expected_failure for row in own if row.expected_failure), "")

    def _why_not(self, wanted: tuple[tuple[str, Shape], ...]) -> Missing:
        names = [benchmark_name(*key) for key in wanted]
        for gpu, _, run in self._runs:
            for failed, reason in run.errors:
                if failed in names:
                    return Missing(f"fails on {gpu}: {reason}", (failed,))
        known = set().union(*(medians for _, medians, _ in self._runs))
        absent = [name for key, name in zip(wanted, names, strict=True) if key not in known]
        if absent:
            return Missing("not timed on any recorded GPU yet", tuple(dict.fromkeys(absent)))
        return Missing("not timed on one and the same recorded GPU yet", tuple(names))


@dataclass(frozen=True)
class Curves:
    """Times of one GPU: {subject: {columns or k: microseconds}}, sizes ascending."""

    gpu: str
    lines: dict[str, dict[int, float]]

    def ratio(self, slower: str, faster: str) -> dict[int, float]:
        """Time over time, where both were timed."""
        over = self.lines.get(slower, {})
        under = self.lines.get(faster, {})
        return {size: over[size] / time for size, time in under.items() if size in over}


def _medians(run: BenchRun) -> dict[tuple[str, Shape], float]:
    steps = ((row.unit, row) for row in run.records)
    baselines = ((row.name, row) for row in run.baselines)
    return {
        (subject, row.shape): row.times["median_us"]
        for source in (steps, baselines)
        for subject, row in source
        if row.cache == _CACHE
    }


def _lines(
    medians: dict[tuple[str, Shape], float], subjects: Iterable[str], like: Shape, across: str
) -> dict[str, dict[int, float]]:
    def others(shape: Shape) -> Shape:
        return replace(shape, **{across: 0})

    lines = {}
    for subject in subjects:
        wanted = others(_of_its_own(subject, like))
        points = {
            getattr(shape, across): time
            for (name, shape), time in medians.items()
            if name == subject and others(shape) == wanted
        }
        if points:
            lines[subject] = dict(sorted(points.items()))
    return lines


def _of_its_own(subject: str, shape: Shape) -> Shape:
    return replace(shape, k=0) if subject in _WITHOUT_K else shape
