"""Softmax of rows that may lie apart, that are scaled and masked while they are read, and whose
results may be of another type: the library's scale_mask_softmax. Rows are along the last axis."""

import math
from typing import NamedTuple

import numpy

from . import _core
from ._libraries import CODES, Array, Library
from ._rows import row_layout


class Masking(NamedTuple):
    """What becomes of the logits before a softmax, checked."""

    scale: float = 1.0
    mask: Array | None = None  # of the logits' type, with as many axes or fewer
    is_causal: bool = False
    causal_offset: int = 0

    @property
    def is_nothing(self) -> bool:
        """Whether they stay as they are."""
        return self.scale == 1.0 and self.mask is None and not self.is_causal


NOTHING = Masking()


def converts(code: str | None, wanted: str) -> bool:
    """Whether the kernel itself makes results of another type: not from or to fp64."""
    return code is not None and "f64" not in (code, CODES[wanted])


def row_stride(library: Library, x: Array) -> int | None:
    """Elements from a row to the next where kernels can take them as they lie, else None."""
    layout = row_layout(library, x)
    return None if layout is None or layout.matrix_rows > 0 else layout.stride


def _stride(library: Library, x: Array) -> int:
    stride = row_stride(library, x)
    assert stride is not None, "the rows are readable"
    return stride


def readable(library: Library, x: Array) -> Array:
    """It, or a copy."""
    return x if row_stride(library, x) is not None else library.ready(x)


def takes_result(
    library: Library, x: Array, masking: Masking, result: Array, contiguous: bool = False
) -> bool:
    """Whether a kernel can store there: as rows lie, and not over what it has yet to read."""
    stride = row_stride(library, result)
    if result.shape != x.shape or stride is None:
        return False
    if masking.mask is not None and not library.is_apart(masking.mask, result):
        return False
    if (contiguous or library.dtype_name(x) == "float64") and not library.is_ready(result):
        return False
    if library.is_apart(x, result):
        return True
    is_x = library.address(x) == library.address(result) and x.dtype == result.dtype
    return is_x and row_stride(library, x) == stride


def launch(library: Library, operation: str, x: Array, masking: Masking, result: Array) -> None:
    """Into a result that takes it, from rows that are readable."""
    if 0 in x.shape:
        masking = NOTHING
    code, into = (CODES[library.dtype_name(array)] for array in (x, result))
    stream = library.stream_of(x)
    if code == "f64":
        x, masking = library.ready(_masked_doubles(library, x, masking)), NOTHING
    if masking.is_nothing and code == into and library.is_ready(x) and library.is_ready(result):
        _core.forward(operation, code, library.exported(x), library.exported(result), stream)
        return
    mask, of_mask = _rows_of_mask(library, masking.mask, x)
    queries = x.shape[-2] if masking.is_causal else 0
    _core.scale_mask(
        operation,
        code,
        library.exported(x),
        _stride(library, x),
        into,
        library.exported(result),
        _stride(library, result),
        masking.scale,
        None if mask is None else library.exported(mask),
        *of_mask,
        masking.is_causal,
        queries,
        min(max(masking.causal_offset, -queries), x.shape[-1]),
        stream,
    )


class _MaskRows(NamedTuple):
    """A mask as the library describes it: matrices of so many rows, each for some rows of x."""

    rows: int = 0
    stride: int = 0
    matrices: int = 0
    matrix_rows: int = 0


def _rows_of_mask(library: Library, mask: Array | None, x: Array) -> tuple[Array | None, _MaskRows]:
    """The mask without the axes along which it repeats. A copy of what it has where it does not lie
    well or repeats along a row, and one of x's size where it repeats along more axes than the
    library has words for."""
    if mask is None:
        return None, _MaskRows()
    lengths = (1,) * (x.ndim - mask.ndim) + tuple(mask.shape)
    axes = [(own, n) for own, n in zip(lengths[:-1], x.shape[:-1], strict=True) if n != 1]
    rows = _together(axes, repeats=False)
    matrix_rows = rows * _together(axes, repeats=True)
    matrices = _together(axes, repeats=False)
    _together(axes, repeats=True)
    if axes:
        lengths = tuple(x.shape)
        rows = matrix_rows = math.prod(lengths[:-1])
        matrices = 1
        mask = library.module.broadcast_to(mask, lengths)
    own = tuple(length for length in lengths[:-1] if length != 1)
    mask = mask.reshape((*own, lengths[-1]))
    mask = readable(library, library.module.broadcast_to(mask, (*own, x.shape[-1])))
    return mask, _MaskRows(rows, _stride(library, mask), matrices, matrix_rows)


def _together(axes: list[tuple[int, int]], repeats: bool) -> int:
    """Takes the last axes off, along all of which a mask repeats or does not: how many rows."""
    rows = 1
    while axes and (axes[-1][0] == 1) == repeats:
        rows *= axes.pop()[1]
    return rows


def _masked_doubles(library: Library, x: Array, masking: Masking) -> Array:
    """By the array's own library, in as many passes as it takes."""
    with numpy.errstate(invalid="ignore", over="ignore"):
        if masking.scale != 1.0:
            x = x * masking.scale
        if masking.mask is not None:
            x = x + masking.mask
    if masking.is_causal:
        visible = library.visible(x, x.shape[-2], x.shape[-1], masking.causal_offset)
        x = library.masked(x, library.module.broadcast_to(visible, x.shape), -float("inf"))
    return x
