"""softmax_worklog.torch in training with mixed precision, against PyTorch's own functions: losses
that are scaled so that float16 holds their gradients.

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
    is_lost = (mine == 0) & (exact.abs() * counts > 2.0**-25 * 1.001)
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
    launch = _fast._core.cross_entropy_at

    def noted(*given):
        reductions.append(given[10])
        launch(*given)

    monkeypatch.setattr(_fast._core, "cross_entropy_at", noted)
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        sw.cross_entropy(randn(4, 50, dtype=dtype).requires_grad_(), labels_of(4, 50, 0))
    assert reductions == [2, 2, 1]
