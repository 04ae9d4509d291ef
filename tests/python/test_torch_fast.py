"""Which calls of softmax_worklog.torch go to the core at once, and which by PyTorch's operators;
that both give the same.

PyTorch is not among the pinned packages: without it these are skipped.
"""

import pytest

from softmax_worklog import _core
from softmax_worklog._core import DEVICE

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if DEVICE == "cuda" and not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

import softmax_worklog.torch as sw  # noqa: E402
from softmax_worklog import _fast  # noqa: E402

TYPES = [torch.float32, torch.float16, torch.bfloat16]
SHAPES = [(9,), (5, 9), (2, 3, 65)]


class Other(torch.Tensor):
    pass


def randn(*shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(sum(shape))
    return (2 * torch.randn(shape, generator=generator)).to(dtype).to(DEVICE)


def labels_of(x):
    labels = torch.arange(x[..., 0].numel(), device=DEVICE).view(x.shape[:-1]) % x.shape[-1]
    return torch.where(labels == 1, -100, labels)


LOSSES = {
    "cross_entropy": lambda x: sw.cross_entropy(x, labels_of(x)),
    "cross_entropy of each": lambda x: sw.cross_entropy(x, labels_of(x), reduction="none"),
    "cross_entropy, smooth": lambda x: sw.cross_entropy(
        x, labels_of(x), reduction="sum", label_smoothing=0.2
    ),
}
CALLS = {
    "softmax": lambda x: sw.softmax(x, -1),
    "log_softmax": lambda x: sw.log_softmax(x, x.ndim - 1),
    "topk": lambda x: sw.topk(x, 3, probabilities=True)[0],
} | LOSSES
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


LAUNCHES = ("columns_of", "columns_at", "topk_at", "cross_entropy_at", "cross_entropy_of")


@pytest.fixture(params=[True, False], ids=["exchange", "addresses"])
def launches(monkeypatch, request):
    """The names of the core's functions that were called past the operators, in order: with
    DLPack's exchange interface, and as before PyTorch had that."""
    if request.param and not _fast._HAS_EXCHANGE:
        pytest.skip("this PyTorch has no exchange interface")
    monkeypatch.setattr(_fast, "_HAS_EXCHANGE", request.param)
    names = []
    for name in LAUNCHES:
        launch = getattr(_core, name)

        def noted(*given, name=name, launch=launch):
            result = launch(*given)
            if not name.endswith("_of") or result is not None:
                names.append(name.rpartition("_")[0])
            return result

        monkeypatch.setattr(_core, name, noted)
    return names


def by_operators(call, *given):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_fast, "is_watched", lambda: True)
        return call(*given)


def with_gradient(call, x):
    """The result, and the gradient of a weighed sum of it."""
    x = x.detach().clone().requires_grad_()
    y = call(x)
    weights = torch.linspace(-1, 2, y.numel(), device=DEVICE).view(y.shape)
    return y.detach(), *torch.autograd.grad((y * weights).sum(), x)


def assert_equal(mine, other):
    """But for the order of additions, which depends on addresses."""
    torch.testing.assert_close(mine, other, equal_nan=True)
    assert mine.stride() == other.stride()


# ---- where it is taken ----


@each_call
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_plain_tensors(launches, call, dtype, shape):
    x = randn(*shape, dtype=dtype)
    if len(shape) > 2 and call in LOSSES.values():
        pytest.skip("classes are not the last dimension")
    y = call(x)
    assert len(launches) == 1
    assert not y.requires_grad
    assert_equal(y, by_operators(call, x))
    assert len(launches) == 1


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_gradients(launches, name, dtype):
    x = randn(5, 9, dtype=dtype)
    results = with_gradient(CALLS[name], x)
    # A cross-entropy's forward pass makes them; of top-k's probabilities a softmax is made again.
    assert len(launches) == (1 if name in LOSSES else 3 if name == "topk" else 2)
    for mine, other in zip(results, by_operators(with_gradient, CALLS[name], x), strict=True):
        assert_equal(mine, other)


def test_a_gradient_that_repeats_is_copied(launches):
    x = randn(5, 9).requires_grad_()
    sw.log_softmax(x, -1).sum().backward()
    assert launches == ["columns"] * 2
    expected = by_operators(lambda: torch.autograd.grad(sw.log_softmax(x, -1).sum(), x))
    assert_equal(x.grad, expected[0])


@each_call
def test_gradients_of_gradients(launches, call):
    def second(x):
        x = x.detach().clone().requires_grad_()
        (first,) = torch.autograd.grad(call(x).pow(2).sum(), x, create_graph=True)
        return torch.autograd.grad(first.pow(2).sum(), x)[0]

    x = randn(5, 9)
    mine = second(x)
    assert launches
    torch.testing.assert_close(mine, by_operators(second, x), rtol=1e-5, atol=1e-5)


@each_call
def test_parts_of_an_array_and_nothing_recorded(launches, call):
    whole = randn(7, 9).requires_grad_()
    with torch.no_grad():
        part = whole[2:]
        y = call(part)
        assert launches
        assert not y.requires_grad
        assert_equal(y, by_operators(call, part))
    with torch.inference_mode():
        assert_equal(call(part), y)


# Of what PyTorch calls beside the core, these launch nothing on a GPU.
LAUNCH_NOTHING = {"empty", "empty_like", "empty_strided", "new_empty", "unsqueeze", "detach"}


def operations(call):
    """The names of PyTorch's that are called, but for those that another one calls."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        call()
    outer = (
        event.name.removeprefix("aten::")
        for event in profile.events()
        if event.name.startswith("aten::")
        and not (event.cpu_parent and event.cpu_parent.name.startswith("aten::"))
    )
    return [name for name in outer if name not in LAUNCH_NOTHING]


@pytest.mark.parametrize(
    ("dtype", "reduction", "expected"),
    [
        (torch.float32, "mean", ["ones_like", "mul_"]),
        (torch.float32, "sum", ["ones_like", "mul_"]),
        (torch.bfloat16, "mean", ["to", "ones_like", "mul_"]),
        (
            torch.float16,
            "mean",
            ["ne", "sum", "div", "to", "ones_like", "to", "clamp", "div", "mul_"],
        ),
    ],
    ids=str,
)
def test_operations_of_a_training_step(launches, monkeypatch, dtype, reduction, expected):
    """Each costs the host a launch: beside the core's own, as few as there can be. backward()
    makes the one that the loss's gradient begins with."""
    monkeypatch.setattr(_fast, "check_labels", lambda *given: None)  # none on a GPU
    x, labels = randn(5, 9, dtype=dtype).requires_grad_(), labels_of(randn(5, 9))

    def step():
        x.grad = None
        sw.cross_entropy(x, labels, reduction=reduction).backward()

    step()
    assert operations(step) == expected
    assert launches == ["cross_entropy"] * 2


def of_loss(loss):
    """Gradients as they were saved."""
    return loss.grad_fn.saved_tensors[2]


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_a_last_backward_pass_takes_no_memory(launches, dtype, reduction):
    x = randn(5, 9, dtype=dtype).requires_grad_()
    loss = sw.cross_entropy(x, labels_of(x), reduction=reduction)
    weights = torch.full_like(loss, 3.0)
    saved = of_loss(loss).data_ptr()
    first, second = (torch.autograd.grad(loss, x, weights, retain_graph=True)[0] for _ in range(2))
    assert saved not in (first.data_ptr(), second.data_ptr())
    loss.backward(weights)
    assert x.grad.data_ptr() == saved
    for gradient in (first, second):
        torch.testing.assert_close(gradient, x.grad, rtol=0, atol=0)
    assert launches == ["cross_entropy"]


@pytest.mark.skipif(DEVICE != "cuda", reason="PyTorch for the CPU captures no graphs")
def test_a_captured_backward_pass_may_be_replayed():
    x = randn(5, 9, dtype=torch.float16).requires_grad_()
    labels = labels_of(x)

    def passes():
        loss = sw.cross_entropy(x, labels)
        return torch.autograd.grad(loss, x, torch.full_like(loss, 3.0))[0]

    expected = passes()
    forward, backward = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(forward):
        loss = sw.cross_entropy(x, labels)
    weights = torch.full_like(loss, 3.0)
    with torch.cuda.graph(backward, pool=forward.pool()):
        (gradient,) = torch.autograd.grad(loss, x, weights)
    forward.replay()
    for _ in range(2):
        backward.replay()
        torch.testing.assert_close(gradient, expected, rtol=0, atol=0)


def test_a_captured_backward_pass_leaves_what_was_saved(launches, monkeypatch):
    x = randn(5, 9).requires_grad_()
    loss = sw.cross_entropy(x, labels_of(x))
    saved = of_loss(loss).data_ptr()
    monkeypatch.setattr(_fast, "_is_captured", lambda: True)
    loss.backward(torch.tensor(3.0, device=DEVICE))
    assert x.grad.data_ptr() != saved
    assert launches == ["cross_entropy"]


def test_what_others_saved_is_not_written_to(launches):
    x = randn(5, 9).requires_grad_()
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        loss = sw.cross_entropy(x, labels_of(x))
    before = [tensor.clone() for tensor in kept]
    (3.0 * loss).backward()
    for tensor, other in zip(kept, before, strict=True):
        torch.testing.assert_close(tensor, other, rtol=0, atol=0)
    torch.testing.assert_close(x.grad, 3.0 * kept[2])
    assert launches == ["cross_entropy"]


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_of_a_loss_by_many_weights(launches, name):
    x = randn(5, 9).requires_grad_()
    loss = LOSSES[name](x)
    weights = randn(3, *loss.shape)
    (many,) = torch.autograd.grad(loss, x, weights, is_grads_batched=True)
    assert launches == ["cross_entropy"]
    each = (torch.autograd.grad(LOSSES[name](x), x, one)[0] for one in weights)
    torch.testing.assert_close(many, torch.stack(list(each)))


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("dtype", TYPES[1:], ids=str)
def test_gradients_of_gradients_of_a_loss_in_2_bytes(launches, name, dtype):
    def second(x):
        x = x.detach().clone().requires_grad_()
        (first,) = torch.autograd.grad(LOSSES[name](x).pow(2).sum(), x, create_graph=True)
        return torch.autograd.grad(first.float().pow(2).sum(), x)[0]

    x = randn(5, 9, dtype=dtype)
    mine = second(x)
    assert launches
    torch.testing.assert_close(mine, by_operators(second, x))


STRANGE_LABELS = {
    "of 32 bits": lambda labels: labels.int(),
    "a stride apart": lambda labels: torch.stack([labels, labels], -1)[:, 0],
    "a subclass": lambda labels: labels.as_subclass(Other),
}


@pytest.mark.parametrize("strange", STRANGE_LABELS.values(), ids=STRANGE_LABELS)
def test_labels_that_kernels_do_not_take(strange):
    """They are not looked at as if they were others."""
    x = randn(5, 9).requires_grad_()
    labels = labels_of(x)
    if _fast._HAS_EXCHANGE:
        assert _core.cross_entropy_of(x, strange(labels), -100, 0.0, 2) is None
        for other in (labels[1:], labels[None], labels.float(), labels.tolist()):
            assert _core.cross_entropy_of(x, other, -100, 0.0, 2) is None
    loss = sw.cross_entropy(x, strange(labels)).as_subclass(torch.Tensor)
    assert_equal(loss.detach(), sw.cross_entropy(x, labels).detach())


def test_labels_that_name_no_class_but_are_ignored(launches):
    x = randn(3, 5).requires_grad_()
    labels = torch.tensor([0, 7, 4], device=DEVICE)
    loss = sw.cross_entropy(x, labels, ignore_index=7)
    assert launches == ["cross_entropy"]
    torch.testing.assert_close(loss, sw.cross_entropy(x[::2], labels[::2]))


def test_labels_are_checked_on_the_cpu(launches):
    if DEVICE != "cpu":
        pytest.skip("nobody waits for a GPU")
    for x in (randn(2, 5), randn(2, 5).requires_grad_()):
        with pytest.raises(IndexError, match="target has a label of 7: must be from 0 to 4"):
            sw.cross_entropy(x, torch.tensor([0, 7]))
    assert not launches


# ---- where it is not ----


STRANGERS = {
    "another type": lambda x: x.double(),
    "rows that lie apart": lambda x: torch.stack([x, x], -1)[..., 0],
    "a subclass": lambda x: x.as_subclass(Other),
    "a parameter": torch.nn.Parameter,
}


@each_call
@pytest.mark.parametrize("stranger", STRANGERS.values(), ids=STRANGERS)
def test_other_tensors(launches, call, stranger):
    x = randn(5, 9)
    y = call(stranger(x)).detach().as_subclass(torch.Tensor)
    assert not launches
    torch.testing.assert_close(y.float(), call(x), rtol=1e-5, atol=1e-5)


def test_what_is_negated_where_it_lies(launches):
    x = torch.complex(randn(1), randn(1)).conj().imag
    assert x.is_neg()
    assert x.is_contiguous()
    assert sw.softmax(x, -1).tolist() == [1.0]
    assert not launches


@pytest.mark.parametrize("shape", [(0, 9), (5, 0), (0,)], ids=str)
def test_without_elements(launches, shape):
    assert sw.softmax(randn(*shape), -1).shape == shape
    assert not launches


def test_what_more_is_asked(launches):
    x = randn(5, 9)
    for call in (
        lambda: sw.softmax(x, 0),
        lambda: sw.softmax(x, -1, scale=0.5),
        lambda: sw.softmax(x, -1, mask=torch.zeros_like(x)),
        lambda: sw.softmax(x, -1, is_causal=True),
        lambda: sw.softmax(x, -1, dtype=torch.float64),
        lambda: sw.topk(x, 3),
        lambda: sw.topk(x, 3, 0, probabilities=True),
        lambda: sw.topk(x, 3, largest=False, probabilities=True),
        lambda: sw.topk(x, 0, probabilities=True),
        lambda: sw.cross_entropy(x.double(), labels_of(x)),
    ):
        call()
    assert not launches


def test_what_is_refused(launches):
    x, labels = randn(5, 9), labels_of(randn(5, 9))
    for error, match, call in (
        (IndexError, "dim = 2: must be from -2 to 1", lambda: sw.softmax(x, 2)),
        (TypeError, "scale", lambda: sw.softmax(x, -1, scale="1")),
        (TypeError, "is_causal", lambda: sw.softmax(x, -1, is_causal=0)),
        (RuntimeError, "k = 10: must be from 0", lambda: sw.topk(x, 10, probabilities=True)),
        (ValueError, "reduction = 'all'", lambda: sw.cross_entropy(x, labels, reduction="all")),
        (RuntimeError, "2.0: must be", lambda: sw.cross_entropy(x, labels, label_smoothing=2.0)),
        (ValueError, "target has the shape", lambda: sw.cross_entropy(x, labels[1:])),
    ):
        with pytest.raises(error, match=match):
            call()
    assert not launches


def test_another_device(launches):
    meta = torch.empty((5, 9), device="meta")
    assert sw.softmax(meta, -1).is_meta
    if DEVICE == "cuda":
        with pytest.raises(BufferError, match="device 'cpu'"):
            sw.softmax(torch.zeros(5, 9), -1)
    assert not launches


def test_a_shape_that_the_library_refuses_is_the_operators_matter(monkeypatch):
    def refuses(*given):
        raise ValueError("rows = 5: must be at most 4")

    x = randn(5, 9)
    expected = [(call(x), *with_gradient(call, x)) for call in CALLS.values()]
    for name in LAUNCHES:
        monkeypatch.setattr(_core, name, refuses)
    for call, others in zip(CALLS.values(), expected, strict=True):
        for mine, other in zip((call(x), *with_gradient(call, x)), others, strict=True):
            assert_equal(mine, other)


class Watcher(torch.utils._python_dispatch.TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


@each_call
def test_modes(launches, call):
    x = randn(5, 9)
    with Watcher() as watcher:
        call(x)
    assert any("softmax_worklog" in name for name in watcher.seen)
    with torch.overrides.BaseTorchFunctionMode():
        call(x)
    with torch._subclasses.FakeTensorMode(allow_non_fake_inputs=True):
        assert isinstance(sw.softmax(x, -1), torch._subclasses.FakeTensor)
    assert not launches


def test_tangents(launches):
    x = randn(5, 9)
    function = CALLS["softmax"]
    with pytest.raises(NotImplementedError, match="input has a tangent"):
        torch.func.jvp(function, (x,), (x,))
    with torch.autograd.forward_ad.dual_level():
        function(x)
        dual = torch.autograd.forward_ad.make_dual(x, x)
        with pytest.raises(NotImplementedError, match="input has a tangent"):
            function(dual)
    assert not launches


def test_transformations_take_their_layers_off_first(launches):
    x = randn(5, 9)
    seen = []

    def function(x):
        seen.append(_fast.is_watched())
        return CALLS["softmax"](x)

    assert_equal(torch.func.vmap(function)(x), by_operators(CALLS["softmax"], x))
    assert seen == [True]
    assert launches == ["columns"]


def test_what_outlives_its_transformation(launches):
    kept = []
    torch.func.grad(lambda x: (kept.append(x), x.sum())[1])(randn(5, 9))
    assert not _fast.is_watched()
    assert not _fast.is_plain(kept[0])


@each_call
def test_tracing(launches, call):
    x = randn(5, 9)
    expected = by_operators(call, x)
    compiled = torch.compile(call, backend="aot_eager", fullgraph=True)
    graph = torch.fx.experimental.proxy_tensor.make_fx(call)(x)
    assert not launches
    assert_equal(compiled(x), expected)
    assert "softmax_worklog" in graph.code
    assert not launches


@pytest.mark.filterwarnings("ignore")
def test_torch_jit_trace(launches):
    traced = torch.jit.trace(CALLS["softmax"], randn(5, 9), check_trace=False)
    assert not launches
    assert_equal(traced(randn(5, 10)), by_operators(CALLS["softmax"], randn(5, 10)))


def test_gradients_of_many_at_once(launches):
    """Within torch.func, which the backward pass then is in."""
    x = randn(9).requires_grad_()
    y = sw.softmax(x, -1)
    (jacobian,) = torch.autograd.grad(y, x, torch.eye(9, device=DEVICE), is_grads_batched=True)
    y = y.detach()
    torch.testing.assert_close(jacobian, torch.diag(y) - torch.outer(y, y))
    assert launches == ["columns"]
