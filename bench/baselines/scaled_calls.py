"""Softmax of scale * x + mask and its kin: the library, which reads the logits as they are, beside
what PyTorch, torch.compile and FlashInfer do for the same results.

PyTorch has no such functions: what its users write makes an array of scaled logits first, as their
attention does where it keeps its scores. Causality is a mask there, and none is read here.
"""

import ctypes
import itertools
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import ClassVar

import flashinfer_softmax
import library_calls
import torch
from library_calls import address_of, launch_of, shape_of, type_of
from sampling import Work

LIBRARY, PLAIN = "library_with_peers", "library_unscaled"
SCALE = 0.125
K = 50
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
_STANDARD_DEVIATION = 3.0

# Rows of 577 and of 50257 columns begin at multiples of 16 bytes by chance alone.
_MATRICES = ((64, 512, 512), (64, 577, 577), (32, 1024, 1024), (16, 2048, 2048))
# Of each call: matrices, their rows and columns.
_SHAPES = {
    "scale": ((1, 64, 32000), (1, 512, 128256), (1, 4096, 50257), (1, 4096, 32000)),
    "mask": _MATRICES,
    "causal": _MATRICES,
    "top_k": (
        (1, 1, 128256),
        (1, 8, 128256),
        (1, 64, 50257),
        (1, 4096, 32000),
        (1, 32768, 256),
        (1, 4096, 4096),
    ),
    "cross_entropy": ((1, 4096, 32000), (1, 4096, 50257), (1, 4096, 128256)),
    "backward": _MATRICES,
}
# The same without a scale, which tells what scaling costs.
_UNSCALED = {"top_k": "top_k", "cross_entropy": "cross_entropy", "backward": "softmax_backward"}


@dataclass(frozen=True)
class ScaledCase:
    call: str
    dtype: str
    matrices: int
    rows: int
    cols: int
    cache: ClassVar[str] = "cold"

    @property
    def name(self) -> str:
        return f"{self.call}/{self.dtype}/{self.matrices}x{self.rows}x{self.cols}"

    @property
    def peers(self) -> tuple[str, ...]:
        """torch.compile takes seconds a shape, and has the last of each call."""
        peers = [LIBRARY, PLAIN, "pytorch"]
        if (self.call, self.dtype) == ("scale", "f32"):
            peers.append("flashinfer")
        if (self.matrices, self.rows, self.cols) == _SHAPES[self.call][-1]:
            peers.append("torch_compile")
        return tuple(peers)

    def row(self, by: str, result: dict) -> dict:
        return {"by": by} | asdict(self) | result


def cases() -> Iterator[ScaledCase]:
    for call, shapes in _SHAPES.items():
        for shape, dtype in itertools.product(shapes, DTYPES):
            yield ScaledCase(call, dtype, *shape)


@dataclass(frozen=True)
class _Inputs:
    """Matrices one below the other, and what else the call has."""

    logits: torch.Tensor
    other: torch.Tensor | None  # a mask, labels, or the gradients by the probabilities
    matrices: int


def work(case: ScaledCase, by: str) -> Work:
    """On logits of its own."""
    inputs = _inputs(case)
    if by == LIBRARY:
        return _OF_LIBRARY[case.call](inputs)
    if by == PLAIN:
        operation = _UNSCALED.get(case.call, "softmax")
        other = inputs.other if case.call in _UNSCALED else None
        return library_calls.work(operation, inputs.logits, other, K)
    if by == "flashinfer":
        return flashinfer_softmax.work(inputs.logits, 1.0 / SCALE)
    function, arguments = _of_pytorch(case.call, inputs)
    if by == "torch_compile":
        torch.compiler.reset()
        function = torch.compile(function, dynamic=False)
    if case.call != "cross_entropy":
        return lambda: function(*arguments)
    inputs.logits.requires_grad_()
    return lambda: torch.autograd.grad(function(*arguments), inputs.logits)


def _inputs(case: ScaledCase) -> _Inputs:
    dtype = DTYPES[case.dtype]
    rows = case.matrices * case.rows
    logits = torch.randn(rows, case.cols, device="cuda", dtype=dtype).mul_(_STANDARD_DEVIATION)
    other = None
    if case.call == "mask":
        other = torch.randn(case.rows, case.cols, device="cuda", dtype=dtype)
    elif case.call == "causal":
        hidden = torch.full((case.rows, case.cols), float("-inf"), device="cuda", dtype=dtype)
        other = torch.triu(hidden, 1)
    elif case.call == "cross_entropy":
        other = torch.randint(case.cols, (rows,), device="cuda")
    elif case.call == "backward":
        logits = torch.softmax(logits, -1)
        other = torch.randn(rows, case.cols, device="cuda", dtype=dtype)
    return _Inputs(logits, other, case.matrices)


# ---- PyTorch ----


def _of_pytorch(call: str, inputs: _Inputs) -> tuple[Callable, tuple]:
    """The function as its users would write it, and what it is called with."""
    x, other = inputs.logits, inputs.other
    if call == "scale":
        return lambda x: torch.softmax(x * SCALE, -1), (x,)
    if call in ("mask", "causal"):
        matrices = x.view(inputs.matrices, *other.shape)
        return lambda x, mask: torch.softmax(x * SCALE + mask, -1), (matrices, other)
    if call == "top_k":
        return lambda x: torch.topk(torch.softmax(x * SCALE, -1), K), (x,)
    if call == "cross_entropy":
        loss = torch.nn.functional.cross_entropy
        return lambda x, labels: loss(x * SCALE, labels), (x, other)
    gradient = torch.ops.aten._softmax_backward_data
    return lambda dy, y: gradient(dy, y, -1, y.dtype) * SCALE, (other, x)


# ---- the library, by its C interface ----


def _struct(name: str, integers: str) -> type[ctypes.Structure]:
    """One that begins with a scale, and has integers of 64 bits behind it."""
    fields = [("scale", ctypes.c_float)] + [(field, ctypes.c_int64) for field in integers.split()]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


_ScaleOptions = _struct(
    "_ScaleOptions",
    "logits_stride gradients_stride matrix_rows logits_matrix_stride gradients_matrix_stride",
)
_ScaleBackwardOptions = _struct(
    "_ScaleBackwardOptions", "results_stride gradients_stride logit_gradients_stride"
)


class _ScaleMaskOptions(ctypes.Structure):
    _fields_ = [
        ("scale", ctypes.c_float),
        ("mask", ctypes.c_void_p),
        ("mask_rows", ctypes.c_int64),
        ("mask_stride", ctypes.c_int64),
        ("mask_matrices", ctypes.c_int64),
        ("mask_matrix_rows", ctypes.c_int64),
        ("is_causal", ctypes.c_int),
        ("queries", ctypes.c_int64),
        ("causal_offset", ctypes.c_int64),
        ("logits_stride", ctypes.c_int64),
        ("results_stride", ctypes.c_int64),
    ]


def _softmax(inputs: _Inputs, **masking: object) -> Work:
    x = inputs.logits
    y = torch.empty_like(x)
    options = _ScaleMaskOptions(scale=SCALE, **masking)
    given = [type_of(x), address_of(x), type_of(y), address_of(y), *shape_of(x)]
    arrays = (x, y, inputs.other)
    return launch_of("scale_mask_softmax", [*given, ctypes.byref(options)], arrays)


def _masked(inputs: _Inputs) -> Work:
    return _softmax(inputs, mask=inputs.other.data_ptr(), mask_rows=inputs.other.shape[0])


def _causal(inputs: _Inputs) -> Work:
    return _softmax(inputs, is_causal=1, queries=inputs.other.shape[0])


def _top_k(inputs: _Inputs) -> Work:
    x = inputs.logits
    values = torch.empty(x.shape[0], K, device="cuda")
    indices = torch.empty(x.shape[0], K, device="cuda", dtype=torch.int64)
    workspace, memory = library_calls.workspace_for("top_k", x, K)
    arrays = (x, values, indices, memory)
    addresses = [address_of(array) for array in arrays[:3]]
    options = ctypes.byref(_ScaleOptions(scale=SCALE))
    given = [type_of(x), *addresses, *shape_of(x), ctypes.c_int(K), options]
    return launch_of("scale_top_k", [*given, *workspace], arrays)


def _cross_entropy(inputs: _Inputs) -> Work:
    x = inputs.logits
    results, arguments = library_calls.mean_loss(x, inputs.other)
    workspace, memory = library_calls.workspace_for("cross_entropy", x, 0)
    options = ctypes.byref(_ScaleOptions(scale=SCALE))
    given = [type_of(x), *arguments, options, *workspace]
    return launch_of("scale_cross_entropy", given, (x, inputs.other, results, memory))


def _backward(inputs: _Inputs) -> Work:
    y, dy = inputs.logits, inputs.other
    dx = torch.empty_like(y)
    options = ctypes.byref(_ScaleBackwardOptions(scale=SCALE))
    addresses = [address_of(y), address_of(dy), type_of(dx), address_of(dx)]
    given = [type_of(y), *addresses, *shape_of(y), options]
    return launch_of("scale_softmax_backward", given, (y, dy, dx))


_OF_LIBRARY = {
    "scale": _softmax,
    "mask": _masked,
    "causal": _causal,
    "top_k": _top_k,
    "cross_entropy": _cross_entropy,
    "backward": _backward,
}
