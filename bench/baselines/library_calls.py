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
}
_TYPES = {torch.float32: 0, torch.bfloat16: 2}
_INT64_LABELS = 0
_MEAN = 2
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
    rows, cols = logits.shape
    shape = (ctypes.c_int64(rows), ctypes.c_int64(cols))
    dtype = ctypes.c_int(_TYPES[logits.dtype])
    workspace = _workspace(operation, dtype, shape, k)
    results, arguments = _arguments(operation, logits, other, shape, k)
    function = getattr(LIBRARY, f"softmax_worklog_{operation}")
    given = (ctypes.c_void_p(workspace.data_ptr()), ctypes.c_size_t(workspace.numel()))

    def launch() -> None:
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        _require(function(dtype, *arguments, *given, stream))

    launch.arrays = (logits, other, workspace, results)  # which must live as long
    return launch


def _arguments(operation, logits, other, shape, k) -> tuple[list[torch.Tensor], list]:
    """The results, and what is passed between the type and the workspace."""
    if operation == "top_k":
        rows = logits.shape[0]
        values = torch.empty(rows, k, device="cuda")
        indices = torch.empty(rows, k, device="cuda", dtype=torch.int64)
        arrays = [_address(array) for array in (logits, values, indices)]
        return [values, indices], [*arrays, *shape, ctypes.c_int(k)]
    results = torch.empty_like(logits)
    if operation == "softmax_backward":
        return [results], [*map(_address, (logits, other, results)), *shape]
    if operation == "cross_entropy":
        loss = torch.empty(1, device="cuda")
        options = _CrossEntropyOptions(_IGNORE_INDEX, 0.0, 0.0, _MEAN)
        labels = [_address(other), ctypes.c_int(_INT64_LABELS)]
        outputs = [None, _address(loss), _address(results)]  # no loss of each row
        return [results, loss], [
            _address(logits),
            *labels,
            *outputs,
            *shape,
            ctypes.byref(options),
        ]
    return [results], [_address(logits), _address(results), *shape]


def _workspace(operation: str, dtype: ctypes.c_int, shape: tuple, k: int) -> torch.Tensor:
    size = ctypes.c_size_t()
    asked = (ctypes.c_int(_OPERATIONS[operation]), dtype, *shape, ctypes.c_int(k))
    _require(LIBRARY.softmax_worklog_workspace_bytes(*asked, ctypes.byref(size)))
    return torch.empty(max(1, size.value), dtype=torch.uint8, device="cuda")


def _address(array: torch.Tensor) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.data_ptr())


def _require(status: int) -> None:
    if status != 0:
        raise RuntimeError(LIBRARY.softmax_worklog_last_error().decode())
