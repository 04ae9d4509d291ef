"""Where a claim holds: the shapes of "at 4000 x 10..1000 and 10 x *, f16, k = 5"."""

import re
from dataclasses import dataclass, replace

from ..results.records import DTYPES, HARD_VALUES, InputError, Shape
from .expression import Expression
from .measurements import Measurements, Where

_SHAPE = re.compile(r"(?P<rows>\S+) x (?P<cols>\S+)")
_RANGE = re.compile(r"(?P<least>\d*)(?P<to>\.\.)?(?P<most>\d*)")


@dataclass(frozen=True)
class _Numbers:
    """Which rows, columns or K: from `least` to `most`."""

    least: int = 0
    most: float = float("inf")
    ends: tuple[int, ...] = ()  # those that must be among the recorded ones

    def __contains__(self, number: int) -> bool:
        return self.least <= number <= self.most


def places(text: str, expression: Expression, measurements: Measurements) -> list[Where]:
    """Those that a claim is about, in order; all of them have been measured. "": no shape."""
    if not text:
        return [_measured(expression, Where(None))]
    shapes, *options = (part.strip() for part in text.split(","))
    dtype, cache, k = "f32", "cold", _Numbers(0, 0)
    for option in options:
        if option in DTYPES:
            dtype = option
        elif option in ("warm", "written", *HARD_VALUES):
            cache = option
        elif option.startswith("k = "):
            k = _numbers(option.removeprefix("k = "))
        else:
            known = "a type nor 'warm' nor 'written' nor values such as 'equal' nor 'k = ...'"
            raise InputError(f"'{option}' is neither {known}")
    if shapes == "any shape":
        return [_measured(expression, Where(None, dtype, cache))]
    found = []
    for shape in re.split(r"\s+and\s+", shapes):
        found += _shapes(shape, k, Where(None, dtype, cache), expression, measurements)
    return found


def _shapes(
    text: str, k: _Numbers, where: Where, expression: Expression, measurements: Measurements
) -> list[Where]:
    """Of one 'ROWS x COLUMNS'."""
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise InputError(f"'{text}' is no shape such as 4000 x 10..1000")
    rows, cols = _numbers(match["rows"]), _numbers(match["cols"])
    if all(numbers.least == numbers.most for numbers in (rows, cols, k)):
        return [_measured(expression, replace(where, shape=_only(where.dtype, rows, cols, k)))]
    shapes = [
        shape for shape in sorted(measurements.shapes)
        if shape.dtype == where.dtype and shape.rows in rows and shape.cols in cols and shape.k in k
    ]  # fmt: skip
    found = [replace(where, shape=shape) for shape in shapes]
    found = [one for one in found if not expression.missing(one)]
    if len(found) < 2:
        raise InputError(f"fewer than two shapes '{text}' have been measured")
    for name, numbers in (("rows", rows), ("cols", cols), ("k", k)):
        for end in numbers.ends:
            if all(getattr(one.shape, name) != end for one in found):
                raise InputError(f"nothing of it has been measured at {name} = {end}")
    return found


def _measured(expression: Expression, where: Where) -> Where:
    missing = expression.missing(where)
    if missing:
        raise InputError(f"there is no {missing[0]} at {where}")
    return where


def _only(dtype: str, rows: _Numbers, cols: _Numbers, k: _Numbers) -> Shape:
    return Shape(dtype, rows.least, cols.least, k.least)


def _numbers(text: str) -> _Numbers:
    match = _RANGE.fullmatch(text)
    if text == "*":
        return _Numbers()
    if match is None or not (match["least"] or match["most"]):
        raise InputError(f"'{text}' is neither a number nor a range such as 10..1000 nor *")
    ends = tuple(int(match[name]) for name in ("least", "most") if match[name])
    if not match["to"]:
        return _Numbers(ends[0], ends[0], ends)
    most = int(match["most"]) if match["most"] else float("inf")
    return _Numbers(int(match["least"] or 0), most, ends)
