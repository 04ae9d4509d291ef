"""The note on log-softmax: one shape, where softmax and then its logarithm fails."""

from typing import Any

from ..results.records import Shape
from . import timed_cells
from .cells import Cell, Head, Missing, Table, answered, dash, missing, shown, text
from .here import Here
from .published import Published

# The note has two rows; these are the others that answer its question at its shape.
_BESIDE = (
    ("serial", "08_log_softmax/serial"),
    ("online block", "08_log_softmax"),
    ("PyTorch", "pytorch/log_softmax"),
    ("cuDNN", "cudnn/log_softmax"),
    ("a copy of the same bytes", "copy"),
)


def build(document: dict, here: Here) -> dict[str, Any]:
    shape = Shape(document["dtype"], document["rows"], document["cols"])
    heads = (
        Head("Kernel", is_number=False),
        Head("Published", document["gpu"]),
        Head("Here", here.gpu),
        Head("Over the copy", "here"),
        Head("Is it right?", is_number=False),
    )
    rows = [_published_row(row, document["unit"], shape, here) for row in document["latency"]]
    rows += [_row(what, name, shape, here) for what, name in _BESIDE]
    return {"times": Table(heads, tuple(rows))}


def _published_row(row: dict, unit: str, shape: Shape, here: Here) -> tuple[Cell, ...]:
    published = row["published"]
    fails = isinstance(published.value, str)
    theirs = shown(published) if fails else shown(published, f" {unit}")
    return (
        text(row["what"], here.title(row["ours"])),
        theirs,
        *_time_and_ratio(row["ours"], shape, here, published),
        _verdict(row["ours"], here, published),
    )


def _row(what: str, name: str, shape: Shape, here: Here) -> tuple[Cell, ...]:
    is_step = name[:2].isdigit()
    return (
        text(what, here.title(name) if is_step else "the same GPU"),
        dash(),
        *_time_and_ratio(name, shape, here),
        _verdict(name, here) if is_step else text("–"),
    )


def _time_and_ratio(
    name: str, shape: Shape, here: Here, *published: Published
) -> tuple[Cell, Cell]:
    time = timed_cells.time(name, shape, here, *published)
    ratio = timed_cells.ratio(name, "copy", shape, here)
    return time, dash() if ratio.missing else ratio


def _verdict(name: str, here: Here, *published: Published) -> Cell:
    verdict = here.verdict(name)
    if not verdict.checked:
        return missing(Missing("not verified yet", (name,)), *published)
    stated = here.expected_failure(name)
    return answered(f"{verdict.text}: {stated}" if stated else verdict.text, *published)
