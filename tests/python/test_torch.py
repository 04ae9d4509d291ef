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
    y = sw.softmax(x, step=step)
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
        assert_close(sw.softmax(x, step=step), torch.softmax(x.double(), -1), 1e-5)


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


def test_doubles_integers_and_axes():
    x = logits((3, 4, 5))
    for dtype in (torch.float64, torch.int64, torch.uint8):
        y = sw.softmax(x.to(dtype), 1)
        assert y.dtype == torch.float64
        assert_close(y, torch.softmax(x.to(dtype).double(), 1), 1e-12)
    assert_close(sw.softmax(x, None).reshape(-1), torch.softmax(x.double().reshape(-1), 0), 1e-5)
    assert_close(sw.softmax(x.mT, dim=0), torch.softmax(x.mT.double(), 0), 1e-5)
    assert sw.softmax(x, dtype=torch.bfloat16).dtype == torch.bfloat16
    assert sw.softmax(torch.tensor(2.0, device=DEVICE)) == 1


def test_out_and_where():
    x = logits((3, 40))
    out = torch.empty_like(x)
    assert sw.softmax(x, out=out) is out
    assert_close(out, torch.softmax(x.double(), -1), 1e-5)
    y = sw.softmax(x, where=x > 0)
    expected = torch.softmax(x.double().masked_fill(x <= 0, -float("inf")), -1)
    assert_close(y, expected, 1e-5)
    values, indices = sw.topk(x, 3, largest=False, probabilities=False)
    assert torch.equal(values, x.topk(3, largest=False).values)
    assert torch.equal(values, x.gather(-1, indices))


@pytest.mark.parametrize("function", [sw.softmax, sw.log_softmax, lambda x: sw.topk(x, 1)])
def test_a_tangent_is_not_dropped(function):
    x = logits((2, 3))
    with torch.autograd.forward_ad.dual_level():
        function(x)
        dual = torch.autograd.forward_ad.make_dual(x, x)
        with pytest.raises(BufferError, match=r"x has a tangent.*: pass x.detach\(\)"):
            function(dual)
        function(dual.detach())


def test_out_whose_elements_share_memory():
    with pytest.raises(ValueError, match="out has elements that share memory"):
        sw.softmax(logits((4, 6)), out=torch.zeros(1, 6).expand(4, 6))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.half])
def test_types_of_questions_about_steps(dtype):
    name = str(dtype).removeprefix("torch.")
    labels = [sw.step_for("softmax", 4000, 100_000, dtype=each).label for each in (dtype, name)]
    assert labels[0] == labels[1]
    step = next(step for step in sw.steps() if step.label == "18_topk_by_threshold")
    assert step.predicted_loads(2, 1000, 3, dtype) == step.predicted_loads(2, 1000, 3, name)
    assert step.predicted_stores(2, 1000, 3, dtype) == step.predicted_stores(2, 1000, 3, name)


def test_a_type_that_no_step_has():
    for dtype in (torch.float64, torch.int8):
        with pytest.raises(TypeError, match=f"dtype is {str(dtype).removeprefix('torch.')}: must"):
            sw.step_for("softmax", 1, 1, dtype=dtype)


def test_parameters_where_no_gradient_is_recorded():
    x = torch.nn.Parameter(logits((2, 3)))
    with torch.no_grad():
        assert not sw.softmax(x).requires_grad
    with pytest.raises(BufferError, match="x requires a gradient.*use softmax_worklog.torch"):
        sw.softmax(x)
    with pytest.raises(BufferError, match="out requires a gradient: must not"):
        sw.softmax(x.detach(), out=x)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_errors():
    x = logits((2, 3))
    with pytest.raises(TypeError, match="x has the layout torch.sparse_coo: must be strided"):
        sw.softmax(x.to_sparse())
    with pytest.raises(TypeError, match="x is a nested tensor: must not be"):
        sw.softmax(torch.nested.nested_tensor([x[0], x[1, :2]]))
    with pytest.raises(TypeError, match="x has elements of bool: must be one of"):
        sw.softmax(x > 0)
    with pytest.raises(BufferError, match=f"on the device '{OTHER_DEVICE}': must be on '{DEVICE}'"):
        sw.softmax(torch.zeros((2, 3), device=OTHER_DEVICE))
    with pytest.raises(TypeError, match=r"x is within vmap, grad or jvp of torch\.func"):
        torch.func.vmap(sw.softmax)(x)
    with pytest.raises(ValueError, match="k = 4: must be at most 3"):
        sw.topk(x, 4)


@pytest.mark.skipif(DEVICE != "cpu", reason="quantized tensors are the CPU's")
@pytest.mark.filterwarnings("ignore")
def test_quantized_tensors():
    x = torch.quantize_per_tensor(logits((2, 3)), 0.1, 0, torch.qint8)
    with pytest.raises(TypeError, match=r"x is quantized: must not be, as x.dequantize\(\)"):
        sw.softmax(x)


def test_what_is_only_said_to_be_a_tensor():
    with torch._subclasses.FakeTensorMode() as mode:
        x = mode.from_tensor(torch.zeros(2, 3, device=DEVICE))
        with pytest.raises(TypeError, match="x is a FakeTensor, without memory"):
            sw.softmax(x)


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
        expected = sw.softmax(x, step=6)
        results = [sw.softmax(x, step=1) for _ in range(100)]
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
        assert cupy.allclose(sw.softmax(x.T, 0).T, y)
