"""PyTorch's tensors: on the CPU where the module was built for the executor, else on a GPU.

PyTorch is not among the pinned packages: without it these are skipped.
"""

import numpy
import pytest

import softmax_worklog as sw
from softmax_worklog._core import DEVICE

torch = pytest.importorskip("torch")
if DEVICE == "cuda" and not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

OTHER_DEVICE = "cpu" if DEVICE == "cuda" else "meta"
DTYPES = {torch.float32: 1e-5, torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7}
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def logits(shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    return (3 * torch.randn(shape, generator=generator)).to(dtype).to(DEVICE)


def assert_close(y, expected, relative):
    assert torch.allclose(y.double(), expected, rtol=relative, atol=relative * 1e-4)


@each_dtype
@pytest.mark.parametrize("step", [None, *range(1, 7)])
@pytest.mark.parametrize("shape", [(7,), (33, 100), (2, 3, 1000)])
def test_softmax(dtype, step, shape):
    x = logits(shape, dtype)
    y = sw.softmax(x, step)
    assert isinstance(y, torch.Tensor)
    assert (y.dtype, y.device, y.shape) == (x.dtype, x.device, x.shape)
    assert_close(y, torch.softmax(x.double(), -1), DTYPES[dtype] * (4 if step == 1 else 1))


@each_dtype
def test_log_softmax(dtype):
    x = logits((5, 1000), dtype)
    assert_close(sw.log_softmax(x), torch.log_softmax(x.double(), -1), DTYPES[dtype])


def test_long_rows():
    x = logits((1, 1 << 20))
    for step in (9, 10, 11, None):
        assert_close(sw.softmax(x, step), torch.softmax(x.double(), -1), 1e-5)


@each_dtype
def test_topk(dtype):
    x = logits((5, 1000), dtype)
    values, indices = sw.topk(x, 4)
    assert (values.dtype, indices.dtype) == (torch.float32, torch.int64)
    assert values.device == indices.device == x.device
    expected = torch.softmax(x.double(), -1)
    assert_close(values, torch.gather(expected, -1, indices), 1e-5)
    assert torch.equal(x.gather(-1, indices), x.topk(4).values)


def test_empty():
    assert sw.softmax(logits((0, 5))).shape == (0, 5)
    assert sw.softmax(logits((5, 0))).shape == (5, 0)


def test_errors():
    with pytest.raises(TypeError, match="elements of float64"):
        sw.softmax(logits((2, 3)).double())
    with pytest.raises(ValueError, match=r"strides \(1, 3\) for its shape \(3, 2\)"):
        sw.softmax(logits((2, 3)).T)
    with pytest.raises(BufferError, match=f"on the device '{OTHER_DEVICE}': must be on '{DEVICE}'"):
        sw.softmax(torch.zeros((2, 3), device=OTHER_DEVICE))
    with pytest.raises(BufferError, match="grad"):
        sw.softmax(logits((2, 3)).requires_grad_())
    with pytest.raises(ValueError, match="k = 4: must be at most 3"):
        sw.topk(logits((2, 3)), 4)


@pytest.mark.skipif(DEVICE != "cuda", reason="needs the module built for a GPU")
class TestOnAGpu:
    def test_numpys_arrays_are_on_the_wrong_device(self):
        with pytest.raises(BufferError, match="'cpu': must be on 'cuda'"):
            sw.softmax(numpy.zeros((2, 3), numpy.float32))

    def test_nothing_is_counted(self):
        sw.softmax(logits((2, 3)))
        with pytest.raises(RuntimeError, match="a GPU counts nothing by itself"):
            sw.counts()

    def test_is_named(self):
        assert sw.machine() == torch.cuda.get_device_name()

    def test_runs_on_the_current_stream(self):
        """It waits for what this stream does before, and what comes after waits for it."""
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            x = logits((2000, 2000))
            for _ in range(20):
                x = sw.softmax(x * 1.5)
        stream.synchronize()
        y = logits((2000, 2000))
        for _ in range(20):
            y = torch.softmax(y * 1.5, -1)
        assert torch.allclose(x, y, rtol=1e-4)

    def test_scratch_of_many_calls_in_a_row(self):
        x = logits((200, 1000))
        expected = sw.softmax(x, 6)
        results = [sw.softmax(x, 1) for _ in range(100)]
        assert all(torch.allclose(y, expected, rtol=1e-5) for y in results)

    def test_cupy(self):
        cupy = pytest.importorskip("cupy")
        x = cupy.asarray(numpy.random.default_rng(0).normal(size=(5, 100)).astype(numpy.float32))
        y = sw.softmax(x)
        assert isinstance(y, cupy.ndarray)
        expected = cupy.exp(x) / cupy.exp(x).sum(axis=1, keepdims=True)
        assert cupy.allclose(y, expected, rtol=1e-5)
        values, indices = sw.topk(x, 3)
        assert (values.dtype, indices.dtype) == (numpy.float32, numpy.int64)
        with pytest.raises(ValueError, match="C-contiguous"):
            sw.softmax(x.T)
