"""softmax_worklog for PyTorch: with gradients, under torch.compile and torch.func.

`softmax`, `log_softmax`, `cross_entropy` and `topk` take what the functions of the same names of
torch.nn.functional and torch take, and give what they give:

    >>> import softmax_worklog.torch as F
    >>> F.cross_entropy(model(inputs), labels).backward()

Underneath are operators, torch.ops.softmax_worklog, served by the library's dispatcher. They have
gradients of the first and second order (by steps 19 and 20), fake tensors and rules for vmap. The
module is built for one machine, whose tensors they take: on the CPU they run on the executor.

`softmax` and `log_softmax` also scale and mask, in the same pass over the logits.

Under torch.autocast results have the types that PyTorch's have: float32 of float16 and bfloat16 for
every loss, and for softmax and log_softmax on a GPU. Kernels read the logits as they are, and make
float32 of them in the same pass.

Differences: forward-mode derivatives (jvp) are refused, and so are sparse, quantized and nested
tensors. With `dtype` the result is rounded to it, where PyTorch rounds the logits first. On a GPU a
label that names no class gives NaN, where PyTorch ends the program. Gradients of a cross-entropy
are rounded before they meet the loss's own: those of float16 below half of its smallest number are
0 whatever a loss is scaled by. It keeps the logits until backward(), for gradients of the second
order, and they may not be changed in place before. Under autocast on the CPU, where PyTorch rounds
the logarithms of a loss to the logits' type, nothing is rounded.
"""

import numbers
import operator
from typing import Any

import torch as _torch  # type: ignore[import-not-found, unused-ignore]

from . import _core, _fast
from ._arguments import (
    check_broadcast,
    check_flag,
    check_labels,
    check_queries,
    checked_offset,
    checked_scale,
    checked_topk_scale,
    kind_of,
)
from ._libraries import CODES, TorchLibrary
from ._rows import readable_rows, row_layout
from ._scale_mask import NOTHING, Masking, converts, launch, readable
from ._topk import topk_of_rows

# Its types are checked neither where it is installed nor where it is not.
torch: Any = _torch

__all__ = ["cross_entropy", "log_softmax", "softmax", "topk"]

if not hasattr(torch.library, "register_vmap"):
    raise ImportError(f"PyTorch is of version {torch.__version__}: must be 2.5 or later")

Tensor = Any
_LIBRARY = TorchLibrary(torch)
_REDUCTIONS = {"none": 0, "sum": 1, "mean": 2}
# Operators belong to it, for as long as it lives.
_OPERATORS = torch.library.Library("softmax_worklog", "DEF")
_ops = torch.ops.softmax_worklog


_FUNCTIONS: dict[str, Any] = {}
_LAUNCHES: dict[str, Any] = {}
_RECORDED: dict[str, Any] = {}


def _call(name: str, *given: Any) -> Any:
    """An operator. Transformations of torch.func see no registered gradient, but a function's."""
    result = _fast_call(name, *given)
    if result is not None:
        return result
    if _is_transformed():
        return _FUNCTIONS[name].apply(*given)
    return getattr(_ops, name)(*given)


def _fast_call(name: str, x: Any, *others: Any) -> Any:
    """What it gives, without PyTorch's dispatcher; None where that has a part in it."""
    if name not in _LAUNCHES or _fast.is_watched() or not _fast.is_plain(x):
        return None
    return _unwatched_call(name, x, *others)


def _unwatched_call(name: str, x: Tensor, *others: Any) -> Any:
    """The same, of a tensor that is plain where nothing watches."""
    if name in _RECORDED:
        if x.requires_grad and torch.is_grad_enabled():
            return _RECORDED[name](x, *others)
    elif torch.is_grad_enabled():
        return None
    return _launched(name, x, *others)


def _launched(name: str, *given: Any) -> Any:
    try:
        return _LAUNCHES[name](*given)
    except (TypeError, ValueError):  # a shape that the library does not take, or no number
        return None


def _recorded(name: str, backward: Any, setup: Any) -> Any:
    """A fast call that autograd remembers, of tensors whose gradient is wanted."""

    def forward(ctx: Any, *given: Any) -> Any:
        result = _launched(name, *given)
        if result is None:
            result = getattr(_ops, name)(*given)
        setup(ctx, given, result)
        return result

    return _applied(name, forward, backward)


def _applied(name: str, forward: Any, backward: Any) -> Any:
    """A function of autograd's as it is called where nothing is transformed. PyTorch looks at the
    signature of one with a setup_context of its own for longer than a launch takes, so this has
    none; and its own `apply` looks first whether tensors have outlived a transformation, which no
    plain one has."""
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    function: Any = type(name, (torch.autograd.Function,), members)
    return super(torch.autograd.Function, function).apply


def _is_transformed() -> bool:
    """Whether torch.func is at work, which looks for gradients that tensors do not tell of."""
    return not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active()


def _function(name: str, vmap: Any, backward: Any, setup: Any) -> Any:
    """The operator as a function, of whose tensors each transformation takes a layer off."""
    members = {
        "forward": staticmethod(lambda *given: _call(name, *given)),
        "setup_context": staticmethod(setup),
        "backward": staticmethod(backward),
        "vmap": staticmethod(vmap),
        "jvp": staticmethod(_refuse_tangent),
    }
    return type(name, (torch.autograd.Function,), members)


def _refuse_tangent(*_: Any) -> Any:
    raise NotImplementedError(
        "input has a tangent: must have none, softmax_worklog has no forward-mode derivatives "
        "(jvp, jacfwd, hessian): torch.func.vjp and jacrev work"
    )


def _refuse_gradient_of_mask() -> Any:
    raise NotImplementedError(
        "mask requires a gradient: must not, softmax_worklog computes none for it: pass "
        "mask.detach()"
    )


def _refuse_gradient(*_: Any) -> Any:
    raise NotImplementedError(
        "softmax_worklog::cross_entropy_loss has no gradient: cross_entropy has"
    )


def _save_nothing(ctx: Any, inputs: Any, output: Any) -> None:
    pass


# ---- autocast ----

# PyTorch's list for CUDA has softmax and log_softmax, which make float32 of 2-byte types; that for
# the CPU has them not. Both have losses.
_AUTOCASTS_COLUMNS = _core.DEVICE == "cuda"


def _type_of_loss(x: Tensor) -> Any:
    """x's own, or what PyTorch's autocast makes of it."""
    is_half = x.dtype in (torch.float16, torch.bfloat16)
    is_autocast = is_half and x.device.type == _core.DEVICE
    is_autocast = is_autocast and torch.is_autocast_enabled(_core.DEVICE)
    return torch.float32 if is_autocast else x.dtype


def _type_of_columns(x: Tensor) -> Any:
    return _type_of_loss(x) if _AUTOCASTS_COLUMNS else x.dtype


def _code(x: Tensor) -> str:
    return CODES[_LIBRARY.dtype_name(x)]


def _ready(x: Tensor) -> Tensor:
    """As kernels take it, below autograd."""
    return x.detach().contiguous().resolve_neg()


def _readable(x: Tensor) -> Tensor:
    """The same where rows may lie apart."""
    return readable_rows(_LIBRARY, x.detach().resolve_neg())


# ---- softmax and log-softmax ----


def _forward(operation: str, x: Tensor, masking: Masking = NOTHING, dtype: Any = None) -> Tensor:
    x = readable(_LIBRARY, x.detach().resolve_neg())
    y = _LIBRARY.empty(x, x.shape, dtype)
    launch(_LIBRARY, operation, x, masking, y)
    return y


def _backward(operation: str, y: Tensor, dy: Tensor) -> Tensor:
    y, dy = _ready(y), _ready(dy)
    dx = torch.empty_like(y)
    _core.backward(operation, _code(y), y, dy, dx, _LIBRARY.stream_of(y))
    return dx


def _like(x: Tensor, *_: Tensor) -> Tensor:
    return x.new_empty(x.shape)


def _softmax(x: Tensor) -> Tensor:
    return _forward("softmax", x)


def _log_softmax(x: Tensor) -> Tensor:
    return _forward("log_softmax", x)


def _softmax_backward(y: Tensor, dy: Tensor) -> Tensor:
    return _backward("softmax_backward", y, dy)


def _log_softmax_backward(y: Tensor, dy: Tensor) -> Tensor:
    return _backward("log_softmax_backward", y, dy)


def _save_result(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(output)


def _save_inputs(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs)


def _gradient_of_softmax(ctx: Any, dy: Tensor) -> Tensor:
    return _call("softmax_backward", ctx.saved_tensors[0], dy)


def _gradient_of_log_softmax(ctx: Any, dy: Tensor) -> Tensor:
    return _call("log_softmax_backward", ctx.saved_tensors[0], dy)


def _gradients_of_softmax_backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
    """Of dx = y (dy - sum(y dy))."""
    y, dy = ctx.saved_tensors
    of_y = g * (dy - (y * dy).sum(-1, keepdim=True)) - dy * (g * y).sum(-1, keepdim=True)
    return of_y, _call("softmax_backward", y, g)


def _gradients_of_log_softmax_backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
    """Of dx = dy - exp(y) sum(dy)."""
    y, dy = ctx.saved_tensors
    of_y = -g * y.exp() * dy.sum(-1, keepdim=True)
    return of_y, g - (g * y.exp()).sum(-1, keepdim=True)


# ---- of logits that are scaled and masked, with results of any type ----


def _scale_mask(operation: str) -> Any:
    def kernel(
        x: Tensor, mask: Tensor | None, scale: float, is_causal: bool, offset: int, dtype: Any
    ) -> Tensor:
        if mask is not None:
            mask = mask.detach().resolve_neg().to(x.dtype)
        return _forward(operation, x, Masking(scale, mask, is_causal, offset), dtype)

    return kernel


def _fake_scale_mask(x: Tensor, *options: Any) -> Tensor:
    return x.new_empty(x.shape, dtype=options[-1])


def _save_scale_mask(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(output)
    ctx.dtype, ctx.scale = inputs[0].dtype, inputs[2]


def _gradient_of_scale_mask(operation: str) -> Any:
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor, None, None, None, None, None]:
        if ctx.needs_input_grad[1]:
            _refuse_gradient_of_mask()
        dx = _call(f"scale_{operation}_backward", ctx.saved_tensors[0], dy, ctx.scale, ctx.dtype)
        return dx, None, None, None, None, None

    return backward


def _scale_backward(operation: str) -> Any:
    def kernel(y: Tensor, dy: Tensor, scale: float, dtype: Any) -> Tensor:
        y, dy = _ready(y), _ready(dy)
        if torch.float64 in (y.dtype, dtype):
            wide = torch.promote_types(y.dtype, dtype)
            return (scale * _backward(operation, y, dy).to(wide)).to(dtype)
        dx = y.new_empty(y.shape, dtype=dtype)
        codes = _code(y), _code(dx)
        _core.scale_backward(operation, codes[0], y, dy, codes[1], dx, scale, _LIBRARY.stream_of(y))
        return dx

    return kernel


def _fake_scale_backward(y: Tensor, dy: Tensor, scale: float, dtype: Any) -> Tensor:
    return y.new_empty(y.shape, dtype=dtype)


def _save_scale_backward(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs[:2])
    ctx.scale = inputs[2]


def _gradients_of_scale_backward(gradients: Any) -> Any:
    """Those of a backward pass, by what its result is multiplied by."""

    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor, None, None]:
        of_y, of_dy = gradients(ctx, ctx.scale * g.to(ctx.saved_tensors[0].dtype))
        return of_y, of_dy, None, None

    return backward


# ---- cross-entropy ----


def _cross_entropy(
    x: Tensor, labels: Tensor, ignore_index: int, label_smoothing: float, reduction: int
) -> tuple[Tensor, Tensor]:
    """The loss, or the losses of all rows, and the gradients of their sum or mean. Where backward
    passes divide, those of their sum."""
    x, labels = _readable(x), _ready(labels)
    check_labels(labels, x.shape[-1], ignore_index)
    if _fast.divides_later(x, reduction):
        options = (ignore_index, label_smoothing, _REDUCTIONS["sum"])
        loss, gradients = _cross_entropy(x, labels, *options)
        return loss / _fast.rows_that_count(labels, ignore_index), gradients
    losses = torch.zeros(labels.shape, dtype=_dtype_of_losses(x), device=x.device)
    gradients = x.new_empty(x.shape)
    if _code(x) == "f64" or x.numel() == 0:
        _run_cross_entropy(x, labels, losses, None, gradients, ignore_index, label_smoothing, 0)
        return _reduced(losses, gradients, labels != ignore_index, reduction)
    loss = losses if reduction == 0 else losses.new_empty(())
    _run_cross_entropy(
        x,
        labels,
        losses,
        None if reduction == 0 else loss,
        gradients,
        ignore_index,
        label_smoothing,
        reduction,
    )
    return loss, gradients


def _run_cross_entropy(
    x: Tensor,
    labels: Tensor,
    losses: Tensor,
    loss: Tensor | None,
    gradients: Tensor | None,
    ignore_index: int,
    label_smoothing: float,
    reduction: int,
) -> None:
    code, stream = _code(x), _LIBRARY.stream_of(x)
    others = (labels, losses, loss, gradients, ignore_index, label_smoothing, reduction, stream)
    if code == "f64" or x.is_contiguous():
        _core.cross_entropy(code, x.contiguous(), *others)
        return
    layout = row_layout(_LIBRARY, x)
    assert layout is not None, "the rows are readable"
    _core.scale_cross_entropy(code, x, layout, *others)


def _dtype_of_losses(x: Tensor) -> Any:
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def _reduced(
    losses: Tensor, gradients: Tensor, counts: Tensor, reduction: int
) -> tuple[Tensor, Tensor]:
    if reduction == _REDUCTIONS["none"]:
        return losses, gradients
    if reduction == _REDUCTIONS["sum"]:
        return losses.sum(), gradients
    rows = counts.sum()
    return losses.sum() / rows, gradients / rows


def _fake_cross_entropy(
    x: Tensor, labels: Tensor, ignore_index: int, label_smoothing: float, reduction: int
) -> tuple[Tensor, Tensor]:
    shape = labels.shape if reduction == 0 else ()
    return x.new_empty(shape, dtype=_dtype_of_losses(x)), x.new_empty(x.shape)


def _cross_entropy_loss(x: Tensor, labels: Tensor, ignore_index: int) -> Tensor:
    """The losses of all rows alone."""
    x, labels = _readable(x), _ready(labels)
    check_labels(labels, x.shape[-1], ignore_index)
    losses = torch.zeros(labels.shape, dtype=_dtype_of_losses(x), device=x.device)
    _run_cross_entropy(x, labels, losses, None, None, ignore_index, 0.0, 0)
    return losses.masked_fill_(labels == ignore_index, 0.0)


def _fake_cross_entropy_loss(x: Tensor, labels: Tensor, ignore_index: int) -> Tensor:
    return x.new_empty(labels.shape, dtype=_dtype_of_losses(x))


def _save_cross_entropy(ctx: Any, inputs: Any, output: Any) -> None:
    x, labels, *ctx.options = inputs
    ctx.mark_non_differentiable(output[1])
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(x, labels, output[1])


def _gradients_of_cross_entropy(
    ctx: Any, of_loss: Tensor, _: Any
) -> tuple[Tensor | None, None, None, None, None]:
    if of_loss is None:
        return None, None, None, None, None
    x, labels, gradients = ctx.saved_tensors
    gradient = _gradient_of_cross_entropy(x, labels, gradients, None, of_loss, ctx.options)
    return gradient, None, None, None, None


def _gradient_of_cross_entropy(
    x: Tensor,
    labels: Tensor,
    gradients: Tensor,
    rows: Tensor | None,
    of_loss: Tensor,
    options: tuple[int, float, int],
) -> Tensor:
    """rows: how many count, if that is known and asked for."""
    ignore_index, label_smoothing, reduction = options
    if _fast.divides_later(x, reduction):
        rows = _fast.rows_that_count(labels, ignore_index) if rows is None else rows
        of_loss = _of_each_row(of_loss, rows)
        reduction = _REDUCTIONS["sum"]
    if torch.is_grad_enabled():  # for derivatives of the second order
        gradients = _gradients_as_formula(x, labels, ignore_index, label_smoothing, reduction)
    return _weighed(gradients, of_loss.unsqueeze(-1) if reduction == 0 else of_loss)


def _of_each_row(of_loss: Tensor, rows: Tensor) -> Tensor:
    """Gradients of a row that does not count are 0, which nothing divided by 0 may meet."""
    return of_loss.float() / rows.clamp(min=1)


def _weighed(gradients: Tensor, weights: Tensor, in_place: bool = False) -> Tensor:
    """Each row times its weight or that of all, in the gradients' type, rounded once: a weight that
    has no dimensions PyTorch would round to that type before."""
    if gradients.dtype is weights.dtype:
        return gradients.mul_(weights) if in_place else gradients * weights
    weights = weights if weights.dim() > 0 else weights.unsqueeze(0)
    if in_place:
        return gradients.mul_(weights)
    if torch.is_grad_enabled() or _fast.is_watched():
        return _in_type_of(gradients, gradients * weights)
    return torch.mul(gradients, weights, out=torch.empty_like(gradients))


def _in_type_of(x: Tensor, result: Tensor) -> Tensor:
    return result if result.dtype is x.dtype else result.to(x.dtype)


def _recorded_loss(x: Tensor, labels: Tensor, options: tuple[int, float, int]) -> Tensor | None:
    """The fast call alone, without its gradients as a second result of which autograd keeps a
    record as well; in the type that the caller gets, whose conversion would be one more."""
    ignore_index, label_smoothing, reduction = options
    divides = _fast.divides_later(x, reduction)
    asked = _fast.SUM if divides else reduction
    try:
        results = _fast.loss_with_gradients(x, labels, ignore_index, label_smoothing, asked)
    except (TypeError, ValueError):  # a shape that the library does not take, or no number
        return None
    if results is None:
        return None
    loss, gradients = results
    rows = _fast.rows_that_count(labels, ignore_index) if divides else None
    if rows is not None:
        loss = loss / rows
    if loss.dtype is not x.dtype:  # never that of float32
        loss = _as_loss_of(x, loss)
    return _remembered_loss(x, (loss, (labels, gradients, rows), options))


def _remember_loss(ctx: Any, x: Tensor, results: Any) -> Tensor:
    """What is no tensor by itself, autograd does not look at: it has no gradient."""
    loss, tensors, ctx.options = results
    ctx.saves_alone = _fast.saves_alone()
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(x, *tensors)
    return loss


def _gradient_of_loss(ctx: Any, of_loss: Tensor) -> tuple[Tensor | None, None]:
    if of_loss is None:
        return None, None
    x, labels, gradients, rows = ctx.saved_tensors
    if torch.is_grad_enabled():
        of_loss = of_loss.float()  # what becomes of it is not rounded before it is all there
        options = ctx.options
        return _gradient_of_cross_entropy(x, labels, gradients, rows, of_loss, options), None
    if rows is not None:
        of_loss = _of_each_row(of_loss, rows)
    weights = of_loss.unsqueeze(-1) if ctx.options[2] == 0 else of_loss
    in_place = ctx.saves_alone and _fast.is_used_up(weights)
    return _weighed(gradients, weights, in_place), None


_remembered_loss = _applied("cross_entropy", _remember_loss, _gradient_of_loss)


def _gradients_as_formula(
    x: Tensor, labels: Tensor, ignore_index: int, label_smoothing: float, reduction: int
) -> Tensor:
    counts = (labels != ignore_index).unsqueeze(-1)
    label = torch.where(counts, labels.unsqueeze(-1), 0)
    target = torch.full_like(x, label_smoothing / x.shape[-1])
    target = target.scatter_add(-1, label, torch.full_like(x[..., :1], 1.0 - label_smoothing))
    gradients = torch.where(counts, _call("softmax", x) - target, 0.0)
    return gradients / counts.sum() if reduction == _REDUCTIONS["mean"] else gradients


# ---- top-k ----


def _topk(x: Tensor, k: int, largest: bool, probabilities: bool) -> tuple[Tensor, Tensor]:
    return topk_of_rows(_LIBRARY, _readable(x), k, largest, probabilities)


def _scale_topk(x: Tensor, k: int, largest: bool, scale: float) -> tuple[Tensor, Tensor]:
    return topk_of_rows(_LIBRARY, _readable(x), k, largest, True, scale)


def _fake_scale_topk(x: Tensor, k: int, largest: bool, scale: float) -> tuple[Tensor, Tensor]:
    return _fake_topk(x, k, largest, True)


def _save_scale_topk(ctx: Any, inputs: Any, output: Any) -> None:
    x, _, _, ctx.scale = inputs
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(x, output[1])


def _gradient_of_scale_topk(
    ctx: Any, of_values: Tensor, _: Tensor
) -> tuple[Tensor, None, None, None]:
    """By way of the probabilities in the type that their values have."""
    x, indices = ctx.saved_tensors
    wide = of_values.dtype
    y = _call("scale_mask_softmax", x, None, ctx.scale, False, 0, wide)
    dy = torch.zeros_like(y).scatter(-1, indices, of_values)
    return (_call("softmax_backward", y, dy) * ctx.scale).to(x.dtype), None, None, None


def _fake_topk(x: Tensor, k: int, largest: bool, probabilities: bool) -> tuple[Tensor, Tensor]:
    shape = (*x.shape[:-1], k)
    dtype = x.dtype
    if probabilities:
        wide = x.dtype == torch.float64 or not x.dtype.is_floating_point
        dtype = torch.float64 if wide else torch.float32
    return x.new_empty(shape, dtype=dtype), x.new_empty(shape, dtype=torch.int64)


def _save_topk(ctx: Any, inputs: Any, output: Any) -> None:
    x, _, _, ctx.probabilities = inputs
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(x, output[1])


def _gradient_of_topk(ctx: Any, of_values: Tensor, _: Tensor) -> tuple[Tensor, None, None, None]:
    x, indices = ctx.saved_tensors
    gradients = torch.zeros_like(x).scatter(-1, indices, of_values.to(x.dtype))
    if ctx.probabilities:
        gradients = _call("softmax_backward", _call("softmax", x), gradients)
    return gradients, None, None, None


# ---- vmap: a row is the last axis, so that one axis more is one before it ----


def _first(x: Any, in_dim: int | None, info: Any) -> Any:
    """With the axis that is mapped in front."""
    if in_dim is not None:
        return x.movedim(in_dim, 0)
    return x.expand(info.batch_size, *x.shape)


def _vmap_of(name: str, tensors: int) -> Any:
    def rule(info: Any, in_dims: Any, *given: Any) -> tuple[Any, Any]:
        moved = [_first(x, d, info) for x, d in zip(given[:tensors], in_dims, strict=False)]
        result = _call(name, *moved, *given[tensors:])
        return result, (0, 0) if isinstance(result, (tuple, list)) else 0

    return rule


def _vmap_of_scale_mask(name: str) -> Any:
    def rule(info: Any, in_dims: Any, x: Tensor, mask: Any, *options: Any) -> Any:
        x = _first(x, in_dims[0], info)
        if in_dims[1] is not None:  # else it is repeated along the axis in front as well
            mask = mask.movedim(in_dims[1], 0)
            between = (1,) * (x.ndim - mask.ndim)
            mask = mask.reshape(mask.shape[:1] + between + mask.shape[1:])
        return _call(name, x, mask, *options), 0

    return rule


def _vmap_of_cross_entropy(info: Any, in_dims: Any, *given: Any) -> tuple[Any, Any]:
    """A sum or mean is one of each."""
    x, labels = (_first(one, d, info) for one, d in zip(given[:2], in_dims, strict=False))
    each = [_call("cross_entropy", *both, *given[2:]) for both in zip(x, labels, strict=True)]
    return tuple(torch.stack(parts) for parts in zip(*each, strict=True)), (0, 0)


# ---- registration ----


def _register(
    schema: str, kernel: Any, fake: Any, vmap: Any, backward: Any, setup: Any, fast: Any = None
) -> None:
    name = schema.partition("(")[0]
    _OPERATORS.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    _OPERATORS.impl(name, kernel, "CPU" if _core.DEVICE == "cpu" else "CUDA")
    full = f"softmax_worklog::{name}"
    torch.library.register_fake(full, fake, lib=_OPERATORS)
    torch.library.register_vmap(full, vmap, lib=_OPERATORS)
    torch.library.register_autograd(full, backward, setup_context=setup, lib=_OPERATORS)
    _FUNCTIONS[name] = _function(name, vmap, backward, setup)
    if fast is None:
        return
    _LAUNCHES[name] = fast
    # Of a gradient's own gradient, or a mask's, operators keep the record.
    if not name.endswith("_backward"):
        _RECORDED[name] = _recorded(name, backward, setup)


_register(
    "softmax(Tensor x) -> Tensor",
    _softmax,
    _like,
    _vmap_of("softmax", 1),
    _gradient_of_softmax,
    _save_result,
    _fast.columns("softmax"),
)
_register(
    "log_softmax(Tensor x) -> Tensor",
    _log_softmax,
    _like,
    _vmap_of("log_softmax", 1),
    _gradient_of_log_softmax,
    _save_result,
    _fast.columns("log_softmax"),
)
for _operation in ("softmax", "log_softmax"):
    _register(
        f"scale_mask_{_operation}(Tensor x, Tensor? mask, float scale, bool is_causal, "
        "int causal_offset, ScalarType dtype) -> Tensor",
        _scale_mask(_operation),
        _fake_scale_mask,
        _vmap_of_scale_mask(f"scale_mask_{_operation}"),
        _gradient_of_scale_mask(_operation),
        _save_scale_mask,
    )
_register(
    "softmax_backward(Tensor y, Tensor dy) -> Tensor",
    _softmax_backward,
    _like,
    _vmap_of("softmax_backward", 2),
    _gradients_of_softmax_backward,
    _save_inputs,
    _fast.backward("softmax_backward"),
)
_register(
    "log_softmax_backward(Tensor y, Tensor dy) -> Tensor",
    _log_softmax_backward,
    _like,
    _vmap_of("log_softmax_backward", 2),
    _gradients_of_log_softmax_backward,
    _save_inputs,
    _fast.backward("log_softmax_backward"),
)
for _operation, _gradients in (
    ("softmax_backward", _gradients_of_softmax_backward),
    ("log_softmax_backward", _gradients_of_log_softmax_backward),
):
    _register(
        f"scale_{_operation}(Tensor y, Tensor dy, float scale, ScalarType dtype) -> Tensor",
        _scale_backward(_operation),
        _fake_scale_backward,
        _vmap_of(f"scale_{_operation}", 2),
        _gradients_of_scale_backward(_gradients),
        _save_scale_backward,
    )
_register(
    "cross_entropy(Tensor x, Tensor labels, int ignore_index, float label_smoothing, "
    "int reduction) -> (Tensor, Tensor)",
    _cross_entropy,
    _fake_cross_entropy,
    _vmap_of_cross_entropy,
    _gradients_of_cross_entropy,
    _save_cross_entropy,
    _fast.cross_entropy,
)
_register(
    "cross_entropy_loss(Tensor x, Tensor labels, int ignore_index) -> Tensor",
    _cross_entropy_loss,
    _fake_cross_entropy_loss,
    _vmap_of("cross_entropy_loss", 2),
    _refuse_gradient,
    _save_nothing,
    _fast.cross_entropy_loss,
)
_register(
    "topk(Tensor x, int k, bool largest, bool probabilities) -> (Tensor, Tensor)",
    _topk,
    _fake_topk,
    _vmap_of("topk", 1),
    _gradient_of_topk,
    _save_topk,
    _fast.topk,
)
_register(
    "scale_topk(Tensor x, int k, bool largest, float scale) -> (Tensor, Tensor)",
    _scale_topk,
    _fake_scale_topk,
    _vmap_of("scale_topk", 1),
    _gradient_of_scale_topk,
    _save_scale_topk,
)


# ---- what users call ----


def _checked(name: str, x: Tensor) -> Tensor:
    """A tensor that the operators take, or one like it for tracing."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} is {kind_of(x)}: must be a tensor of PyTorch")
    _LIBRARY.check_kind(name, x)
    if x.device.type not in (_core.DEVICE, "meta"):
        raise BufferError(
            f"{name} is on the device '{x.device.type}': must be on '{_core.DEVICE}', for which "
            "this softmax_worklog was built"
        )
    if _LIBRARY.has_tangent(x):
        _refuse_tangent()
    return x


def _checked_floats(name: str, x: Tensor) -> Tensor:
    x = _checked(name, x)
    if _LIBRARY.dtype_name(x) not in CODES:
        raise TypeError(f"{name} has elements of {x.dtype}: must be one of {', '.join(CODES)}")
    return x


def _checked_integer(name: str, given: Any) -> Any:
    """One of Python's, or a symbol for one while a graph is made."""
    if isinstance(given, torch.SymInt):
        return given
    if isinstance(given, bool):
        raise TypeError(f"{name} is a bool: must be an integer")
    try:
        return operator.index(given)
    except TypeError:
        raise TypeError(f"{name} is {kind_of(given)}: must be an integer") from None


def _checked_dim(given: Any, ndim: int) -> int:
    dim: int = _checked_integer("dim", given)
    if ndim == 0 and dim not in (-1, 0):
        raise IndexError(f"dim = {dim}: must be -1 or 0, for a tensor of 0 dimensions")
    if ndim > 0 and not -ndim <= dim < ndim:
        raise IndexError(f"dim = {dim}: must be from {-ndim} to {ndim - 1}")
    return dim


def _along(x: Tensor, dim: Any, function: Any) -> Tensor:
    """What a function along the last dimension gives along another."""
    dim = _checked_dim(dim, x.ndim)
    if x.ndim == 0:
        return function(x.reshape(1)).reshape(())
    if dim in (-1, x.ndim - 1):
        return function(x)
    return function(x.movedim(dim, -1)).movedim(-1, dim).contiguous()


def _checked_mask(mask: Tensor, x: Tensor) -> Tensor:
    """In x's type."""
    _checked("mask", mask)
    if mask.requires_grad and torch.is_grad_enabled():
        _refuse_gradient_of_mask()
    if mask.dtype == torch.bool or mask.dtype.is_complex:
        raise TypeError(
            f"mask has elements of {mask.dtype}: must be numbers, which are added to input: 0, or "
            "-inf for what shall not count"
        )
    check_broadcast("mask", mask.shape, "input", x.shape)
    return mask.to(x.dtype)


def _columns(
    name: str,
    x: Tensor,
    dim: int | None,
    stacklevel: int,
    dtype: Any,
    masking: tuple[Any, Any, Any, Any],
) -> Tensor:
    x = _checked("input", x)
    code = CODES.get(_LIBRARY.dtype_name(x))
    wanted = _type_of_columns(x) if dtype is None else _LIBRARY.dtype_from(dtype)
    into = _LIBRARY.name_of_dtype(wanted)
    if dtype is not None and into not in CODES:
        raise TypeError(f"dtype is {into}: must be one of {', '.join(CODES)}")
    if into not in CODES or not converts(code, into):
        x = x.to(wanted)
    x = _checked_floats("input", x)
    if dim is None:
        dim = torch.nn.functional._get_softmax_dim(name, x.dim(), stacklevel + 1)
    scale, mask, is_causal, offset = masking
    scale = checked_scale(scale, _LIBRARY.dtype_name(x))
    is_causal = check_flag("is_causal", is_causal)
    offset = checked_offset(offset, is_causal)
    if mask is not None:
        mask = _checked_mask(mask, x)
    if scale == 1.0 and mask is None and not is_causal and wanted == x.dtype:
        return _along(x, dim, lambda x: _call(name, x))
    axis = _checked_dim(dim, x.ndim) % max(x.ndim, 1)
    check_queries(is_causal, (axis,), "input", x.ndim)
    if mask is not None and axis != x.ndim - 1:
        mask = mask.broadcast_to(x.shape)
        mask = mask.reshape(1) if x.ndim == 0 else mask.movedim(axis, -1)
    options = (scale, is_causal, offset, wanted)
    return _along(x, dim, lambda x: _call("scale_mask_" + name, x, mask, *options))


def _fast_columns(
    name: str, x: Any, dim: Any, scale: Any, is_causal: Any, causal_offset: Any
) -> Tensor | None:
    """What the function gives, of a tensor along its last dimension, of which nothing else is
    asked; else None. Types are compared, not converted: other ones may be refused."""
    if type(x) is not torch.Tensor or _fast.is_watched():
        return None
    if _fast.is_any_autocast() and _type_of_columns(x) is not x.dtype:
        return None
    is_last = type(dim) is int and (dim == -1 or dim == x.dim() - 1)
    is_as_it_is = type(scale) is float and scale == 1.0 and is_causal is False
    if not (is_last and is_as_it_is and type(causal_offset) is int and causal_offset == 0):
        return None
    if x.requires_grad and torch.is_grad_enabled():
        return _RECORDED[name](x) if _fast.is_plain(x) else None
    return _launched(name, x)


def softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: Any = None,
    *,
    scale: float = 1.0,
    mask: Tensor | None = None,
    is_causal: bool = False,
    causal_offset: int = 0,
) -> Tensor:
    """torch.nn.functional.softmax, and its gradients; of scale * input + mask, in the same pass.

    dtype: of the result. The kernel reads input as it is and rounds once; where either is float64
        or of integers, input is converted to it first. None for input's own, or what autocast makes
        of it.
    scale: what input is multiplied by, as 1 / sqrt(d) of attention, or 1 / temperature: finite.
    mask: is added to the scaled input, -inf for what shall not count: a tensor that broadcasts to
        input, and is converted to its type. It has no gradient, and may not require one.
    is_causal: True where query q, along the dimension before the last, sees the columns up to
        q + `causal_offset`, as PyTorch's scaled_dot_product_attention has it.
    causal_offset: 0 where the first query sees the first column alone; columns less queries where
        the last query sees the last column.
    """
    if dtype is None and mask is None:
        result = _fast_columns("softmax", input, dim, scale, is_causal, causal_offset)
        if result is not None:
            return result
    masking = (scale, mask, is_causal, causal_offset)
    return _columns("softmax", input, dim, _stacklevel, dtype, masking)


def log_softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: Any = None,
    *,
    scale: float = 1.0,
    mask: Tensor | None = None,
    is_causal: bool = False,
    causal_offset: int = 0,
) -> Tensor:
    """torch.nn.functional.log_softmax, and its gradients. Other arguments are as for softmax."""
    if dtype is None and mask is None:
        result = _fast_columns("log_softmax", input, dim, scale, is_causal, causal_offset)
        if result is not None:
            return result
    masking = (scale, mask, is_causal, causal_offset)
    return _columns("log_softmax", input, dim, _stacklevel, dtype, masking)


def topk(
    input: Tensor,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
    *,
    probabilities: bool = False,
    scale: float = 1.0,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    """torch.topk, and its gradients: (values, indices), always sorted, of equal ones the lowest
    index first.

    probabilities: True for the k largest of input's softmax along dim, which is not stored: in
        float32, or float64 where input is that.
    scale: what input is multiplied by before that softmax, in the same pass, as 1 / temperature:
        above 0 and finite. Where probabilities is False it must be 1. Indices are in the order of
        input, also where scaled numbers are equal. A product that float32 does not hold counts as
        infinite, unless rows are sorted.

    Of the last dimension, rows that lie a stride apart are read where they are if the largest
    probabilities are meant and none are sorted, which more than 2048 of them are.
    """
    if out is None and probabilities is True and largest is True:
        results = _fast_topk(input, k, dim, scale)
        if results is not None:
            return torch.return_types.topk(results)
    x = _checked("input", input)
    if x.dtype == torch.bool or x.dtype.is_complex:
        raise TypeError(f"input has elements of {x.dtype}: must be floating-point or integers")
    scale = checked_topk_scale(scale, _LIBRARY.dtype_name(x), probabilities)
    dim = _checked_dim(dim, x.ndim)
    k = _checked_integer("k", k)
    length = 1 if x.ndim == 0 else x.shape[dim]
    if not 0 <= k <= length:
        raise RuntimeError(f"k = {k}: must be from 0 to {length}, the length of the dimension")
    if x.ndim == 0:
        found = _topk_of_rows(x.reshape(1), k, largest, probabilities, scale)
        results = [one.reshape(one.shape[1:] if k else (0,)) for one in found]
    else:
        given = x if dim in (-1, x.ndim - 1) else x.movedim(dim, -1)
        results = _topk_of_rows(given, k, largest, probabilities, scale)
        if given is not x:
            results = [result.movedim(-1, dim).contiguous() for result in results]
    if out is None:
        return torch.return_types.topk(results)
    for to, result in zip(out, results, strict=True):
        if to.shape != result.shape:
            to.resize_(result.shape)
        to.copy_(result)
    return torch.return_types.topk(out)


def _fast_topk(x: Any, k: Any, dim: Any, scale: Any) -> Any:
    if _fast.is_watched() or not _fast.is_plain(x) or type(scale) is not float or scale != 1.0:
        return None
    if type(k) is not int or type(dim) is not int or dim not in (-1, x.dim() - 1):
        return None
    return _unwatched_call("topk", x, k, True, True) if 1 <= k <= x.shape[-1] else None


def _topk_of_rows(x: Tensor, k: int, largest: bool, probabilities: bool, scale: float) -> Any:
    if scale == 1.0:
        return _call("topk", x, k, largest, probabilities)
    return _call("scale_topk", x, k, largest, scale)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """torch.nn.functional.cross_entropy, and its gradients.

    Labels as integers without weights of classes: loss and gradients in one pass over the logits,
    which may be a slice: where classes lie side by side, rows that lie apart are not copied.
    With weights, or probabilities as the target: by log_softmax.
    """
    if weight is None and size_average is None and reduce is None:
        loss = _fast_cross_entropy(input, target, ignore_index, reduction, label_smoothing)
        if loss is not None:
            return loss
    if size_average is not None or reduce is not None:
        reduction = torch.nn._reduction.legacy_get_string(size_average, reduce)
    if reduction not in _REDUCTIONS:
        raise ValueError(f"reduction = {reduction!r}: must be one of {', '.join(_REDUCTIONS)}")
    ignore_index = _checked_integer("ignore_index", ignore_index)
    if isinstance(label_smoothing, bool) or not isinstance(label_smoothing, numbers.Real):
        raise TypeError(f"label_smoothing is {kind_of(label_smoothing)}: must be a number")
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing = {label_smoothing}: must be from 0 to 1")
    x = _checked_floats("input", input)
    target = _checked("target", target)
    if x.ndim == 0:
        raise ValueError("input has 0 dimensions: must have 1 or more")
    class_dim = 0 if x.ndim == 1 else 1
    if target.is_floating_point() and target.shape == x.shape:
        logarithms = _logarithms_for_loss(x, class_dim)
        return _of_probabilities(logarithms, target, weight, class_dim, reduction, label_smoothing)
    target = _checked_labels(x, target, class_dim)
    if weight is not None:
        logarithms = _logarithms_for_loss(x, class_dim)
        return _of_weights(logarithms, target, weight, ignore_index, reduction, label_smoothing)
    x = x if class_dim == x.ndim - 1 else x.movedim(class_dim, -1)
    loss = _of_labels(x, target, ignore_index, reduction, label_smoothing)
    return loss.to(_type_of_loss(x))


def _fast_cross_entropy(
    x: Any, target: Any, ignore_index: Any, reduction: Any, label_smoothing: Any
) -> Tensor | None:
    """That of labels, where classes are the last dimension and nothing is to be converted."""
    if type(x) is not torch.Tensor or _fast.is_watched():
        return None
    is_usual = (
        type(reduction) is str
        and reduction in _REDUCTIONS
        and type(label_smoothing) is float
        and 0.0 <= label_smoothing <= 1.0
        and type(ignore_index) is int
        and x.dim() <= 2
    )
    if not is_usual:
        return None
    options = (ignore_index, label_smoothing, _REDUCTIONS[reduction])
    if x.requires_grad and torch.is_grad_enabled():
        return _recorded_loss(x, target, options)
    if label_smoothing > 0.0:
        results = _launched("cross_entropy", x, target, *options)
        return None if results is None else _as_loss_of(x, results[0])
    losses = _launched("cross_entropy_loss", x, target, ignore_index)
    if losses is None:
        return None
    return _as_loss_of(x, _of_losses(losses, target, ignore_index, reduction))


def _as_loss_of(x: Tensor, loss: Tensor) -> Tensor:
    """In the type that it has, of one in float32."""
    if _fast.is_any_autocast():
        return loss.to(_type_of_loss(x))
    return _in_type_of(x, loss)


def _logarithms_for_loss(x: Tensor, class_dim: int) -> Tensor:
    dtype = _type_of_loss(x)
    return log_softmax(x, class_dim, dtype=None if dtype is x.dtype else dtype)


def _checked_labels(x: Tensor, target: Tensor, class_dim: int) -> Tensor:
    shape = (*x.shape[:class_dim], *x.shape[class_dim + 1 :])
    if tuple(target.shape) != shape:
        raise ValueError(
            f"target has the shape {tuple(target.shape)}: must have {shape}, or input's own "
            f"{tuple(x.shape)} if it has probabilities"
        )
    if target.dtype not in (torch.int64, torch.int32, torch.uint8):
        raise RuntimeError(
            f"target has elements of {target.dtype}: must be of int64, int32 or uint8"
        )
    return target.long()


def _of_labels(
    x: Tensor, target: Tensor, ignore_index: int, reduction: str, label_smoothing: float
) -> Tensor:
    wants_gradient = torch.is_grad_enabled() and (x.requires_grad or _is_transformed())
    if wants_gradient or label_smoothing > 0.0:
        options = (ignore_index, label_smoothing, _REDUCTIONS[reduction])
        return _call("cross_entropy", x, target, *options)[0]
    losses = _call("cross_entropy_loss", x, target, ignore_index)
    return _of_losses(losses, target, ignore_index, reduction)


def _of_losses(losses: Tensor, target: Tensor, ignore_index: int, reduction: str) -> Tensor:
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.sum() / (target != ignore_index).sum()


def _of_probabilities(
    logarithms: Tensor,
    target: Tensor,
    weight: Tensor | None,
    class_dim: int,
    reduction: str,
    label_smoothing: float,
) -> Tensor:
    classes = logarithms.shape[class_dim]
    if label_smoothing > 0.0:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    terms = logarithms * target
    if weight is not None:
        terms = terms * _along_classes(weight, logarithms, class_dim)
    losses = -terms.sum(class_dim)
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.sum() / losses.numel()


def _along_classes(weight: Tensor, logarithms: Tensor, class_dim: int) -> Tensor:
    return weight.reshape([-1 if i == class_dim else 1 for i in range(logarithms.ndim)])


def _of_weights(
    logarithms: Tensor,
    target: Tensor,
    weight: Tensor,
    ignore_index: int,
    reduction: str,
    label_smoothing: float,
) -> Tensor:
    nll = torch.nn.functional.nll_loss(
        logarithms, target, weight, ignore_index=ignore_index, reduction=reduction
    )
    if label_smoothing == 0.0:
        return nll
    class_dim = 0 if logarithms.ndim == 1 else 1
    counts = target != ignore_index
    smooth = -(logarithms * _along_classes(weight, logarithms, class_dim)).sum(class_dim)
    smooth = torch.where(counts, smooth, 0.0)
    if reduction == "sum":
        smooth = smooth.sum()
    elif reduction == "mean":
        of_rows = torch.where(counts, weight[torch.where(counts, target, 0)], 0.0)
        smooth = smooth.sum() / of_rows.sum()
    classes = logarithms.shape[class_dim]
    return (1 - label_smoothing) * nll + label_smoothing / classes * smooth
