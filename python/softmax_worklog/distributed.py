"""softmax_worklog for PyTorch, of rows whose columns are split among processes.

Each process, a rank of a group of torch.distributed, has a slice of the last dimension, as wide as
any: its part of the logits of a model whose classes are split. Nobody ever has a whole row.

    >>> import softmax_worklog.distributed as F
    >>> mine = F.columns_of(50257)
    >>> head = torch.nn.Linear(768, len(mine))
    >>> loss = F.cross_entropy(head(hidden), labels, first_column=mine.start)
    >>> loss.backward()

All ranks of the group call the same function, and then `backward()`. The forward pass takes one
all-gather: of each row every rank tells its maximum m and d, the sum of exp(x - m), and of a
cross-entropy the label's logit. The backward pass takes one all-reduce of a sum for each row, that
of a cross-entropy none. What arrives at `hidden` above is each rank's part of its gradient: add
them up, as library/examples/distributed_classifier.py does.

Every slice is read by the library's kernels: (m, d) comes from the one that finds softmax and the
largest probability, 1 / d, in one pass, and probabilities are the slice's own softmax, times its
share of the row. What is left is PyTorch's: log-softmax is x - m - log(d), and the sums of a
backward pass. Tensors are on the device for which the module was built: with the backend gloo on
the CPU, with nccl on GPUs.

Before the exchange all ranks compare their calls, which takes an all-gather of ten integers, and on
a GPU waits for them: where they differ in rows, type, reduction, labels and so on, each rank raises
the same error, which names the rank that differs. `check=False` leaves that out. Then ranks that
differ get what the backend makes of it, and may wait until the group's timeout. So do those who
wait for a rank that does not come at all, and where ranks differ in `check` itself.
"""

import operator
from typing import Any

import torch as _torch  # type: ignore[import-not-found, unused-ignore]

from . import _core
from ._ranks import DTYPES, FUNCTIONS, REDUCTIONS, Call, Ranks
from .torch import (
    _checked,
    _checked_floats,
    _is_transformed,
    _ready,
    _type_of_columns,
    _type_of_loss,
)

# Its types are checked neither where it is installed nor where it is not.
torch: Any = _torch

__all__ = ["columns_of", "cross_entropy", "log_softmax", "softmax"]

Tensor = Any
Group = Any
_ops = torch.ops.softmax_worklog
_INF, _NAN = float("inf"), float("nan")


# ---- one exchange ----


def _type_of_sums(x: Tensor) -> Any:
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def _known(x: Tensor) -> tuple[Tensor, Tensor]:
    """(m, d) of each row of the slice: its maximum, and the sum of exp(x - m)."""
    dtype = _type_of_sums(x)
    if x.shape[-1] == 0:
        m = x.new_full(x.shape[:-1], -_INF, dtype=dtype)
        return m, torch.zeros_like(m)
    probability, column = _ops.topk(x, 1, True, True)
    m = x.gather(-1, column).squeeze(-1).to(dtype)
    return m, torch.where(m == -_INF, 0.0, 1.0 / probability.squeeze(-1))


class _Joined:
    """What all ranks together know of each row, in fp64: a few numbers."""

    def __init__(self, ranks: Ranks, m: Tensor, d: Tensor, *more: Tensor) -> None:
        told = ranks.gather(torch.stack((m, d, *more))).double()
        self.m = told[:, 0].amax(0)
        weights = (told[:, 0] - self.m).exp()  # of -inf alone NaN, as softmax is
        self.d = (told[:, 1] * weights).sum(0)
        self.log_d = self.d.log()
        self.share = d * (m - self.m).exp() / self.d  # of this rank's slice
        self.more = told[:, 2:]


def _times(y: Tensor, factors: Tensor) -> Tensor:
    """y with each row times its own factor; 0 where that is 0, whatever y is."""
    factors = factors.unsqueeze(-1).to(_type_of_sums(y))
    return y.mul_(factors).masked_fill_(factors == 0.0, 0.0)


def _differentiable(name: str, forward: Any, backward: Any) -> Any:
    """A function of autograd, whose gradients have none."""
    members = {
        "forward": staticmethod(forward),
        "backward": staticmethod(torch.autograd.function.once_differentiable(backward)),
    }
    return type(name, (torch.autograd.Function,), members)


# ---- softmax and log-softmax ----


def _softmax(ctx: Any, x: Tensor, ranks: Ranks) -> Tensor:
    x = _ready(x)
    joined = _Joined(ranks, *_known(x))
    # A slice of -inf alone has NaN here, and a share of 0.
    y = _times(_ops.softmax(x), joined.share)
    ctx.ranks = ranks
    ctx.save_for_backward(y)
    return y


def _gradient_of_softmax(ctx: Any, dy: Tensor) -> tuple[Tensor, None]:
    """dx = y (dy - sum(y dy))."""
    (y,) = ctx.saved_tensors
    sums = ctx.ranks.add_up((y.to(_type_of_sums(y)) * dy).sum(-1, keepdim=True))
    return (y * (dy - sums)).to(y.dtype), None


def _log_softmax(ctx: Any, x: Tensor, ranks: Ranks) -> Tensor:
    x = _ready(x)
    joined = _Joined(ranks, *_known(x))
    m, log_d = (one.unsqueeze(-1).to(_type_of_sums(x)) for one in (joined.m, joined.log_d))
    y = (x - m).sub_(log_d).to(x.dtype)
    ctx.ranks = ranks
    ctx.save_for_backward(y)
    return y


def _gradient_of_log_softmax(ctx: Any, dy: Tensor) -> tuple[Tensor, None]:
    """dx = dy - exp(y) sum(dy)."""
    (y,) = ctx.saved_tensors
    dtype = _type_of_sums(y)
    sums = ctx.ranks.add_up(dy.sum(-1, keepdim=True, dtype=dtype))
    return (dy - y.to(dtype).exp() * sums).to(y.dtype), None


_Softmax = _differentiable("_Softmax", _softmax, _gradient_of_softmax)
_LogSoftmax = _differentiable("_LogSoftmax", _log_softmax, _gradient_of_log_softmax)


# ---- cross-entropy ----


def _places(x: Tensor, labels: Tensor, first_column: int) -> tuple[Tensor, Tensor]:
    """Whether each row's label lies in the slice, and where; 0 where it does not."""
    columns = labels - first_column
    is_here = (columns >= 0) & (columns < x.shape[-1])
    return is_here, torch.where(is_here, columns, 0).unsqueeze(-1)


def _told_of_labels(x: Tensor, labels: Tensor, first_column: int) -> Tensor:
    """Their logits; NaN for those that lie in other slices."""
    if x.shape[-1] == 0:
        return x.new_full(labels.shape, _NAN, dtype=_type_of_sums(x))
    is_here, columns = _places(x, labels, first_column)
    return torch.where(is_here, x.gather(-1, columns).squeeze(-1).to(_type_of_sums(x)), _NAN)


def _cross_entropy(
    ctx: Any,
    x: Tensor,
    labels: Tensor,
    first_column: int,
    ignore_index: int,
    reduction: str,
    ranks: Ranks,
) -> Tensor:
    x = _ready(x)
    counts = labels != ignore_index
    joined = _Joined(ranks, *_known(x), _told_of_labels(x, labels, first_column))
    told = joined.more[:, 0]
    # One rank has told a number, so that the sum is that.
    logits = torch.where(told.isnan().all(0), _NAN, told.nansum(0))
    _check_labels(labels, counts & logits.isnan() & ~joined.m.isnan(), ignore_index)
    losses = torch.where(counts, joined.log_d - (logits - joined.m), 0.0)
    ctx.options = first_column, ignore_index, reduction
    ctx.save_for_backward(x, labels, joined.share, losses)
    if reduction == "none":
        return losses.to(_type_of_loss(x))
    loss = losses.sum()
    return (loss / counts.sum() if reduction == "mean" else loss).to(_type_of_loss(x))


def _check_labels(labels: Tensor, are_nowhere: Tensor, ignore_index: int) -> None:
    """On a GPU that would mean to wait for it."""
    if _core.DEVICE == "cpu" and bool(are_nowhere.any()):
        raise IndexError(
            f"target has a label of {int(labels[are_nowhere][0])}: must be a column of some rank's "
            f"slice, or ignore_index = {ignore_index}"
        )


def _gradient_of_cross_entropy(ctx: Any, of_loss: Tensor) -> tuple[Tensor | None, ...]:
    """dx = (y - 1 at the label) times the loss's own gradient; 0 in rows that do not count."""
    x, labels, share, losses = ctx.saved_tensors
    first_column, ignore_index, reduction = ctx.options
    counts = labels != ignore_index
    of_losses = of_loss.double() / (counts.sum() if reduction == "mean" else 1)
    # A label that is nowhere makes its row NaN.
    factors = torch.where(losses.isnan(), _NAN, share) * of_losses
    dx = _times(_ops.softmax(x), torch.where(counts, factors, 0.0))
    if x.shape[-1] > 0:
        is_here, columns = _places(x, labels, first_column)
        # y - 1 would be lost to rounding where y is near 1.
        of_labels = (torch.expm1(-losses) * of_losses).to(x.dtype).unsqueeze(-1)
        is_here = (is_here & counts).unsqueeze(-1)
        dx.scatter_(-1, columns, torch.where(is_here, of_labels, dx.gather(-1, columns)))
    return dx, None, None, None, None, None


_CrossEntropy = _differentiable("_CrossEntropy", _cross_entropy, _gradient_of_cross_entropy)


# ---- what users call ----


def _slice(x: Tensor, dtype: Any = None) -> Tensor:
    """What a rank gives, or an error."""
    if _is_transformed():
        raise NotImplementedError(
            "input is within a transformation of torch.func: must not be, softmax_worklog's "
            "functions of several ranks have gradients by autograd alone"
        )
    x = _checked("input", x)
    x = _checked_floats("input", x if dtype is None else x.to(dtype))
    _require_memory("input", x)
    if x.ndim == 0:
        raise ValueError("input has 0 dimensions: must have 1 or more")
    return x


def _require_memory(name: str, x: Tensor) -> None:
    if x.device.type != _core.DEVICE:
        raise BufferError(
            f"{name} is on the device '{x.device.type}': must be on '{_core.DEVICE}', where ranks "
            "exchange numbers"
        )
    if x.is_cuda and x.device.index != torch.cuda.current_device():
        raise BufferError(
            f"{name} is on '{x.device}': must be on this process's current GPU, "
            f"'cuda:{torch.cuda.current_device()}', as torch.cuda.set_device makes it"
        )
    if isinstance(x, torch._subclasses.FakeTensor):
        raise TypeError(f"{name} is a FakeTensor, without memory: must be a tensor")


def _labels_of(x: Tensor, target: Tensor) -> Tensor:
    target = _checked("target", target)
    _require_memory("target", target)
    if target.shape != x.shape[:-1]:
        raise ValueError(
            f"target has the shape {tuple(target.shape)}: must have {tuple(x.shape[:-1])}, input's "
            "without its last dimension"
        )
    if target.dtype not in (torch.int64, torch.int32, torch.uint8):
        raise TypeError(f"target has elements of {target.dtype}: must be torch.int64")
    return target.long()


def _checksum(labels: Tensor) -> int:
    """Of labels and their places, modulo 2^64.

    Each label is scrambled with its place before all are added up: a sum of products alone is the
    same wherever one label's change makes up for another's.
    """
    places = torch.arange(labels.numel(), device=labels.device)
    h = labels.reshape(-1) * 0x1E3779B97F4A7C15 + places * 0x27BB2EE687B0B0FD
    h = _folded(h, 29) * 0x369DEA0F31A53F85
    return int(_folded(h, 32).sum())


def _folded(h: Tensor, bits: int) -> Tensor:
    """h ^ (h >> bits) of numbers without sign, so that no two of them become one."""
    return h ^ ((h >> bits) & ((1 << (64 - bits)) - 1))


def _call(name: str, x: Tensor, **more: int) -> Call:
    return Call(
        function=FUNCTIONS.index(name),
        dtype=DTYPES.index(str(x.dtype).removeprefix("torch.")),
        rows=x.shape[:-1].numel(),
        columns=x.shape[-1],
        **more,
    )


def _along_columns(
    name: str, function: Any, x: Tensor, group: Group, dtype: Any, check: bool
) -> Tensor:
    ranks = Ranks(group)
    with ranks.told_of_refusals(check):
        if dtype is None and isinstance(x, torch.Tensor):
            dtype = _type_of_columns(x)
        x = _slice(x, dtype)
        wants_gradient = torch.is_grad_enabled() and x.requires_grad
        call = _call(name, x, gradient=int(wants_gradient))
    if check:
        ranks.agree(call)
    return function.apply(x, ranks) if x.shape[:-1].numel() > 0 else x.clone()


def softmax(input: Tensor, *, group: Group = None, dtype: Any = None, check: bool = True) -> Tensor:
    """This rank's slice of the softmax along the last dimension, whose columns are split.

    A row with a NaN or +inf in any slice, or of -inf alone in all of them, is NaN throughout.

    input: (..., columns) of float32, float16, bfloat16 or float64. Slices may be of any width, also
    0; all else of their shapes is the same on all ranks.
    group: whose ranks have the other slices, in any order; None for all processes.
    dtype: input is converted to it first, and the result has it. None for input's own, or float32
    where autocast makes that of a softmax.
    check: False for no comparison of the ranks' calls (see the module).

    float16 and bfloat16 are rounded twice, which is 1 ulp at most. Gradients have no gradients.

    Raises ValueError for a group without this process, or without a backend for the module's
    device, and where ranks differ; RuntimeError where another rank has refused its arguments, or
    torch.distributed is not initialized; TypeError and BufferError as softmax_worklog.torch.
    """
    return _along_columns("softmax", _Softmax, input, group, dtype, check)


def log_softmax(
    input: Tensor, *, group: Group = None, dtype: Any = None, check: bool = True
) -> Tensor:
    """This rank's slice of the log-softmax along the last dimension, whose columns are split.

    Arguments, rows and errors are as for softmax. All types are rounded once.
    """
    return _along_columns("log_softmax", _LogSoftmax, input, group, dtype, check)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    first_column: int | None = None,
    group: Group = None,
    check: bool = True,
) -> Tensor:
    """The cross-entropy of labels, of logits whose classes, the last dimension, are split.

    The loss is the same number on all ranks, to the last bit, and `backward()` on each of them
    gives the gradient of its own slice: the losses are not to be added up.

    input: (..., columns), as for softmax; slices lie side by side in the order of the ranks.
    target: (...) labels, columns of the joined row; every rank has all of them.
    ignore_index: the label of rows that do not count: they have loss and gradients 0.
    reduction: 'mean' over the rows that count, 'sum', or 'none'.
    first_column: where this rank's slice begins in the joined row; None to find out, which takes
    the comparison of calls.
    group, check: as for softmax.

    Raises what softmax raises, and IndexError, on every rank, for a label that lies in no slice: on
    a GPU, which nobody waits for, that gives NaN.
    """
    ranks = Ranks(group)
    with ranks.told_of_refusals(check):
        if reduction not in REDUCTIONS:
            raise ValueError(f"reduction = {reduction!r}: must be one of {', '.join(REDUCTIONS)}")
        x = _slice(input)
        labels = _labels_of(x, target)
        ignore_index = _checked_integer("ignore_index", ignore_index)
        begin = _checked_first_column(first_column, check)
        call = _call(
            "cross_entropy",
            x,
            reduction=REDUCTIONS.index(reduction),
            ignore_index=ignore_index,
            labels=_checksum(labels) if check else 0,
            first_column=begin,
        )
    if check:
        begin = ranks.agree(call)
    if labels.numel() == 0:
        losses = x.sum(-1).to(_type_of_loss(x))
        return losses if reduction == "none" else getattr(losses, reduction)()
    return _CrossEntropy.apply(x, labels, begin, ignore_index, reduction, ranks)


def _checked_integer(name: str, given: Any) -> int:
    """An int that a tensor can hold."""
    try:
        number = operator.index(given)
    except TypeError:
        raise TypeError(f"{name} is a {type(given).__name__}: must be an integer") from None
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError(f"{name} = {number}: must be an integer of 64 bits, with a sign")
    return int(number)


def _checked_first_column(first_column: int | None, check: bool) -> int:
    if first_column is None:
        if not check:
            raise ValueError(
                "first_column is None: must be given where check is False, for then nobody tells "
                "how wide the other slices are"
            )
        return -1
    first_column = _checked_integer("first_column", first_column)
    if first_column < 0:
        raise ValueError(f"first_column = {first_column}: must be 0 or more")
    return first_column


def columns_of(total: int, group: Group = None) -> range:
    """The columns of this rank where so many are split as evenly as can be, the first ones wider.

    For a layer of len(columns_of(...)) outputs, and for first_column=columns_of(...).start.
    """
    if total < 0:
        raise ValueError(f"total = {total}: must be 0 or more")
    ranks = Ranks(group)
    width, left = divmod(total, ranks.size)
    begin = ranks.rank * width + min(ranks.rank, left)
    return range(begin, begin + width + (1 if ranks.rank < left else 0))
