"""Somik's article: one long vector, three kernels beside cuDNN and PyTorch, and its roofline."""

from typing import Any

from ..pictures.curves import Figure
from ..pictures.plots import Plot, Series
from ..results.records import Shape
from . import access_table, lines, timed_cells
from .cells import Cell, Head, Missing, Table, answered, dash, measured, missing, shown, text
from .here import Curves, Here
from .published import Published

_COPY = "copy"
_FLOAT_BYTES = 4


def build(document: dict, here: Here) -> dict[str, Any]:
    shape = Shape(document["dtype"], document["rows"], document["cols"])
    figure = _figure(document, shape, here)
    return {
        "times": _times(document, shape, here),
        "figure": figure,
        "figure_cell": _figure_cell(document, figure),
        "roofline": _roofline(document, shape, here),
        "accesses": access_table.build(document, here),
    }


def _fastest(document: dict) -> dict:
    return min(document["times"], key=lambda row: row["published"].value)


# ---- the table ----


def _times(document: dict, shape: Shape, here: Here) -> Table:
    fastest = _fastest(document)
    over = f"over {fastest['what']}"
    heads = (
        Head("Kernel", is_number=False),
        Head("Published", document["gpu"]),
        Head("Published ratio", over),
        Head("Here", here.gpu),
        Head("Ratio here", f"over {here.title(fastest['ours'])}"),
    )
    rows = [_row(row, fastest, document["unit"], shape, here) for row in document["times"]]
    return Table(heads, (*rows, _copy_row(fastest, shape, here)))


def _row(row: dict, fastest: dict, unit: str, shape: Shape, here: Here) -> tuple[Cell, ...]:
    published = row["published"]
    ratio = f"{published.value / fastest['published'].value:.2f}×"
    notes = [row["note"]] if "note" in row else []
    return (
        text(row["what"], "; ".join([*notes, _ours(row["ours"], here)])),
        shown(published, f" {unit}"),
        measured(ratio),
        *_time_and_ratio(row["ours"], fastest["ours"], shape, here, published),
    )


def _copy_row(fastest: dict, shape: Shape, here: Here) -> tuple[Cell, ...]:
    """Not published, but what all of them are to be judged by."""
    what = text("a copy of the same bytes", "here alone")
    return (what, dash(), dash(), *_time_and_ratio(_COPY, fastest["ours"], shape, here))


def _ours(name: str, here: Here) -> str:
    return here.title(name) if name[:2].isdigit() else "the same function"


def _time_and_ratio(
    name: str, fastest: str, shape: Shape, here: Here, *published: Published
) -> tuple[Cell, Cell]:
    time = timed_cells.time(name, shape, here, *published)
    ratio = timed_cells.ratio(name, fastest, shape, here, *published)
    return time, dash() if ratio.missing else ratio


# ---- the figure ----


def _figure(document: dict, shape: Shape, here: Here) -> Figure | Missing:
    title = f"One vector, {document['dtype']}"
    subjects = [*(row["ours"] for row in document["times"]), _COPY]
    timed = here.sizes(subjects, Shape(shape.dtype, shape.rows, 0), "cols")
    step = here.unit(_fastest(document)["ours"]).label
    times = lines.time_lines(timed, subjects, here)
    ratios = _ratio_lines(document, timed, shape, here)
    time_unit, ratio_unit = f"time on {timed.gpu}, µs", f"time over that of step {step}"
    return lines.figure(
        title,
        shape.dtype,
        subjects,
        Plot("vector-time", f"Time: {title}", time_unit, times, "elements"),
        Plot("vector-ratio", f"Ratios: {title}", ratio_unit, ratios, "elements"),
    )


def _ratio_lines(document: dict, timed: Curves, shape: Shape, here: Here) -> tuple[Series, ...]:
    """Time of each over that of the fastest, with the published ratio as a mark at its size."""
    fastest = _fastest(document)
    drawn = []
    for row in document["times"]:
        points = timed.ratio(row["ours"], fastest["ours"])
        if row is fastest or not points:
            continue
        line = lines.time_line(row["ours"], points, here)
        ratio = row["published"].value / fastest["published"].value
        name = f"published: {row['what']} over {fastest['what']}, {document['gpu']}"
        drawn.append(line)
        drawn.append(Series(f"{ratio:.1f}×", name, ((shape.cols, ratio),), line.color, "marked"))
    return tuple(drawn)


def _figure_cell(document: dict, figure: Figure | Missing) -> Table:
    """The source's figure beside ours, or beside the reason why there is none."""
    published = document["figure"]["published"]
    ours = (
        missing(figure, published)
        if isinstance(figure, Missing)
        else answered("drawn below, with the published ratios at their one size", published)
    )
    heads = (
        Head("Its figure", is_number=False),
        Head("Published", is_number=False),
        Head("Here", is_number=False),
    )
    return Table(heads, ((text(document["figure"]["what"]), shown(published), ours),))


# ---- the roofline ----


def _roofline(document: dict, shape: Shape, here: Here) -> Table:
    """Its arithmetic, repeated with what its fastest kernel moves and what a copy reaches here."""
    claim = document["roofline"]["published"]
    per_byte = claim["flop"].value / claim["bytes"].value
    product = per_byte * claim["bandwidth"].value
    bandwidth, gflops = _reached(per_byte, claim, shape, here)
    heads = (
        Head("Roofline", is_number=False),
        Head("Published", document["gpu"]),
        Head("Here", here.gpu),
    )
    operations = "compare, subtract, exponential, add, divide: 5, with an exponential taken as one"
    so_many = f"{per_byte:g} × {claim['bandwidth']} = {product:g}"
    rows = (
        (text("operations per element"), shown(claim["flop"]), answered(operations, claim["flop"])),
        (text("bytes per element"), shown(claim["bytes"]), _bytes(document, claim["bytes"], here)),
        (text("bandwidth"), shown(claim["bandwidth"], " GB/s"), bandwidth),
        (text("so at most", so_many), shown(claim["gflops"], " GFLOP/s"), gflops),
    )
    return Table(heads, rows)


def _bytes(document: dict, claimed: Published, here: Here) -> Cell:
    counted = here.accesses(_fastest(document)["ours"], document["dtype"])
    if isinstance(counted, Missing):
        return missing(counted, claimed)
    moved = _FLOAT_BYTES * (counted.loads + counted.stores)
    return measured(f"{moved:.3g}", claimed, note=f"counted for its {_fastest(document)['what']}")


def _reached(per_byte: float, claim: dict, shape: Shape, here: Here) -> tuple[Cell, Cell]:
    """The copy's bandwidth, and the operations that it would feed."""
    copy = here.times((_COPY, shape))
    if isinstance(copy, Missing):
        return missing(copy, claim["bandwidth"]), missing(copy, claim["gflops"])
    rate = 2 * _FLOAT_BYTES * shape.cols / copy.microseconds[0] / 1e3
    return (
        measured(
            f"{rate:.0f} GB/s",
            claim["bandwidth"],
            note=timed_cells.noted("a copy of as many elements", copy.gpu, here),
        ),
        measured(
            f"{per_byte * rate:.0f} GFLOP/s",
            claim["gflops"],
            note=timed_cells.noted("", copy.gpu, here),
        ),
    )
