"""Every step of the worklog as a function on arrays.

    >>> import numpy, softmax_worklog
    >>> softmax_worklog.softmax(numpy.array([[1, 2, 3]], dtype=numpy.float32))
    >>> softmax_worklog.counts()["global_load_elements"]

The module is built for one machine: the CPU executor, which takes NumPy's arrays (and PyTorch's on
the CPU) and counts what the kernels do, or NVIDIA GPUs, whose arrays are CuPy's and PyTorch's.
Arrays are handed over by DLPack and never copied. All functions work over the last axis of
C-contiguous arrays of float32, float16 or bfloat16 (in NumPy: ml_dtypes.bfloat16); arithmetic is in
float32 throughout. A GPU's work is put on the caller's current stream, and not waited for.

`step` chooses who does it: 5, '05' or '05_warp_shuffle', with '/' and a variant's name behind where
a variant is meant, such as '05_warp_shuffle/safe'. None is the step that takes the array and was
the fastest at the nearest shape in the recorded run on a GPU (docs/pages/python.md says how near is
measured).
"""

from importlib.metadata import version

from ._arguments import check_k
from ._arrays import Array, check_array, empty_like, exported, stream_of
from ._choice import find_step
from ._core import Step, counts, machine, run, steps

__all__ = ["Step", "counts", "log_softmax", "machine", "softmax", "steps", "topk"]
__version__ = version("softmax-worklog")


def softmax(x: Array, step: int | str | None = None) -> Array:
    """Probabilities along the last axis of x: exp(x - max) / sum(exp(x - max)).

    Returns a new array like x. A row with a NaN or +inf, or of -inf alone, is NaN throughout.

    Raises TypeError for another type of array, element or step; ValueError for 0 dimensions, an
    array that is not C-contiguous, and a step that does not exist, does not compute this or does
    not take so many rows; BufferError for an array on the wrong device; MemoryError and
    RuntimeError for what the device refuses.
    """
    return _columns("softmax", x, step)


def log_softmax(x: Array, step: int | str | None = None) -> Array:
    """Logarithms of the probabilities along the last axis of x: x - log(sum(exp(x))).

    Returns a new array like x. Rows and errors are as for softmax.
    """
    return _columns("log_softmax", x, step)


def topk(x: Array, k: int, step: int | str | None = None) -> tuple[Array, Array]:
    """The k largest probabilities along the last axis of x, and where they are.

    Returns (values, indices) of the shape of x but for the last axis, which has k elements: values
    in float32, descending, and indices in int64; of equal values the lowest index comes first. The
    values of a row with a NaN or +inf, or of -inf alone, are all NaN.

    Raises what softmax does; TypeError for a k that is no integer, ValueError for one below 1,
    above the last axis' length, or above 2048, or above 128 in a row of more columns than the step
    for a larger k takes.
    """
    dtype = check_array(x)
    k = check_k(k, x.shape[-1])
    chosen = find_step("topk", step, dtype, x.shape, k)
    shape = (*x.shape[:-1], k)
    values = empty_like(x, shape, "float32")
    indices = empty_like(x, shape, "int64")
    run(chosen, dtype, exported(x), None, values, indices, k, stream_of(x))
    return values, indices


def _columns(operation: str, x: Array, step: int | str | None) -> Array:
    dtype = check_array(x)
    chosen = find_step(operation, step, dtype, x.shape)
    result = empty_like(x, x.shape)
    run(chosen, dtype, exported(x), exported(result), None, None, 0, stream_of(x))
    return result
