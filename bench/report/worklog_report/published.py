"""The figures that the sources of the worklog published, beside what was measured here.

Times of another GPU say nothing, so only ratios are compared: of two kernels, at one shape.
"""

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from .records import BenchRun, Results
from .steps import Unit

_FIGURES = Path(__file__).parent.parent / "published.json"


@dataclass(frozen=True)
class Comparison:
    source: str
    gpu: str
    what: str
    shape: str
    published: str
    measured: str


def _figures() -> dict:
    return json.loads(_FIGURES.read_text(encoding="utf-8"))


def _measured_ratios(run: BenchRun, figure: dict, slower: str, faster: str) -> list[float]:
    """Time of `slower` over `faster` at the figure's shapes; several where it names no width."""
    times = {
        (row.unit, row.shape): row.times["median_us"] for row in run.records if row.cache == "cold"
    }
    ratios = []
    for (unit, shape), time in sorted(times.items()):
        wanted = (
            unit == faster
            and shape.dtype == figure["dtype"]
            and shape.rows == figure["rows"]
            and shape.k == figure.get("k", 0)
            and figure.get("cols", shape.cols) == shape.cols
            and figure.get("from_cols", 0) <= shape.cols <= figure.get("to_cols", shape.cols)
        )
        if wanted and (slower, shape) in times:
            ratios.append(times[slower, shape] / time)
    return ratios


def _range_text(values: list[float]) -> str:
    low, high = f"{min(values):.2f}×", f"{max(values):.2f}×"
    return low if low == high else f"{low} to {high}"


def _shape_text(figure: dict) -> str:
    cols = str(figure["cols"]) if "cols" in figure else "all widths"
    if "from_cols" in figure:
        cols = f"{figure['from_cols']} and wider"
    if "to_cols" in figure:
        cols = f"{figure['from_cols']} to {figure['to_cols']}"
    k = f", K = {figure['k']}" if figure.get("k") else ""
    return f"{figure['dtype']} {figure['rows']} × {cols}{k}"


def _ratios(data: dict, units: list[Unit]) -> list[dict]:
    """The published ratios, and those that follow from published times of neighbouring steps."""
    titles = {unit.name: f"{unit.label} {unit.title}" for unit in units}
    ratios = [dict(figure) for figure in data["ratios"]]
    followed: dict[tuple, dict] = {}
    for figure in data["times"]:
        for (slower, slow_ms), (faster, fast_ms) in pairwise(figure["milliseconds"].items()):
            key = (figure["source"], figure["dtype"], figure["rows"], slower, faster)
            what = f"{titles.get(faster, faster)} over {titles.get(slower, slower)}"
            entry = followed.setdefault(
                key,
                {
                    "source": key[0],
                    "dtype": key[1],
                    "rows": key[2],
                    "slower": slower,
                    "faster": faster,
                    "what": what,
                    "ratio": [],
                    "from_cols": figure["cols"],
                },
            )
            entry["ratio"].append(slow_ms / fast_ms)
            entry["to_cols"] = figure["cols"]
    return ratios + list(followed.values())


def speed_comparisons(run: BenchRun | None, units: list[Unit]) -> list[Comparison]:
    """Every published ratio whose two kernels were timed here at the same shape."""
    if run is None:
        return []
    data = _figures()
    comparisons = []
    for figure in _ratios(data, units):
        measured = _measured_ratios(run, figure, figure["slower"], figure["faster"])
        if measured:
            source = data["sources"][figure["source"]]
            comparisons.append(
                Comparison(
                    source["title"],
                    source["gpu"],
                    figure["what"],
                    _shape_text(figure),
                    _range_text(figure["ratio"]),
                    _range_text(measured),
                )
            )
    return comparisons


@dataclass(frozen=True)
class AccessComparison:
    source: str
    what: str
    claimed: float
    loads: float
    stores: float

    @property
    def agrees(self) -> bool:
        """The terms in 1/N that a source leaves out are below a hundredth from 1000 columns on."""
        return abs(self.loads + self.stores - self.claimed) < 0.02


def access_comparisons(results: Results) -> list[AccessComparison]:
    """What each source says that its kernel accesses, and what was counted, at the widest row."""
    data = _figures()
    rows = []
    for figure in data["accesses"]:
        counted = [row for row in results.counted if row.unit == figure["unit"] and row.counts]
        if counted:
            widest = max(counted, key=lambda row: row.shape.cols)
            title = data["sources"][figure["source"]]["title"]
            rows.append(
                AccessComparison(
                    title,
                    figure["what"],
                    figure["claimed"],
                    widest.counts["loads_per_element"],
                    widest.counts["stores_per_element"],
                )
            )
    return rows
