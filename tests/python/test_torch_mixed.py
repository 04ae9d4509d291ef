"""softmax_worklog.torch in training with mixed precision, against PyTorch's own functions: losses
that are scaled so that float16 holds their gradients, and torch.autocast.

PyTorch is not among the pinned packages: without it these are skipped.
"""

import pytest

from softmax_worklog._core import DEVICE

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if DEVICE == "cuda" and not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

import softmax_worklog.torch as sw  # noqa: E402
from softmax_worklog import _fast  # noqa: E402

theirs = torch.nn.functional
HALVES = [torch.float16, torch.bfloat16]
ROWS, COLS = 256, 1000
# As torch.amp.GradScaler has it, but below what a loss of float16 holds.
LOSS_SCALE = 2.0**15


def randn(*shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(sum(shape))
    return (3 * torch.randn(shape, generator=generator)).to(dtype).to(DEVICE)


def labels_of(rows, classes, ignored):
    labels = torch.randint(0, classes, (rows,), generator=torch.Generator().manual_seed(1))
    labels[:ignored] = -100
    return labels.to(DEVICE)


# ---- losses that are scaled ----


def past_the_operators(x, labels, **options):
    assert not _fast.is_watched()
    return sw.cross_entropy(x, labels, **options)


def by_operators(x, labels, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_fast, "is_watched", lambda: True)
        return sw.cross_entropy(x, labels, **options)


def of_positions(x, labels, **options):
    """Where classes are the second dimension of three, and rows lie apart."""
    wider = torch.cat((x, x[:, :1]), -1)[:, :-1].view(2, -1, x.shape[-1])
    return sw.cross_entropy(wider.movedim(-1, 1), labels.view(2, -1), **options)


def compiled(x, labels, **options):
    torch.compiler.reset()
    function = torch.compile(sw.cross_entropy, backend="aot_eager", fullgraph=True)
    return function(x, labels, **options)


def transformed(x, labels, **options):
    """torch.func's gradient, as autograd has it."""

    class Transformed(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            loss, ctx.pull = torch.func.vjp(lambda x: sw.cross_entropy(x, labels, **options), x)
            return loss

        @staticmethod
        def backward(ctx, of_loss):
            return ctx.pull(of_loss)[0]

    return Transformed.apply(x)


WAYS = [past_the_operators, by_operators, of_positions, compiled, transformed]
each_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


def gradients_of(function, x, labels, loss_scale=LOSS_SCALE, **options):
    """Those of the loss, in float64: what was multiplied by the scale is divided by it again."""
    x = x.detach().clone().requires_grad_()
    (function(x, labels, **options) * loss_scale).sum().backward()
    return x.grad.double() / loss_scale


def error_of(gradients, exact):
    return float((gradients - exact).abs().sum() / exact.abs().sum())


@each_way
@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
@pytest.mark.parametrize("ignored", [0, 60])
def test_a_scaled_loss_keeps_small_gradients(way, label_smoothing, ignored):
    """Divided by the number of rows before the loss is scaled, 40 % of these would be 0."""
    x = randn(ROWS, COLS, dtype=torch.float16)
    labels = labels_of(ROWS, COLS, ignored)
    exact = gradients_of(theirs.cross_entropy, x.double(), labels, label_smoothing=label_smoothing)
    mine = gradients_of(way, x, labels, label_smoothing=label_smoothing)
    other = gradients_of(theirs.cross_entropy, x, labels, label_smoothing=label_smoothing)
    assert error_of(mine, exact) <= error_of(other, exact)
    # A probability below half of the smallest float16 is 0 before it meets the scale.
    counts = ROWS - ignored
    is_lost = (mine == 0) & (exact.abs() * counts > 2.0**-25 * 1.05)
    assert not is_lost.any()
    is_zero = (mine == 0) & (labels != -100).unsqueeze(-1)
    assert float(is_zero.double().sum() / (counts * COLS)) < 0.03
    assert torch.all(mine[labels == -100] == 0)


@each_way
@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_scaled_losses_of_every_reduction(way, dtype, reduction):
    x, labels = randn(8, 50, dtype=dtype), labels_of(8, 50, 2)
    options = {"reduction": reduction, "loss_scale": 3.0}
    exact = gradients_of(theirs.cross_entropy, x.double(), labels, **options)
    mine = gradients_of(way, x, labels, **options)
    other = gradients_of(theirs.cross_entropy, x, labels, **options)
    assert error_of(mine, exact) <= 1.5 * error_of(other, exact)


@each_way
def test_a_scaled_loss_of_no_rows_that_count(way):
    """NaN with gradients of 0, as PyTorch has it."""
    x, labels = randn(6, 50, dtype=torch.float16), labels_of(6, 50, 6)
    assert way(x, labels).isnan()
    for function in (way, theirs.cross_entropy):
        assert not gradients_of(function, x, labels).any()


def test_second_derivatives_of_a_scaled_loss():
    def second(function, x):
        x = x.detach().clone().requires_grad_()
        loss = function(x, labels) * LOSS_SCALE
        (first,) = torch.autograd.grad(loss, x, create_graph=True)
        (given,) = torch.autograd.grad(first[:, :5].sum() * 2.0**-5, x)
        return first.detach().double(), given.double()

    x, labels = randn(64, 50, dtype=torch.float16), labels_of(64, 50, 7)
    exact = second(theirs.cross_entropy, x.double())
    for mine, right in zip(second(sw.cross_entropy, x), exact, strict=True):
        assert error_of(mine, right) < 2e-3


def test_types_that_hold_small_gradients_take_one_launch(monkeypatch):
    """The kernel divides; of float16 the backward pass does."""
    reductions = []
    launch = _fast.loss_with_gradients

    def noted(*given):
        reductions.append(given[-1])
        return launch(*given)

    monkeypatch.setattr(_fast, "loss_with_gradients", noted)
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        sw.cross_entropy(randn(4, 50, dtype=dtype).requires_grad_(), labels_of(4, 50, 0))
    assert reductions == [2, 2, 1]


@pytest.mark.parametrize("retain_graph", [True, False], ids=["kept", "used up"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_the_gradient_of_a_loss_of_4_bytes_is_not_rounded_by_itself(dtype, retain_graph):
    """In 2 bytes this one would be 1."""
    one = torch.tensor(1.0, device=DEVICE)
    of_loss = one + torch.finfo(dtype).eps / 2
    x, labels = randn(64, 50, dtype=dtype).requires_grad_(), labels_of(64, 50, 7)

    def gradient(of_loss, keeps=True):
        with torch.autocast(DEVICE, dtype=dtype):
            loss = sw.cross_entropy(x, labels, reduction="sum")
        assert loss.dtype == torch.float32
        return torch.autograd.grad(loss, x, of_loss, retain_graph=keeps)[0]

    exact = (gradient(one).float() * of_loss).to(dtype)
    assert not torch.equal(exact, gradient(one))
    assert torch.equal(gradient(of_loss, retain_graph), exact)


# ---- autocast ----

TYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
each_type = pytest.mark.parametrize("dtype", TYPES, ids=str)
each_autocast = pytest.mark.parametrize("autocast", HALVES, ids=lambda dtype: f"autocast_{dtype}")


def weights_of(x):
    return torch.linspace(0.5, 1, x.shape[-1], device=DEVICE).to(x.dtype)


def probabilities_like(x):
    return theirs.softmax(randn(*x.shape).flip(-1), -1).to(x.dtype)


LABELS = labels_of(8, 50, 2)
# Of a module, which has PyTorch's names.
CALLS = {
    "softmax": lambda module, x: module.softmax(x, -1),
    "softmax, first dimension": lambda module, x: module.softmax(x, 0),
    "log_softmax": lambda module, x: module.log_softmax(x, -1),
    "softmax into float32": lambda module, x: module.softmax(x, -1, dtype=torch.float32),
    "log_softmax into float64": lambda module, x: module.log_softmax(x, -1, dtype=torch.float64),
    "topk": lambda module, x: (sw if module is sw else torch).topk(x, 3)[0],
} | {
    f"cross_entropy, {reduction}{', smooth' * (smoothing > 0)}, {name}": (
        lambda module, x, options=(reduction, smoothing), of=of: module.cross_entropy(
            x, *of(x), reduction=options[0], label_smoothing=options[1]
        )
    )
    for reduction, smoothing in (("mean", 0.0), ("mean", 0.1), ("none", 0.0))
    for name, of in {
        "labels": lambda x: (LABELS,),
        "weights": lambda x: (LABELS, weights_of(x)),
        "probabilities": lambda x: (probabilities_like(x),),
    }.items()
}
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def under_autocast(dtype, call, *given):
    with torch.autocast(DEVICE, dtype=dtype):
        return call(*given)


def with_gradient(call, x):
    x = x.detach().clone().requires_grad_()
    y = call(x)
    (y.double() * torch.linspace(1, 2, y.numel(), device=DEVICE).view(y.shape)).sum().backward()
    return y.detach(), x.grad


@each_call
@each_type
@each_autocast
def test_types_under_autocast_are_pytorchs(call, dtype, autocast):
    x = randn(8, 50, dtype=dtype)
    exact = with_gradient(lambda x: call(theirs, x), x.double())
    other = under_autocast(autocast, with_gradient, lambda x: call(theirs, x), x)
    mine = under_autocast(autocast, with_gradient, lambda x: call(sw, x), x)
    # One rounding of a 2-byte type; of others what a sum of products that cancel costs.
    coarsest = max(torch.finfo(each.dtype).eps for each in (*other, x))
    bound = coarsest if coarsest > 1e-4 else 64 * coarsest
    for mine_of, others, right in zip(mine, other, exact, strict=True):
        assert mine_of.dtype == others.dtype
        error = error_of(mine_of.double(), right.double())
        assert error <= max(1.1 * error_of(others.double(), right.double()), bound)
    with torch.no_grad():
        alone = under_autocast(autocast, call, sw, x)
    assert alone.dtype == other[0].dtype
    torch.testing.assert_close(alone, mine[0])


@each_way
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_a_loss_under_autocast_is_not_rounded(way, dtype):
    x = randn(8, 50, dtype=dtype)
    exact = with_gradient(lambda x: theirs.cross_entropy(x, LABELS), x.double())
    loss, gradients = under_autocast(dtype, with_gradient, lambda x: way(x, LABELS), x)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss.double(), exact[0], rtol=1e-6, atol=0)
    assert gradients.dtype == dtype
    assert error_of(gradients.double(), exact[1]) < torch.finfo(dtype).eps


@each_way
def test_a_loss_under_autocast_takes_scales_that_float16_does_not_hold(way):
    x, labels = randn(ROWS, COLS, dtype=torch.float16), labels_of(ROWS, COLS, 9)
    exact = gradients_of(theirs.cross_entropy, x.double(), labels)
    mine = under_autocast(torch.float16, gradients_of, way, x, labels, 2.0**20)
    assert error_of(mine, exact) < 5e-4


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("more", [{}, {"scale": 0.5, "is_causal": True}], ids=str)
def test_where_autocast_makes_float32_the_kernel_does(monkeypatch, name, dtype, more):
    """As on a GPU, in the one pass of a result of another type."""
    monkeypatch.setattr(sw, "_AUTOCASTS_COLUMNS", True)
    x = randn(8, 50, dtype=dtype)
    right = with_gradient(lambda x: getattr(sw, name)(x, -1, dtype=torch.float32, **more), x)
    mine = under_autocast(dtype, with_gradient, lambda x: getattr(sw, name)(x, -1, **more), x)
    for one, other in zip(mine, right, strict=True):
        assert one.dtype == other.dtype
        assert torch.equal(one, other)
    given = under_autocast(dtype, lambda: getattr(sw, name)(x, -1, dtype=dtype, **more))
    assert given.dtype == dtype


@pytest.mark.skipif(torch.version.cuda is None, reason="this PyTorch knows no CUDA")
@each_type
def test_what_autocast_does_on_a_gpu(monkeypatch, dtype):
    """By PyTorch's tensors without memory, which need no GPU."""
    was = torch.is_autocast_enabled("cuda")
    torch.set_autocast_enabled("cuda", True)
    try:
        with torch._subclasses.FakeTensorMode():
            x = torch.empty(8, 50, device="cuda", dtype=dtype)
            types = {theirs.softmax(x, -1).dtype, theirs.log_softmax(x, -1).dtype}
            assert torch.topk(x, 2)[0].dtype == dtype
            monkeypatch.setattr(sw, "_AUTOCASTS_COLUMNS", True)
            monkeypatch.setattr(sw._core, "DEVICE", "cuda")
            assert types == {sw._type_of_columns(x)}
            labels = torch.zeros(8, dtype=torch.int64, device="cuda")
            assert theirs.cross_entropy(x, labels).dtype == sw._type_of_loss(x)
    finally:
        torch.set_autocast_enabled("cuda", was)


def test_autocast_of_another_device():
    other = "cpu" if DEVICE == "cuda" else "cuda"
    was = torch.is_autocast_enabled(other)
    torch.set_autocast_enabled(other, True)
    try:
        x = randn(8, 50, dtype=torch.float16)
        for call in CALLS.values():
            assert call(sw, x).dtype == call(theirs, x).dtype
    finally:
        torch.set_autocast_enabled(other, was)


def test_autocast_under_compile():
    """What is compiled has a graph for each."""
    torch.compiler.reset()
    function = torch.compile(sw.cross_entropy, backend="aot_eager", fullgraph=True)
    x = randn(8, 50, dtype=torch.bfloat16)
    types = []
    for is_enabled in (True, False, True):
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=is_enabled):
            types.append(function(x, LABELS).dtype)
    assert types == [torch.float32, torch.bfloat16, torch.float32]


def test_autocast_keeps_the_way_past_the_operators(monkeypatch):
    def refuse(*_):
        raise AssertionError("an operator was called")

    monkeypatch.setattr(sw, "_call", refuse)
    x = randn(8, 50, dtype=torch.bfloat16).requires_grad_()
    loss = under_autocast(torch.bfloat16, sw.cross_entropy, x, LABELS)
    assert loss.dtype == torch.float32
    loss.backward()
    wide = randn(8, 50).requires_grad_()
    assert under_autocast(torch.bfloat16, sw.softmax, wide, -1).dtype == torch.float32
