"""Arrays of NumPy, CuPy and PyTorch: what is looked at before a launch, and how results are made.

Neither CuPy nor PyTorch is imported here: whoever has such an array has done so.
"""

import sys
from typing import Any, Protocol, TypeVar

import numpy

from ._core import DEVICE


class ArrayLike(Protocol):
    """What all three have in common."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __dlpack__(self) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


Array = TypeVar("Array", bound=ArrayLike)

# By the name of a dtype without its library's: numpy.float32 and torch.float32 are both float32.
_DTYPES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}


def _is(x: object, library: str, name: str) -> bool:
    module = sys.modules.get(library)
    return module is not None and isinstance(x, getattr(module, name))


def _is_torch(x: object) -> bool:
    return _is(x, "torch", "Tensor")


def _is_cupy(x: object) -> bool:
    return _is(x, "cupy", "ndarray")


def _is_numpy(x: object) -> bool:
    # A masked array's mask would be ignored.
    return isinstance(x, numpy.ndarray) and not isinstance(x, numpy.ma.MaskedArray)


def _dtype_name(x: Any) -> str:
    if _is_torch(x):
        return str(x.dtype).removeprefix("torch.")
    return str(x.dtype.name) if x.dtype.isnative else str(x.dtype)


def check_array(x: Any) -> str:
    """The element type of an array that a step can take, as steps call it: 'f32', 'f16', 'bf16'."""
    if not (_is_numpy(x) or _is_cupy(x) or _is_torch(x)):
        raise TypeError(
            f"x is a {type(x).__module__}.{type(x).__qualname__}: "
            "must be an array of NumPy, CuPy or PyTorch"
        )
    dtype = _DTYPES.get(_dtype_name(x))
    if dtype is None:
        raise TypeError(f"x has elements of {_dtype_name(x)}: must be float32, float16 or bfloat16")
    if len(x.shape) == 0:
        raise ValueError("x has 0 dimensions: must have at least 1")
    _check_device(x)
    _check_contiguous(x)
    _check_gradient(x)
    return dtype


def _device_of(x: Any) -> str:
    if _is_torch(x):
        return str(x.device.type)
    return "cuda" if _is_cupy(x) else "cpu"


def _check_device(x: Any) -> None:
    device = _device_of(x)
    if device != DEVICE:
        raise BufferError(
            f"x is on the device '{device}': must be on '{DEVICE}', for which this "
            "softmax_worklog was built"
        )


def _check_contiguous(x: Any) -> None:
    contiguous = x.is_contiguous() if _is_torch(x) else x.flags.c_contiguous
    if not contiguous:
        strides = x.stride() if _is_torch(x) else x.strides
        raise ValueError(
            f"x has the strides {tuple(strides)} for its shape {tuple(x.shape)}: "
            "must be C-contiguous, as a copy of it is"
        )


# PyTorch refuses to hand such a tensor over on the CPU, but not on a GPU.
def _check_gradient(x: Any) -> None:
    if _is_torch(x) and x.requires_grad:
        raise BufferError("x requires a gradient, which steps do not compute: pass x.detach()")


def empty_like(x: Array, shape: tuple[int, ...], dtype: str | None = None) -> Array:
    """A new array of x's library, device and (unless given) element type."""
    given: Any = x
    if _is_torch(x):
        torch = sys.modules["torch"]
        wanted = getattr(torch, dtype) if dtype else given.dtype
        result = torch.empty(tuple(shape), dtype=wanted, device=given.device)
    elif _is_cupy(x):
        cupy = sys.modules["cupy"]
        with given.device:
            result = cupy.empty(shape, dtype=dtype or given.dtype)
    else:
        result = numpy.empty(shape, dtype=dtype or given.dtype)
    return result  # type: ignore[no-any-return]


def exported(x: Any) -> Any:
    """x, or the same memory under a type that DLPack has: NumPy has no bfloat16 of its own."""
    if not _is_torch(x) and x.dtype.name == "bfloat16":
        return x.view("uint16")
    return x


def stream_of(x: Any) -> int:
    """The stream on which the caller works with x; 0, the default one, on the CPU."""
    if _device_of(x) == "cpu":
        return 0
    if _is_torch(x):
        return int(sys.modules["torch"].cuda.current_stream(x.device).cuda_stream)
    with x.device:
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
