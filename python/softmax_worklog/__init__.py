"""Every step of the worklog as a function on arrays, and the fastest one where none is named.

    >>> import numpy, softmax_worklog
    >>> softmax_worklog.softmax(numpy.array([[1, 2, 3]], dtype=numpy.float32))
    >>> softmax_worklog.counts()["global_load_elements"]

The module is built for one machine: the CPU executor, which takes NumPy's arrays (and PyTorch's on
the CPU, JAX's, and what NumPy makes arrays of) and counts what the kernels do, or NVIDIA GPUs,
whose arrays are CuPy's and PyTorch's. A GPU's work is put on the caller's current stream, and not
waited for. Arrays that are C-contiguous, with the rows along their last axis, are handed over
without a copy, and so are to softmax, log_softmax and the topk of probabilities those whose rows
lie a stride apart; of others there is a copy.

Elements are float32, float16, bfloat16 (in NumPy: ml_dtypes.bfloat16), on which arithmetic is in
float32, or float64. Integers are computed in float64. The kernels of float64 are not tuned.

Without `step` the library's dispatcher chooses (docs/pages/library.md). `step` chooses who does it:
5, '05' or '05_warp_shuffle', with '/' and a variant's name behind where a variant is meant, such as
'05_warp_shuffle/safe'.

softmax_worklog.torch has the same for PyTorch, with gradients.
"""

import math
from importlib.metadata import version
from typing import Any, Protocol, TypeVar, overload

import numpy
import numpy.typing

from . import _core
from ._arguments import (
    Axes,
    axes_of,
    check_broadcast,
    check_elements,
    check_flag,
    check_k,
    check_out,
    check_queries,
    checked_masking,
    checked_topk_scale,
    converted,
)
from ._core import Step, counts, machine, step_for, steps
from ._libraries import Library, adopted, as_numpy_has_it
from ._rows import readable_rows
from ._scale_mask import Masking, launch, readable, takes_result
from ._topk import step_of_rows, topk_of_rows

__all__ = ["Step", "counts", "log_softmax", "machine", "softmax", "step_for", "steps", "topk"]
__version__ = version("softmax-worklog")


class ArrayLike(Protocol):
    """What arrays of all libraries have in common."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __dlpack__(self) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, Any]: ...


Array = TypeVar("Array", bound=ArrayLike)
Axis = int | tuple[int, ...] | None
Name = int | str | None
NumpyArray = numpy.typing.NDArray[Any]


@overload
def softmax(
    x: Array,
    axis: Axis = -1,
    *,
    dim: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    where: Any = None,
    scale: float = 1.0,
    mask: Any = None,
    is_causal: bool = False,
    causal_offset: int = 0,
    step: Name = None,
) -> Array: ...
@overload
def softmax(
    x: numpy.typing.ArrayLike,
    axis: Axis = -1,
    *,
    dim: Axis = None,
    dtype: Any = None,
    out: NumpyArray | None = None,
    where: Any = None,
    scale: float = 1.0,
    mask: Any = None,
    is_causal: bool = False,
    causal_offset: int = 0,
    step: Name = None,
) -> NumpyArray: ...
def softmax(
    x: Any,
    axis: Axis = -1,
    *,
    dim: Axis = None,
    dtype: Any = None,
    out: Any = None,
    where: Any = None,
    scale: float = 1.0,
    mask: Any = None,
    is_causal: bool = False,
    causal_offset: int = 0,
    step: Name = None,
) -> Any:
    """Probabilities along an axis of x: exp(x - max) / sum(exp(x - max)).

    A row with a NaN or +inf, or of -inf alone, is NaN throughout.

    axis: an integer, a tuple of them for rows of several axes, or None for all; `dim` is the same.
    dtype: of the result. The kernel reads x as it is and rounds once; where either is float64 or
        of integers, or with `step`, x is converted to it first.
    out: where the result goes, an array of its shape and type, which is returned. It may be x.
    where: True for what counts. Elsewhere the result is 0, as if there were -inf; also throughout
        a row in which nothing counts, which is no NaN then.
    scale: what x is multiplied by, as 1 / sqrt(d) of attention, or 1 / temperature: finite.
    mask: is added to the scaled x, -inf for what shall not count: an array that broadcasts to x,
        and is converted to its type. What repeats along the axes before the last is read where it
        lies, if these are the first ones, or others side by side.
    is_causal: True where query q, along the axis before the last, sees the columns up to
        q + `causal_offset`. What it does not see has no influence, whatever is there.
    causal_offset: 0 where the first query sees the first column alone, as in PyTorch; columns less
        queries where the last query sees the last column.
    step: who does it (see the module). A step scales and masks nothing.

    Rows of float32, float16 and bfloat16 that lie a stride apart are read where they are, if their
    own elements lie side by side.

    Returns a new array like x. Integers and lists of numbers give float64; what has no axes gives
    NumPy's scalar, as with NumPy's own functions.

    Raises TypeError for elements that are no numbers, and for arguments of another type;
    ValueError for an axis (also an IndexError), an `out`, a mask or a step that does not exist or
    fit, and a scale that is not finite;
    BufferError for an array on the wrong device, or one that requires a gradient; MemoryError and
    RuntimeError for what the device refuses.
    """
    masking = (scale, mask, is_causal, causal_offset)
    return _columns("softmax", x, axis, dim, dtype, out, where, masking, step)


@overload
def log_softmax(
    x: Array,
    axis: Axis = -1,
    *,
    dim: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    where: Any = None,
    scale: float = 1.0,
    mask: Any = None,
    is_causal: bool = False,
    causal_offset: int = 0,
    step: Name = None,
) -> Array: ...
@overload
def log_softmax(
    x: numpy.typing.ArrayLike,
    axis: Axis = -1,
    *,
    dim: Axis = None,
    dtype: Any = None,
    out: NumpyArray | None = None,
    where: Any = None,
    scale: float = 1.0,
    mask: Any = None,
    is_causal: bool = False,
    causal_offset: int = 0,
    step: Name = None,
) -> NumpyArray: ...
def log_softmax(
    x: Any,
    axis: Axis = -1,
    *,
    dim: Axis = None,
    dtype: Any = None,
    out: Any = None,
    where: Any = None,
    scale: float = 1.0,
    mask: Any = None,
    is_causal: bool = False,
    causal_offset: int = 0,
    step: Name = None,
) -> Any:
    """Logarithms of the probabilities along an axis of x: x - log(sum(exp(x))).

    Arguments, rows and errors are as for softmax; where `where` is not, the result is -inf.
    """
    masking = (scale, mask, is_causal, causal_offset)
    return _columns("log_softmax", x, axis, dim, dtype, out, where, masking, step)


@overload
def topk(
    x: Array,
    k: int,
    axis: Axis = -1,
    *,
    dim: Axis = None,
    largest: bool = True,
    probabilities: bool = True,
    scale: float = 1.0,
    out: tuple[Array, Array] | None = None,
    step: Name = None,
) -> tuple[Array, Array]: ...
@overload
def topk(
    x: numpy.typing.ArrayLike,
    k: int,
    axis: Axis = -1,
    *,
    dim: Axis = None,
    largest: bool = True,
    probabilities: bool = True,
    scale: float = 1.0,
    out: tuple[NumpyArray, NumpyArray] | None = None,
    step: Name = None,
) -> tuple[NumpyArray, NumpyArray]: ...
def topk(
    x: Any,
    k: int,
    axis: Axis = -1,
    *,
    dim: Axis = None,
    largest: bool = True,
    probabilities: bool = True,
    scale: float = 1.0,
    out: Any = None,
    step: Name = None,
) -> Any:
    """The k largest probabilities along an axis of x, and where they are.

    Returns (values, indices) of the shape of x but for the axis, which has k elements: values
    descending, in float32, or in float64 where x is that or has integers, and indices in int64; of
    equal ones the lowest index comes first, and a NaN counts as the largest. The values of a row
    with a NaN or +inf, or of -inf alone, are all NaN. Of several axes, or of None, indices are
    those of the axes as one.

    k: 0 to the axis' length. Above 2048, or 128 in rows that are too long for the step that finds
    more, rows are sorted by a kernel that is not tuned.
    largest: False for the smallest, ascending: sorted likewise.
    probabilities: False for the k largest of x itself, in x's own type.
    scale: what x is multiplied by in the same pass, as 1 / temperature: above 0 and finite. Of x
        itself it must be 1. Indices are in the order of x, also where scaled numbers are equal. A
        product that float32 does not hold counts as infinite, unless rows are sorted.
    out: (values, indices), where the results go.

    Other arguments and errors are as for softmax. Rows that lie a stride apart are read where they
    are, if the largest probabilities are meant and none are sorted. A step that is named finds the
    largest probabilities alone, and scales nothing; its limits are its own.
    """
    return _topk(x, k, axis, dim, largest, probabilities, scale, out, step)


def _moved(library: Library, x: Any, axes: Axes) -> Any:
    """The axes as one behind the others. One alone changes places with the last: the order of rows
    does not matter."""
    if axes == (x.ndim - 1,):
        return x
    if not axes:
        return x.reshape(1)
    if len(axes) == 1:
        return x.swapaxes(axes[0], -1)
    moved = library.moveaxis(x, axes, tuple(range(-len(axes), 0)))
    kept, together = moved.shape[: x.ndim - len(axes)], moved.shape[x.ndim - len(axes) :]
    return moved.reshape((*kept, math.prod(together)))


def _placed(library: Library, rows: Any, x: Any, axes: Axes) -> Any:
    """The opposite, of results that are as many as x has."""
    if axes == (x.ndim - 1,):
        return rows
    if not axes:
        return rows.reshape(())
    if len(axes) == 1:
        return library.ready(rows.swapaxes(axes[0], -1))
    last = tuple(range(x.ndim - len(axes), x.ndim))
    kept = [length for i, length in enumerate(x.shape) if i not in axes]
    moved = rows.reshape((*kept, *(x.shape[axis] for axis in axes)))
    return library.ready(library.moveaxis(moved, last, axes))


def _columns(
    operation: str,
    given: Any,
    axis: Any,
    dim: Any,
    dtype: Any,
    out: Any,
    where: Any,
    masking: Any,
    step: Any,
) -> Any:
    library, x, back = adopted("x", given)
    x, code, result_type = converted(library, x, dtype, by_kernel=step is None)
    axes = axes_of(axis, dim, x.ndim)
    masking = checked_masking(library, x, *masking)
    check_queries(masking.is_causal, axes, "x", x.ndim)
    if out is not None:
        check_out(library, "out", out, x.shape, result_type)
    counts = None
    if where is not None:
        check_broadcast("where", numpy.shape(where), "x", x.shape)
        counts = library.mask(where, x.shape)
        x, masking = _where(library, x, counts, masking)
    rows, masking = _masked_rows(library, x, axes, masking)
    if step is not None:
        chosen = _step_without_masking(step, operation, code, rows, masking)
        rows = library.ready(rows)
    in_place = out is not None and axes == (x.ndim - 1,)
    if in_place and takes_result(library, rows, masking, out, contiguous=step is not None):
        result = out
    else:
        result = library.empty(rows, rows.shape, result_type)
    if step is None:
        launch(library, operation, rows, masking, result)
    else:
        read, written = library.exported(rows), library.exported(result)
        _core.run(chosen, code, read, written, None, None, 0, library.stream_of(rows))
    if result is not out:
        result = _placed(library, result, x, axes)
    if counts is not None:
        library.fill(result, counts, 0.0 if operation == "softmax" else -float("inf"))
    if out is None:
        return back(as_numpy_has_it(library, result))
    if result is not out:
        library.copy_into(out, result)
    return out


def _where(library: Library, x: Any, counts: Any, masking: Masking) -> tuple[Any, Masking]:
    """As if there were -inf elsewhere: after scaling, which might turn its sign."""
    if masking.is_nothing:
        return library.masked(x, counts, -float("inf")), masking
    mask = library.module.zeros_like(x)
    if masking.mask is not None:
        mask = library.module.broadcast_to(masking.mask, x.shape)
    mask = library.masked(mask, counts, -float("inf"))
    return library.masked(x, counts, 0.0), masking._replace(mask=mask)


def _masked_rows(library: Library, x: Any, axes: Axes, masking: Masking) -> tuple[Any, Masking]:
    """Rows along the last axis as kernels can read them, and their mask likewise."""
    rows = readable(library, _moved(library, x, axes))
    if masking.mask is not None and axes != (x.ndim - 1,):
        mask = library.module.broadcast_to(masking.mask, x.shape)
        masking = masking._replace(mask=_moved(library, mask, axes))
    return rows, masking


def _step_without_masking(
    step: Any, operation: str, code: str, rows: Any, masking: Masking
) -> Step:
    chosen = step_of_rows(step, operation, code, rows)
    if not masking.is_nothing:
        raise ValueError(
            f"step = {step!r}: scales and masks nothing: scale must be 1, mask None and is_causal "
            "False"
        )
    return chosen


def _topk(
    given: Any,
    k: Any,
    axis: Any,
    dim: Any,
    largest: Any,
    probabilities: Any,
    scale: Any,
    out: Any,
    step: Any,
) -> Any:
    library, x, back = adopted("x", given)
    check_elements(library, x)
    axes = axes_of(axis, dim, x.ndim)
    largest = check_flag("largest", largest)
    probabilities = check_flag("probabilities", probabilities)
    scale = checked_topk_scale(scale, library.dtype_name(x), probabilities)
    rows = readable_rows(library, _moved(library, x, axes))
    k = check_k(k, rows.shape[-1])
    if step is not None and not (largest and probabilities):
        raise ValueError(
            f"step = {step!r}: finds the largest probabilities alone: largest and probabilities "
            "must be True"
        )
    if step is not None and scale != 1.0:
        raise ValueError(f"step = {step!r}: scales nothing: scale must be 1")
    if out is not None:
        return _topk_into(library, out, x, rows, axes, k, largest, probabilities, scale, step)
    values, indices = topk_of_rows(library, rows, k, largest, probabilities, scale, step)
    results = (_shortened(library, result, x, axes) for result in (values, indices))
    return tuple(back(as_numpy_has_it(library, result)) for result in results)


def _shortened(library: Library, rows: Any, x: Any, axes: Axes) -> Any:
    """Results of rows where x has them; of several axes behind the others, as one."""
    if len(axes) > 1 or axes == (x.ndim - 1,):
        return rows
    if not axes:
        return rows.reshape(()) if rows.shape == (1,) else rows
    return library.ready(rows.swapaxes(axes[0], -1))


def _topk_into(
    library: Library,
    out: Any,
    x: Any,
    rows: Any,
    axes: Axes,
    k: int,
    largest: bool,
    probabilities: bool,
    scale: float,
    step: Any,
) -> Any:
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(f"out is {type(out).__name__}: must be a tuple (values, indices)")
    results = topk_of_rows(library, rows, k, largest, probabilities, scale, step)
    placed = [_shortened(library, result, x, axes) for result in results]
    for name, to, result in zip(("out[0]", "out[1]"), out, placed, strict=True):
        check_out(library, name, to, result.shape, result.dtype)
    for to, result in zip(out, placed, strict=True):
        library.copy_into(to, result)
    return out
