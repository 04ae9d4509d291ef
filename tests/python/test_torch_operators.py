"""softmax_worklog.torch against PyTorch's own functions: values, gradients, transformations.

PyTorch is not among the pinned packages: without it these are skipped.
"""

import inspect
import weakref

import pytest

from softmax_worklog._core import DEVICE

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if DEVICE == "cuda" and not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

import softmax_worklog.torch as sw  # noqa: E402

theirs = torch.nn.functional
ops = torch.ops.softmax_worklog
each_of_two = pytest.mark.parametrize("name", ["softmax", "log_softmax"])
REDUCTIONS = ["none", "sum", "mean"]


def randn(*shape, dtype=torch.float32, grad=False):
    generator = torch.Generator().manual_seed(sum(shape))
    x = (2 * torch.randn(shape, generator=generator)).to(dtype).to(DEVICE)
    return x.requires_grad_(grad)


def labels_of(shape, classes):
    labels = torch.randint(0, classes, shape, generator=torch.Generator().manual_seed(1))
    if labels.numel() > 2:
        labels.view(-1)[1] = -100
    return labels.to(DEVICE)


def assert_same(function, expected, *tensors, tolerance=1e-5):
    """Values, and the gradients of all tensors that want one, of a weighed sum of the values."""
    results = []
    for one in (function, expected):
        copies = [x.detach().clone().requires_grad_(x.requires_grad) for x in tensors]
        y = one(*copies)
        weights = torch.linspace(-1, 2, y.numel(), dtype=torch.float64, device=DEVICE)
        if any(x.requires_grad for x in copies):
            (y.double() * weights.view(y.shape)).sum().backward()
        results.append([y.detach(), *(x.grad for x in copies if x.requires_grad)])
    for mine, other in zip(*results, strict=True):
        torch.testing.assert_close(mine, other, rtol=tolerance, atol=tolerance)


def test_all_are_documented():
    for name in sw.__all__:
        assert len(inspect.getdoc(getattr(sw, name))) > 20, name


# ---- softmax and log-softmax ----


@each_of_two
@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2])
def test_along_every_dimension(name, dim):
    x = randn(3, 4, 5, grad=True)
    assert_same(lambda x: getattr(sw, name)(x, dim), lambda x: getattr(theirs, name)(x, dim), x)
    assert getattr(sw, name)(x, dim).is_contiguous()


def test_doubles():
    x = randn(5, 300, dtype=torch.float64, grad=True)
    for name in ("softmax", "log_softmax"):
        ours, other = (lambda x, m=m, n=name: getattr(m, n)(x, -1) for m in (sw, theirs))
        assert_same(ours, other, x, tolerance=1e-12)


@each_of_two
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types(name, dtype):
    """Against double precision; a gradient is of the result as it was rounded."""
    x = randn(5, 300, dtype=dtype, grad=True)
    y = getattr(sw, name)(x, -1)
    eps = torch.finfo(dtype).eps
    expected = getattr(theirs, name)(x.detach().double(), -1)
    torch.testing.assert_close(y.detach().double(), expected, rtol=eps, atol=1e-6)
    dy = randn(5, 301, dtype=dtype)[:, 1:]
    y.backward(dy)
    y, dy = y.detach().double(), dy.double()
    if name == "softmax":
        expected = y * (dy - (y * dy).sum(-1, keepdim=True))
    else:
        expected = dy - y.exp() * dy.sum(-1, keepdim=True)
    torch.testing.assert_close(x.grad.double(), expected, rtol=eps, atol=1e-5)
    converted = getattr(sw, name)(x, -1, dtype=torch.float32)
    assert converted.dtype == torch.float32


@each_of_two
def test_shapes_without_columns_rows_or_dimensions(name):
    for shape in [(), (1,), (0,), (0, 5), (5, 0), (2, 0, 3)]:
        x = randn(*shape, grad=True)
        y = getattr(sw, name)(x, -1)
        assert y.shape == x.shape
        y.sum().backward()
        assert x.grad.shape == x.shape


@each_of_two
@pytest.mark.filterwarnings("ignore:Implicit dimension")
def test_a_dimension_that_is_not_given_is_pytorchs(name):
    for shape in [(3,), (3, 4), (3, 4, 5), (2, 3, 4, 5)]:
        x = randn(*shape)
        torch.testing.assert_close(getattr(sw, name)(x), getattr(theirs, name)(x))


@each_of_two
def test_derivatives(name):
    x = randn(3, 5, dtype=torch.float64, grad=True)
    assert torch.autograd.gradcheck(lambda x: getattr(sw, name)(x, 0), x)
    assert torch.autograd.gradgradcheck(lambda x: getattr(sw, name)(x, 1), x)


# ---- cross-entropy ----


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("shape", [(7,), (6, 7), (5, 7, 3), (2, 7, 3, 4)], ids=str)
@pytest.mark.parametrize("grad", [True, False], ids=["training", "validation"])
def test_cross_entropy_of_labels(reduction, smoothing, shape, grad):
    x = randn(*shape, grad=grad)
    labels = labels_of((shape[0], *shape[2:]) if len(shape) > 1 else (), 7)
    options = {"reduction": reduction, "label_smoothing": smoothing}
    assert_same(
        lambda x: sw.cross_entropy(x, labels, **options),
        lambda x: theirs.cross_entropy(x, labels, **options),
        x,
    )


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("shape", [(7,), (6, 7), (5, 7, 3)], ids=str)
@pytest.mark.parametrize("weighed", [True, False], ids=["weights", "no weights"])
@pytest.mark.parametrize("of_labels", [True, False], ids=["labels", "probabilities"])
def test_cross_entropy_of_weights_and_probabilities(
    reduction, smoothing, shape, weighed, of_labels
):
    x = randn(*shape, grad=True)
    labels = labels_of((shape[0], *shape[2:]) if len(shape) > 1 else (), 7)
    target = labels if of_labels else theirs.softmax(randn(*shape), 0)
    weight = torch.arange(1.0, 8.0, device=DEVICE) if weighed else None
    options = {"reduction": reduction, "label_smoothing": smoothing, "weight": weight}
    assert_same(
        lambda x: sw.cross_entropy(x, target, **options),
        lambda x: theirs.cross_entropy(x, target, **options),
        x,
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_cross_entropy_of_other_types(dtype):
    x = randn(16, 300, dtype=dtype, grad=True)
    labels = labels_of((16,), 300)
    tolerance = {torch.float64: 1e-12, torch.float16: 4e-3}.get(dtype, 3e-2)
    ours, other = (lambda x, m=m: m.cross_entropy(x, labels) for m in (sw, theirs))
    assert_same(ours, other, x, tolerance=tolerance)
    assert sw.cross_entropy(x, labels).dtype == dtype


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_cross_entropy_of_doubles(reduction, smoothing):
    """A label smoothing is no float32 on the way."""
    x = randn(5, 9, dtype=torch.float64, grad=True)
    labels = labels_of((5,), 9)
    options = {"reduction": reduction, "label_smoothing": smoothing}
    ours, other = (lambda x, m=m: m.cross_entropy(x, labels, **options) for m in (sw, theirs))
    assert_same(ours, other, x, tolerance=1e-14)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_derivatives_of_cross_entropy(reduction):
    x = randn(4, 5, dtype=torch.float64, grad=True)
    labels = labels_of((4,), 5)

    def loss(x):
        return sw.cross_entropy(x, labels, reduction=reduction, label_smoothing=0.1)

    assert torch.autograd.gradcheck(loss, x)
    assert torch.autograd.gradgradcheck(loss, x)


def test_logits_are_kept_for_the_second_order():
    """As the page says: PyTorch's own keeps an array of its own."""
    x, labels = randn(4, 5, grad=True), labels_of((4,), 5)
    for module, is_kept in ((sw, True), (theirs, False)):
        logits = x * 1.0
        loss = module.cross_entropy(logits, labels)
        with torch.no_grad():
            logits.zero_()
        if is_kept:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                loss.backward()
        else:
            loss.backward()
    with torch.no_grad():
        logits = x * 1.0
        is_alive = weakref.ref(logits)
        sw.cross_entropy(logits, labels)
        del logits
        assert is_alive() is None


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_cross_entropy_without_rows_that_count(reduction):
    for shape, labels in [((0, 5), []), ((2, 5), [-100, -100])]:
        x, target = randn(*shape), torch.tensor(labels, dtype=torch.int64, device=DEVICE)
        torch.testing.assert_close(
            sw.cross_entropy(x, target, reduction=reduction),
            theirs.cross_entropy(x, target, reduction=reduction),
            equal_nan=True,
        )
        y = sw.cross_entropy(x.requires_grad_(), target, reduction=reduction)
        y.sum().backward()
        assert x.grad.shape == x.shape


def test_what_cross_entropy_refuses():
    x, labels = randn(3, 5), labels_of((3,), 5)
    with pytest.raises(ValueError, match="reduction = 'all': must be one of none, sum, mean"):
        sw.cross_entropy(x, labels, reduction="all")
    with pytest.raises(RuntimeError, match=r"label_smoothing = 1\.5: must be from 0 to 1"):
        sw.cross_entropy(x, labels, label_smoothing=1.5)
    with pytest.raises(ValueError, match=r"target has the shape \(2,\): must have \(3,\)"):
        sw.cross_entropy(x, labels[:2])
    with pytest.raises(RuntimeError, match=r"target has elements of torch\.float32: must be"):
        sw.cross_entropy(x, labels.float())
    if DEVICE == "cpu":
        with pytest.raises(IndexError, match="target has a label of 5: must be from 0 to 4"):
            sw.cross_entropy(x, labels + 5 * (labels == labels))


# ---- top-k ----


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [0, 1, 4])
def test_topk(dim, largest, k):
    x = randn(4, 4, 6, grad=True)
    assert_same(
        lambda x: sw.topk(x, k, dim, largest)[0], lambda x: torch.topk(x, k, dim, largest)[0], x
    )
    mine, other = sw.topk(x, k, dim, largest), torch.topk(x, k, dim, largest)
    assert torch.equal(mine.indices, other.indices)
    assert type(mine) is type(other)


def test_topk_of_integers_scalars_and_into_tensors():
    x = torch.tensor([[3, 1, 2]], device=DEVICE)
    assert sw.topk(x, 2).values.tolist() == [[3, 2]]
    scalar = torch.tensor(3.0, device=DEVICE)
    assert [part.tolist() for part in sw.topk(scalar, 1)] == [3.0, 0]
    assert sw.topk(scalar, 0).values.shape == (0,)
    for scale in (1.0, 0.5):
        values, indices = sw.topk(scalar.half(), 1, probabilities=True, scale=scale)
        assert (values.tolist(), values.dtype, indices.tolist()) == (1.0, torch.float32, 0)
    out = x.new_empty(0), x.new_empty((1, 2))
    sw.topk(x, 2, out=out)
    assert [part.tolist() for part in out] == [[[3, 2]], [[0, 2]]]


def test_topk_of_probabilities():
    x = randn(4, 50, grad=True)

    def expected(x):
        return torch.topk(theirs.softmax(x, -1), 3)[0]

    assert_same(lambda x: sw.topk(x, 3, probabilities=True)[0], expected, x)
    wide = randn(3, 6, dtype=torch.float64, grad=True)
    for probabilities in (True, False):

        def values(x, probabilities=probabilities):
            return sw.topk(x, 2, probabilities=probabilities)[0]

        assert torch.autograd.gradcheck(values, wide)
        assert torch.autograd.gradgradcheck(values, wide)


# ---- operators ----

X = (5, 7)
OPERATORS = {
    "softmax": lambda x: (ops.softmax, x),
    "log_softmax": lambda x: (ops.log_softmax, x),
    "softmax_backward": lambda x: (ops.softmax_backward, x, randn(*X)),
    "log_softmax_backward": lambda x: (ops.log_softmax_backward, x, randn(*X)),
    "topk": lambda x: (ops.topk, x, 3, True, False),
    "topk, smallest": lambda x: (ops.topk, x, 3, False, False),
    "topk of probabilities": lambda x: (ops.topk, x, 3, True, True),
    "cross_entropy": lambda x: (ops.cross_entropy, x, labels_of((5,), 7), -100, 0.1, 0),
    "cross_entropy, sum": lambda x: (ops.cross_entropy, x, labels_of((5,), 7), -100, 0.0, 1),
    "cross_entropy, mean": lambda x: (ops.cross_entropy, x, labels_of((5,), 7), -100, 0.0, 2),
    "cross_entropy_loss": lambda x: (
        ops.cross_entropy_loss,
        x.detach(),
        labels_of((5,), 7),
        -100,
    ),
}


@pytest.mark.parametrize("call", OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_opcheck(call, dtype):
    for x in (randn(*X, dtype=dtype), randn(*X, dtype=dtype, grad=True)):
        operator, *given = call(x)
        given = [
            g.to(dtype) if torch.is_tensor(g) and g.dtype.is_floating_point else g for g in given
        ]
        if x.requires_grad and given[0].dtype == dtype and "loss" not in str(operator):
            given[0] = given[0].detach().requires_grad_()
        torch.library.opcheck(operator.default, tuple(given))


def train(x, weight, labels):
    """Every function in one."""
    logits = x @ weight
    loss = sw.cross_entropy(logits, labels, label_smoothing=0.1)
    loss = loss + sw.topk(logits, 2).values.mean() + sw.softmax(logits, 0).pow(2).sum()
    return loss + sw.cross_entropy(logits, labels, weight=torch.arange(7.0, device=DEVICE))


def test_a_training_step_is_compiled_without_a_break():
    x, labels = randn(5, 7), labels_of((5,), 7)
    results = []
    for function in (train, torch.compile(train, backend="aot_eager", fullgraph=True)):
        weight = randn(7, 7, grad=True)
        loss = function(x, weight, labels)
        loss.backward()
        results.append((loss.detach(), weight.grad))
    for mine, other in zip(*results, strict=True):
        torch.testing.assert_close(mine, other)


TRANSFORMATIONS = {
    "vmap": lambda f: torch.func.vmap(f),
    "vmap, last": lambda f: torch.func.vmap(f, in_dims=1, out_dims=1),
    "grad": lambda f: torch.func.grad(lambda x: f(x).pow(2).sum()),
    "vmap of grad": lambda f: torch.func.vmap(torch.func.grad(lambda x: f(x).pow(2).sum())),
    "grad of vmap": lambda f: torch.func.grad(lambda x: torch.func.vmap(f)(x).pow(2).sum()),
    "jacrev": lambda f: torch.func.jacrev(f),
    "jacrev of jacrev": lambda f: torch.func.jacrev(torch.func.jacrev(lambda x: f(x).sum())),
    "vmap of vmap": lambda f: torch.func.vmap(torch.func.vmap(f)),
}
FUNCTIONS = {
    "softmax": lambda m, x: m.softmax(x, -1),
    "log_softmax": lambda m, x: m.log_softmax(x, 0),
    "cross_entropy": lambda m, x: m.cross_entropy(
        x, x.argmax(min(1, x.ndim - 1)), reduction="none"
    ),
    "topk": lambda m, x: (torch if m is theirs else m).topk(x, 2).values,
}


@pytest.mark.parametrize("transformation", TRANSFORMATIONS.values(), ids=TRANSFORMATIONS)
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_transformations(transformation, function):
    x = randn(4, 5, 6)
    mine, other = (transformation(lambda x, m=module: function(m, x))(x) for module in (sw, theirs))
    torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_forward_mode_is_refused_by_name(function):
    x = randn(5, 6)
    for transformed in (
        lambda: torch.func.jvp(lambda x: function(sw, x), (x,), (x,)),
        lambda: torch.func.jacfwd(lambda x: function(sw, x))(x),
        lambda: torch.func.hessian(lambda x: function(sw, x).sum())(x),
    ):
        with pytest.raises(NotImplementedError, match="input has a tangent: must have none"):
            transformed()


# ---- what is refused ----

EACH = {
    "softmax": lambda x: sw.softmax(x, -1),
    "log_softmax": lambda x: sw.log_softmax(x, -1),
    "topk": lambda x: sw.topk(x, 1),
    "cross_entropy": lambda x: sw.cross_entropy(x, labels_of((2,), 3)),
}


@pytest.mark.parametrize("function", EACH.values(), ids=EACH)
@pytest.mark.filterwarnings("ignore")
def test_tensors_of_other_kinds(function):
    x = randn(2, 3)
    with pytest.raises(TypeError, match="input has the layout torch.sparse_coo: must be strided"):
        function(x.to_sparse())
    with pytest.raises(TypeError, match="input is a nested tensor"):
        function(torch.nested.nested_tensor([x[0], x[1]]))
    with pytest.raises(TypeError, match=r"input has elements of torch\.bool: must be"):
        function(x > 0)
    with pytest.raises(TypeError, match=r"input has elements of torch\.complex64: must be"):
        function(x.to(torch.complex64))
    with pytest.raises(TypeError, match="input is a list: must be a tensor of PyTorch"):
        function([1.0, 2.0])
    if DEVICE == "cpu":
        with pytest.raises(TypeError, match="input is quantized"):
            function(torch.quantize_per_tensor(x, 0.1, 0, torch.qint8))


def test_dimensions_that_there_are_not():
    for function in (sw.softmax, sw.log_softmax):
        with pytest.raises(IndexError, match="dim = 2: must be from -2 to 1"):
            function(randn(2, 3), 2)
    with pytest.raises(RuntimeError, match="k = 4: must be from 0 to 3"):
        sw.topk(randn(2, 3), 4)
    with pytest.raises(IndexError):
        sw.topk(randn(2, 3), 1, 5)


ZEROS = torch.zeros(2, 3, device=DEVICE)
ZERO_LABELS = torch.zeros(2, dtype=torch.int64, device=DEVICE)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: sw.softmax(ZEROS, "a"), TypeError, "dim is a str: must be an integer"),
        (lambda: sw.softmax(ZEROS, (0, 1)), TypeError, "dim is a tuple: must be an integer"),
        (lambda: sw.softmax(ZEROS, 1.0), TypeError, "dim is a float: must be an integer"),
        (lambda: sw.log_softmax(ZEROS, "a"), TypeError, "dim is a str: must be an integer"),
        (lambda: sw.softmax(ZEROS, 5, scale=2.0), IndexError, "dim = 5: must be from -2 to 1"),
        (
            lambda: sw.softmax(ZEROS, 1, dtype=torch.int32),
            TypeError,
            "dtype is int32: must be one of",
        ),
        (lambda: sw.topk(ZEROS, 2, 5), IndexError, "dim = 5: must be from -2 to 1"),
        (lambda: sw.topk(ZEROS, 2, "a"), TypeError, "dim is a str: must be an integer"),
        (lambda: sw.topk(ZEROS, "2"), TypeError, "k is a str: must be an integer"),
        (lambda: sw.topk(ZEROS, None), TypeError, "k is None: must be an integer"),
        (lambda: sw.topk(ZEROS, 2.0), TypeError, "k is a float: must be an integer"),
        (
            lambda: sw.cross_entropy(ZEROS, ZERO_LABELS, label_smoothing="a"),
            TypeError,
            "label_smoothing is a str: must be a number",
        ),
        (
            lambda: sw.cross_entropy(ZEROS, ZERO_LABELS, ignore_index="a"),
            TypeError,
            "ignore_index is a str: must be an integer",
        ),
        (
            lambda: sw.cross_entropy(ZEROS, ZERO_LABELS.to(torch.int16)),
            RuntimeError,
            "target has elements of torch.int16: must be",
        ),
    ],
)
def test_arguments_of_other_kinds_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call()
