"""What callers give beside arrays: axes, numbers, element types, and where results go."""

import math
import numbers
import operator
from typing import Any

import numpy

from ._libraries import CODES, Array, Library, adopted
from ._scale_mask import Masking, converts

Axes = tuple[int, ...]
_TITLES = {"numpy": "NumPy", "cupy": "CuPy", "torch": "PyTorch"}
_MOST = float(numpy.finfo(numpy.float32).max)
_LEAST = float(numpy.finfo(numpy.float32).smallest_subnormal)


def kind_of(given: Any) -> str:
    """What something is, with its article."""
    if given is None:
        return "None"
    name = type(given).__name__
    return f"an {name}" if name[0] in "aeiou" or name == "ndarray" else f"a {name}"


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
    if not several and ndim > 0:
        raise ValueError(f"{name} = (): must name an axis or more, or be None for all")
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
            f"{name} is {kind_of(given)}: must be an integer, a tuple of them or None "
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
        raise TypeError(f"k is {kind_of(k)}: must be an integer") from None
    if k < 0:
        raise ValueError(f"k = {k}: must be 0 or more")
    if k > cols:
        raise ValueError(f"k = {k}: must be at most {cols}, the length of the axis")
    return int(k)


def check_flag(name: str, given: Any) -> bool:
    """A bool."""
    if not isinstance(given, (bool, numpy.bool_)):
        raise TypeError(f"{name} is {kind_of(given)}: must be a bool")
    return bool(given)


def converted(library: Library, x: Array, dtype: Any, by_kernel: bool) -> tuple[Array, str, Any]:
    """x with elements that a kernel has, what it calls them, and the result's type. Of integers
    fp64. With `by_kernel` x stays as it is where the kernel makes results of another type."""
    code = CODES.get(library.dtype_name(x))
    if dtype is not None:
        wanted = library.dtype_from(dtype)
        if library.name_of_dtype(wanted) not in CODES:
            raise TypeError(
                f"dtype is {library.name_of_dtype(wanted)}: must be one of {', '.join(CODES)}"
            )
        if code is not None and by_kernel and converts(code, library.name_of_dtype(wanted)):
            return x, code, wanted
        check_elements(library, x)
        x = library.astype(x, wanted)
    elif library.is_integer(x):
        x = library.astype(x, library.dtype_from("float64"))
    code = CODES.get(library.dtype_name(x))
    if code is None:
        check_elements(library, x)
    assert code is not None
    return x, code, x.dtype


def checked_masking(
    library: Library, x: Array, scale: Any, mask: Any, is_causal: Any, causal_offset: Any
) -> Masking:
    """What becomes of logits, of whichever type they are, before their softmax."""
    scale = checked_scale(scale, library.dtype_name(x))
    is_causal = check_flag("is_causal", is_causal)
    causal_offset = checked_offset(causal_offset, is_causal)
    if mask is not None:
        mask = _checked_mask(library, x, mask)
    return Masking(scale, mask, is_causal, causal_offset)


def checked_scale(scale: Any, dtype: str) -> float:
    """A number that the kernels of a type have."""
    if isinstance(scale, (bool, numpy.bool_)) or not isinstance(scale, numbers.Real):
        raise TypeError(f"scale is {kind_of(scale)}: must be a number")
    number = float(scale)
    if not math.isfinite(number):
        raise ValueError(f"scale = {number}: must be finite")
    if abs(number) > _MOST and dtype != "float64":
        raise ValueError(f"scale = {number}: must be from {-_MOST:.9g} to {_MOST:.9g}, as float32")
    return number


def checked_topk_scale(scale: Any, dtype: str, probabilities: bool) -> float:
    """The same for a top-k, whose order it must not change."""
    number = checked_scale(scale, dtype)
    if number <= 0.0:
        raise ValueError(f"scale = {number}: must be above 0")
    if number < _LEAST and dtype != "float64":
        raise ValueError(f"scale = {number}: must be {_LEAST:.9g} or more, as float32")
    if number != 1.0 and not probabilities:
        raise ValueError(f"scale = {number}: must be 1 where probabilities is False")
    return number


def checked_offset(offset: Any, is_causal: bool) -> int:
    """Of a causal mask, an int."""
    if isinstance(offset, (bool, numpy.bool_)):
        raise TypeError("causal_offset is a bool: must be an integer")
    try:
        offset = operator.index(offset)
    except TypeError:
        raise TypeError(f"causal_offset is {kind_of(offset)}: must be an integer") from None
    if offset != 0 and not is_causal:
        raise ValueError(f"causal_offset = {offset}: must be 0 where is_causal is False")
    return int(offset)


def _checked_mask(library: Library, x: Array, given: Any) -> Array:
    of_library, mask, _ = adopted("mask", given)
    if type(of_library) is not type(library) or of_library.module is not library.module:
        kind = f"{type(given).__module__}.{type(given).__qualname__}"
        raise TypeError(f"mask is a {kind}: must be an array of {_title(library)}, as x is")
    if library.dtype_name(mask) not in CODES and not library.is_integer(mask):
        raise TypeError(
            f"mask has elements of {library.dtype_name(mask)}: must be numbers, which are added "
            "to x; `where` takes bools"
        )
    check_broadcast("mask", mask.shape, "x", x.shape)
    return library.astype(mask, x.dtype)


def check_broadcast(name: str, shape: tuple[int, ...], of: str, whole: tuple[int, ...]) -> None:
    """Whether an array of a shape is repeated to that of another."""
    fits = len(shape) <= len(whole)
    for own, length in zip(reversed(shape), reversed(whole), strict=False):
        fits = fits and own in (1, length)
    if not fits:
        raise ValueError(
            f"{name} has the shape {tuple(shape)}: must be one that broadcasts to {tuple(whole)}, "
            f"the shape of {of}"
        )


def check_queries(is_causal: bool, axes: Axes, name: str, ndim: int) -> None:
    """Whether a causal mask finds its columns along the last axis, and queries before."""
    if not is_causal:
        return
    if ndim < 2:
        raise ValueError(
            f"is_causal = True: {name} has {ndim} dimensions, must have 2 or more, of which the "
            "last but one are the queries"
        )
    if axes != (ndim - 1,):
        raise ValueError(
            f"is_causal = True: rows are along {axes if len(axes) != 1 else axes[0]} of {ndim} "
            "axes, must be along the last: the last but one are the queries"
        )


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
        kind = f"{type(out).__module__}.{type(out).__qualname__}"
        why = "since JAX's cannot be written" if kind.startswith("jax") else "as x is"
        raise TypeError(f"{name} is a {kind}: must be an array of {_title(library)}, {why}")
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
    strides = library.strides(out)
    if strides is not None and _may_overlap_itself(strides, out.shape):
        raise ValueError(f"{name} has elements that share memory: each must have its own")


def _may_overlap_itself(strides: Axes, shape: tuple[int, ...]) -> bool:
    """Whether elements may share memory: those of an array whose axes are woven into one another
    are taken to."""
    if 0 in shape:
        return False
    reach = 1
    for stride, length in sorted(zip(map(abs, strides), shape, strict=True)):
        if length > 1 and stride < reach:
            return True
        reach += stride * (length - 1)
    return False


def _title(library: Library) -> str:
    return _TITLES[library.module.__name__]


def check_labels(labels: Any, classes: int, ignore_index: int) -> None:
    """Whether each of PyTorch's labels names a class. On a GPU that would mean to wait for it."""
    if labels.device.type != "cpu":
        return
    wrong = ((labels < 0) | (labels >= classes)) & (labels != ignore_index)
    if bool(wrong.any()):
        raise IndexError(
            f"target has a label of {int(labels[wrong][0])}: must be from 0 to {classes - 1}, or "
            f"ignore_index = {ignore_index}"
        )
