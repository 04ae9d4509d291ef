"""Calls at a tensor's address, for PyTorch: without its dispatcher, DLPack and checks one by one.

A kernel's launch costs the host some microseconds, an operator in Python many times that. So where
a tensor is what kernels take as it lies (`is_plain`), and nothing watches the call (`is_watched`),
a result is allocated and the core called with numbers. The functions take a plain tensor first, and
give None where they do not serve the rest. A ValueError is the library's, for a shape that it does
not take. Then operators compute it, or refuse it in their words. Gradients are the caller's matter.

Each look at a tensor is a call of PyTorch's that takes some dozens of nanoseconds, as does a call
in Python: so names are bound once, and looks are in one place.
"""

from typing import Any

import torch as _torch  # type: ignore[import-not-found, unused-ignore]

from . import _core
from ._arguments import check_labels

# Its types are checked neither where it is installed nor where it is not.
torch: Any = _torch
Tensor = Any

_C = torch._C
_TENSOR = torch.Tensor
_empty_like = torch.empty_like
_forward_ad = torch.autograd.forward_ad
_has_storage = _C._has_storage
_is_compiling = torch.compiler.is_compiling
_is_transformed = _C._are_functorch_transforms_active
_dispatch_modes = _C._len_torch_dispatch_stack
_function_modes = _C._len_torch_function_stack
_tracing_state = _C._get_tracing_state
# Of the backward pass that is under way. Before PyTorch could tell, every graph counts as kept.
_keeps_graph: Any = getattr(_C._autograd, "_get_current_graph_task_keep_graph", lambda: True)
_saving_hooks: Any = getattr(_C._autograd, "_top_saved_tensors_default_hooks", None)
# Of any device: to ask for one takes twice as long.
is_any_autocast = _C._is_any_autocast_enabled
_ON_GPU = _core.DEVICE == "cuda"
_is_captured: Any = torch.cuda.is_current_stream_capturing if _ON_GPU else lambda: False
# PyTorch for the CPU has none.
_current_stream: Any = getattr(_C, "_cuda_getCurrentRawStream", None)
_FLOAT16 = torch.float16
# The library's numbers.
SUM, _MEAN = 1, 2
_DTYPES = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2}
# From PyTorch 2.10 on, the core looks at tensors itself.
_EXCHANGE = getattr(_TENSOR, "__dlpack_c_exchange_api__", None)
_HAS_EXCHANGE = _EXCHANGE is not None and _core.set_tensor_exchange(
    _TENSOR, _EXCHANGE, _empty_like, torch.float32, torch.uint8
)
_OPERATIONS = {
    "softmax": 0,
    "log_softmax": 1,
    "softmax_backward": 3,
    "log_softmax_backward": 4,
    "cross_entropy": 5,
}


def is_watched() -> bool:
    """Whether anybody has to learn of a call: who traces, transforms or intercepts operators."""
    return (
        _is_compiling()
        or _is_transformed()
        or _dispatch_modes() > 0
        or _function_modes() > 0
        or _forward_ad._current_level >= 0
        or _tracing_state() is not None
    )


def is_plain(x: Any) -> bool:
    """Whether kernels can take a tensor by its address: one with rows, of elements that lie in
    memory as they are. What a subclass means is its own matter. No storage have sparse tensors, and
    the layers of torch.func and of batched gradients; no address has what is empty."""
    if _HAS_EXCHANGE:
        return _core.is_plain_tensor(x)
    return (
        type(x) is _TENSOR
        and x.dtype in _DTYPES
        and (x.is_cuda if _ON_GPU else x.is_cpu)
        and _has_storage(x)
        and not x.is_nested
        and x.is_contiguous()
        and not x.is_neg()
        and x.dim() > 0
        and x.data_ptr() != 0
    )


def are_labels(labels: Any, x: Tensor) -> bool:
    """Whether kernels can take them for the rows of a tensor that is plain."""
    return (
        type(labels) is _TENSOR
        and labels.dtype is torch.int64
        and (labels.is_cuda if _ON_GPU else labels.is_cpu)
        and _has_storage(labels)
        and not labels.is_nested
        and labels.is_contiguous()
        and labels.get_device() == x.get_device()
        and labels.shape == x.shape[:-1]
    )


def _place(x: Tensor) -> tuple[int, int]:
    """A tensor's GPU, and the stream on which the caller works with it: its handle alone, since an
    object of torch.cuda costs more than all else here."""
    if not _ON_GPU:
        return 0, 0
    device = x.get_device()
    return device, _current_stream(device)


def columns(operation: str) -> Any:
    """The function for softmax or log_softmax, which gives None for what is not plain, too."""
    number = _OPERATIONS[operation]

    def launched(x: Tensor) -> Tensor | None:
        if _HAS_EXCHANGE:
            return _core.columns_of(number, x, None)
        return _launch_columns(number, x, None) if is_plain(x) else None

    return launched


def backward(operation: str) -> Any:
    """The function for the gradient of either."""
    number = _OPERATIONS[operation]

    def launched(y: Tensor, dy: Tensor) -> Tensor | None:
        if type(dy) is _TENSOR and _has_storage(dy) and not dy.is_nested:
            dy = dy.contiguous()  # a sum's gradient is one number for all
        if _HAS_EXCHANGE:
            return _core.columns_of(number, y, dy)
        are_plain = is_plain(dy) and _are_alike(y, dy)
        return _launch_columns(number, y, dy) if are_plain else None

    return launched


def _are_alike(x: Tensor, other: Tensor) -> bool:
    return bool(
        x.dtype is other.dtype and x.shape == other.shape and x.get_device() == other.get_device()
    )


def _launch_columns(number: int, x: Tensor, gradients: Tensor | None) -> Tensor:
    """Of plain tensors, which the core does not look at."""
    result = _empty_like(x)
    cols = x.size(-1)
    _core.columns_at(
        number,
        _DTYPES[x.dtype],
        x.data_ptr(),
        0 if gradients is None else gradients.data_ptr(),
        result.data_ptr(),
        x.numel() // cols,
        cols,
        *_place(x),
    )
    return result


def topk(x: Tensor, k: int, largest: bool, probabilities: bool) -> tuple[Tensor, Tensor] | None:
    """The k largest probabilities: for others rows may have to be sorted."""
    cols = x.shape[-1]
    if not (largest and probabilities and 1 <= k <= min(cols, _core.MAX_K)):
        return None
    shape = (*x.shape[:-1], k)
    values = x.new_empty(shape, dtype=torch.float32)
    indices = x.new_empty(shape, dtype=torch.int64)
    _core.topk_at(
        _DTYPES[x.dtype],
        x.data_ptr(),
        values.data_ptr(),
        indices.data_ptr(),
        x.numel() // cols,
        cols,
        k,
        *_place(x),
    )
    return values, indices


def cross_entropy(
    x: Tensor, labels: Tensor, ignore_index: int, label_smoothing: float, reduction: int
) -> tuple[Tensor, Tensor] | None:
    """As the operator gives it."""
    divides = divides_later(x, reduction)
    options = (ignore_index, label_smoothing, SUM if divides else reduction)
    results = loss_with_gradients(x, labels, *options)
    if results is None or not divides:
        return results
    loss, gradients = results
    return loss / rows_that_count(labels, ignore_index), gradients


def loss_with_gradients(
    x: Tensor, labels: Tensor, ignore_index: int, label_smoothing: float, reduction: int
) -> tuple[Tensor, Tensor] | None:
    """As the library gives them. None for what is not plain, too, for labels that are none, and
    where the host sees one of them that names no class."""
    if _HAS_EXCHANGE:
        return _core.cross_entropy_of(x, labels, ignore_index, label_smoothing, reduction)
    if not is_plain(x) or not are_labels(labels, x):
        return None
    if not _ON_GPU:
        check_labels(labels, x.shape[-1], ignore_index)
    loss = x.new_empty(() if reduction else labels.shape, dtype=torch.float32)
    gradients = _empty_like(x)
    # Nobody asks for the losses of a sum or mean, which the library keeps in its workspace.
    losses, one = (0, loss.data_ptr()) if reduction else (loss.data_ptr(), 0)
    at = gradients.data_ptr()
    _launch_loss(x, labels, losses, one, at, ignore_index, label_smoothing, reduction)
    return loss, gradients


def saves_alone() -> bool:
    """Whether nobody else gets to see what is saved for a backward pass from here on."""
    return _saving_hooks is not None and _saving_hooks(True) is None


def is_used_up(weights: Tensor) -> bool:
    """Whether a backward pass, given these, is the last to need what was saved alone for it: its
    result may lie there, which takes no memory of its own. Many weights at once have no storage,
    and a CUDA graph may be replayed."""
    is_usual = type(weights) is _TENSOR and _has_storage(weights)
    return is_usual and not _keeps_graph() and not is_watched() and not _is_captured()


def divides_later(x: Tensor, reduction: int) -> bool:
    """Whether the gradients of a mean are stored as those of the sum, and divided by the number of
    rows in a backward pass: there a scaled loss has made them large. Most of what is divided before
    is too small for float16."""
    return reduction == _MEAN and x.dtype is _FLOAT16


def rows_that_count(labels: Tensor, ignore_index: int) -> Tensor:
    """How many they are."""
    return (labels != ignore_index).sum()


def cross_entropy_loss(x: Tensor, labels: Tensor, ignore_index: int) -> Tensor | None:
    """The losses of all rows alone."""
    if not is_plain(x) or not are_labels(labels, x):
        return None
    if not _ON_GPU:
        check_labels(labels, x.shape[-1], ignore_index)
    losses = x.new_empty(labels.shape, dtype=torch.float32)
    _launch_loss(x, labels, losses.data_ptr(), 0, 0, ignore_index, 0.0, 0)
    return losses.masked_fill_(labels == ignore_index, 0.0)


def _launch_loss(
    x: Tensor,
    labels: Tensor,
    losses: int,
    loss: int,
    gradients: int,
    ignore_index: int,
    label_smoothing: float,
    reduction: int,
) -> None:
    dtype, cols = _DTYPES[x.dtype], x.shape[-1]
    rows = x.numel() // cols
    device, stream = _place(x)
    workspace = _workspace(x, dtype, rows, cols, device) if gradients else None
    _core.cross_entropy_at(
        dtype,
        x.data_ptr(),
        labels.data_ptr(),
        losses,
        loss,
        gradients,
        rows,
        cols,
        ignore_index,
        label_smoothing,
        reduction,
        0 if workspace is None else workspace.data_ptr(),
        0 if workspace is None else workspace.numel(),
        device,
        stream,
    )


def _workspace(x: Tensor, dtype: int, rows: int, cols: int, device: int) -> Tensor | None:
    """What a cross-entropy with gradients keeps on the GPU until it is done, from the memory that
    PyTorch has at hand: the next tensor on the stream may have it. To ask CUDA takes longer."""
    if not _ON_GPU:
        return None
    size = _core.workspace_bytes(_OPERATIONS["cross_entropy"], dtype, rows, cols, device)
    return x.new_empty(size, dtype=torch.uint8)
