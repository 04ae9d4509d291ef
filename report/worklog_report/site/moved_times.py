"""Which recorded times moved from one step to the next."""

from math import log
from typing import NamedTuple

from ..pages.roofline_page import TABLE_COLS, TABLE_ROWS
from ..results import ladder
from ..results.records import BenchRun, Record, Shape


class Times(NamedTuple):
    """Of two steps that compute the same, at one shape."""

    before: Record
    after: Record

    @property
    def shape(self) -> Shape:
        return self.after.shape

    @property
    def gain(self) -> float:
        return self.before.times["median_us"] / self.after.times["median_us"]

    @property
    def is_noise(self) -> bool:
        """Whether the medians lie no further apart than half of their interquartile ranges
        together (`spread` is such a range over its median), or by less than the gain shows."""
        a, b = self.before.times, self.after.times
        apart = abs(a["median_us"] - b["median_us"])
        ranges = a["spread"] * a["median_us"] + b["spread"] * b["median_us"]
        return apart <= ranges / 2 or ladder.ratio_text(self.gain) == ladder.ratio_text(1)


def compared(run: BenchRun, before: str, after: str) -> list[Times]:
    """At the shapes of the site's tables, and at all where the later step takes a single row; fp32,
    cold; what moved most first. None where the two steps compute different things: then a ratio of
    their times says nothing."""
    times = {row.shape: row for row in _timed(run, before)}
    later = _timed(run, after)
    takes_one_row = all(row.shape.rows == 1 for row in later)
    pairs = [
        Times(times[row.shape], row)
        for row in later
        if row.shape in times
        and ladder.computes(times[row.shape]) == ladder.computes(row)
        and (takes_one_row or _is_of_the_tables(row.shape))
    ]
    return sorted(pairs, key=lambda pair: (pair.is_noise, -abs(log(pair.gain)), pair.shape))


def _is_of_the_tables(shape: Shape) -> bool:
    return shape.rows in TABLE_ROWS and shape.cols in TABLE_COLS


def _timed(run: BenchRun, unit: str) -> list[Record]:
    return [
        row
        for row in run.records
        if row.unit == unit and row.cache == "cold" and row.shape.dtype == "f32" and row.times
    ]
