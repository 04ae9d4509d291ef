"""The k largest of rows: who finds them, and what is allocated for them."""

import math
from typing import Any

from . import _core
from ._core import Step, step_for
from ._libraries import CODES, Library
from ._rows import row_layout
from ._steps import checked_step, named


def step_of_rows(step: Any, operation: str, code: str, rows: Any) -> Step:
    """The step that a caller names, if it takes the rows."""
    chosen = checked_step(step, operation, _count(rows))
    if code == "f64":
        raise TypeError(
            f"step = {step!r}: takes no float64, and no integers: x must be float32, float16 or "
            "bfloat16, as dtype='float32' makes it"
        )
    return chosen


def topk_of_rows(
    library: Library,
    rows: Any,
    k: int,
    largest: bool,
    probabilities: bool,
    scale: float = 1.0,
    step: Any = None,
) -> tuple[Any, Any]:
    """Values and indices of the k first of each row along the last axis. Rows lie as row_layout has
    it; of the softmax of scale * rows where probabilities are meant."""
    code = CODES.get(library.dtype_name(rows), "")
    if step is not None:
        chosen = step_of_rows(step, "topk", code or "f64", rows)
        return _by_step(library, chosen, code, library.ready(rows), k)
    serving = _serving_step(code, rows, k) if largest else None
    if serving is None:
        return _by_sort(library, library.ready(rows), k, largest, probabilities, scale)
    if probabilities:
        return _by_library(library, code, rows, k, scale)
    ranks_alone = named(serving.label + "/top_k_only")
    values, indices = _by_step(library, ranks_alone, code, library.ready(rows), k)
    return library.astype(values, rows.dtype), indices


def _serving_step(code: str, rows: Any, k: int) -> Step | None:
    """That the library picks for the k largest; None where no step finds so many."""
    if code in ("", "f64") or not 1 <= k <= _core.MAX_K:
        return None
    try:
        return step_for("topk", _count(rows), rows.shape[-1], k, code)
    except ValueError:
        return None


def _count(rows: Any) -> int:
    return math.prod(rows.shape[:-1])


def _by_library(library: Library, code: str, rows: Any, k: int, scale: float) -> tuple[Any, Any]:
    values, indices = _results(library, rows, k, "float32")
    stream = library.stream_of(rows)
    given = library.exported(rows)
    if scale == 1.0 and library.is_ready(rows):
        _core.topk(code, given, values, indices, k, stream)
    else:
        layout = row_layout(library, rows)
        assert layout is not None, "the rows are readable"
        _core.scale_topk(code, given, layout, values, indices, k, scale, stream)
    return values, indices


def _by_step(library: Library, step: Step, code: str, rows: Any, k: int) -> tuple[Any, Any]:
    values, indices = _results(library, rows, k, "float32")
    stream = library.stream_of(rows)
    _core.run(step, code, library.exported(rows), None, values, indices, k, stream)
    return values, indices


def _by_sort(
    library: Library, rows: Any, k: int, largest: bool, probabilities: bool, scale: float
) -> tuple[Any, Any]:
    """Integers as they are, all else in fp64, which holds each number of the other types."""
    are_integers = library.is_integer(rows)
    if are_integers and not probabilities:
        values, indices = _sorted(library, library.ordered(rows), "i64", k, largest, False, 1.0)
        return library.unordered(values, rows.dtype), indices
    wide = library.astype(rows, library.dtype_from("float64"))
    values, indices = _sorted(library, wide, "f64", k, largest, probabilities, scale)
    if not probabilities:
        return library.astype(values, rows.dtype), indices
    keeps = are_integers or library.dtype_name(rows) == "float64"
    return library.astype(values, library.dtype_from("float64" if keeps else "float32")), indices


def _sorted(
    library: Library,
    keys: Any,
    code: str,
    k: int,
    largest: bool,
    probabilities: bool,
    scale: float,
) -> tuple[Any, Any]:
    values, indices = _results(library, keys, k, library.dtype_name(keys))
    stream = library.stream_of(keys)
    _core.sort(code, keys, values, indices, k, largest, probabilities, scale, stream)
    return values, indices


def _results(library: Library, rows: Any, k: int, values: str) -> tuple[Any, Any]:
    shape = (*rows.shape[:-1], k)
    return (
        library.empty(rows, shape, library.dtype_from(values)),
        library.empty(rows, shape, library.dtype_from("int64")),
    )
