"""README.md's two tables: a line for each step, and who is how fast at shapes that people have."""

from dataclasses import dataclass

from ..results import ladder
from ..results.ladder import LIBRARIES, Ladder, Row, Timing
from ..results.records import BenchRun, Record, Results, Shape
from ..results.steps import Unit

# What a GPU is short of differs: where rows are short, where they are long, where too few of them
# fill it, and where there is a single one.
_AT_A_GLANCE = {
    "short rows": (
        Shape("f32", 1000000, 64), Shape("f32", 4000, 1000), Shape("f16", 4000, 1000),
    ),
    "long rows": (
        Shape("f32", 4000, 4000), Shape("f16", 4000, 4000), Shape("f32", 4000, 25000),
        Shape("f16", 4000, 25000), Shape("bf16", 8192, 50257), Shape("f32", 4000, 100000),
    ),
    "few rows": (Shape("f16", 32, 8192), Shape("f16", 64, 4096)),
    "one row": (Shape("f32", 1, 1048576), Shape("f32", 1, 16777216)),
}  # fmt: skip
_TYPES = {"f32": "fp32", "f16": "fp16", "bf16": "bf16"}


@dataclass(frozen=True)
class _Timed:
    """What takes `us` for a shape."""

    name: str
    us: float


def ladder_text(table: Ladder, results: Results, units: list[Unit]) -> str:
    """A line for each step: what it asks of memory and, where a GPU has timed it, how fast it
    is."""
    rows = [row for row in table.rows if not row.unit.variant]
    timed = results.run is not None
    elsewhere = _timed_elsewhere(rows, table.dtype, results, units) if timed else {}
    head = ["step", "loads", "stores", "sectors per load"]
    head += ["timed at", "time", "of the copy's speed"] if timed else []
    lines = [
        [_link(row.unit), *_counts(row), *(_times(row, elsewhere) if timed else [])] for row in rows
    ]
    text = (
        f"\n*Loads* and *stores* of global memory are per logit, {_TYPES[table.dtype]}, as the CPU "
        "executor counts them. A *sector*\nis 32 bytes: the 32 lanes of a warp need 32 of them if "
        "each lane reads a row of its own, 4 if they read\n4 bytes each, side by side, and 16 "
        "if they read 16 bytes each. The last load of a row, for which few lanes\nhave anything "
        "to read, needs fewer, which makes the average a little smaller.\n"
        f"{_table(head, lines, left=1)}"
    )
    if not timed:
        return text
    timings = [row.timing for row in rows] + [one.timing for one in elsewhere.values()]
    combined = any(timing and timing.limit == "combine" for timing in timings)
    also = (
        ",\nand one that reads two arrays with what combines two arrays into one"
        if combined
        else ""
    )
    places = dict.fromkeys((one.mark, one.place) for one in elsewhere.values())
    marked = "".join(f"{mark} Measured on {place}.\n" for mark, place in places)
    has_dash = any(row.timing is None and row.unit.name not in elsewhere for row in rows)
    untimed = "A dash stands where no run has timed a step by itself: its page says more.\n"
    return text + (
        f"\nTimes were measured on {_place(results.run)}, with nothing in the L2 cache at the\n"
        f"start. A step that writes little is compared with a read instead of a copy{also}.\n"
        f"{marked}{untimed if has_dash else ''}"
    )


_MARKS = "†‡§"


@dataclass(frozen=True)
class _Elsewhere:
    """How fast a step is in another run."""

    timing: Timing
    place: str
    mark: str


def _timed_elsewhere(
    rows: list[Row], dtype: str, results: Results, units: list[Unit]
) -> dict[str, _Elsewhere]:
    """Of the steps that the shown run has not timed, those that another one has."""
    marks: dict[str, str] = {}
    found = {}
    for row in rows:
        other = results.of_step(row.unit.step)
        if row.timing is not None or other.run is results.run:
            continue
        table = ladder.build(units, other, dtype, shown=row.unit.shown)
        timing = next(one.timing for one in table.rows if one.unit == row.unit)
        if timing is not None:
            place = _place(other.run)
            mark = marks.setdefault(place, _MARKS[len(marks)])
            found[row.unit.name] = _Elsewhere(timing, place, mark)
    return found


def glance_text(results: Results, units: list[Unit]) -> str:
    """For each shape the fastest step and the libraries, in shares of the copy's speed; "" where no
    GPU has timed anything."""
    run = results.run
    lines: list[list[str]] = []
    for kind, shapes in _AT_A_GLANCE.items():
        timed = [shape for shape in shapes if run and _us("copy", run, shape)]
        for shape in timed:
            lines.append([kind if shape == timed[0] else "", *_glance(shape, run, units)])
    if not lines:
        return ""
    head = ["", "logits", "fastest step", "its speed", "PyTorch", "cuDNN"]
    return _table([*head, "Triton or torch.compile"], lines, left=3) + (
        "\n100 % is the speed at which a copy moves the same bytes; a little more than that is the "
        f"spread of two\nmeasurements. Measured on {_place(run)}; a dash stands where a library "
        "was not timed.\n"
    )


def _glance(shape: Shape, run: BenchRun, units: list[Unit]) -> list[str]:
    copy = _us("copy", run, shape)
    steps = {unit.name: unit for unit in units if not unit.variant}
    own = [
        _Timed(row.unit, row.times["median_us"])
        for row in run.records
        if row.shape == shape and _is_cold_softmax(row) and row.unit in steps
    ]
    best = min(own, key=lambda one: one.us, default=None)
    share = _share(copy, best.us) if best else "–"
    others = [_fastest(run, shape, kind) for kind in (("pytorch",), ("cudnn",), _COMPILERS)]
    return [
        f"{shape.size()}, {_TYPES[shape.dtype]}",
        _link(steps[best.name]) if best else "–",
        share,
        *(_share(copy, us) if us else "–" for us in others),
    ]


_COMPILERS = ("triton", "torch_compile")


def _is_cold_softmax(row: Record) -> bool:
    return "median_us" in row.times and row.cache == "cold" and ladder.computes(row) == "softmax"


def _fastest(run: BenchRun, shape: Shape, libraries: tuple[str, ...]) -> float | None:
    times = [
        row.times["median_us"]
        for row in run.baselines
        if row.shape == shape and row.cache == "cold" and "median_us" in row.times
        and row.name.split("/")[0] in libraries and "/softmax" in row.name
    ]  # fmt: skip
    assert set(libraries) <= set(LIBRARIES)
    return min(times, default=None)


def _us(name: str, run: BenchRun, shape: Shape) -> float | None:
    found = (
        row.times.get("median_us")
        for row in run.baselines
        if (row.name, row.shape, row.cache) == (name, shape, "cold")
    )
    return next(found, None)


def _share(limit_us: float, us: float) -> str:
    return ladder.percent_text(limit_us / us)


def _link(unit: Unit) -> str:
    return f"[{unit.label} {unit.title}](steps/{unit.step}/README.md)"


def _counts(row: Row) -> list[str]:
    if row.accesses is None:
        return ["–"] * 3
    counts = row.accesses.loads, row.accesses.stores, row.accesses.sectors_per_load_request
    return [f"{count:.3g}" for count in counts]


def _times(row: Row, elsewhere: dict[str, _Elsewhere]) -> list[str]:
    """At which shape, how long, and how near to the limit; a mark where another run says it."""
    other = elsewhere.get(row.unit.name)
    timing = other.timing if other else row.timing
    if timing is None:
        return ["–"] * 3
    time = ladder.time_text(timing.median_us)
    share = ladder.percent_text(timing.fraction) or "–"
    return [timing.shape.size(), f"{time} {other.mark}" if other else time, share]


def _place(run: BenchRun) -> str:
    return f"{run.machine.name}, {run.machine.date[:10]}"


def _table(head: list[str], lines: list[list[str]], left: int) -> str:
    """Its first `left` columns hold words."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in [head, rule, *lines])
