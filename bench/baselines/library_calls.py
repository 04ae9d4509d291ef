"""The library through its C interface, so that its kernels are timed in the peers' own program.

WORKLOG_LIBRARY says where the shared library is that bench/CMakeLists.txt makes of it
(worklog_library_module). What a call costs the host is not part of these times.
"""

import ctypes
import os

import torch
from sampling import Work

_OPERATIONS = {
    "softmax": 0,
    "log_softmax": 1,
    "top_k": 2,
    "softmax_backward": 3,
    "cross_entropy": 5,
    "cross_entropy_rows": 5,
}
_FUNCTIONS = {"cross_entropy_rows": "cross_entropy"}  # where it is not called as the operation
_TYPES = {torch.float32: 0, torch.bfloat16: 2}
_INT64_LABELS = 0
_NO_REDUCTION, _MEAN = 0, 2
_IGNORE_INDEX = -100


class _CrossEntropyOptions(ctypes.Structure):
    _fields_ = [
        ("ignore_index", ctypes.c_int64),
        ("label_smoothing", ctypes.c_float),
        ("z_loss", ctypes.c_float),
        ("reduction", ctypes.c_int),
    ]


def _library() -> tuple[ctypes.CDLL | None, str]:
    path = os.environ.get("WORKLOG_LIBRARY")
    if not path:
        return None, "not there: WORKLOG_LIBRARY names no shared library"
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        return None, f"cannot be loaded: {error}"
    library.softmax_worklog_last_error.restype = ctypes.c_char_p
    return library, "of this repository"


LIBRARY, VERSION = _library()


def work(operation: str, logits: torch.Tensor, other: torch.Tensor | None, k: int) -> Work:
    """Of contiguous arrays on the GPU. `other`: a backward pass's gradients, whose probabilities
    `logits` then are, or a cross-entropy's labels of 64 bits."""
    dtype, shape = type_of(logits), shape_of(logits)
    given, workspace = workspace_for(operation, logits, k)
    results, arguments = _arguments(operation, logits, other, shape, k)
    arrays = (logits, other, workspace, results)
    return launch_of(_FUNCTIONS.get(operation, operation), [dtype, *arguments, *given], arrays)


def launch_of(function: str, arguments: list, arrays: tuple) -> Work:
    """A call of the C interface on PyTorch's stream, with all but that; `arrays` live as long."""
    called = getattr(LIBRARY, f"softmax_worklog_{function}")

    def launch() -> None:
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        _require(called(*arguments, stream))

    launch.arrays = arrays
    return launch


def type_of(array: torch.Tensor) -> ctypes.c_int:
    return ctypes.c_int(_TYPES[array.dtype])


def shape_of(array: torch.Tensor) -> tuple[ctypes.c_int64, ctypes.c_int64]:
    """Rows, and columns."""
    rows, cols = array.shape
    return ctypes.c_int64(rows), ctypes.c_int64(cols)


def _arguments(operation, logits, other, shape, k) -> tuple[list[torch.Tensor], list]:
    """The results, and what is passed between the type and the workspace."""
    if operation == "top_k":
        rows = logits.shape[0]
        values = torch.empty(rows, k, device="cuda")
        indices = torch.empty(rows, k, device="cuda", dtype=torch.int64)
        arrays = [address_of(array) for array in (logits, values, indices)]
        return [values, indices], [*arrays, *shape, ctypes.c_int(k)]
    results = torch.empty_like(logits)
    if operation == "softmax_backward":
        return [results], [*map(address_of, (logits, other, results)), *shape]
    if operation == "cross_entropy":
        return mean_loss(logits, other)
    if operation == "cross_entropy_rows":
        return losses_of_rows(logits, other)
    return [results], [address_of(logits), address_of(results), *shape]


def mean_loss(logits: torch.Tensor, labels: torch.Tensor) -> tuple[list[torch.Tensor], list]:
    """The results of a mean cross-entropy and its gradients, and the arguments up to its options.
    No loss of each row."""
    loss = torch.empty(1, device="cuda")
    return _cross_entropy(logits, labels, loss, [None, address_of(loss)], _MEAN)


def losses_of_rows(logits: torch.Tensor, labels: torch.Tensor) -> tuple[list[torch.Tensor], list]:
    """The same of each row's loss and the gradients by these. No sum or mean of the losses."""
    losses = torch.empty(logits.shape[0], device="cuda")
    return _cross_entropy(logits, labels, losses, [address_of(losses), None], _NO_REDUCTION)


def _cross_entropy(logits, labels, loss, of_losses, reduction) -> tuple[list[torch.Tensor], list]:
    """`of_losses`: where each row's goes, and where their mean."""
    gradients = torch.empty_like(logits)
    options = _CrossEntropyOptions(_IGNORE_INDEX, 0.0, 0.0, reduction)
    asked = [address_of(labels), ctypes.c_int(_INT64_LABELS)]
    outputs = [*of_losses, address_of(gradients)]
    shape = shape_of(logits)
    return [gradients, loss], [
        address_of(logits), *asked, *outputs, *shape, ctypes.byref(options)
    ]  # fmt: skip


def workspace_for(operation: str, logits: torch.Tensor, k: int) -> tuple[list, torch.Tensor]:
    """A workspace as two arguments, and what holds it."""
    size = ctypes.c_size_t()
    asked = (ctypes.c_int(_OPERATIONS[operation]), type_of(logits), *shape_of(logits))
    _require(LIBRARY.softmax_worklog_workspace_bytes(*asked, ctypes.c_int(k), ctypes.byref(size)))
    workspace = torch.empty(max(1, size.value), dtype=torch.uint8, device="cuda")
    return [address_of(workspace), ctypes.c_size_t(workspace.numel())], workspace


def address_of(array: torch.Tensor) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.data_ptr())


def _require(status: int) -> None:
    if status != 0:
        raise RuntimeError(LIBRARY.softmax_worklog_last_error().decode())
