"""How the rows of an array lie, along its last axis, and whether kernels can read them there."""

from typing import NamedTuple

from ._libraries import Array, Library


class RowLayout(NamedTuple):
    """In elements, as the library has it."""

    stride: int  # from a row to the next
    matrix_rows: int = 0  # after so many of them a gap of its own follows; 0 stands for all
    matrix_stride: int = 0  # from the first row of one matrix to that of the next


def row_layout(library: Library, x: Array) -> RowLayout | None:
    """None where kernels cannot take the rows as they lie."""
    strides = library.strides(x)
    cols = int(x.shape[-1])
    if 0 in x.shape:
        return RowLayout(cols)
    if strides is None or (cols > 1 and strides[-1] != 1):
        return None
    levels: list[tuple[int, int]] = []  # so many rows, so far apart: the innermost first
    for length, step in list(zip(x.shape, strides, strict=True))[-2::-1]:
        if length == 1:
            continue
        if levels and step == levels[-1][0] * levels[-1][1]:
            length, step = length * levels[-1][0], levels.pop()[1]
        levels.append((length, int(step)))
    (rows, stride), *others = levels or [(1, cols)]
    if stride < cols or len(others) > 1:
        return None
    if not others:
        return RowLayout(stride)
    matrix_stride = others[0][1]
    is_apart = matrix_stride >= (rows - 1) * stride + cols
    return RowLayout(stride, rows, matrix_stride) if is_apart else None


def readable_rows(library: Library, x: Array) -> Array:
    """It, or a copy."""
    return x if library.is_ready(x) or row_layout(library, x) is not None else library.ready(x)
