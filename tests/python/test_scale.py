"""Top-k at a temperature, and of rows that lie apart, against NumPy in double precision."""

import numpy
import pytest
from inputs import DTYPES, double, logits
from test_scale_mask import APART, ARITHMETIC, COPIED, OF_DOUBLES, expected

import softmax_worklog as sw

each_type = pytest.mark.parametrize("dtype", DTYPES)


def assert_right(results, x, k, scale=1.0, axis=-1, largest=True):
    """Columns in the order of x, of equal ones the lowest first."""
    values, indices = results
    keys = -double(x) if largest else double(x)
    columns = numpy.argsort(keys, axis=axis, kind="stable").take(range(k), axis)
    right = numpy.take_along_axis(expected(sw.softmax, x, scale, axis=axis), columns, axis)
    assert (indices == columns).all()
    if x.dtype == numpy.float64:
        assert values.dtype == numpy.float64
        assert (numpy.abs(values - right) <= OF_DOUBLES * right).all()
    else:
        assert values.dtype == numpy.float32
        assert (numpy.abs(values - right) <= ARITHMETIC * right + 2.0**-126).all()


@each_type
@pytest.mark.parametrize("k", [0, 1, 5, 33, 129, 300])
@pytest.mark.parametrize("cols", [5, 128, 300])
def test_scale(dtype, k, cols):
    if k <= cols:
        x = logits((3, 2, cols), dtype)
        assert_right(sw.topk(x, k, scale=0.7), x, k, 0.7)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_along_each_axis(axis):
    x = logits((6, 7, 8))
    assert_right(sw.topk(x, 3, axis, scale=2), x, 3, 2, axis)


def test_where_rows_are_sorted():
    """Doubles, the smallest, and more of them than a list takes."""
    x = logits((2, 2500)).astype(numpy.float64)
    assert_right(sw.topk(x, 4, scale=0.3), x, 4, 0.3)
    x = logits((2, 2500))
    assert_right(sw.topk(x, 4, scale=0.3, largest=False), x, 4, 0.3, largest=False)
    assert_right(sw.topk(x, 2100, scale=0.3), x, 2100, 0.3)


def test_of_integers_and_lists():
    values, indices = sw.topk([[3, 1, 2]], 2, scale=0.5)
    right = expected(sw.softmax, numpy.array([[3.0, 1.0, 2.0]]), 0.5)
    assert values.dtype == numpy.float64
    assert numpy.allclose(values, right[:, [0, 2]], rtol=1e-13)
    assert indices.tolist() == [[0, 2]]


def test_columns_that_scaling_makes_equal():
    x = numpy.array([[1.0, 3.0, 2.0, 3.0]], numpy.float32)
    values, indices = sw.topk(x, 4, scale=1e-30)
    assert (values == 0.25).all()
    assert indices.tolist() == [[1, 3, 2, 0]]


def test_doubles_that_scaling_makes_equal():
    one = numpy.float64(1.9)
    next_one = numpy.nextafter(one, 2.0)
    assert one * 1.25 == next_one * 1.25
    values, indices = sw.topk(numpy.array([one, next_one, one]), 3, scale=1.25)
    assert (numpy.abs(values - 1 / 3) <= OF_DOUBLES).all()
    assert indices.tolist() == [1, 0, 2]


def test_doubles_that_scaling_would_make_infinite():
    values, indices = sw.topk(numpy.array([1e300, 2e300, -1e300]), 3, scale=1e200)
    assert values.tolist() == [1.0, 0.0, 0.0]
    assert indices.tolist() == [1, 0, 2]


def test_into_arrays():
    x = logits((4, 9))
    out = numpy.empty((4, 2), numpy.float32), numpy.empty((4, 2), numpy.int64)
    assert sw.topk(x, 2, scale=0.5, out=out)[0] is out[0]
    assert_right(out, x, 2, 0.5)


@each_type
@pytest.mark.parametrize("part", [*APART, *COPIED])
def test_strided(dtype, part):
    x = {**APART, **COPIED}[part](logits((3, 4, 8), dtype))
    assert_right(sw.topk(x, 1), x, 1)
    assert_right(sw.topk(x, 1, scale=2), x, 1, 2)


MATRICES = {
    "all but the last position": lambda x: x[:, :-1],
    "all but the first position": lambda x: x[:, 1:],
    "positions and columns": lambda x: x[:, 1:3, 2:7],
}


@pytest.mark.parametrize("part", [*APART, *MATRICES])
def test_kernels_read_parts_where_they_are(part, monkeypatch):
    x = {**APART, **MATRICES}[part](logits((3, 4, 8)))
    monkeypatch.setattr("softmax_worklog._libraries.ArrayLibrary.ready", lambda *_: 1 / 0)
    for scale in (1.0, 0.5):
        assert_right(sw.topk(x, 1, scale=scale), x, 1, scale)
        assert sw.counts()["global_load_elements"] == x.size


def test_a_long_row_is_read_twice_and_not_once_more():
    """The columns that reach the floor have room in the list, though many are equal."""
    x = logits((2, 6000)).round(1)
    assert_right(sw.topk(x, 9, scale=0.5), x, 9, 0.5)
    assert sw.counts()["global_load_elements"] == 2 * x.size


@pytest.mark.parametrize(
    ("scale", "error", "text"),
    [
        (0, ValueError, "scale = 0.0: must be above 0"),
        (-1.5, ValueError, "scale = -1.5: must be above 0"),
        (float("inf"), ValueError, "scale = inf: must be finite"),
        (float("nan"), ValueError, "scale = nan: must be finite"),
        (1e39, ValueError, "scale = 1e[+]39: must be from"),
        (1e-50, ValueError, "scale = 1e-50: must be 1.4.*e-45 or more, as float32"),
        ("2", TypeError, "scale is a str: must be a number"),
        (True, TypeError, "scale is a bool: must be a number"),
    ],
)
def test_refused_scales(scale, error, text):
    with pytest.raises(error, match=text):
        sw.topk(logits((2, 5)), 2, scale=scale)


def test_what_scales_nothing():
    x = logits((2, 5))
    with pytest.raises(ValueError, match="scale = 2.0: must be 1 where probabilities is False"):
        sw.topk(x, 2, scale=2, probabilities=False)
    with pytest.raises(ValueError, match="step = 7: scales nothing: scale must be 1"):
        sw.topk(x, 2, scale=2, step=7)
    assert_right(sw.topk(x, 2, scale=1, step=7), x, 2)
