"""What arrays of NumPy, CuPy and PyTorch have in common, by names of one's own.

Neither CuPy nor PyTorch is imported here: whoever has such an array has done so.
"""

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy

from ._core import DEVICE

Array = Any
CODES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "float64": "f64"}
"""By the name of an element type in its own library, what kernels call it."""


def _native(dtype: Any) -> Any:
    """Of this machine's byte order."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


@lru_cache(maxsize=64)
def _name(dtype: Any) -> str:
    """NumPy makes it up anew whenever it is asked, which took half of a call's Python."""
    return str(dtype.name)


class ArrayLibrary:
    """NumPy, and CuPy, whose functions have the same names."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.is_numpy = module is numpy

    def device_of(self, x: Array) -> str:
        return "cpu" if self.is_numpy else "cuda"

    def check(self, name: str, x: Array) -> Array:
        """x, unless its kind is refused."""
        return x

    def dtype_name(self, x: Array) -> str:
        return _name(x.dtype)

    def dtype_from(self, wanted: Any) -> Any:
        try:
            return numpy.dtype(wanted)
        except TypeError:
            asked = f"dtype is {wanted!r}: must be NumPy's, or its name"
            if wanted == "bfloat16":
                asked += "; NumPy learns of bfloat16 where ml_dtypes is installed and imported"
            raise TypeError(asked) from None

    def name_of_dtype(self, dtype: Any) -> str:
        return _name(dtype)

    def is_integer(self, x: Array) -> bool:
        return x.dtype.kind in "iu"

    def astype(self, x: Array, dtype: Any) -> Array:
        return x.astype(dtype, copy=False)

    def ordered(self, x: Array) -> Array:
        """Integers as those of 64 bits with a sign that are in the same order."""
        if x.dtype.name != "uint64":
            return x.astype("int64", copy=False)
        return (x ^ self.module.uint64(1 << 63)).view("int64")

    def unordered(self, x: Array, dtype: Any) -> Array:
        """The opposite."""
        if dtype.name != "uint64":
            return x.astype(dtype, copy=False)
        return x.view("uint64") ^ self.module.uint64(1 << 63)

    def is_ready(self, x: Array) -> bool:
        """Whether kernels can take it as it lies."""
        flags = x.flags
        if not flags.c_contiguous:
            return False
        return not self.is_numpy or (flags.aligned and x.dtype.isnative)

    def ready(self, x: Array) -> Array:
        """It, or a copy."""
        if self.is_ready(x):
            return x
        return x.astype(_native(x.dtype), order="C")

    def strides(self, x: Array) -> tuple[int, ...] | None:
        """In elements; None where kernels cannot take these as they lie."""
        if self.is_numpy and not (x.flags.aligned and x.dtype.isnative):
            return None
        size = x.dtype.itemsize
        if any(stride % size for stride in x.strides):
            return None
        return tuple(stride // size for stride in x.strides)

    def moveaxis(self, x: Array, source: tuple[int, ...], target: tuple[int, ...]) -> Array:
        return self.module.moveaxis(x, source, target)

    def empty(self, like: Array, shape: tuple[int, ...], dtype: Any = None) -> Array:
        if self.is_numpy:
            return numpy.empty(shape, _native(dtype or like.dtype))
        with like.device:
            return self.module.empty(shape, dtype=dtype or like.dtype)

    def mask(self, where: Any, shape: tuple[int, ...]) -> Array:
        mask = self.module.asarray(where)
        if mask.dtype.kind != "b":
            raise TypeError(f"where has elements of {mask.dtype}: must be bool")
        return self.module.broadcast_to(mask, shape)

    def visible(self, like: Array, queries: int, cols: int, offset: int) -> Array:
        """What a causal mask leaves, as bools: of query q the columns up to q + offset."""
        if self.is_numpy:
            return numpy.tri(queries, cols, offset, dtype=bool)
        with like.device:
            return self.module.tri(queries, cols, offset, dtype=bool)

    def masked(self, x: Array, mask: Array, value: float) -> Array:
        return self.module.where(mask, x, self.module.asarray(value, dtype=x.dtype))

    def fill(self, x: Array, mask: Array, value: float) -> None:
        """Where the mask is not."""
        x[~mask] = value

    def copy_into(self, out: Array, x: Array) -> None:
        out[...] = x

    def is_apart(self, x: Array, out: Array) -> bool:
        """Whether they share no memory; they may where that is hard to tell."""
        return not self.module.may_share_memory(x, out)

    def address(self, x: Array) -> int:
        return int(x.ctypes.data if self.is_numpy else x.data.ptr)

    def exported(self, x: Array) -> Array:
        """x, or the same memory under a type that DLPack has: NumPy has no bfloat16 of its own."""
        return x.view("uint16") if _name(x.dtype) == "bfloat16" else x

    def stream_of(self, x: Array) -> int:
        """On which the caller works with x; 0, the default one, on the CPU."""
        if self.is_numpy:
            return 0
        with x.device:
            return int(self.module.cuda.get_current_stream().ptr)


class TorchLibrary:
    """PyTorch."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def device_of(self, x: Array) -> str:
        return str(x.device.type)

    def check(self, name: str, x: Array) -> Array:
        torch = self.module
        self.check_kind(name, x)
        if torch._C._functorch.is_functorch_wrapped_tensor(x):
            raise TypeError(
                f"{name} is within vmap, grad or jvp of torch.func, which see no kernels: "
                "softmax_worklog.torch has functions for them"
            )
        if isinstance(x, torch._subclasses.FakeTensor):
            raise TypeError(
                f"{name} is a FakeTensor, without memory: must be a tensor; softmax_worklog.torch "
                "has functions for such"
            )
        if x.requires_grad:
            if torch.is_grad_enabled():
                raise BufferError(
                    f"{name} requires a gradient, which this function does not compute: use "
                    f"softmax_worklog.torch, or pass {name}.detach()"
                )
            x = x.detach()
        elif self.has_tangent(x):
            raise BufferError(
                f"{name} has a tangent, which this function does not carry on: pass {name}.detach()"
            )
        return x.resolve_neg()

    def has_tangent(self, x: Array) -> bool:
        """Of derivatives in forward mode."""
        forward_ad = self.module.autograd.forward_ad
        return forward_ad._current_level >= 0 and forward_ad.unpack_dual(x).tangent is not None

    def check_kind(self, name: str, x: Array) -> None:
        """Whether its elements are in memory, one by one."""
        if x.layout != self.module.strided:
            raise TypeError(
                f"{name} has the layout {x.layout}: must be strided, as {name}.to_dense() is"
            )
        if x.is_quantized:
            raise TypeError(f"{name} is quantized: must not be, as {name}.dequantize() is not")
        if x.is_nested:
            raise TypeError(f"{name} is a nested tensor: must not be")

    def dtype_name(self, x: Array) -> str:
        return self.name_of_dtype(x.dtype)

    def dtype_from(self, wanted: Any) -> Any:
        if isinstance(wanted, str):
            wanted = getattr(self.module, wanted, wanted)
        if isinstance(wanted, self.module.dtype):
            return wanted
        raise TypeError(f"dtype is {wanted!r}: must be PyTorch's, or its name")

    def name_of_dtype(self, dtype: Any) -> str:
        return str(dtype).removeprefix("torch.")

    def is_integer(self, x: Array) -> bool:
        kinds = x.dtype.is_floating_point or x.dtype.is_complex
        return not kinds and x.dtype != self.module.bool

    def astype(self, x: Array, dtype: Any) -> Array:
        return x.to(dtype)

    def ordered(self, x: Array) -> Array:
        if x.dtype == self.module.uint64:
            raise TypeError("x has elements of uint64: must be int64 where probabilities is False")
        return x.to(self.module.int64)

    def unordered(self, x: Array, dtype: Any) -> Array:
        return x.to(dtype)

    def is_ready(self, x: Array) -> bool:
        return bool(x.is_contiguous())

    def ready(self, x: Array) -> Array:
        return x.contiguous()

    def strides(self, x: Array) -> tuple[int, ...] | None:
        return tuple(x.stride())

    def moveaxis(self, x: Array, source: tuple[int, ...], target: tuple[int, ...]) -> Array:
        return x.movedim(source, target)

    def empty(self, like: Array, shape: tuple[int, ...], dtype: Any = None) -> Array:
        return self.module.empty(tuple(shape), dtype=dtype or like.dtype, device=like.device)

    def mask(self, where: Any, shape: tuple[int, ...]) -> Array:
        mask = self.module.as_tensor(where)
        if mask.dtype != self.module.bool:
            raise TypeError(f"where has elements of {mask.dtype}: must be torch.bool")
        return mask.broadcast_to(shape)

    def visible(self, like: Array, queries: int, cols: int, offset: int) -> Array:
        all_of_them = self.module.ones((queries, cols), dtype=self.module.bool, device=like.device)
        return all_of_them.tril(offset)

    def masked(self, x: Array, mask: Array, value: float) -> Array:
        return x.masked_fill(~mask, value)

    def fill(self, x: Array, mask: Array, value: float) -> None:
        x.masked_fill_(~mask, value)

    def copy_into(self, out: Array, x: Array) -> None:
        out.copy_(x)

    def is_apart(self, x: Array, out: Array) -> bool:
        return bool(x.untyped_storage().data_ptr() != out.untyped_storage().data_ptr())

    def address(self, x: Array) -> int:
        return int(x.data_ptr())

    def exported(self, x: Array) -> Array:
        return x

    def stream_of(self, x: Array) -> int:
        if not x.is_cuda:
            return 0
        return int(self.module.cuda.current_stream(x.device).cuda_stream)


Library = ArrayLibrary | TorchLibrary
NUMPY = ArrayLibrary(numpy)


def _of_module(x: object, module: str, name: str) -> Any:
    """The module, if it was imported and x is one of its arrays."""
    imported = sys.modules.get(module)
    return imported if imported is not None and isinstance(x, getattr(imported, name)) else None


def as_numpy_has_it(library: Library, result: Array) -> Array:
    """A scalar in place of an array without axes."""
    return result[()] if library is NUMPY and result.ndim == 0 else result


def _itself(x: Array) -> Array:
    return x


def adopted(name: str, x: Any) -> tuple[Library, Array, Callable[[Array], Array]]:
    """The library of an argument, the argument as an array of that, and what makes of a result of
    that library one of the kind that the caller has."""
    if type(x) is numpy.ndarray:
        if DEVICE != "cpu":
            _refuse_device(name, "cpu")
        return NUMPY, x, _itself
    library: Library
    back: Callable[[Array], Array] = _itself
    if torch := _of_module(x, "torch", "Tensor"):
        library = TorchLibrary(torch)
    elif cupy := _of_module(x, "cupy", "ndarray"):
        library = ArrayLibrary(cupy)
    else:
        library = NUMPY
        x, back = _numpys(name, x)
    device = library.device_of(x)
    if device != DEVICE:
        _refuse_device(name, device)
    return library, library.check(name, x), back


def _refuse_device(name: str, device: str) -> None:
    raise BufferError(
        f"{name} is on the device '{device}': must be on '{DEVICE}', for which this "
        "softmax_worklog was built"
    )


def _numpys(name: str, x: Any) -> tuple[Array, Callable[[Array], Array]]:
    """NumPy's array of an array-like, or of an array of a library that has DLPack, as JAX's."""
    if isinstance(x, numpy.ma.MaskedArray):
        raise TypeError(
            f"{name} is a MaskedArray, whose mask would be lost: pass {name}.data, and "
            f"where=~{name}.mask"
        )
    back = _itself
    if hasattr(x, "__array_namespace__") and not isinstance(x, (numpy.ndarray, numpy.generic)):
        namespace = x.__array_namespace__()
        if not hasattr(x, "__dlpack__"):
            _refuse(name, x)
        back = namespace.asarray
        _check_is_on_the_host(name, x)
        try:
            return numpy.from_dlpack(x), back
        except (BufferError, TypeError, RuntimeError):
            pass  # of bfloat16, which NumPy's DLPack does not know
    try:
        return numpy.asarray(x), back
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"{name} is no array, and cannot become one of NumPy: {error}") from error


def _check_is_on_the_host(name: str, x: Any) -> None:
    cpu = 1  # DLPack's number
    try:
        device = x.__dlpack_device__()[0]
    except Exception:
        _refuse(name, x)
    if device != cpu:
        _refuse_device(name, f"of DLPack's type {device}")


def _refuse(name: str, x: Any) -> None:
    raise TypeError(
        f"{name} is a {type(x).__module__}.{type(x).__qualname__} without memory of its own, as "
        "under jax.jit: must be an array"
    )
