"""The lines of a document's plots: times and ratios of ours, and marks for those published."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..pictures import curves
from ..pictures.curves import Figure
from ..pictures.plots import Plot, Series
from .cells import Missing
from .here import Curves, Here
from .published import Published, figures

_RATIO_COLORS = (8, 3, 6)  # told apart better than a step and its variants, which share one


@dataclass(frozen=True)
class Ratio:
    """A line of a plot: time of one kernel over that of another."""

    slower: str
    faster: str
    name: str


def time_lines(measured: Curves, subjects: Iterable[str], here: Here) -> tuple[Series, ...]:
    """A line for each of the subjects that was timed."""
    return tuple(
        time_line(subject, measured.lines[subject], here)
        for subject in subjects
        if subject in measured.lines
    )


def time_line(subject: str, points: dict[int, float], here: Here) -> Series:
    """In its step's colour, or dotted where it is no step."""
    if subject[:2].isdigit():
        return curves.series(here.unit(subject), points)
    return curves.baseline_series(subject, points)


def ratio_lines(
    measured: Curves, ratios: Iterable[Ratio], marks: list[dict], here: Here, gpu: str
) -> tuple[Series, ...]:
    """Each ratio of ours, followed by the marks that the source has of the same two kernels."""
    lines: list[Series] = []
    for ratio, color in zip(ratios, _RATIO_COLORS, strict=False):
        points = tuple(sorted(measured.ratio(ratio.slower, ratio.faster).items()))
        if not points:
            continue
        label = f"{here.unit(ratio.slower).label}/{here.unit(ratio.faster).label}"
        lines.append(Series(label, ratio.name, points, color))
        for entry in marks:
            if (entry["slower"], entry["faster"]) == (ratio.slower, ratio.faster):
                lines += _marks(entry, points, color, gpu)
    return tuple(lines)


def _marks(entry: dict, points: tuple, color: int, gpu: str) -> list[Series]:
    """At the entry's size, or along all the sizes of `points` for which it was published."""
    sizes = [size for size, _ in points]
    low, high = entry.get("from_cols", sizes[0]), entry.get("to_cols", sizes[-1])
    if "cols" in entry:
        low = high = entry["cols"]
    elif entry.get("at") == "smallest":
        high = low
    return [
        _mark(f"{figure}×", entry["what"], figure, sorted({low, high}), color, gpu)
        for figure in figures(entry["published"])
        if not isinstance(figure.value, str)
    ]


def _mark(
    label: str, what: str, figure: Published, sizes: list[int], color: int, gpu: str
) -> Series:
    name = f"published: {what}, {gpu}"
    return Series(label, name, tuple((size, figure.value) for size in sizes), color, "marked")


def marks_by_k(entries: list[dict], color: int, gpu: str) -> Series:
    """One line of marks, of a ratio that was published at several k."""
    points = tuple((entry["k"], entry["published"].value) for entry in entries)
    return Series("paper", f"published: {entries[0]['what']}, {gpu}", points, color, "marked")


def figure(title: str, dtype: str, subjects: Iterable[str], *plots: Plot) -> Figure | Missing:
    """Of those plots that have a measured line; the reason why there is none, if so."""
    drawn = tuple(plot for plot in plots if plot.has_data)
    if not drawn:
        return Missing(f"{title}: not timed at two sizes on any recorded GPU yet", tuple(subjects))
    return Figure(title, dtype, drawn)
