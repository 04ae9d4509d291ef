"""softmax_worklog.torch's top-k at a temperature, and its losses of slices, against PyTorch's own
functions: values, gradients, transformations.

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


def randn(*shape, dtype=torch.float32, grad=False):
    generator = torch.Generator().manual_seed(sum(shape))
    x = (2 * torch.randn(shape, generator=generator)).to(dtype).to(DEVICE)
    return x.requires_grad_(grad)


def labels_of(*shape, classes):
    labels = torch.randint(0, classes, shape, generator=torch.Generator().manual_seed(1))
    labels.view(-1)[1] = -100
    return labels.to(DEVICE)


def forbid_copies(monkeypatch):
    monkeypatch.setattr("softmax_worklog._libraries.TorchLibrary.ready", lambda *_: 1 / 0)


# ---- top-k ----


def gradients_of(function, x):
    x = x.detach().clone().requires_grad_()
    y = function(x)
    weights = torch.linspace(-1, 2, y.numel(), dtype=y.dtype, device=DEVICE).view(y.shape)
    (y * weights).sum().backward()
    return y.detach(), x.grad


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_topk(dtype, dim):
    x = randn(6, 7, 50, dtype=dtype)
    wide = torch.float64 if dtype == torch.float64 else torch.float32

    # Of equal logits the lowest index first: torch.topk promises no order of these.
    columns = torch.sort(x, dim=dim, descending=True, stable=True).indices.narrow(dim, 0, 3)

    def expected(x):
        return theirs.softmax(x.to(wide) * 0.7, dim).gather(dim, columns)

    def mine(x):
        return sw.topk(x, 3, dim, probabilities=True, scale=0.7)

    for one, other in zip(
        gradients_of(lambda x: mine(x).values, x), gradients_of(expected, x), strict=True
    ):
        assert one.dtype == other.dtype
        relative = max(torch.finfo(one.dtype).eps, 1e-12 if wide is torch.float64 else 4e-6)
        torch.testing.assert_close(one, other, rtol=relative, atol=relative / 4)
    assert type(mine(x)) is torch.return_types.topk
    assert torch.equal(mine(x).indices, columns)


def test_derivatives_of_topk():
    x = randn(3, 6, dtype=torch.float64, grad=True)

    def function(x):
        return sw.topk(x, 2, probabilities=True, scale=0.3)[0]

    assert torch.autograd.gradcheck(function, x)
    assert torch.autograd.gradgradcheck(function, x)


def test_topk_of_the_smallest():
    x = randn(4, 50)
    mine = sw.topk(x, 3, largest=False, probabilities=True, scale=0.5)
    other = torch.topk(theirs.softmax(0.5 * x, -1), 3, largest=False)
    torch.testing.assert_close(mine.values, other.values, rtol=1e-5, atol=1e-7)
    assert torch.equal(mine.indices, other.indices)


def test_topk_at_the_last_position_is_of_no_copy(monkeypatch):
    whole = randn(3, 4, 80)
    parts = [whole[:, -1, :], whole[:, :-1], whole[:, 1:3, 2:77]]
    forbid_copies(monkeypatch)
    for part in parts:
        for scale in (1.0, 0.7):
            right = torch.topk(theirs.softmax(part * scale, -1), 5)
            for mine in (
                sw.topk(part, 5, probabilities=True, scale=scale),
                softmax_worklog.topk(part, 5, scale=scale),
            ):
                torch.testing.assert_close(mine[0], right.values, rtol=1e-5, atol=1e-7)
                assert torch.equal(mine[1], right.indices)


def test_topk_under_transformations():
    x = randn(3, 4, 20)
    right = torch.topk(theirs.softmax(0.5 * x, -1), 2)
    mapped = torch.func.vmap(lambda x: tuple(sw.topk(x, 2, probabilities=True, scale=0.5)))(x)
    torch.testing.assert_close(mapped[0], right.values, rtol=1e-5, atol=1e-7)
    assert torch.equal(mapped[1], right.indices)

    def of_row(row):
        return sw.topk(row, 2, probabilities=True, scale=0.5)[0]

    jacobian = torch.func.jacrev(of_row)(x[0, 0])
    expected = torch.func.jacrev(lambda row: torch.topk(theirs.softmax(0.5 * row, -1), 2)[0])
    torch.testing.assert_close(jacobian, expected(x[0, 0]), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("largest", [True, False])
def test_topk_is_registered_as_pytorch_wants_it(largest):
    for x in (randn(4, 20, grad=True), randn(2, 4, 20)[:, 1:3]):
        torch.library.opcheck(ops.scale_topk, (x, 3, largest, 0.5))


@pytest.mark.parametrize("scale", [0, -1.0, float("inf"), float("nan"), 1e-50])
def test_refused_scales(scale):
    with pytest.raises(ValueError, match=r"scale = "):
        sw.topk(randn(2, 5), 2, probabilities=True, scale=scale)
    with pytest.raises(ValueError, match=r"scale = 2.0: must be 1 where probabilities is False"):
        sw.topk(randn(2, 5), 2, scale=2)


# ---- cross-entropy of slices ----

SLICES = {
    "all but the last class": lambda x: x[..., :-1],
    "all but the last position": lambda x: x[:, :-1],
    "all but the first position": lambda x: x[:, 1:],
    "every other row": lambda x: x[::2],
}


def loss_of_rows(function, x, labels, **options):
    """As a language model takes it: PyTorch wants classes in the second dimension."""
    rows = x.movedim(-1, 1) if x.ndim > 2 else x
    return function(rows, labels, **options)


@pytest.mark.parametrize("part", SLICES)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_losses_of_slices(part, reduction, label_smoothing):
    options = {"reduction": reduction, "label_smoothing": label_smoothing}
    for shape in [(6, 21), (4, 5, 40)]:
        if len(shape) == 2 and "position" in part:
            continue
        whole = randn(*shape)
        x = SLICES[part](whole)
        labels = labels_of(*x.shape[:-1], classes=x.shape[-1])
        results = []
        for function in (sw.cross_entropy, theirs.cross_entropy):
            leaf = whole.clone().requires_grad_()
            loss = loss_of_rows(function, SLICES[part](leaf), labels, **options)
            loss.sum().backward()
            with torch.no_grad():
                alone = loss_of_rows(function, SLICES[part](leaf), labels, **options)
            results.append((loss.detach(), alone, leaf.grad))
        for mine, other in zip(*results, strict=True):
            torch.testing.assert_close(mine, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("part", SLICES)
def test_losses_of_slices_are_of_no_copy(part, dtype, monkeypatch):
    x = SLICES[part](randn(4, 5, 40, dtype=dtype))
    labels = labels_of(*x.shape[:-1], classes=x.shape[-1])
    forbid_copies(monkeypatch)
    loss, gradients = ops.cross_entropy(x, labels, -100, 0.0, 2)
    losses = ops.cross_entropy_loss(x, labels, -100)
    wide = x.double().requires_grad_()
    right = loss_of_rows(theirs.cross_entropy, wide, labels)
    right.backward()
    if dtype == torch.float16:  # of the sum: a backward pass divides
        wide.grad *= losses.numel() - 1
    torch.testing.assert_close(loss.double(), right.detach(), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(
        losses.double().sum() / (losses.numel() - 1), right.detach(), rtol=1e-5, atol=1e-6
    )
    assert gradients.is_contiguous()
    eps = torch.finfo(dtype).eps
    torch.testing.assert_close(gradients.double(), wide.grad, rtol=eps, atol=1e-6)


def test_losses_of_doubles_and_of_what_lies_otherwise():
    for x in (randn(6, 21, dtype=torch.float64)[:, :-1], randn(20, 6).t(), randn(6, 40)[:, ::2]):
        labels = labels_of(6, classes=20)
        torch.testing.assert_close(
            sw.cross_entropy(x, labels), theirs.cross_entropy(x, labels), rtol=1e-5, atol=1e-6
        )


def test_slices_as_pytorch_wants_them():
    x = randn(4, 5, 20)[:, :-1]
    labels = labels_of(4, 4, classes=20)
    torch.library.opcheck(ops.cross_entropy, (x, labels, -100, 0.1, 2))
    torch.library.opcheck(ops.cross_entropy_loss, (x, labels, -100))
