"""Benji Visser's article: ten fp16 shapes, three kernels with a thread per row, the speedup."""

from typing import Any

from ..results.records import Shape
from . import access_table, timed_cells
from .cells import Cell, Head, Table, shown, text
from .here import Here
from .published import Published


def build(document: dict, here: Here) -> dict[str, Any]:
    return {"times": _times(document, here), "accesses": access_table.build(document, here)}


def _times(document: dict, here: Here) -> Table:
    """Each kernel's time with the naive one's over it, both of one GPU; then the speedups alone."""
    groups = [Head("", is_number=False)]
    heads = [Head("Rows × columns", is_number=False)]
    theirs = document["gpu"]
    for kernel, ours in document["ours"].items():
        groups.append(Head(kernel.capitalize(), span=1 + len(ours)))
        heads.append(Head(theirs, "time; naive over it"))
        heads += [Head(here.gpu or "here", here.title(name)) for name in ours]
    groups.append(Head("Speedup, naive over online", span=1 + len(document["ours"]["naive"])))
    heads.append(Head(theirs, "published"))
    heads += [
        Head(here.gpu or "here", f"from {here.title(name)}") for name in document["ours"]["naive"]
    ]
    rows = tuple(_row(row, document, here) for row in document["times"])
    return Table(tuple(heads), rows, tuple(groups))


def _row(row: dict, document: dict, here: Here) -> tuple[Cell, ...]:
    shape = Shape(document["dtype"], row["rows"], row["cols"])
    published = row["published"]
    naive_kernels = document["ours"]["naive"]
    cells = [text(shape.size())]
    for kernel, ours in document["ours"].items():
        cells.append(_theirs(published[kernel], published["naive"], document["unit"]))
        # What a time is set against: the naive kernel in half arithmetic, which is the article's.
        cells += [
            timed_cells.time(name, shape, here, published[kernel], before=naive_kernels[0])
            for name in ours
        ]
    cells.append(shown(published["speedup"], "×"))
    online = document["ours"]["online"][0]
    cells += [
        timed_cells.ratio(name, online, shape, here, published["speedup"]) for name in naive_kernels
    ]
    return tuple(cells)


def _theirs(time: Published, naive: Published, unit: str) -> Cell:
    return shown(time, f" {unit}", note=(f"{naive.value / time.value:.2f}×",))
