"""As much of PyTorch as bench/baselines calls, on a GPU that takes 10 microseconds for anything,
also for a graph of many launches.

Softmax of 100 columns fails, as a kernel may at one shape.
"""

import math
from contextlib import nullcontext
from types import SimpleNamespace

__version__ = "0.fake"
version = SimpleNamespace(cuda="0.0")
float32, float16, bfloat16, int32 = "f32", "f16", "bf16", "i32"
int64, uint8 = "i64", "u8"


class Tensor:
    def __init__(self, *shape, dtype=bfloat16):
        self.shape = shape
        self.dtype = dtype

    def __mul__(self, _):
        return self

    mul_ = __add__ = __mul__

    def view(self, *shape):
        assert math.prod(shape) == math.prod(self.shape)
        return Tensor(*shape)

    def clone(self):
        return Tensor(*self.shape)

    def __matmul__(self, other):
        assert self.shape[1] == other.shape[0]
        return Tensor(self.shape[0], other.shape[1])

    @property
    def T(self):
        return Tensor(*reversed(self.shape))

    def numel(self):
        return math.prod(self.shape)

    def data_ptr(self):
        return id(self)

    def unsqueeze(self, dim):
        assert dim == 0
        return Tensor(1, *self.shape)

    def requires_grad_(self):
        self.requires_grad = True
        return self


class _Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        pass

    def query(self):
        return False  # not reached yet: the host was in time

    def elapsed_time(self, _end):
        return 0.010


def softmax(x, _dim, out=None):
    if x.shape[1] == 100:
        raise RuntimeError("CUDA error: out of patience\nand a second line")
    return out or x


def randn(rows, cols, dtype=float32, **_):
    return Tensor(rows, cols, dtype=dtype)


def ones(count, dtype, **_):
    return Tensor(count, dtype=dtype)


def empty(*shape, dtype=float32, **_):
    return Tensor(*shape, dtype=dtype)


def zeros(count, **_):
    return Tensor(count)


def full(shape, _value, **_):
    return Tensor(*shape)


def triu(x, diagonal):
    assert diagonal == 1  # a query sees its own column
    return x


def empty_like(x):
    return x


def amax(_x):
    pass


def topk(x, k):
    return Tensor(x.shape[0], k)


def _backward_data(dy, y, dim, dtype):
    assert (dy.shape, dim, dtype) == (y.shape, -1, y.dtype)
    return y


def randint(_high, shape, **_):
    return Tensor(*shape)


def _cross_entropy(x, labels, reduction="mean"):
    assert labels.shape == x.shape[:1]
    return Tensor(*(x.shape[:1] if reduction == "none" else ()), dtype=x.dtype)


def _attention(queries, keys, values):
    assert queries.shape[:2] == keys.shape[:2] == (1, 1)
    assert keys.shape == values.shape
    return queries


def _grad(loss, x, grad_outputs=None):
    assert x.requires_grad
    if grad_outputs is None:
        assert loss.shape == ()  # of many losses PyTorch asks which gradients they have
    else:
        assert (grad_outputs.shape, grad_outputs.dtype) == (loss.shape, loss.dtype)
    return (x,)


def compile(function, dynamic):
    assert not dynamic
    return function


log_softmax = softmax
nn = SimpleNamespace(
    functional=SimpleNamespace(
        cross_entropy=_cross_entropy, scaled_dot_product_attention=_attention
    )
)
autograd = SimpleNamespace(grad=_grad)
ops = SimpleNamespace(
    aten=SimpleNamespace(
        _softmax_backward_data=_backward_data, _log_softmax_backward_data=_backward_data
    )
)
compiler = SimpleNamespace(reset=lambda: None)
cuda = SimpleNamespace(
    is_available=lambda: True,
    get_device_properties=lambda _: SimpleNamespace(
        name="a GPU", multi_processor_count=2, L2_cache_size=1 << 20
    ),
    Event=_Event,
    CUDAGraph=lambda: SimpleNamespace(replay=lambda: None),
    graph=lambda _: nullcontext(),
    synchronize=lambda: None,
    empty_cache=lambda: None,
    current_stream=lambda: SimpleNamespace(cuda_stream=0),
)
