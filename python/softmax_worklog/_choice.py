"""Which step does the work: the one that was asked for, or the one that was recorded as fastest."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NoReturn

from ._core import Step, steps

_ELEMENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}


@dataclass(frozen=True)
class Shape:
    """What is computed; k is 0 where there is no top-k."""

    dtype: str
    rows: int
    cols: int
    k: int = 0

    def distance(self, other: "Shape") -> float:
        """In doublings: of rows, of columns, of k and of an element's bytes, added up."""
        pairs = [
            (self.rows, other.rows),
            (self.cols, other.cols),
            (self.k, other.k),
            (_ELEMENT_BYTES[self.dtype], _ELEMENT_BYTES[other.dtype]),
        ]
        return sum(abs(math.log2(max(a, 1) / max(b, 1))) for a, b in pairs)


Times = dict[Shape, dict[str, float]]
"""Microseconds by shape, then by step."""


@cache
def recorded_times() -> Times:
    """Of the ladder's steps, with a cold cache, in the newest recorded run (bench/results)."""
    text = files(__package__).joinpath("recorded_times.json").read_text()
    times: Times = {}
    for row in json.loads(text)["times"]:
        shape = Shape(row["dtype"], row["rows"], row["cols"], row["k"])
        times.setdefault(shape, {})[row["step"]] = row["us"]
    return times


def fastest_of(candidates: Sequence[Step], shape: Shape, times: Times) -> Step:
    """The one with the least time at the nearest shape at which any of them was timed; the last one
    of the ladder if none ever was."""
    by_label = {step.label: step for step in candidates}
    timed = [at for at, measured in times.items() if measured.keys() & by_label.keys()]
    if not timed:
        return candidates[-1]
    nearest = times[min(timed, key=shape.distance)]
    return by_label[min(nearest.keys() & by_label.keys(), key=lambda label: nearest[label])]


def find_step(
    operation: str,
    wanted: int | str | None,
    dtype: str,
    array_shape: tuple[int, ...],
    k: int = 0,
) -> Step:
    """The step for an array over whose last axis it works."""
    rows = math.prod(array_shape[:-1])
    if wanted is not None:
        return _checked(named(wanted), operation, rows)
    candidates = [step for step in steps() if step.operation == operation and not step.variant]
    cols = array_shape[-1]
    fitting = [step for step in candidates if _takes(step, rows, cols, k)]
    if not fitting:
        _refuse_columns([step for step in candidates if k <= step.max_k], cols, k)
    return fastest_of(fitting, Shape(dtype, rows, cols, k), recorded_times())


def _takes(step: Step, rows: int, cols: int, k: int) -> bool:
    few_enough = (step.max_rows is None or rows <= step.max_rows) and k <= step.max_k
    return few_enough and (step.max_cols is None or cols <= step.max_cols)


def _refuse_columns(takes_k: Sequence[Step], cols: int, k: int) -> NoReturn:
    """There is a step for any rows and columns, and one for any k, but none for all at once."""
    last = max(takes_k, key=lambda step: step.max_cols or 0)
    raise ValueError(
        f"x has {cols} columns: must have at most {last.max_cols} for k = {k}, the limit of "
        f"{last.label}"
    )


def _checked(step: Step, operation: str, rows: int) -> Step:
    if step.operation != operation:
        others = ", ".join(other.label for other in steps() if other.operation == operation)
        raise ValueError(
            f"step {step.label} computes {step.operation}, not {operation}: must be one of {others}"
        )
    if step.max_rows is not None and rows > step.max_rows:
        raise ValueError(
            f"x has {rows} rows: must have at most {step.max_rows}, the limit of {step.label}"
        )
    return step


def named(wanted: int | str) -> Step:
    """The step of a number or a label: 5, '5', '05', '05_warp_shuffle', '05_warp_shuffle/safe'."""
    if isinstance(wanted, bool) or not isinstance(wanted, (int, str)):
        raise TypeError(f"step is a {type(wanted).__name__}: must be an int, a str or None")
    name, _, variant = str(wanted).partition("/")
    for step in steps():
        if step.variant == variant and name in (step.name, *_numbers(step)):
            return step
    raise ValueError(f"step {wanted!r} does not exist: {_existing(name)}")


def _numbers(step: Step) -> tuple[str, str]:
    number = step.name.partition("_")[0]
    return number, str(int(number))


def _existing(name: str) -> str:
    of_that_name = [s.label for s in steps() if name in (s.name, *_numbers(s))]
    if of_that_name:
        return "there are " + ", ".join(of_that_name)
    return "there are " + ", ".join(s.label for s in steps() if not s.variant)
