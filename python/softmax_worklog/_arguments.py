"""What callers give beside arrays: axes, numbers, element types, and where results go."""

import operator
from typing import Any

import numpy

from ._libraries import CODES, Array, Library

Axes = tuple[int, ...]


def axes_of(axis: Any, dim: Any, ndim: int) -> Axes:
    """The axes that a row is made of, from 0; of an array without any, none."""
    if dim is not None:
        if axis != -1:
            raise TypeError(
                f"axis = {axis} and dim = {dim}: must be one of them, they are the same"
            )
        return _checked_axes("dim", dim, ndim)
    if axis == -1 and ndim > 0 and axis is not True:
        return (ndim - 1,)
    return _checked_axes("axis", axis, ndim)


def _checked_axes(name: str, given: Any, ndim: int) -> Axes:
    if given is None:
        return tuple(range(ndim))
    several = given if isinstance(given, tuple) else (given,)
    axes = tuple(_checked_axis(name, one, ndim) for one in several)
    if len(set(axes)) < len(axes):
        raise ValueError(f"{name} = {given}: must name each axis once")
    return axes if ndim > 0 else ()


def _checked_axis(name: str, given: Any, ndim: int) -> int:
    if isinstance(given, (bool, numpy.bool_)):
        raise TypeError(f"{name} is a bool: must be an integer, a tuple of them or None")
    try:
        axis = operator.index(given)
    except TypeError:
        raise TypeError(
            f"{name} is a {type(given).__name__}: must be an integer, a tuple of them or None "
            "(a step is given by keyword, as in step=5)"
        ) from None
    most = max(ndim, 1)
    if not -most <= axis < most:
        raise numpy.exceptions.AxisError(
            f"{name} = {axis}: must be from {-most} to {most - 1}, for an array of {ndim} "
            "dimensions (a step is given by keyword, as in step=5)"
        )
    return axis % most


def check_k(k: Any, cols: int) -> int:
    """k as an int, if it is one and in range."""
    if isinstance(k, (bool, numpy.bool_)):
        raise TypeError("k is a bool: must be an integer")
    try:
        k = operator.index(k)
    except TypeError:
        raise TypeError(f"k is a {type(k).__name__}: must be an integer") from None
    if k < 0:
        raise ValueError(f"k = {k}: must be 0 or more")
    if k > cols:
        raise ValueError(f"k = {k}: must be at most {cols}, the length of the axis")
    return int(k)


def check_flag(name: str, given: Any) -> bool:
    """A bool."""
    if not isinstance(given, (bool, numpy.bool_)):
        raise TypeError(f"{name} is a {type(given).__name__}: must be a bool")
    return bool(given)


def converted(library: Library, x: Array, dtype: Any) -> tuple[Array, str]:
    """x with elements that a kernel has, and what it calls them: of integers fp64."""
    if dtype is not None:
        wanted = library.dtype_from(dtype)
        if library.name_of_dtype(wanted) not in CODES:
            raise TypeError(
                f"dtype is {library.name_of_dtype(wanted)}: must be one of {', '.join(CODES)}"
            )
        check_elements(library, x)
        x = library.astype(x, wanted)
    elif library.is_integer(x):
        x = library.astype(x, library.dtype_from("float64"))
    code = CODES.get(library.dtype_name(x))
    if code is None:
        check_elements(library, x)
    assert code is not None
    return x, code


def check_elements(library: Library, x: Array) -> None:
    """Whether they are numbers that some kernel has, or become such."""
    if library.dtype_name(x) not in CODES and not library.is_integer(x):
        raise TypeError(
            f"x has elements of {library.dtype_name(x)}: must be one of {', '.join(CODES)}, or "
            "integers"
        )


def check_out(library: Library, name: str, out: Any, shape: tuple[int, ...], dtype: Any) -> None:
    """Whether a result of that shape and type can go there."""
    like = library.module.Tensor if hasattr(library.module, "Tensor") else library.module.ndarray
    if not isinstance(out, like):
        raise TypeError(
            f"{name} is a {type(out).__module__}.{type(out).__qualname__}: must be an array of x's "
            "library"
        )
    if tuple(out.shape) != tuple(shape):
        raise ValueError(
            f"{name} has the shape {tuple(out.shape)}: must have {tuple(shape)}, the result's"
        )
    if out.dtype != dtype:
        raise TypeError(
            f"{name} has elements of {library.dtype_name(out)}: must be of "
            f"{library.name_of_dtype(dtype)}, the result's"
        )
    if getattr(getattr(out, "flags", None), "writeable", True) is False:
        raise ValueError(f"{name} is read-only: must be writeable")
    if getattr(out, "requires_grad", False):
        raise BufferError(f"{name} requires a gradient: must not")
