"""The guide in four versions. It prints no figures, so its versions stand beside each other."""

from typing import Any

from ..results.records import Shape
from . import timed_cells
from .cells import Cell, Head, Table, answered, shown, text
from .here import Here


def build(document: dict, here: Here) -> dict[str, Any]:
    return {"figures": _figures(document), "times": _times(document, here)}


def _figures(document: dict) -> Table:
    published = document["figures"]["published"]
    heads = (
        Head("", is_number=False),
        Head("Published", is_number=False),
        Head("Here", is_number=False),
    )
    why = "nothing to compare: the times below are ours alone"
    return Table(heads, ((text("figures"), shown(published), answered(why, published)),))


def _times(document: dict, here: Here) -> Table:
    shapes = [Shape(document["dtype"], rows, cols) for rows, cols in document["shapes"]]
    heads = [
        Head("Version", is_number=False),
        Head("As it describes it", is_number=False),
        Head("Here", is_number=False),
    ]
    over = "time; version 1 over it"
    heads += [Head(shape.size(), f"{here.gpu}: {over}" if here.gpu else over) for shape in shapes]
    first = document["versions"][0]["ours"]
    rows = tuple(_row(row, first, shapes, here) for row in document["versions"])
    return Table(tuple(heads), rows)


def _row(row: dict, first: str, shapes: list[Shape], here: Here) -> tuple[Cell, ...]:
    published = row["published"]
    return (
        text(row["what"]),
        shown(published),
        answered(here.title(row["ours"]), published),
        *(timed_cells.time(row["ours"], shape, here, before=first) for shape in shapes),
    )
