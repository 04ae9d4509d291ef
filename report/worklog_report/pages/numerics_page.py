"""The tables of docs/pages/numerics.md: errors of every step on a recorded GPU."""

from ..results.ladder import ulp_text
from ..results.recorded_run import RecordedRun, label, machine_text, table
from ..results.records import Record, Shape
from ..results.steps import Unit

_WIDTHS = (10, 100, 1000, 4096, 10000, 25000, 100000)
_SOFTMAX_BASELINES = {
    "pytorch/softmax": "PyTorch",
    "triton/softmax": "Triton",
    "cudnn/softmax_accurate": "cuDNN (accurate)",
    "cudnn/softmax_fast": "cuDNN (fast)",
}
_LOGARITHM_BASELINES = {
    "pytorch/log_softmax": "PyTorch's log_softmax",
    "cudnn/log_softmax": "cuDNN's log-softmax",
}
_REAL = ("attention", "search")
_INPUTS = (
    "random", "wide", "dominant", "equal", "largest", "masked", "subnormal", "ties", *_REAL,
)  # fmt: skip


def sections(recorded: RecordedRun) -> dict[str, str]:
    return {
        "failures-by-design": _failures(recorded),
        "errors-by-width": _by_width(recorded),
        "errors-by-input": _by_input(recorded),
        "errors-of-half": _of_half(recorded),
        "errors-of-logarithms": _of_logarithms(recorded),
        "errors-of-long-rows": _of_long_rows(recorded),
    }


def _worst(records: list[Record]) -> float | None:
    return max((row.max_ulp for row in records if row.max_ulp is not None), default=None)


def _cell(records: list[Record]) -> str:
    worst = _worst(records)
    return "–" if worst is None else ulp_text(worst)


def _name(unit: Unit, records: list[Record]) -> str:
    return label(unit) + (", where it is right" if records[0].expected_failure else "")


def _random(recorded: RecordedRun, dtype: str) -> list[Record]:
    """Records that were joined with a time have lost their input's name; they are random."""
    return [
        row for row in recorded.verified if row.shape.dtype == dtype and row.input in ("", "random")
    ]


def _failures(recorded: RecordedRun) -> str:
    rows = []
    for unit in recorded.units:
        own = [row for row in recorded.verified if row.unit == unit.name and row.expected_failure]
        if own:
            f32 = [row for row in own if row.shape.dtype == "f32"]
            rows.append([label(unit), own[0].expected_failure, _cell(f32)])
    if not rows:
        return "\nNone is among the recorded runs of a GPU yet.\n\n"
    head = ["variant", "where it breaks", "worst error elsewhere, ulp of fp32"]
    return f"\n{table(head, rows, words=2)}\nErrors on {machine_text(recorded.run)}.\n\n"


def _lines(units: list[Unit], records: list[Record], widths: list[int]) -> list[list[str]]:
    lines = []
    for unit in units:
        own = [row for row in records if row.unit == unit.name]
        if any(row.shape.cols in widths for row in own):
            cells = [_cell([row for row in own if row.shape.cols == cols]) for cols in widths]
            lines.append([_name(unit, own), *cells])
    return lines


def _widths(records: list[Record]) -> list[int]:
    there = {row.shape.cols for row in records}
    return [cols for cols in _WIDTHS if cols in there]


def _by_width(recorded: RecordedRun) -> str:
    f32 = _random(recorded, "f32")
    units = [unit for unit in recorded.softmaxes() if not _takes_one_row(f32, unit)]
    names = {unit.name for unit in units}
    records = [row for row in f32 if row.unit in names]  # one row alone has a table of its own
    widths = _widths(records)
    lines = _lines(units, records, widths)
    lines += _baselines(recorded, _SOFTMAX_BASELINES, widths)
    rows = [
        str(max((row.shape.rows for row in records if row.shape.cols == cols), default=0))
        for cols in widths
    ]
    lines.append(["rows that a step was tried on", *rows])
    text = table(["worst error, ulp of fp32", *[f"{cols} columns" for cols in widths]], lines)
    return (
        f"\n{text}\nOn {machine_text(recorded.run)}: random logits of deviation 1, in every "
        "other row outliers 10 off.\nThe errors of libraries are of 256 rows of the same kind, "
        f"more than the steps' at the wide end.\n{_not_yet(recorded)}\n"
    )


def _baselines(recorded: RecordedRun, names: dict[str, str], widths: list[int]) -> list[list[str]]:
    lines = []
    for name, text in names.items():
        errors = recorded.run.baseline_errors.get(name)
        if errors:
            cells = [ulp_text(errors[cols]) if cols in errors else "–" for cols in widths]
            lines.append([text, *cells])
    return lines


def _not_yet(recorded: RecordedRun) -> str:
    missing = [label(unit) for unit in recorded.unmeasured() if not unit.variant]
    missing += [
        text
        for name, text in (_SOFTMAX_BASELINES | _LOGARITHM_BASELINES).items()
        if name not in recorded.run.baseline_errors
    ]
    if not missing:
        return ""
    return f"Not in this run: {'; '.join(missing)}.\n"


def _takes_one_row(records: list[Record], unit: Unit) -> bool:
    """Whether all that it was tried on had one row."""
    return all(row.shape.rows == 1 for row in records if row.unit == unit.name)


def _shape_of_inputs(records: list[Record], unit: Unit) -> Shape | None:
    """That at which it was tried on the inputs that are made, but random ones; None if on none."""
    return next(
        (
            row.shape
            for row in records
            if row.unit == unit.name
            and row.input in _INPUTS
            and row.input not in ("random", *_REAL)
        ),
        None,
    )


def _by_input(recorded: RecordedRun) -> str:
    """A table for each shape, since steps of a few long rows can't have that of the others."""
    f32 = [row for row in recorded.verified if row.shape.dtype == "f32"]
    tables: dict[Shape | None, list[Unit]] = {}
    for unit in recorded.softmaxes():
        tables.setdefault(_shape_of_inputs(f32, unit), []).append(unit)
    text = ""
    for units in tables.values():
        names = {unit.name for unit in units}
        text += _inputs_table(recorded, units, [row for row in f32 if row.unit in names])
    return text


def _inputs_table(recorded: RecordedRun, units: list[Unit], records: list[Record]) -> str:
    """A line for each unit that was tried, a column for each input."""
    shapes = {
        row.input: row.shape for row in records if row.input in _INPUTS and row.input != "random"
    }
    made = next((shape for name, shape in shapes.items() if name not in _REAL), None)
    if made in [row.shape for row in records if row.input == "random"]:
        shapes["random"] = made  # random logits are tried at every width
    inputs = [name for name in _INPUTS if name in shapes]
    lines = []
    for unit in units:
        own = [row for row in records if row.unit == unit.name]
        if not own:
            continue
        cells = [
            _cell([row for row in own if (row.input, row.shape) == (name, shapes[name])])
            for name in inputs
        ]
        lines.append([_name(unit, own), *cells])
    if not lines:
        return ""
    sizes = [f"{name} {shapes[name].size()}" for name in _REAL if name in shapes]
    sizes.append(f"the others {made.size()}" if made else "")
    return (
        f"\n{table(['worst error, ulp of fp32', *inputs], lines)}\n"
        f"On {machine_text(recorded.run)}: {', '.join(filter(None, sizes))}.\n\n"
    )


def _of_half(recorded: RecordedRun) -> str:
    text = ""
    for dtype in ("f16", "bf16"):
        records = _random(recorded, dtype)
        widths = _widths(records)
        units = [
            unit
            for unit in recorded.softmaxes()
            if not unit.variant or unit.name == "01_naive_three_kernels/half_arithmetic"
        ]
        head = [f"worst error, ulp of {dtype}", *[f"{cols} columns" for cols in widths]]
        text += "\n" + table(head, _lines(units, records, widths))
    where = f"On {machine_text(recorded.run)}, the same random logits, rounded to the type."
    return f"{text}\n{where}\n\n"


def _of_logarithms(recorded: RecordedRun) -> str:
    units = [unit for unit in recorded.units if recorded.operation(unit) == "log_softmax"]
    if not units:
        return "\nNo log-softmax is among the recorded runs of a GPU yet: step 08.\n\n"
    records = _random(recorded, "f32")
    records = [row for row in records if row.unit in {unit.name for unit in units}]
    widths = _widths(records)
    head = ["worst error, ulp of fp32", *[f"{cols} columns" for cols in widths]]
    lines = _lines(units, records, widths) + _baselines(recorded, _LOGARITHM_BASELINES, widths)
    where = f"On {machine_text(recorded.run)}, the random logits of the first table."
    return f"\n{table(head, lines)}\n{where}\n\n"


def _of_long_rows(recorded: RecordedRun) -> str:
    """One row, wider than any of the other tables."""
    records = [
        row
        for row in _random(recorded, "f32")
        if row.shape.rows == 1 and row.shape.cols > max(_WIDTHS)
    ]
    if not records:
        return "\nNo row of millions is among the recorded runs of a GPU yet: steps 09 to 11.\n\n"
    widths = sorted({row.shape.cols for row in records})
    head = ["worst error, ulp of fp32", *[f"1 × {cols}" for cols in widths]]
    text = table(head, _lines(recorded.softmaxes(), records, widths))
    return f"\n{text}\nOn {machine_text(recorded.run)}, one row of the random logits.\n\n"
