"""softmax_worklog.distributed, with 1 to 8 ranks, against PyTorch over whole rows in fp64.

PyTorch is not among the pinned packages: without it these are skipped.
"""

import inspect
import itertools
import os
import time
from decimal import Decimal

import pytest

from softmax_worklog._core import DEVICE

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if DEVICE == "cuda" and not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

import torch.distributed as dist  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from worlds import PATIENCE_S, World  # noqa: E402

import softmax_worklog.distributed as sw  # noqa: E402

theirs = torch.nn.functional
SIZES = [1, 2, 3, 4, 8]
SPLITS = ["even", "uneven", "narrow"]
DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
REDUCTIONS = ["none", "sum", "mean"]
NAN, INF = float("nan"), float("inf")
OTHER_DEVICE = "cpu" if DEVICE == "cuda" else "meta"
OTHER_BACKEND = "cpu" if DEVICE == "cuda" else "cuda"

each_split = pytest.mark.parametrize("split", SPLITS)
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)
each_reduction = pytest.mark.parametrize("reduction", REDUCTIONS)
each_of_two = pytest.mark.parametrize("name", ["softmax", "log_softmax"])


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """By size, each begun when it is first asked for."""
    folder = tmp_path_factory.mktemp("worlds")
    begun = {}

    def world(size):
        if DEVICE == "cuda" and size > torch.cuda.device_count():
            pytest.skip(f"fewer than {size} GPUs")
        if size not in begun:
            begun[size] = World(size, folder)
        return begun[size]

    yield world
    for one in begun.values():
        one.close()


@pytest.fixture(params=SIZES, ids=lambda size: f"{size}_ranks")
def world(request, worlds):
    return worlds(request.param)


@pytest.fixture(params=[size for size in SIZES if size > 1], ids=lambda size: f"{size}_ranks")
def company(request, worlds):
    """A world of more than one."""
    return worlds(request.param)


# ---- what the ranks have ----


def widths(split, columns, size):
    """Of all slices."""
    if split == "even":
        return [len(part) for part in torch.arange(columns).tensor_split(size)]
    if split == "uneven":  # the second has twice the first's columns, and so on
        ends = [columns * (2 ** (i + 1) - 1) // (2**size - 1) for i in range(size)]
        return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    narrow = [i % 2 for i in range(size - 1)]  # 0, 1, 0, 1, and the last has the rest
    return [*narrow, columns - sum(narrow)]


def randn(*shape, dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (3 * torch.randn(shape, generator=generator)).to(dtype).to(DEVICE)


def slice_of(joined, split, rank, size):
    return joined.split(widths(split, joined.shape[-1], size), -1)[rank]


def mine_of(joined, split, rank, size):
    """This rank's slice, which wants a gradient."""
    return slice_of(joined, split, rank, size).clone().requires_grad_()


def first_column(columns, split, rank, size):
    return sum(widths(split, columns, size)[:rank])


def labels_of(rows, classes):
    """Those at the ends of the slices, too, and one that does not count."""
    labels = torch.linspace(0, classes - 1, rows).long()
    labels[rows // 2] = -100
    return labels.to(DEVICE)


def eps_of(dtype):
    """The distance of 1 from the next number, twice what a rounding costs."""
    return torch.finfo(dtype).eps


def eps_of_sums_of(dtype):
    """Of the type in which sums and exponentials are computed."""
    return eps_of(torch.float64 if dtype == torch.float64 else torch.float32)


def assert_within(mine, expected, bound):
    """Of fp64 `expected`; NaN where that is, and infinities."""
    mine = mine.detach().double()
    assert torch.equal(mine.isnan(), expected.isnan())
    error = torch.where(mine == expected, 0.0, (mine - expected).abs())
    worst = (error / bound)[~expected.isnan()]
    assert worst.numel() == 0 or worst.max() <= 1, f"{worst.max():.2f} times the bound"


# ---- softmax and log-softmax ----


def columns_are_right(rank, size, name, split, dtype, shape):
    joined, weights = randn(*shape, dtype=dtype), randn(*shape, dtype=dtype, seed=1)
    x = mine_of(joined, split, rank, size)
    y = getattr(sw, name)(x)
    assert (y.shape, y.dtype, y.is_contiguous()) == (x.shape, dtype, True)
    y.backward(slice_of(weights, split, rank, size))
    exactly = joined.double().requires_grad_()
    of_all = getattr(theirs, name)(exactly, -1)
    of_all.backward(weights.double())
    expected, gradient = of_all.detach(), exactly.grad

    # Half types have one rounding, or two; others those of sums and exponentials as well.
    eps, eps_of_sums = eps_of(dtype), eps_of_sums_of(dtype)
    is_half = dtype in (torch.float16, torch.bfloat16)
    smallest = torch.finfo(dtype).smallest_normal * eps  # the distance of subnormal numbers
    if name == "softmax":
        bound = (1 if is_half else 8) * eps * expected + smallest
    else:
        bound = 0.5 * eps * expected.abs() + eps_of_sums * (expected.abs() + 4)
    if dtype == torch.float64:  # in which PyTorch's results are as far off
        bound *= 2
    assert_within(y, *(slice_of(whole, split, rank, size) for whole in (expected, bound)))

    dy = weights.double()
    if is_half:  # a gradient is of the result as it was rounded
        slices = [None] * size
        dist.all_gather_object(slices, y.detach().cpu())
        expected, bound = torch.cat(slices, -1).double().to(DEVICE), torch.zeros_like(bound)
        if name == "softmax":
            gradient = expected * (dy - (expected * dy).sum(-1, keepdim=True))
        else:
            gradient = dy - expected.exp() * dy.sum(-1, keepdim=True)
    if name == "softmax":
        terms = dy.abs() + (expected * dy.abs()).sum(-1, keepdim=True)
        of_y = bound * terms + expected * (bound * dy.abs()).sum(-1, keepdim=True)
        terms = expected * terms
    else:
        parts = expected.exp() * dy.abs().sum(-1, keepdim=True)
        terms, of_y = dy.abs() + parts, bound * parts
    bound = 0.5 * eps * gradient.abs() + 4 * eps_of_sums * terms + of_y + smallest
    if dtype == torch.float64:
        bound += 0.5 * eps * gradient.abs() + 4 * eps_of_sums * terms
    assert_within(x.grad, *(slice_of(whole, split, rank, size) for whole in (gradient, bound)))


@each_of_two
@each_split
@each_dtype
def test_columns(world, name, split, dtype):
    world.run(columns_are_right, name, split, dtype, (5, 301))


@each_of_two
@pytest.mark.parametrize("shape", [(40,), (2, 1, 3, 33), (3, 1), (1, 5000)], ids=str)
def test_columns_of_other_shapes(world, name, shape):
    world.run(columns_are_right, name, "uneven", torch.float32, shape)


SPECIAL_ROWS = [
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
    [-INF] * 9,
    [-INF] * 8 + [2],
    [0] + [-INF] * 8,
    [1, 2, NAN, 4, 5, 6, 7, 8, 9],
    [-INF] * 8 + [NAN],
    [INF, 2, 3, 4, 5, 6, 7, 8, 9],
    [1, 2, 3, 4, 5, 6, 7, 8, INF],
    [INF] * 9,
    [3e38] + [-3e38] * 7 + [3e38],
    [0, 200, 0, 0, 0, 0, 0, 0, -200],
    [-1e30] * 9,
]


def special_rows_are_right(rank, size, split, dtype):
    rows = torch.tensor(SPECIAL_ROWS, dtype=dtype, device=DEVICE)
    mine = slice_of(rows, split, rank, size)
    for name in ("softmax", "log_softmax"):
        y = getattr(sw, name)(mine)
        expected = slice_of(getattr(theirs, name)(rows.double(), -1), split, rank, size)
        expected = expected.to(dtype)  # infinite where it is too large for that
        torch.testing.assert_close(y, expected, rtol=1e-5, atol=1e-6, equal_nan=True)
        assert torch.equal(y == 0, expected == 0)
    labels = torch.full((len(rows),), 8, device=DEVICE)
    labels[0] = labels[4] = -100
    x = mine.clone().requires_grad_()
    first = first_column(9, split, rank, size)
    losses = sw.cross_entropy(x, labels, reduction="none", first_column=first)
    losses.sum().backward()
    whole = rows.double().requires_grad_()
    expected = theirs.cross_entropy(whole, labels, reduction="none")
    expected.sum().backward()
    whole.grad[labels == -100] = 0  # PyTorch gives NaN in a row that has one
    torch.testing.assert_close(losses.double(), expected, rtol=1e-5, atol=1e-6, equal_nan=True)
    gradients = slice_of(whole.grad, split, rank, size)
    torch.testing.assert_close(x.grad.double(), gradients, rtol=1e-5, atol=1e-6, equal_nan=True)


@each_split
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_special_rows(world, split, dtype):
    world.run(special_rows_are_right, split, dtype)


# ---- cross-entropy ----


def cross_entropy_exactly(joined, labels, reduction, weights):
    """The loss, and the gradient of weights * loss: by the definition, in 28 digits.

    PyTorch's gradients of fp64 are exp(log p), and rounding log p costs p half an ulp of log p: 8
    eps where that is below -16. On a GPU one of them was 9.4 eps off.
    """
    counts = labels != -100
    part = 1 / Decimal(int(counts.sum())) if reduction == "mean" else Decimal(1)
    losses, gradients = [], []
    rows = (joined, labels, weights.expand(len(joined)))
    for row, label, weight in zip(*(one.tolist() for one in rows), strict=True):
        e = [Decimal(x).exp() for x in row]
        d = sum(e)
        factor = part * Decimal(weight) if label != -100 else 0
        losses.append(part * (d.ln() - Decimal(row[label])) if label != -100 else 0)
        gradients.append([float(factor * (e[i] / d - (i == label))) for i in range(len(row))])
    loss = [float(one) for one in losses] if reduction == "none" else float(sum(losses))
    return (torch.tensor(one, dtype=torch.float64, device=DEVICE) for one in (loss, gradients))


# What roundings cost a gradient of fp64 at most, in eps. An exponential or logarithm is 1 off, an
# ulp, any other operation a half, and x - m not at all, of logits that are float32's numbers.
# A row's d is off by 11: exponentials 1, eight additions in a block 4, 1 / (1 / d) 1, a slice's
# weight 1.5, seven additions of slices 3.5. A slice's own 1 / (1 / d) and weight, over the row's d,
# cost 3, its softmax 1.5, for its d cancels out, the loss's gradient 1.5, what is expected 0.5.
# A label's p - 1 has what d has, 11, 5 of log(d), and 2.5 of its own.
COST_IN_FP64 = 19


def losses_are_right(rank, size, split, dtype, reduction, rows, columns):
    joined, labels = randn(rows, columns, dtype=dtype), labels_of(rows, columns)
    x = mine_of(joined, split, rank, size)
    loss = sw.cross_entropy(x, labels, reduction=reduction)
    assert loss.dtype == dtype
    all_losses = [None] * size
    dist.all_gather_object(all_losses, loss.detach().cpu())
    assert all(torch.equal(loss.detach().cpu(), one) for one in all_losses)
    weights = torch.linspace(-1, 2, loss.numel(), dtype=dtype, device=DEVICE).view(loss.shape)
    loss.backward(weights)
    expected, gradient = cross_entropy_exactly(joined, labels, reduction, weights)
    whole = joined.double().requires_grad_()
    of_theirs = theirs.cross_entropy(whole, labels, reduction=reduction)
    of_theirs.backward(weights.double())
    torch.testing.assert_close((of_theirs.detach(), whole.grad), (expected, gradient))

    eps, eps_of_sums = eps_of(dtype), eps_of_sums_of(dtype)
    is_half, is_double = dtype in (torch.float16, torch.bfloat16), dtype == torch.float64
    smallest = torch.finfo(dtype).smallest_normal * eps
    number = (labels != -100).sum()  # of rows that count
    if is_double:  # log(d) and what follows: a subtraction, eight additions, and a division
        bound = eps * (6 * expected + COST_IN_FP64 * (number if reduction == "sum" else 1))
    else:
        bound = 0.5 * eps * expected + eps_of_sums * (expected + 4)
    assert_within(loss, expected, bound)
    of_losses = weights.double().abs() / (number if reduction == "mean" else 1)
    of_losses = of_losses.expand(rows).unsqueeze(-1)
    cost = COST_IN_FP64 if is_double else 8
    of_gradient = (1 if is_half else cost) * eps * gradient.abs() + smallest * (1 + of_losses)
    # p - 1 of a label's p that is near 1 has what sums have lost.
    are_labels = theirs.one_hot(labels.clamp(min=0), columns) * (labels != -100).unsqueeze(-1)
    of_gradient = of_gradient + cost * eps_of_sums * of_losses * are_labels
    assert_within(x.grad, *(slice_of(one, split, rank, size) for one in (gradient, of_gradient)))


@each_split
@each_dtype
@each_reduction
def test_cross_entropy(world, split, dtype, reduction):
    world.run(losses_are_right, split, dtype, reduction, 9, 77)


def a_label_that_is_almost_certain(rank, size):
    """Its gradient is p - 1, of a p that rounds to 1 in bf16."""
    joined = torch.zeros(2, 16, device=DEVICE)
    joined[:, 13] = 12.0
    labels = torch.tensor([13, 2], device=DEVICE)
    x = mine_of(joined.bfloat16(), "even", rank, size)
    sw.cross_entropy(x, labels, reduction="sum").backward()
    whole = joined.double().requires_grad_()
    theirs.cross_entropy(whole, labels, reduction="sum").backward()
    expected = slice_of(whole.grad, "even", rank, size)
    torch.testing.assert_close(x.grad.double(), expected, rtol=2**-7, atol=0)


def test_a_label_that_is_almost_certain(world):
    world.run(a_label_that_is_almost_certain)


def labels_of_other_types_and_shapes(rank, size):
    joined = randn(2, 3, 20)
    labels = torch.randint(20, (2, 3), generator=torch.Generator().manual_seed(2)).to(DEVICE)
    expected = theirs.cross_entropy(joined.movedim(-1, 1), labels, ignore_index=4)
    for dtype in (torch.int64, torch.int32, torch.uint8):
        mine = slice_of(joined, "uneven", rank, size)
        loss = sw.cross_entropy(mine, labels.to(dtype), ignore_index=4)
        torch.testing.assert_close(loss, expected)
    one = slice_of(joined[0, 0], "uneven", rank, size)
    torch.testing.assert_close(
        sw.cross_entropy(one, labels[0, 0]), theirs.cross_entropy(joined[0, 0], labels[0, 0])
    )


def test_labels_of_other_types_and_shapes(world):
    world.run(labels_of_other_types_and_shapes)


def types_under_autocast(rank, size, dtype):
    """Those that PyTorch's functions of whole rows have; losses are not rounded to x's."""
    joined, labels = randn(4, 20, dtype=dtype), labels_of(4, 20)
    with torch.autocast(DEVICE, dtype=dtype):
        for name in ("softmax", "log_softmax"):
            x = mine_of(joined, "uneven", rank, size)
            y = getattr(sw, name)(x)
            assert y.dtype == getattr(theirs, name)(joined, -1).dtype
            y.sum().backward()
            assert x.grad.dtype == dtype
        for reduction in REDUCTIONS:
            x = mine_of(joined, "uneven", rank, size)
            loss = sw.cross_entropy(x, labels, reduction=reduction)
            expected = theirs.cross_entropy(joined.float(), labels, reduction=reduction)
            torch.testing.assert_close(loss, expected, rtol=1e-6, atol=1e-6)
            loss.sum().backward()
            assert x.grad.dtype == dtype
        nothing = sw.cross_entropy(x[:0], labels[:0], reduction="sum")
        assert nothing.dtype == loss.dtype


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_types_under_autocast(world, dtype):
    world.run(types_under_autocast, dtype)


def a_scaled_loss(rank, size):
    """It keeps gradients that a mean of as many rows would lose to float16."""
    joined, labels = randn(256, 100, dtype=torch.float16), labels_of(256, 100)
    x = mine_of(joined, "even", rank, size)
    (sw.cross_entropy(x, labels) * 2.0**15).backward()
    whole = joined.double().requires_grad_()
    theirs.cross_entropy(whole, labels).backward()
    expected = slice_of(whole.grad, "even", rank, size)
    error = (x.grad.double() / 2.0**15 - expected).abs().sum()
    assert error < 2.0**-11 * expected.abs().sum()


def test_a_scaled_loss(world):
    world.run(a_scaled_loss)


def nothing_to_do(rank, size, reduction):
    """No rows, no rows that count, and no columns anywhere."""
    for shape, labels in [((0, 6), []), ((2, 6), [-100, -100])]:
        target = torch.tensor(labels, dtype=torch.int64, device=DEVICE)
        x = mine_of(randn(*shape), "even", rank, size)
        loss = sw.cross_entropy(x, target, reduction=reduction)
        expected = theirs.cross_entropy(randn(*shape), target, reduction=reduction)
        torch.testing.assert_close(loss, expected, equal_nan=True)
        loss.sum().backward()
        assert x.grad.shape == x.shape
    x = mine_of(randn(2, 6), "even", rank, size)
    target = torch.full((2,), 4, device=DEVICE)
    sw.cross_entropy(x, target, ignore_index=4, reduction=reduction).sum().backward()
    assert torch.equal(x.grad, torch.zeros_like(x))
    for name in ("softmax", "log_softmax"):
        for shape in [(0, 5), (3, 0), (2, 0, 4)]:
            x = randn(*shape).requires_grad_()
            y = getattr(sw, name)(x)
            assert y.shape == shape
            y.sum().backward()
            assert x.grad.shape == shape


@each_reduction
def test_nothing_to_do(world, reduction):
    world.run(nothing_to_do, reduction)


# ---- meetings ----


class Collectives(TorchDispatchMode):
    """Notes what the ranks ask of each other, and how many numbers each brings."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function.namespace == "c10d":
            given = dict(zip((one.name for one in function._schema.arguments), args, strict=False))
            brought = given["tensors"] if "tensors" in given else [given["input_tensor"]]
            name = function._schema.name.removeprefix("c10d::")
            self.seen.append((name, sum(tensor.numel() for tensor in brought)))
        return function(*args, **(kwargs or {}))


def one_exchange_each_way(rank, size):
    rows = 4
    x = randn(rows, 6).requires_grad_()
    labels = torch.arange(rows, device=DEVICE)

    def cross_entropy(x, **options):
        return sw.cross_entropy(x, labels, first_column=6 * rank, **options)

    comparison = ("_allgather_base_", 10)
    for function, of_a_row, backward in [
        (sw.softmax, 2, [("allreduce_", rows)]),
        (sw.log_softmax, 2, [("allreduce_", rows)]),
        (cross_entropy, 3, []),
    ]:
        exchange = ("_allgather_base_", of_a_row * rows)
        for check, forward in [(False, [exchange]), (True, [comparison, exchange])]:
            with Collectives() as meetings:
                y = function(x, check=check)
            assert meetings.seen == forward
            with Collectives() as meetings:
                y.sum().backward()
            assert meetings.seen == backward
    with pytest.raises(ValueError, match="first_column is None: must be given where check"):
        sw.cross_entropy(x, labels, check=False)


def test_one_exchange_each_way(world):
    world.run(one_exchange_each_way)


def in_a_part_of_the_world(rank, size):
    """A group's ranks are those of the group, in its order."""
    group = dist.new_group(list(range(1, size)))
    x = randn(3, 4, seed=rank)
    if rank == 0:
        with pytest.raises(ValueError, match=r"no part \(it is rank 0 of all\): must be"):
            sw.softmax(x, group=group)
        return
    joined = torch.cat([randn(3, 4, seed=other) for other in range(1, size)], -1)
    expected = theirs.softmax(joined, -1)[:, 4 * (rank - 1) : 4 * rank]
    torch.testing.assert_close(sw.softmax(x, group=group), expected)
    labels = torch.tensor([0, 4 * (size - 1) - 1, 2], device=DEVICE)
    loss = sw.cross_entropy(x, labels, group=group)
    torch.testing.assert_close(loss, theirs.cross_entropy(joined, labels))


def test_in_a_part_of_the_world(company):
    company.run(in_a_part_of_the_world)


def columns_are_shared_out(rank, size):
    for total in (0, 1, 7, 64, 50257):
        all_columns = [None] * size
        dist.all_gather_object(all_columns, sw.columns_of(total))
        assert [i for columns in all_columns for i in columns] == list(range(total))
        assert [len(columns) for columns in all_columns] == widths("even", total, size)
    with pytest.raises(ValueError, match="total = -1: must be 0 or more"):
        sw.columns_of(-1)


def test_columns_are_shared_out(world):
    world.run(columns_are_shared_out)


def what_pytorch_offers_beside(rank, size):
    x = randn(3, 8).requires_grad_()
    assert sw.softmax(x, dtype=torch.float64).dtype == torch.float64
    assert sw.softmax(x.detach().long(), dtype=torch.float32).dtype == torch.float32
    strided = randn(8, 3).T
    torch.testing.assert_close(sw.softmax(strided), sw.softmax(strided.contiguous()))
    with torch.no_grad():
        assert not sw.softmax(x).requires_grad
    compiled = torch.compile(lambda x: 2 * sw.softmax(x + 1), backend="aot_eager")
    torch.testing.assert_close(compiled(x), 2 * sw.softmax(x + 1))
    (gradient,) = torch.autograd.grad(compiled(x).pow(2).sum(), x)
    (expected,) = torch.autograd.grad((2 * sw.softmax(x + 1)).pow(2).sum(), x)
    torch.testing.assert_close(gradient, expected)
    (gradient,) = torch.autograd.grad(sw.softmax(x).pow(2).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.sum().backward()


def test_what_pytorch_offers_beside(worlds):
    worlds(1 if DEVICE == "cuda" and torch.cuda.device_count() == 1 else 2).run(
        what_pytorch_offers_beside
    )


# ---- faults ----


def well_afterwards(rank, size):
    """A fault leaves the group as it was."""
    joined = randn(2, 3 * size)
    mine = joined.split(3, -1)[rank]
    expected = theirs.softmax(joined, -1).split(3, -1)[rank]
    torch.testing.assert_close(sw.softmax(mine), expected)


def ranks_differ(rank, size, odd):
    """The one that differs from most is named by all; of two, the second."""
    is_odd, usual = rank == odd, 1 if odd == 0 else 0
    x, labels = randn(4, 3), torch.tensor([0, 1, 2, 1], device=DEVICE)

    def loss(x=x, labels=labels, **options):
        return sw.cross_entropy(x, labels, **options)

    for has, others_have, call in [
        ("has 3 rows", "has 4 rows", lambda: sw.softmax(x[1:] if is_odd else x)),
        ("has 5 rows", "has 4 rows", lambda: sw.log_softmax(randn(5, 3) if is_odd else x)),
        ("has 0 rows", "has 4 rows", lambda: sw.softmax(x[:0] if is_odd else x)),
        (
            "has elements of bfloat16",
            "has elements of float32",
            lambda: sw.softmax(x.bfloat16() if is_odd else x),
        ),
        (
            "calls log_softmax",
            "calls cross_entropy",
            lambda: sw.log_softmax(x) if is_odd else loss(),
        ),
        (
            "wants a gradient",
            "wants no gradient",
            lambda: sw.softmax(x.clone().requires_grad_(is_odd)),
        ),
        (
            "has reduction = 'sum'",
            "has reduction = 'none'",
            lambda: loss(reduction="sum" if is_odd else "none"),
        ),
        (
            "has ignore_index = 2",
            "has ignore_index = -1",
            lambda: loss(ignore_index=2 if is_odd else -1),
        ),
        (
            "has a target of checksum [0-9a-f]{16}",
            "has a target of checksum [0-9a-f]{16}",
            lambda: loss(labels=labels.flip(0) if is_odd else labels),
        ),
    ]:
        text = f"^rank {odd} {has}, rank {usual} {others_have}: must be the same on all ranks"
        with pytest.raises(ValueError, match=text):
            call()
        well_afterwards(rank, size)


def test_ranks_that_differ(company):
    company.run(ranks_differ, company.size - 1)
    if company.size > 2:
        company.run(ranks_differ, 0)
        company.run(ranks_differ, company.size // 2)


def labels_differ(rank, size, usual, odd):
    labels = torch.tensor(odd if rank == size - 1 else usual, device=DEVICE)
    with pytest.raises(ValueError, match=f"^rank {size - 1} has a target of checksum"):
        sw.cross_entropy(randn(len(labels), 8), labels)
    well_afterwards(rank, size)


def test_labels_that_differ(company):
    """Each pair has the same sum of its labels times 1, 3 and 5."""
    company.run(labels_differ, [3, 0], [0, 1])
    company.run(labels_differ, [5, 2, 7], [2, 3, 7])


def test_no_two_targets_have_the_same_checksum():
    targets = [*itertools.product(range(-1, 9), repeat=3)]
    checksums = {sw._checksum(torch.tensor(labels, device=DEVICE)) for labels in targets}
    assert len(checksums) == len(targets)


def slices_that_leave_a_gap(rank, size):
    last = size - 1
    first = 3 * rank + (1 if rank == last else 0)
    text = f"^rank {last} has first_column = {3 * last + 1}: must be {3 * last}, where the slices"
    with pytest.raises(ValueError, match=text):
        sw.cross_entropy(randn(1, 3), torch.tensor([0], device=DEVICE), first_column=first)
    well_afterwards(rank, size)


def test_slices_that_leave_a_gap(company):
    company.run(slices_that_leave_a_gap)


def one_refuses(rank, size):
    """Says why itself, and the others do not wait for it."""
    x, labels = randn(2, 3), torch.tensor([0, 1], device=DEVICE)
    for error, text, call in [
        (
            TypeError,
            r"input has elements of torch\.int64: must be one of",
            lambda: sw.softmax(labels),
        ),
        (TypeError, "input has the layout", lambda: sw.log_softmax(x.to_sparse())),
        (TypeError, "input is a list: must be a tensor", lambda: sw.softmax([1.0])),
        (ValueError, "input has 0 dimensions: must have", lambda: sw.softmax(x[0, 0])),
        (BufferError, "input is on the device", lambda: sw.softmax(x.to(OTHER_DEVICE))),
        (
            ValueError,
            r"target has the shape \(1,\): must have \(2,\), input's without",
            lambda: sw.cross_entropy(x, labels[:1]),
        ),
        (
            TypeError,
            r"target has elements of torch\.float32: must be torch\.int64",
            lambda: sw.cross_entropy(x, labels.float()),
        ),
        (
            ValueError,
            "reduction = 'all': must be one of none, sum, mean",
            lambda: sw.cross_entropy(x, labels, reduction="all"),
        ),
        (
            ValueError,
            "first_column = -3: must be 0 or more",
            lambda: sw.cross_entropy(x, labels, first_column=-3),
        ),
        (
            TypeError,
            "first_column is a float: must be an integer",
            lambda: sw.cross_entropy(x, labels, first_column=3.5),
        ),
        (
            ValueError,
            f"first_column = {2**63}: must be an integer of 64 bits",
            lambda: sw.cross_entropy(x, labels, first_column=2**63),
        ),
        (
            TypeError,
            "ignore_index is a NoneType: must be an integer",
            lambda: sw.cross_entropy(x, labels, ignore_index=None),
        ),
        (
            ValueError,
            f"ignore_index = {2**64}: must be an integer of 64 bits",
            lambda: sw.cross_entropy(x, labels, ignore_index=2**64),
        ),
        (
            ValueError,
            f"ignore_index = {-(2**63) - 1}: must be an integer of 64 bits",
            lambda: sw.cross_entropy(x, labels, ignore_index=-(2**63) - 1),
        ),
        (
            NotImplementedError,
            "input is within a transformation of torch.func",
            lambda: torch.func.vmap(sw.softmax)(x),
        ),
    ]:
        if rank == size - 1:
            with pytest.raises(error, match=text):
                call()
        else:
            with pytest.raises(RuntimeError, match=f"^rank {size - 1} has refused its arguments"):
                sw.softmax(x)
        well_afterwards(rank, size)


def another_gpu(rank, size):
    with pytest.raises(BufferError, match="input is on 'cuda:1': must be on this process's"):
        sw.softmax(randn(2, 3).to("cuda:1"))


@pytest.mark.skipif(DEVICE != "cuda" or torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_another_gpu_than_the_current_one(worlds):
    worlds(1).run(another_gpu)


def test_one_refuses(world):
    world.run(one_refuses)


def a_label_that_is_nowhere(rank, size, label, check):
    x = randn(3, 2).requires_grad_()
    labels = torch.tensor([0, label, 1], device=DEVICE)
    options = {"first_column": 2 * rank, "check": check}
    if DEVICE == "cpu":
        with pytest.raises(IndexError, match=f"target has a label of {label}: must be a column of"):
            sw.cross_entropy(x, labels, **options)
    else:
        losses = sw.cross_entropy(x, labels, reduction="none", **options)
        losses.sum().backward()
        assert losses.isnan().tolist() == [False, True, False]
        assert x.grad.isnan().all(-1).tolist() == [False, True, False]
    well_afterwards(rank, size)


@pytest.mark.parametrize("check", [True, False])
def test_a_label_that_is_nowhere(world, check):
    for label in (-1, 2 * world.size):
        world.run(a_label_that_is_nowhere, label, check)


def without_a_backend(rank, size):
    group = dist.new_group(backend=f"{OTHER_BACKEND}:gloo")
    with pytest.raises(ValueError, match=f"none for tensors on '{DEVICE}', for which this"):
        sw.softmax(randn(2, 3), group=group)


def test_a_group_without_a_backend_for_the_device(worlds):
    worlds(2 if DEVICE == "cpu" else 1).run(without_a_backend)


def test_without_any_group():
    for call in (lambda: sw.softmax(randn(2, 3)), lambda: sw.columns_of(3)):
        with pytest.raises(RuntimeError, match=r"init_process_group must be called first"):
            call()


def the_last_dies(rank, size):
    if rank == size - 1:
        os._exit(0)
    begun = time.monotonic()
    with pytest.raises(RuntimeError):
        sw.softmax(randn(2, 3))
    # Gloo raises the same at its timeout, far from which this is, however slow the machine.
    assert time.monotonic() - begun < PATIENCE_S / 2


@pytest.mark.skipif(DEVICE != "cpu", reason="NCCL ends the process")
def test_a_rank_that_dies(tmp_path):
    """The others get gloo's error, and do not wait."""
    world = World(3, tmp_path)
    try:
        with pytest.raises(AssertionError) as raised:
            world.run(the_last_dies)
        assert str(raised.value) == "rank 2: has died"
    finally:
        world.close()


def test_all_are_documented():
    for name in sw.__all__:
        assert len(inspect.getdoc(getattr(sw, name))) > 20, name
