"""The ladder: what each step costs, predicted and counted, and what it gains."""

from collections import defaultdict
from dataclasses import dataclass, replace
from math import inf

from .records import CPU, BenchRun, Record, Results, Shape, by_unit
from .steps import Shown, Unit

# A table shows one shape of each kind of unit.
ROWS, TOP_K, ONE_ROW = KINDS = ("rows", "top-k", "one row")

# Which one, where it was timed (rows and columns): as wide as step 06's promise, the paper's for
# top-k, and the one that the long-row steps' source has. Counts are of what is nearest in width.
_PREFERRED_TIMED = {ROWS: (4000, 4000), TOP_K: (4000, 25000), ONE_ROW: (1, 16777216)}
_PREFERRED_COUNTED = {ROWS: 4000, TOP_K: 25000, ONE_ROW: 16777216}
_PREFERRED_K = 5
_LADDERS_OWN = Shown()

# Others' functions, by the first part of a baseline's name.
LIBRARIES = {
    "pytorch": "PyTorch",
    "torch_compile": "torch.compile",
    "liger": "Liger",
    "triton": "Triton",
    "cudnn": "cuDNN",
}


@dataclass(frozen=True)
class Verdict:
    """Whether every record of a unit was verified. `worst` is the least exact of them."""

    text: str
    ok: bool
    checked: int
    failures: tuple[Record, ...]
    worst: Record | None


@dataclass(frozen=True)
class Accesses:
    """Elements of global memory per element of the input, at one shape."""

    shape: Shape
    loads: float
    stores: float
    predicted_loads: float
    predicted_stores: float
    sectors_per_load_request: float
    launches: int
    exact: bool  # counted equals predicted, to the last element, in every record of the unit
    checked: int


@dataclass(frozen=True)
class Timing:
    shape: Shape
    cache: str
    median_us: float
    spread: float
    gbps: float
    limit: str  # one of LIMITS: what the bytes alone cost; "" where these are not what it takes
    fraction: float | None  # limit / time; 1 is the speed of the memory
    gain: float | None  # time of the step it builds on / time; below 1 is slower
    gain_over: str


@dataclass(frozen=True)
class Row:
    unit: Unit
    builds_on: str
    expected_failure: str
    verdict: Verdict
    accesses: Accesses | None
    timing: Timing | None


_OF_THEIR_OWN = ("log_softmax", "negative_log_likelihood", "cross_entropy", "attention")


def computes(record: Record) -> str:
    """What may be compared: softmax; its logarithm; losses, with or without gradients; the backward
    pass of either; attention; softmax with top-k, fused or not; top-k of given values."""
    if record.operation in _OF_THEIR_OWN or is_backward(record):
        return record.operation
    if not record.shape.k:
        return "softmax"
    return "top-k alone" if "values" in record.operation else "softmax and top-k"


# What moves a step's bytes and does nothing else, and what it is called. It has no k of its own.
LIMITS = {
    "copy": "copy",
    "read": "read",
    "combine": "combination",  # of two arrays into one
}


def is_backward(record: Record) -> bool:
    return record.operation.endswith("_backward")


def limit_of(record: Record) -> str:
    """One of LIMITS; "" for attention, whose bytes are few: arithmetic is its limit."""
    if record.operation == "attention":
        return ""
    if is_backward(record):
        return "combine"
    writes_little = record.shape.k or record.operation == "negative_log_likelihood"
    return "read" if writes_little else "copy"


def fraction_of_limit(record: Record) -> float | None:
    limit_us = record.times.get(f"{limit_of(record)}_us")
    return limit_us / record.times["median_us"] if limit_us else None


def is_exact(record: Record) -> bool:
    """Counted equals predicted. Both are quotients of the same integers, so no tolerance."""
    counts = record.counts
    return (
        counts["loads_per_element"] == counts["predicted_loads"]
        and counts["stores_per_element"] == counts["predicted_stores"]
    )


def failures(records: list[Record]) -> list[Record]:
    """Records that are wrong. A step that fails as it states is verified where it is right."""
    return [record for record in records if record.verified is False]


def verdict(records: list[Record]) -> Verdict:
    # A shape that was timed with a cold and with a warm cache was verified once.
    distinct = {(row.machine, row.shape, row.input): row for row in records}
    checked = [record for record in distinct.values() if record.verified is not None]
    failed = tuple(failures(checked))
    worst = max(checked, key=lambda row: inf if row.max_ulp is None else row.max_ulp, default=None)
    if not checked:
        text = "not verified"
    elif failed:
        text = "FAILED"
    elif checked[0].expected_failure:
        text = "fails as stated"
    else:
        text = "verified"
    return Verdict(text, bool(checked) and not failed, len(checked), failed, worst)


def kinds(records: list[Record]) -> dict[str, str]:
    """Of each unit. One that never had more than a single row takes no more."""
    most_rows: dict[str, int] = {}
    found: dict[str, str] = {}
    for row in records:
        most_rows[row.unit] = max(row.shape.rows, most_rows.get(row.unit, 0))
        found[row.unit] = TOP_K if row.shape.k else found.get(row.unit, ROWS)
    return {
        unit: ONE_ROW if kind == ROWS and most_rows[unit] == 1 else kind
        for unit, kind in found.items()
    }


def at_the_ladders_shapes(records: list[Record], units: list[Unit]) -> list[Record]:
    """Without those of steps whose pages name shapes of their own: they may not take the others."""
    apart = {unit.name for unit in units if unit.shown.counted}
    return [row for row in records if row.unit not in apart]


def count_shapes(records: list[Record], kind_of: dict[str, str]) -> dict[str, Shape | None]:
    """For each kind the shape whose counts a table shows: the one that most of its steps share,
    nearest to the preferred columns. Variants, some of which take short rows alone, decide
    nothing where a step was counted."""

    def chosen(kind: str) -> Shape | None:
        all_rows = [row for row in records if kind_of[row.unit] == kind and row.shape.cols > 0]
        own = [row for row in all_rows if "/" not in row.unit] or all_rows

        def suitability(shape: Shape) -> tuple:
            units = len({row.unit for row in own if row.shape == shape})
            distance = abs(shape.cols - _PREFERRED_COUNTED[kind])
            return units, shape.k == _PREFERRED_K, -distance, shape.rows

        return max({row.shape: None for row in own}, key=suitability, default=None)

    return {kind: chosen(kind) for kind in KINDS}


def time_shapes(records: list[Record], kind_of: dict[str, str]) -> dict[str, Shape | None]:
    """For each kind the shape whose times a table shows."""

    def chosen(kind: str) -> Shape | None:
        units_at: dict[Shape, set[str]] = defaultdict(set)
        for row in records:
            if kind_of[row.unit] == kind and row.times:
                units_at[row.shape].add(row.unit)

        def suitability(shape: Shape) -> tuple:
            is_preferred = (shape.rows, shape.cols) == _PREFERRED_TIMED[kind]
            return shape.k in (0, _PREFERRED_K), is_preferred, len(units_at[shape]), shape

        return max(units_at, key=suitability, default=None)

    return {kind: chosen(kind) for kind in KINDS}


def accesses(records: list[Record], shape: Shape | None) -> Accesses | None:
    counted = [row for row in records if row.machine == CPU and row.counts]
    at_shape = next((row for row in counted if row.shape == shape), None)
    if at_shape is None:
        return None
    counts = at_shape.counts
    return Accesses(
        at_shape.shape,
        counts["loads_per_element"],
        counts["stores_per_element"],
        counts["predicted_loads"],
        counts["predicted_stores"],
        counts["sectors_per_load_request"],
        at_shape.launches,
        all(is_exact(row) for row in counted),
        len(counted),
    )


def gain(record: Record, timed: list[Record]) -> float | None:
    """Time of the step that `record` builds on, over its own; only for the same operation on the
    same shape, machine and cache."""
    for other in timed:
        if (
            other.unit == record.builds_on
            and (other.shape, other.machine, other.cache)
            == (record.shape, record.machine, record.cache)
            and computes(other) == computes(record)
        ):
            return other.times["median_us"] / record.times["median_us"]
    return None


def timing(unit: Unit, timed: list[Record], shape: Shape | None, cache: str) -> Timing | None:
    for row in timed:
        if row.unit == unit.name and row.shape == shape and row.cache == cache:
            return Timing(
                shape,
                cache,
                row.times["median_us"],
                row.times["spread"],
                row.times["gbps"],
                limit_of(row),
                fraction_of_limit(row),
                gain(row, timed),
                row.builds_on,
            )
    return None


@dataclass(frozen=True)
class Ladder:
    """The table for one storage type."""

    dtype: str
    rows: list[Row]
    baselines: list[tuple[str, Timing]]  # libraries, the copy, the read, at the same shapes
    count_shapes: list[Shape]
    time_shapes: list[Shape]


def build(
    units: list[Unit],
    results: Results,
    dtype: str,
    cache: str = "cold",
    shown: Shown = _LADDERS_OWN,
) -> Ladder:
    """The table of one type. Verdicts are of all machines; the times are of Results.run. Every row
    is at the shapes of `shown`, if it names any; else at its kind's, or at its own page's where it
    has nothing there."""
    every = [row for row in results.records if row.shape.dtype == dtype]
    counted = [row for row in results.counted if row.shape.dtype == dtype]
    timed = _timed(results.run, dtype)
    kind_of = kinds(every)
    counted_at = count_shapes(at_the_ladders_shapes(counted, units), kind_of)
    timed_at = time_shapes(timed, kind_of)
    every_of, counted_of, timed_of = by_unit(every), by_unit(counted), by_unit(timed)
    rows = []
    for unit in units:
        own, own_timed = counted_of[unit.name], timed_of[unit.name]
        about = next(iter(own + own_timed), None)
        kind = kind_of.get(unit.name, ROWS)
        of_count = _place(own, shown.counted, counted_at[kind], unit.shown.counted)
        of_time = _place(own_timed, shown.timed, timed_at[kind], unit.shown.timed)
        rows.append(
            Row(
                unit,
                about.builds_on if about else unit.builds_on,
                about.expected_failure if about else "",
                verdict(every_of[unit.name]),
                accesses(own, of_count),
                timing(unit, timed, of_time, cache),
            )
        )
    counts = _shapes([*counted_at.values(), *(row.accesses and row.accesses.shape for row in rows)])
    times = _shapes([*timed_at.values(), *(row.timing and row.timing.shape for row in rows)])
    return Ladder(dtype, rows, _baselines(results.run, times, cache), counts, times)


def _place(
    own: list[Record],
    asked: tuple[int, int] | None,
    of_kind: Shape | None,
    of_page: tuple[int, int] | None,
) -> Shape | None:
    """The shape to show a unit at; one that it has no record of if there is nothing to show."""

    def find(place: tuple[int, int] | None) -> Shape | None:
        shapes = sorted({row.shape for row in own if (row.shape.rows, row.shape.cols) == place})
        return next((shape for shape in shapes if shape.k in (0, _PREFERRED_K)), None)

    if asked is not None:
        return find(asked)
    if any(row.shape == of_kind for row in own):
        return of_kind
    return find(of_page) or of_kind


def _baselines(run: BenchRun | None, shapes: list[Shape], cache: str) -> list[tuple[str, Timing]]:
    found = []
    for shape in shapes:
        at_shape = {
            row.name: row.times
            for row in run.baselines
            if row.cache == cache
            and row.shape == (replace(shape, k=0) if row.name in LIMITS else shape)
        }
        for name, times in sorted(at_shape.items(), reverse=True):
            library, _, function = name.partition("/")
            limit = _limit_of_baseline(name, shape)
            limit_us = at_shape.get(limit, {}).get("median_us")
            if name == limit or library in LIBRARIES:
                fraction = limit_us / times["median_us"] if limit_us else None
                text = f"{LIBRARIES[library]} {function.replace('_', ' ')}" if function else name
                found.append(
                    (
                        text,
                        Timing(
                            shape,
                            cache,
                            times["median_us"],
                            times["spread"],
                            times["gbps"],
                            limit,
                            fraction,
                            None,
                            "",
                        ),
                    )
                )
    return found


def _limit_of_baseline(name: str, shape: Shape) -> str:
    if name.startswith("pytorch/attention"):
        return ""
    if name == "combine" or name.endswith("_backward"):
        return "combine"
    return "read" if shape.k or name.endswith("_forward") else "copy"


def _shapes(shapes: list[Shape | None]) -> list[Shape]:
    """Each once."""
    return list(dict.fromkeys(shape for shape in shapes if shape is not None))


def _timed(run: BenchRun | None, dtype: str) -> list[Record]:
    return [row for row in run.records if row.shape.dtype == dtype] if run else []


# ---- numbers as text ----


def access_text(value: float) -> str:
    """4, 4.0002, 0.005: enough digits to tell 1/N."""
    return f"{value:.5g}" if value >= 0.0001 or value == 0 else f"{value:.1e}"


def ulp_text(value: float | None) -> str:
    if value is None:
        return "NaN"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.3g}"


def time_text(microseconds: float) -> str:
    """Always in microseconds: what stands in one column is to be compared."""
    return f"{microseconds:.0f} µs" if microseconds >= 100 else f"{microseconds:.1f} µs"


def bandwidth_text(gbps: float) -> str:
    return f"{gbps:.0f}" if gbps >= 10 else f"{gbps:.2g}"


def ratio_text(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}×"


def percent_text(fraction: float | None) -> str:
    """With a digit behind the point where less than 1 % would be 0 %."""
    if fraction is None:
        return ""
    return f"{100 * fraction:.0f} %" if fraction >= 0.01 else f"{100 * fraction:.1g} %"
