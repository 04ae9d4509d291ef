"""FlashInfer's softmax: its kernels from its header, without the packages that its Python wants.

bench/library_on_gpu.sh compiles flashinfer_softmax.cu, and says in FLASHINFER_SOFTMAX where the
shared library is, and in FLASHINFER_VERSION of which FlashInfer.
"""

import ctypes
import os

import torch
from sampling import Work

WORKSPACE_BYTES = 1 << 20  # as flashinfer.sampling.softmax has it


def _library() -> tuple[ctypes.CDLL | None, str]:
    path = os.environ.get("FLASHINFER_SOFTMAX")
    if not path:
        return None, "not there: FLASHINFER_SOFTMAX names no shared library"
    try:
        return ctypes.CDLL(path), os.environ.get("FLASHINFER_VERSION", "of an unknown version")
    except OSError as error:
        return None, f"cannot be loaded: {error}"


LIBRARY, VERSION = _library()


def work(logits: torch.Tensor, temperature: float = 1.0) -> Work:
    """Softmax of each row of a contiguous matrix of fp32 on the GPU, divided by a temperature."""
    output = torch.empty_like(logits)
    workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cuda")
    rows, cols = logits.shape
    addresses = [ctypes.c_void_p(array.data_ptr()) for array in (logits, output, workspace)]

    def launch() -> None:
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        code = LIBRARY.flashinfer_softmax(
            *addresses[:2],
            ctypes.c_uint(rows),
            ctypes.c_uint(cols),
            ctypes.c_float(temperature),
            addresses[2],
            ctypes.c_size_t(WORKSPACE_BYTES),
            stream,
        )
        if code != 0:
            raise RuntimeError(f"FlashInfer: cudaError_t {code}")

    launch.arrays = (logits, output, workspace)  # which must live as long
    return launch
