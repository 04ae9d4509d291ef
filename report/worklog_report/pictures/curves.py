"""Which curves the report plots: times, bandwidth and errors against the width of a row."""

from dataclasses import dataclass

from ..results import ladder
from ..results.ladder import limit_of
from ..results.records import DTYPES, BenchRun, Record, Results
from ..results.steps import Unit
from .plots import Plot, Series


@dataclass(frozen=True)
class Figure:
    """Plots of one subject side by side, with one legend."""

    title: str
    dtype: str  # "" where it has a plot for each
    plots: tuple[Plot, ...]

    def legend(self) -> list[Series]:
        named = {(line.label, line.name): line for plot in self.plots for line in plot.series}
        return list(named.values())


# What a figure is of, in the page's order: lines are drawn together if a reader may compare them.
_OPERATIONS = (
    "Softmax",
    "Softmax and top-k",
    "Log-softmax",
    "Negative log-likelihood",
    "Softmax backward",
    "Log-softmax backward",
    "Cross-entropy",
    "Attention",
)


_LEAST_WIDTHS = 3  # of a curve: two points show no shape


def _operation(record: Record) -> str:
    if record.shape.k:
        return "Softmax and top-k"
    return {
        "log_softmax": "Log-softmax",
        "negative_log_likelihood": "Negative log-likelihood",
        "softmax_backward": "Softmax backward",
        "log_softmax_backward": "Log-softmax backward",
        "cross_entropy": "Cross-entropy",
        "attention": "Attention",
    }.get(record.operation, "Softmax")


def _key(operation: str) -> str:
    return operation.lower().replace(",", "").replace(" ", "-")


def series(unit: Unit, points: dict[int, float]) -> Series:
    """The line of a step or a variant."""
    name = unit.title if not unit.variant else f"{unit.title}, a variant of {unit.step[:2]}"
    dashes = "dashed" if unit.variant else "solid"
    return Series(unit.label, name, tuple(sorted(points.items())), unit.number, dashes)


def _lines(units: list[Unit], values: dict[str, dict[int, float]]) -> list[Series]:
    return [series(unit, values[unit.name]) for unit in units if values.get(unit.name)]


def time_figures(units: list[Unit], run: BenchRun | None, cache: str = "cold") -> list[Figure]:
    """A figure for each operation, type, row count and k that was timed at three widths or more."""
    if run is None:
        return []
    groups: dict[tuple, list[Record]] = {}
    for record in run.records:
        if record.cache == cache:
            shape = record.shape
            what = _OPERATIONS.index(_operation(record))
            key = (what, shape.dtype != "f32", shape.dtype, -shape.rows, shape.k)
            groups.setdefault(key, []).append(record)
    figures = [
        _time_figure(units, run, groups[key])
        for key in sorted(groups)
        if len({record.shape.cols for record in groups[key]}) >= _LEAST_WIDTHS
    ]
    return [figure for figure in figures if all(_has_a_step(plot) for plot in figure.plots)]


def _has_a_step(plot: Plot) -> bool:
    return plot.has_data and any(line.dashes != "dotted" for line in plot.series)


def k_figures(units: list[Unit], run: BenchRun | None, cache: str = "cold") -> list[Figure]:
    """Time against k, for each type and size that was timed at two k or more."""
    if run is None:
        return []
    groups: dict[tuple, dict[str, dict[int, float]]] = {}
    for record in run.records:
        if record.cache == cache and record.shape.k:
            shape = record.shape
            group = groups.setdefault((shape.dtype, shape.rows, shape.cols), {})
            group.setdefault(record.unit, {})[shape.k] = record.times["median_us"]
    figures = []
    for (dtype, rows, cols), values in sorted(groups.items(), reverse=True):
        title = f"Softmax and top-k against K, {dtype}, {rows} × {cols}"
        key = f"time-by-k-{dtype}-{rows}-{cols}"
        plot = Plot(key, title, "time, µs", tuple(_lines(units, values)), across="K")
        if plot.has_data:
            figures.append(Figure(title, dtype, (plot,)))
    return figures


def _time_figure(units: list[Unit], run: BenchRun, records: list[Record]) -> Figure:
    first = records[0]
    what = _operation(first)
    times: dict[str, dict[int, float]] = {}
    rates: dict[str, dict[int, float]] = {}
    for record in records:
        times.setdefault(record.unit, {})[record.shape.cols] = record.times["median_us"]
        rates.setdefault(record.unit, {})[record.shape.cols] = record.times["gbps"]
    time_lines, rate_lines = _lines(units, times), _lines(units, rates)
    for name in (*_OTHERS.get(what, ()), limit_of(first)):
        points = _baseline(run, name, records)
        for lines, field in ((time_lines, "median_us"), (rate_lines, "gbps")):
            if points[field]:
                lines.append(baseline_series(name, points[field]))
    shape = first.shape
    rows = f"{shape.rows} row" + ("s" if shape.rows != 1 else "")
    k = f", K = {shape.k}" if shape.k else ""
    title = f"{what}, {shape.dtype}, {rows}{k}"
    key = f"{_key(what)}-{shape.dtype}-{shape.rows}-{shape.k}"
    return Figure(
        title,
        shape.dtype,
        (
            Plot(f"time-{key}", f"Time: {title}", "time, µs", tuple(time_lines)),
            Plot(f"rate-{key}", f"Bandwidth: {title}", "bandwidth, GB/s", tuple(rate_lines)),
        ),
    )


# Others' functions, by what they compute.
_OTHERS = {
    "Softmax": (
        "pytorch/softmax",
        "torch_compile/softmax",
        "triton/softmax",
        "cudnn/softmax_accurate",
    ),
    "Softmax and top-k": ("pytorch/softmax_then_topk",),
    "Log-softmax": ("pytorch/log_softmax", "torch_compile/log_softmax", "cudnn/log_softmax"),
    "Softmax backward": ("pytorch/softmax_backward", "torch_compile/softmax_backward"),
    "Log-softmax backward": ("pytorch/log_softmax_backward",),
    "Cross-entropy": (
        "pytorch/cross_entropy",
        "torch_compile/cross_entropy",
        "liger/cross_entropy",
    ),
    "Attention": ("pytorch/attention", "pytorch/attention_of_three_calls"),
}
_BASELINES = {
    "copy": ("copy", "the fastest copy of the same bytes: the ceiling"),
    "read": ("read", "the fastest read of the same bytes: the ceiling"),
    "combine": ("combination", "the fastest way to make one array of two: the ceiling"),
    "pytorch": ("PyTorch", "on the same GPU"),
    "torch_compile": ("compiled", "PyTorch's function through torch.compile, on the same GPU"),
    "liger": ("Liger", "Liger's kernel, whose gradients are in the logits' place, on the same GPU"),
    "triton": ("Triton", "a kernel in Triton, on the same GPU"),
    "cudnn": ("cuDNN", "its accurate softmax, or its log-softmax, on the same GPU"),
}


def baseline_series(name: str, points: dict[int, float]) -> Series:
    """The line of a ceiling, or of a library's function."""
    label, explanation = _BASELINES[name.split("/")[0]]
    return Series(label, explanation, tuple(sorted(points.items())), 0, "dotted")


def _baseline(run: BenchRun, name: str, records: list[Record]) -> dict[str, dict[int, float]]:
    """A baseline's points at the same shapes; a copy or a read has no k of its own."""
    shapes = {(row.shape.dtype, row.shape.rows, row.shape.cols) for row in records}
    k = records[0].shape.k
    found: dict[str, dict[int, float]] = {"median_us": {}, "gbps": {}}
    for baseline in run.baselines:
        shape = baseline.shape
        if (
            baseline.name == name
            and baseline.cache == records[0].cache
            and (shape.dtype, shape.rows, shape.cols) in shapes
            and (name in ladder.LIMITS or shape.k == k)
        ):
            for field, points in found.items():
                points[shape.cols] = baseline.times[field]
    return found


def error_figures(units: list[Unit], results: Results) -> list[Figure]:
    """The worst error of each unit at each width of random logits: a figure for each operation,
    with a plot for each type. Steps that take one row alone, of millions, have their own.

    Other inputs have one width each: they are in the ladder's worst error, and no part of a curve.
    """
    kinds = ladder.kinds(results.records)
    subjects: dict[str, list[Record]] = {}
    for row in sorted(results.counted, key=lambda row: _OPERATIONS.index(_operation(row))):
        one_row = ", one row" if kinds[row.unit] == ladder.ONE_ROW else ""
        subjects.setdefault(_operation(row) + one_row, []).append(row)
    figures = []
    for subject, records in subjects.items():
        plots = [_error_plot(subject, dtype, units, records, results) for dtype in DTYPES]
        if any(plot.has_data for plot in plots):
            figures.append(Figure(subject, "", tuple(plot for plot in plots if plot.has_data)))
    return figures


def _error_plot(
    subject: str, dtype: str, units: list[Unit], records: list[Record], results: Results
) -> Plot:
    worst: dict[str, dict[int, float]] = {}
    for record in records:
        drawn = record.shape.dtype == dtype and record.input in ("", "random")
        if not drawn or not record.max_ulp or record.shape.cols == 0:
            continue
        points = worst.setdefault(record.unit, {})
        points[record.shape.cols] = max(points.get(record.shape.cols, 0), record.max_ulp)
    lines = _lines(units, worst)
    if (subject, dtype) == ("Softmax", "f32") and results.run and results.run.pytorch_errors:
        where = f"its softmax on {results.run.machine.name}; the steps' are the executor's"
        points = tuple(sorted(results.run.pytorch_errors.items()))
        lines.append(Series("PyTorch", where, points, 0, "dotted"))
    return Plot(
        f"error-{_key(subject)}-{dtype}",
        f"Worst error: {subject}, {dtype}",
        f"worst error, ulp of {dtype}",
        tuple(lines),
    )
