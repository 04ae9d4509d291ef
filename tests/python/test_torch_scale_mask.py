"""softmax_worklog.torch's scales, masks and types of results against PyTorch's own functions:
values, gradients, transformations.

PyTorch is not among the pinned packages: without it these are skipped.
"""

import pytest

from softmax_worklog._core import DEVICE

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if DEVICE == "cuda" and not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

import softmax_worklog  # noqa: E402
import softmax_worklog.torch as sw  # noqa: E402

theirs = torch.nn.functional
ops = torch.ops.softmax_worklog
each_of_two = pytest.mark.parametrize("name", ["softmax", "log_softmax"])
HALF_TYPES = [torch.float16, torch.bfloat16]


def randn(*shape, dtype=torch.float32, grad=False):
    generator = torch.Generator().manual_seed(sum(shape))
    x = (2 * torch.randn(shape, generator=generator)).to(dtype).to(DEVICE)
    return x.requires_grad_(grad)


def mask_of(*shape, dtype=torch.float32):
    """Of numbers, some of them -inf, but not a whole row."""
    mask = randn(*shape, dtype=dtype)
    mask = mask.masked_fill(mask > 1.5, -float("inf"))
    mask[..., 0] = 0.5
    return mask


def reference(name, x, dim=-1, dtype=None, scale=1.0, mask=None, is_causal=False, causal_offset=0):
    """As separate operators of PyTorch compute it."""
    z = x * scale
    if mask is not None:
        z = z + mask
    if is_causal:
        visible = torch.ones(x.shape[-2:], dtype=torch.bool, device=x.device).tril(causal_offset)
        z = z.masked_fill(~visible, -float("inf"))
    return getattr(theirs, name)(z, dim, dtype=dtype)


def results_of(function, x):
    """Values, and the gradient of a weighed sum of those that are finite."""
    x = x.detach().clone().requires_grad_()
    y = function(x)
    weights = torch.linspace(-1, 2, y.numel(), dtype=torch.float64, device=DEVICE)
    finite = torch.where(y.isfinite(), y, 0).double()
    (finite * weights.view(y.shape)).sum().backward()
    return y.detach(), x.grad


def assert_same(name, x, tolerance=1e-5, **given):
    mine, other = (
        results_of(function, x)
        for function in (
            lambda x: getattr(sw, name)(x, **{"dim": -1, **given}),
            lambda x: reference(name, x, **given),
        )
    )
    for one, expected in zip(mine, other, strict=True):
        torch.testing.assert_close(one, expected, rtol=tolerance, atol=tolerance)


CASES = {
    "scale": {"scale": 0.3},
    "negative scale": {"scale": -2},
    "mask": {"mask": mask_of(4, 6)},
    "mask of keys": {"mask": mask_of(2, 1, 1, 6)},
    "mask of each sequence's queries": {"mask": mask_of(2, 1, 4, 6)},
    "mask of heads": {"mask": mask_of(3, 1, 6)},
    "mask of one row": {"mask": mask_of(6)},
    "causal": {"is_causal": True},
    "causal, ends together": {"is_causal": True, "causal_offset": 2},
    "all": {"scale": 0.3, "mask": mask_of(3, 4, 6), "is_causal": True, "causal_offset": 2},
}
each_case = pytest.mark.parametrize("given", CASES.values(), ids=CASES)


@each_of_two
@each_case
def test_values_and_gradients(name, given):
    assert_same(name, randn(2, 3, 4, 6), **given)
    doubles = {k: v.double() if torch.is_tensor(v) else v for k, v in given.items()}
    assert_same(name, randn(2, 3, 4, 6, dtype=torch.float64), tolerance=1e-12, **doubles)


@each_of_two
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_along_every_dimension(name, dim):
    given = {"scale": 0.3, "mask": randn(5, 6)}
    assert_same(name, randn(4, 5, 6), dim=dim, **given)
    assert getattr(sw, name)(randn(4, 5, 6), dim, **given).is_contiguous()


@each_of_two
@pytest.mark.parametrize("dtype", HALF_TYPES)
@pytest.mark.parametrize("result_type", [torch.float32, *HALF_TYPES])
def test_results_of_another_type(name, dtype, result_type):
    """Against double precision; a gradient is of the result as it was rounded."""
    x = randn(5, 300, dtype=dtype, grad=True)
    y = getattr(sw, name)(x, -1, dtype=result_type, scale=0.7)
    assert y.dtype == result_type
    eps = torch.finfo(result_type).eps
    expected = reference(name, x.detach().double(), scale=0.7)
    torch.testing.assert_close(y.detach().double(), expected, rtol=2 * eps, atol=4e-6)
    dy = randn(5, 301)[:, 1:].to(result_type)
    y.backward(dy)
    assert x.grad.dtype == dtype
    y, dy = y.detach().double(), dy.double()
    if name == "softmax":
        expected = 0.7 * y * (dy - (y * dy).sum(-1, keepdim=True))
    else:
        expected = 0.7 * (dy - y.exp() * dy.sum(-1, keepdim=True))
    eps = torch.finfo(dtype).eps + 2 * eps
    torch.testing.assert_close(x.grad.double(), expected, rtol=eps, atol=1e-5)


@each_of_two
def test_results_that_are_rounded_once(name):
    """Also where the result's type holds no logit as large."""
    x = torch.tensor([[70000.0, 69999.0]], device=DEVICE)
    y = getattr(sw, name)(x, -1, dtype=torch.float16)
    expected = getattr(theirs, name)(x, -1).half()
    torch.testing.assert_close(y, expected)


@each_of_two
def test_derivatives(name):
    x, mask = randn(4, 5, dtype=torch.float64, grad=True), randn(5, dtype=torch.float64)

    def function(x):
        y = getattr(sw, name)(x, -1, scale=0.3, mask=mask, is_causal=True, causal_offset=2)
        return torch.where(y.isfinite(), y, 0)

    assert torch.autograd.gradcheck(function, x)
    assert torch.autograd.gradgradcheck(function, x)


def test_as_attention_has_it():
    """A head's output, by PyTorch's function and by ours between two products."""
    q, k, v = (randn(2, 3, 7, 16 + i)[..., :16] for i in range(3))
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        expected = theirs.scaled_dot_product_attention(q, k, v, is_causal=True)
    scores = q @ k.transpose(-1, -2)
    mine = sw.softmax(scores, -1, scale=16**-0.5, is_causal=True) @ v
    torch.testing.assert_close(mine, expected, rtol=1e-4, atol=1e-5)


@each_of_two
def test_rows_that_lie_apart_are_not_copied(name, monkeypatch):
    whole = randn(3, 4, 8)
    parts = [whole[:, -1, :], whole[..., 2:7], whole[:, ::2]]
    expected = [getattr(theirs, name)(part, -1) for part in parts]
    monkeypatch.setattr("softmax_worklog._libraries.TorchLibrary.ready", lambda *_: 1 / 0)
    for part, right in zip(parts, expected, strict=True):
        torch.testing.assert_close(getattr(sw, name)(part, -1), right, rtol=1e-5, atol=1e-5)
        mine = getattr(softmax_worklog, name)(part)
        torch.testing.assert_close(mine, right, rtol=1e-5, atol=1e-5)


@each_of_two
def test_negated_and_broadcast_inputs(name):
    x = randn(3, 4, 8)
    for given in (x[:, :, 0].unsqueeze(-1).expand(3, 4, 8), torch._neg_view(x), x.transpose(0, 1)):
        assert_same(name, given, scale=0.5)
    mask = mask_of(8)
    expected = reference(name, x, mask=-mask.nan_to_num())
    mine = getattr(sw, name)(x, -1, mask=torch._neg_view(mask.nan_to_num()))
    torch.testing.assert_close(mine, expected, rtol=1e-5, atol=1e-5)


@each_of_two
def test_shapes_without_columns_rows_or_dimensions(name):
    for shape in [(), (1,), (0,), (0, 5), (5, 0), (2, 0, 3)]:
        x = randn(*shape, grad=True)
        mask = torch.zeros(shape[-1:], device=DEVICE)
        y = getattr(sw, name)(x, -1, scale=2.0, mask=mask, dtype=torch.float16)
        assert (y.shape, y.dtype) == (x.shape, torch.float16)
        y.sum().backward()
        assert x.grad.shape == x.shape


@each_of_two
@each_case
def test_the_functions_of_arrays_agree(name, given):
    x = randn(2, 3, 4, 6)
    expected = getattr(sw, name)(x, -1, **given)
    torch.testing.assert_close(getattr(softmax_worklog, name)(x, **given), expected)


# ---- the operators ----


@each_of_two
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("mask", [None, (7,), (5, 7)])
def test_opcheck(name, dtype, mask):
    operator = getattr(ops, "scale_mask_" + name).default
    mask = None if mask is None else randn(*mask, dtype=dtype)
    into = torch.float64 if dtype == torch.float64 else torch.float32
    for grad in (False, True):
        x = randn(5, 7, dtype=dtype, grad=grad)
        torch.library.opcheck(operator, (x, mask, 0.3, name == "softmax", 2, into))


@each_of_two
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_opcheck_of_the_backward_pass(name, dtype):
    operator = getattr(ops, f"scale_{name}_backward").default
    into = torch.float64 if dtype == torch.float64 else torch.float16
    for grad in (False, True):
        arrays = [randn(5, 7, dtype=dtype, grad=grad) for _ in range(2)]
        torch.library.opcheck(operator, (*arrays, 0.3, into))


@each_of_two
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_gradients_are_rounded_once(name, dtype):
    """To the logits' type, from results of fp32."""
    x, dy = randn(6, 300, dtype=dtype, grad=True), randn(6, 300)
    getattr(sw, name)(x, -1, scale=0.3, dtype=torch.float32).backward(dy)
    wide = x.detach().double().requires_grad_()
    reference(name, wide, scale=0.3).backward(dy.double())
    half_a_gap = torch.finfo(dtype).eps / 2
    smallest = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps
    of_fp32 = 1e-5 * wide.grad.abs().amax(-1, keepdim=True)
    bound = wide.grad.abs() * half_a_gap + of_fp32 + smallest
    assert ((x.grad.double() - wide.grad).abs() <= bound).all()


@each_of_two
def test_gradients_of_gradients(name):
    x = randn(3, 5, dtype=torch.float64, grad=True)
    torch.autograd.gradgradcheck(lambda x: getattr(sw, name)(x, -1, scale=0.3), x)
    # In fp32 the kernel has the scale, too.
    x, v = randn(3, 5, grad=True), randn(3, 5)
    seconds = []
    for function in (
        lambda x: getattr(sw, name)(x, -1, scale=0.3),
        lambda x: reference(name, x, scale=0.3),
    ):
        (first,) = torch.autograd.grad(function(x).pow(2).sum(), x, create_graph=True)
        seconds.append(torch.autograd.grad((first * v).sum(), x)[0])
    torch.testing.assert_close(*seconds, rtol=1e-4, atol=1e-5)


@each_of_two
@each_case
def test_is_compiled_without_a_break(name, given):
    torch.compiler.reset()

    def loss(module_function, x, weight):
        y = module_function(x @ weight, dim=-1, dtype=torch.float32, **given)
        return torch.where(y.isfinite(), y, 0).pow(2).sum()

    x = randn(2, 3, 4, 6)
    results = []
    for compiled in (False, True):
        weight = randn(6, 6, grad=True)
        function = lambda x, w: loss(getattr(sw, name), x, w)  # noqa: E731
        if compiled:
            function = torch.compile(function, backend="aot_eager", fullgraph=True)
        value = function(x, weight)
        value.backward()
        results.append((value.detach(), weight.grad))
    for mine, other in zip(*results, strict=True):
        torch.testing.assert_close(mine, other)


TRANSFORMATIONS = {
    "vmap": lambda f: torch.func.vmap(f),
    "vmap, last": lambda f: torch.func.vmap(f, in_dims=2, out_dims=1),
    "grad": lambda f: torch.func.grad(lambda x: f(x).pow(2).sum()),
    "vmap of grad": lambda f: torch.func.vmap(torch.func.grad(lambda x: f(x).pow(2).sum())),
    "grad of vmap": lambda f: torch.func.grad(lambda x: torch.func.vmap(f)(x).pow(2).sum()),
    "jacrev": lambda f: torch.func.jacrev(f),
    "vmap of vmap": lambda f: torch.func.vmap(torch.func.vmap(f)),
}


@each_of_two
@pytest.mark.parametrize("transformation", TRANSFORMATIONS.values(), ids=TRANSFORMATIONS)
def test_transformations(name, transformation):
    x, mask = randn(3, 4, 5, 5), randn(5)

    def mine(x):
        return getattr(sw, name)(x, -1, scale=0.3, mask=mask)

    def other(x):
        return reference(name, x, scale=0.3, mask=mask)

    results = [transformation(function)(x) for function in (mine, other)]
    torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)


@each_of_two
def test_a_mask_for_each_of_what_is_mapped(name):
    x, masks = randn(2, 3, 4, 6), mask_of(4, 2, 6)
    for in_dims, given in (((0, 1), x), ((None, 1), x[0])):
        mine, other = (
            torch.func.vmap(lambda x, m, f=f: f(x, scale=0.3, mask=m), in_dims)(given, masks)
            for f in (
                lambda x, **given: getattr(sw, name)(x, -1, **given),
                lambda x, **given: reference(name, x, **given),
            )
        )
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)


# ---- what is refused ----


@each_of_two
class TestRefused:
    def test_a_mask_that_requires_a_gradient(self, name):
        function, x, mask = getattr(sw, name), randn(4, 6, grad=True), randn(6, grad=True)
        with pytest.raises(NotImplementedError, match="mask requires a gradient: must not"):
            function(x, -1, mask=mask)
        with pytest.raises(NotImplementedError, match="mask requires a gradient: must not"):
            torch.func.grad(lambda m: function(x.detach(), -1, mask=m).sum())(mask.detach())
        with torch.no_grad():
            expected = function(x, -1, mask=mask)
        torch.testing.assert_close(function(x, -1, mask=mask.detach()), expected)
        operator = getattr(ops, "scale_mask_" + name)
        y = operator(x, mask, 1.0, False, 0, torch.float32)
        with pytest.raises(NotImplementedError, match="mask requires a gradient: must not"):
            y.sum().backward()
        with pytest.raises(BufferError, match="mask requires a gradient, which this function doe"):
            getattr(softmax_worklog, name)(x.detach(), mask=mask)

    def test_masks_of_other_kinds(self, name):
        function, x = getattr(sw, name), randn(4, 6)
        with pytest.raises(TypeError, match="mask is a list: must be a tensor of PyTorch"):
            function(x, -1, mask=[0.0] * 6)
        with pytest.raises(TypeError, match=r"mask has elements of torch\.bool: must be numbers"):
            function(x, -1, mask=x > 0)
        with pytest.raises(TypeError, match=r"mask has elements of torch\.complex64: must be num"):
            function(x, -1, mask=x.to(torch.complex64))
        with pytest.raises(TypeError, match="mask has the layout torch.sparse_coo: must be strid"):
            function(x, -1, mask=x.to_sparse())
        for shape in [(4,), (3, 6), (1, 4, 6)]:
            with pytest.raises(ValueError, match=r"mask has the shape .*: must be one that broad"):
                function(x, -1, mask=randn(*shape))
        kinds = "mask is (a numpy.ndarray: must be an array of PyTorch|on the device 'cpu')"
        with pytest.raises((TypeError, BufferError), match=kinds):
            getattr(softmax_worklog, name)(x, mask=randn(6).cpu().numpy())

    def test_numbers_out_of_their_range(self, name):
        function, x = getattr(sw, name), randn(4, 6)
        with pytest.raises(ValueError, match="scale = inf: must be finite"):
            function(x, -1, scale=float("inf"))
        with pytest.raises(ValueError, match=r"scale = 1e\+39: must be from"):
            function(x, -1, scale=1e39)
        with pytest.raises(TypeError, match="scale is a str: must be a number"):
            function(x, -1, scale="1")
        with pytest.raises(TypeError, match="is_causal is an int: must be a bool"):
            function(x, -1, is_causal=1)
        with pytest.raises(TypeError, match="causal_offset is a float: must be an integer"):
            function(x, -1, is_causal=True, causal_offset=1.0)
        with pytest.raises(ValueError, match="is_causal = True: rows are along 0 of 2 axes, must"):
            function(x, 0, is_causal=True)
        with pytest.raises(ValueError, match="is_causal = True: input has 1 dimensions, must hav"):
            function(x[0], 0, is_causal=True)
        with pytest.raises(IndexError, match="dim = 2: must be from -2 to 1"):
            function(x, 2, scale=0.5)
        with pytest.raises(TypeError, match="dtype is 5: must be PyTorch's, or its name"):
            function(x, -1, dtype=5)
        with pytest.raises(TypeError, match="dtype is int32: must be one of"):
            function(x, -1, dtype=torch.int32, scale=0.5)

    def test_forward_mode(self, name):
        x = randn(4, 6)
        with pytest.raises(NotImplementedError, match="input has a tangent: must have none"):
            torch.func.jvp(lambda x: getattr(sw, name)(x, -1, scale=0.5), (x,), (x,))
