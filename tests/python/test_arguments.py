"""Arguments as users of NumPy, SciPy and PyTorch give them, against SciPy in double precision."""

import ml_dtypes
import numpy
import pytest
import scipy.special
from inputs import logits

import softmax_worklog as sw

EXPECTED = {sw.softmax: scipy.special.softmax, sw.log_softmax: scipy.special.log_softmax}
each_function = pytest.mark.parametrize("function", EXPECTED, ids=lambda f: f.__name__)


def assert_same(y, expected):
    """But for what depends on where an array begins: the order of a sum."""
    assert y.dtype == expected.dtype
    assert_close(y, expected, 4 * float(ml_dtypes.finfo(y.dtype).eps))


def assert_close(y, expected, tolerance=3e-6):
    numpy.testing.assert_allclose(
        numpy.asarray(y, float), numpy.asarray(expected, float), rtol=tolerance, atol=tolerance
    )


@each_function
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3, None, (0, 1), (2, 0), (0, 1, 2), (1,)])
@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float64])
def test_axes(function, axis, dtype):
    x = logits((3, 4, 5)).astype(dtype)
    y = function(x, axis)
    assert y.dtype == dtype
    assert y.flags.c_contiguous
    assert_close(y, EXPECTED[function](x.astype(float), axis=axis))
    if axis is not None:
        assert_same(function(x, dim=axis), y)
        assert_same(function(x, axis=axis), y)


@each_function
@pytest.mark.parametrize("shape", [(0,), (0, 5), (3, 0), (2, 0, 4)])
@pytest.mark.parametrize("axis", [0, -1, None])
def test_axes_of_empty_arrays(function, shape, axis):
    for dtype in (numpy.float32, numpy.float64, int):
        assert function(numpy.zeros(shape, dtype), axis).shape == shape


@each_function
def test_doubles_are_computed_as_such(function):
    x = numpy.random.default_rng(1).normal(scale=3, size=(7, 300))
    y = function(x)
    assert y.dtype == numpy.float64
    assert_close(y, EXPECTED[function](x, axis=-1), 1e-14)


@each_function
def test_special_rows_of_doubles(function):
    x = numpy.zeros((5, 300))
    x[0, 3], x[1, 7], x[2], x[3, 5], x[4] = numpy.nan, numpy.inf, -numpy.inf, -numpy.inf, 1e308
    y = function(x)
    assert numpy.isnan(y[:3]).all()
    assert y[3, 5] == (0 if function is sw.softmax else -numpy.inf)
    assert numpy.isfinite(numpy.delete(y[3], 5)).all()
    assert numpy.isfinite(y[4]).all()


@each_function
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_are_computed_in_double_precision(function, dtype):
    x = numpy.arange(12, dtype=dtype).reshape(3, 4)
    y = function(x)
    assert y.dtype == numpy.float64
    assert_close(y, EXPECTED[function](x.astype(float), axis=-1), 1e-14)


@each_function
@pytest.mark.parametrize(
    "x",
    [
        [1.0, 2.0, 3.0],
        [[1, 2], [3, 4]],
        (0.5, -0.5),
        3.0,
        7,
        numpy.float32(2),
        numpy.array(2.5, numpy.float32),
        memoryview(numpy.array([1.0, 5.0], numpy.float32)),
        range(4),
    ],
    ids=str,
)
def test_array_likes(function, x):
    y = function(x)
    array = numpy.asarray(x)
    assert isinstance(y, numpy.ndarray if array.ndim else numpy.generic)
    assert y.shape == array.shape
    assert y.dtype == (array.dtype if array.dtype == numpy.float32 else numpy.float64)
    assert_close(y, EXPECTED[function](array.astype(float), axis=-1 if array.ndim else None))


@each_function
@pytest.mark.parametrize("axis", [-1, 0, None])
def test_no_dimension(function, axis):
    for dtype in (numpy.float32, numpy.float16, numpy.float64):
        y = function(numpy.array(4, dtype), axis)
        assert y.shape == ()
        assert y == (1 if function is sw.softmax else 0)


STRIDED = {
    "every other": numpy.s_[:, ::2],
    "some": numpy.s_[:, :3],
    "backwards": numpy.s_[::-1, ::-1],
    "new axis": numpy.s_[:, None, :],
}


@each_function
@pytest.mark.parametrize("part", STRIDED.values(), ids=STRIDED)
@pytest.mark.parametrize("dtype", [numpy.float32, ml_dtypes.bfloat16])
def test_strided(function, part, dtype):
    x = logits((4, 6)).astype(dtype)[part]
    before = x.copy()
    y = function(x)
    assert_same(y, function(numpy.ascontiguousarray(x)))
    assert (x == before).all()


@each_function
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_transposed_broadcast_misaligned_and_of_another_byte_order(function):
    x = logits((4, 6))
    assert_same(function(x.T), function(numpy.ascontiguousarray(x.T)))
    assert_same(function(x.T, 0).T, function(x))
    assert_same(function(numpy.broadcast_to(x[0], (3, 6)))[:1], function(x[:1]))
    between = numpy.frombuffer(b"\0" + x.tobytes(), numpy.uint8)[1:].view(numpy.float32)
    assert_same(function(between), function(x.ravel()))
    assert_same(function(x.astype(">f4")), function(x))
    assert_same(function(numpy.asmatrix(x)), function(x))


@each_function
def test_dtype_is_what_the_result_has(function):
    x = logits((3, 50))
    for dtype in ("float64", numpy.float16, numpy.dtype("float32"), ml_dtypes.bfloat16):
        y = function(x, dtype=dtype)
        assert y.dtype == numpy.dtype(dtype)
        assert_same(y, function(x.astype(dtype)))
    assert function([1, 2, 3], dtype="float32").dtype == numpy.float32


@each_function
def test_out(function):
    x = logits((4, 6))
    expected = function(x)
    out = numpy.empty_like(x)
    assert function(x, out=out) is out
    assert_same(out, expected)
    out = numpy.zeros((6, 4), numpy.float32).T
    assert function(x, out=out) is out
    assert_same(out, expected)
    assert function(x, 0, out=out) is out
    assert_same(out, function(x, 0))


@each_function
@pytest.mark.parametrize("axis", [0, 1, (0, 1), (1, 0), None])
def test_out_of_as_many_rows_as_columns(function, axis):
    x = logits((5, 5))
    out = numpy.empty_like(x)
    assert_same(function(x, axis, out=out), function(x, axis))
    x = logits((5, 5, 5))
    out = numpy.empty_like(x)
    assert_same(function(x, axis, out=out), function(x, axis))


@each_function
@pytest.mark.parametrize("axis", [0, 1])
def test_out_that_is_x_or_overlaps_it(function, axis):
    x = logits((4, 6))
    expected = function(x, axis)
    assert function(x, axis, out=x) is x
    assert_same(x, expected)
    memory = numpy.concatenate([logits((4, 6)).ravel(), numpy.zeros(3, numpy.float32)])
    x, out = memory[:-3].reshape(4, 6), memory[3:].reshape(4, 6)
    function(x, axis, out=out)
    assert_same(out, expected)


def test_out_is_written_in_place():
    """By the kernel: no more than one array is counted."""
    x = logits((4, 64))
    out = numpy.empty_like(x)
    sw.softmax(x, out=out)
    assert sw.counts()["global_store_elements"] == out.size


@each_function
@pytest.mark.parametrize("axis", [-1, 0, None])
def test_where(function, axis):
    x = logits((5, 7))
    where = numpy.random.default_rng(3).random(x.shape) < 0.7
    where[2] = False
    x[~where] = numpy.where(numpy.arange((~where).sum()) % 2, numpy.nan, numpy.inf)
    y = function(x, axis, where=where)
    masked = numpy.where(where, x.astype(float), -numpy.inf)
    with numpy.errstate(invalid="ignore"):
        expected = numpy.array(EXPECTED[function](masked, axis=axis))
    expected[~where] = 0 if function is sw.softmax else -numpy.inf
    assert_close(y, expected)


@each_function
def test_where_is_broadcast(function):
    x = logits((3, 4))
    y = function(x, where=[True, False, True, True])
    assert_same(y, function(x, where=numpy.tile([True, False, True, True], (3, 1))))
    assert_same(function([1, 2], where=True), function([1, 2]))
    out = numpy.empty_like(x)
    assert_same(function(x, where=x > 0, out=out), function(x, where=x > 0))


# ---- top-k ----


def expected_topk(x, k, axis=-1, largest=True):
    """Of equal ones the lowest index, and NaN as the largest."""
    wide = x.astype(numpy.int64 if x.dtype.kind in "iu" else float)
    keys = numpy.where(wide != wide, numpy.inf, wide) if wide.dtype.kind == "f" else wide
    order = numpy.argsort(-keys if largest else keys, axis=axis, kind="stable")
    indices = numpy.take(order, numpy.arange(k), axis=axis)
    return numpy.take_along_axis(x, indices, axis=axis), indices


each_type = pytest.mark.parametrize(
    "dtype", [numpy.float32, numpy.float16, ml_dtypes.bfloat16, numpy.float64, int, numpy.uint8]
)


@each_type
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [1, 5, 33])
def test_topk_of_values_themselves(dtype, largest, k):
    x = (10 * logits((6, 33))).clip(0, 99).astype(dtype)
    values, indices = sw.topk(x, k, largest=largest, probabilities=False)
    expected, places = expected_topk(x, k, largest=largest)
    assert values.dtype == x.dtype
    assert indices.dtype == numpy.int64
    assert (values == expected).all()
    assert (indices == places).all()


@each_type
@pytest.mark.parametrize("largest", [True, False])
def test_topk_of_probabilities(dtype, largest):
    x = logits((6, 33)).clip(0, 99).astype(dtype)
    values, indices = sw.topk(x, 4, largest=largest)
    _, places = expected_topk(x, 4, largest=largest)
    wide = x.dtype.kind in "iu" or x.dtype == numpy.float64
    assert values.dtype == (numpy.float64 if wide else numpy.float32)
    assert (indices == places).all()
    probabilities = scipy.special.softmax(x.astype(float), axis=-1)
    assert_close(values, numpy.take_along_axis(probabilities, places, axis=-1))


@pytest.mark.parametrize("probabilities", [True, False])
def test_k_up_to_the_row(probabilities):
    x = logits((2, 2500))
    values, indices = sw.topk(x, 2500, probabilities=probabilities)
    assert (indices == expected_topk(x, 2500)[1]).all()
    assert (numpy.diff(values) <= 0).all()
    few = sw.topk(x, 5, probabilities=probabilities)
    numpy.testing.assert_allclose(values[:, :5], few[0], rtol=1e-6)
    assert (indices[:, :5] == few[1]).all()


def test_k_of_0():
    for x in (logits((3, 5)), numpy.zeros((3, 5), int), numpy.zeros((3, 0), numpy.float16)):
        values, indices = sw.topk(x, 0)
        assert values.shape == indices.shape == (3, 0)
        assert indices.dtype == numpy.int64
    assert sw.counts()["launches"] == 0


@pytest.mark.parametrize("largest", [True, False])
def test_a_nan_is_the_largest_and_infinities_are_numbers(largest):
    x = numpy.array([[1, numpy.nan, numpy.inf, -numpy.inf, numpy.nan, 2]], numpy.float32)
    values, indices = sw.topk(x, 6, largest=largest, probabilities=False)
    order = [1, 4, 2, 5, 0, 3] if largest else [3, 0, 5, 2, 1, 4]
    assert indices.tolist() == [order]
    numpy.testing.assert_array_equal(values, x[:, order])
    assert numpy.isnan(sw.topk(x, 2, largest=largest)[0]).all()


def test_large_integers_are_not_rounded():
    x = numpy.array([2**60, 2**60 + 1, -(2**63), 2**63 - 1])
    values, indices = sw.topk(x, 4, probabilities=False)
    assert values.tolist() == [2**63 - 1, 2**60 + 1, 2**60, -(2**63)]
    assert indices.tolist() == [3, 1, 0, 2]
    x = numpy.array([1, 2**64 - 1, 0, 2**63], numpy.uint64)
    values, indices = sw.topk(x, 4, probabilities=False)
    assert values.dtype == numpy.uint64
    assert values.tolist() == [2**64 - 1, 2**63, 1, 0]
    assert indices.tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("axis", [0, 1, 2, -2])
@pytest.mark.parametrize("probabilities", [True, False])
def test_topk_along_an_axis(axis, probabilities):
    x = logits((4, 5, 6))
    values, indices = sw.topk(x, 3, axis, probabilities=probabilities)
    _, places = expected_topk(x, 3, axis)
    assert (indices == places).all()
    of = scipy.special.softmax(x.astype(float), axis=axis) if probabilities else x
    assert_close(values, numpy.take_along_axis(of, places, axis=axis))
    again = sw.topk(x, 3, dim=axis, probabilities=probabilities)
    assert (again[0] == values).all()


def test_topk_of_all_and_of_no_axes():
    x = logits((4, 5))
    values, indices = sw.topk(x, 3, None, probabilities=False)
    assert (indices == expected_topk(x.ravel(), 3)[1]).all()
    assert (values == x.ravel()[indices]).all()
    values, indices = sw.topk(numpy.float32(3), 1)
    assert (values, indices) == (1, 0)
    assert values.shape == ()


def test_out_of_topk():
    x = logits((4, 50))
    expected = sw.topk(x, 3)
    out = numpy.empty((4, 3), numpy.float32), numpy.empty((4, 3), numpy.int64)
    assert sw.topk(x, 3, out=out) is out
    for result, right in zip(out, expected, strict=True):
        assert (result == right).all()
    assert (sw.topk([3, 1, 2], 2, probabilities=False)[0] == [3, 2]).all()


# ---- other libraries ----


class TestJax:
    @pytest.fixture(autouse=True)
    def jax(self):
        return pytest.importorskip("jax")

    @each_function
    def test_arrays_come_back_as_jaxs(self, function, jax):
        for dtype in (jax.numpy.float32, jax.numpy.bfloat16):
            x = jax.numpy.asarray(logits((5, 40)), dtype)
            y = function(x)
            assert isinstance(y, jax.Array)
            assert y.dtype == dtype
            expected = getattr(jax.nn, function.__name__)(x.astype(jax.numpy.float32))
            assert_close(y, expected, 1e-5 if dtype == jax.numpy.float32 else 0.02)

    def test_topk(self, jax):
        x = jax.numpy.asarray(logits((5, 40)))
        values, indices = sw.topk(x, 3, probabilities=False)
        expected = jax.lax.top_k(x, 3)
        assert (values == expected[0]).all()
        assert (indices == expected[1]).all()

    @each_function
    def test_within_jit_they_are_refused(self, function, jax):
        with pytest.raises(TypeError, match="x is a jax.*as under jax.jit: must be an array"):
            jax.jit(function)(jax.numpy.zeros((2, 3)))

    def test_where_of_jax(self, jax):
        x, where = logits((3, 4)), numpy.array([True, False, True, True])
        expected = jax.nn.softmax(x, where=where)
        assert_close(sw.softmax(x, where=where), expected)
