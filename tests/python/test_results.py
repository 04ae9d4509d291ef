"""Every function, by every step, against SciPy in double precision."""

import math

import ml_dtypes
import numpy
import pytest
from inputs import (
    DTYPES,
    ONE_ROW_SHAPES,
    SHAPES,
    expected_log_softmax,
    expected_softmax,
    logits,
    rounding_of,
    roundings_of,
)

import softmax_worklog as sw
from softmax_worklog import _core

# Of fp32: what rounding x - max costs where that is 30, and what a serial sum of 4096 terms adds
# (docs/pages/numerics.md).
FP32_ERROR = 100 * 2.0**-24


def steps_for(operation):
    """Every step and variant; half arithmetic and what is wrong by design have their own tests."""
    return [
        step
        for step in sw.steps()
        if step.operation == operation and not step.expected_failure and not step.storage_arithmetic
    ]


def cases(operation):
    for step in steps_for(operation):
        for shape in ONE_ROW_SHAPES if step.max_rows == 1 else SHAPES:
            rows = math.prod(shape[:-1])
            if rows > (step.max_rows or rows) or shape[-1] > (step.max_cols or shape[-1]):
                continue
            for dtype in DTYPES:
                if dtype == "f32" or not step.variant:
                    yield pytest.param(step, shape, dtype, id=f"{step.label}-{dtype}-{shape}")


def assert_close(actual, expected, relative, absolute):
    assert actual.shape == expected.shape
    actual = actual.astype(numpy.float64)
    assert numpy.isfinite(actual).all()
    wrong = numpy.abs(actual - expected) - relative * numpy.abs(expected) - absolute
    assert wrong.max() <= 0


@pytest.mark.parametrize(("step", "shape", "dtype"), list(cases("softmax")))
def test_softmax(step, shape, dtype):
    x = logits(shape, dtype)
    before = x.copy()
    y = sw.softmax(x, step=step.label)
    relative, absolute = rounding_of(dtype)
    roundings = roundings_of(step)
    assert type(y) is numpy.ndarray
    assert y.dtype == x.dtype
    assert_close(y, expected_softmax(x), FP32_ERROR + roundings * relative, roundings * absolute)
    assert (x == before).all()


@pytest.mark.parametrize(("step", "shape", "dtype"), list(cases("log_softmax")))
def test_log_softmax(step, shape, dtype):
    x = logits(shape, dtype)
    y = sw.log_softmax(x, step=step.label)
    relative, absolute = rounding_of(dtype)
    assert y.dtype == x.dtype
    # The terms of x - max - log(sum) are up to 40, each rounded, whatever their difference.
    assert_close(y, expected_log_softmax(x), relative, absolute + 40 * 4 * 2.0**-24)


@pytest.mark.parametrize(("step", "shape", "dtype"), list(cases("topk")))
@pytest.mark.parametrize("k", [1, 5])
def test_topk(step, shape, dtype, k):
    x = logits(shape, dtype)
    k = min(k, shape[-1])
    values, indices = sw.topk(x, k, step=step.label)
    assert values.dtype == numpy.float32
    assert indices.dtype == numpy.int64
    expected = expected_softmax(x)
    order = numpy.argsort(-expected, axis=-1, kind="stable")[..., :k]
    # A variant may store its softmax in between, which rounds it, and makes equals of neighbours.
    relative = FP32_ERROR + (rounding_of(dtype)[0] if step.variant else 0)
    for at in (indices, order):
        assert_close(values, numpy.take_along_axis(expected, at, axis=-1), relative, 0)
    assert (numpy.diff(values, axis=-1) <= 0).all()
    if not step.variant:
        assert (indices == order).all()


def test_topk_of_many():
    x = logits((3, 5000))
    values, indices = sw.topk(x, 2048)
    expected = expected_softmax(x)
    order = numpy.argsort(-expected, axis=-1, kind="stable")[:, :2048]
    assert (indices == order).all()
    assert_close(values, numpy.take_along_axis(expected, order, axis=-1), FP32_ERROR, 0)


def test_ties_go_to_the_lowest_index():
    values, indices = sw.topk(numpy.zeros((2, 300), numpy.float32), 128)
    assert (indices == numpy.arange(128)).all()
    assert (values == numpy.float32(1 / 300)).all()


@pytest.mark.parametrize("function", [sw.softmax, sw.log_softmax])
def test_special_rows(function):
    x = numpy.zeros((5, 40), numpy.float32)
    x[0, 3] = numpy.nan
    x[1, 7] = numpy.inf
    x[2] = -numpy.inf
    x[3, 5] = -numpy.inf
    x[4] = 3e38
    y = function(x)
    assert numpy.isnan(y[:3]).all()
    masked = 0 if function is sw.softmax else -numpy.inf
    assert y[3, 5] == masked
    assert numpy.isfinite(numpy.delete(y[3], 5)).all()
    assert numpy.isfinite(y[4]).all()


def test_a_variant_that_is_wrong_by_design_fails_as_it_says():
    step = next(step for step in sw.steps() if step.label == "05_warp_shuffle/unsafe")
    assert "overflows" in step.expected_failure
    x = numpy.full((1, 64), 100, numpy.float32)
    assert numpy.isnan(sw.softmax(x, step=step.label)).all()
    assert (sw.softmax(x, step=5) == numpy.float32(1 / 64)).all()


def test_half_arithmetic_loses_digits():
    x = numpy.random.default_rng(0).uniform(-6, 2, size=(64, 32)).astype(numpy.float16)
    expected = expected_softmax(x)

    def error(step):
        return (numpy.abs(sw.softmax(x, step=step).astype(float) - expected) / expected).max()

    assert error("01_naive_three_kernels/half_arithmetic") > 3 * error(6)
    assert error("01_naive_three_kernels/half_arithmetic") < 11 * 2.0**-11


@pytest.mark.parametrize("shape", [(0,), (0, 5), (3, 0), (2, 0, 4), (0, 0)])
@pytest.mark.parametrize("function", [sw.softmax, sw.log_softmax])
def test_empty_arrays(function, shape):
    for dtype in DTYPES.values():
        y = function(numpy.empty(shape, dtype))
        assert y.shape == shape
        assert y.dtype == dtype
    assert sw.counts()["launches"] == 0


def test_topk_of_no_rows():
    values, indices = sw.topk(numpy.empty((0, 5), numpy.float32), 2)
    assert values.shape == indices.shape == (0, 2)


def test_arrays_that_may_not_be_written_and_parts_of_others():
    whole = logits((6, 50))
    expected = sw.softmax(whole)
    whole.flags.writeable = False
    assert (sw.softmax(whole) == expected).all()
    assert (sw.softmax(whole[2:4]) == expected[2:4]).all()
    narrow = whole.ravel()[3:43]
    assert numpy.allclose(sw.softmax(narrow), expected_softmax(narrow), rtol=1e-6)
    narrow = whole.astype(ml_dtypes.bfloat16).ravel()[1:]
    assert sw.softmax(narrow).dtype == ml_dtypes.bfloat16


def test_a_mapped_file(tmp_path):
    numpy.save(tmp_path / "x.npy", logits((4, 64)))
    x = numpy.load(tmp_path / "x.npy", mmap_mode="r")
    assert numpy.allclose(sw.softmax(x), expected_softmax(x), rtol=1e-6)


def test_results_are_arrays_of_their_own():
    x = logits((4, 64))
    y = sw.softmax(x)
    assert not numpy.shares_memory(x, y)
    assert y.flags.owndata
    assert y.flags.writeable


def test_kernels_store_into_the_array_itself():
    x = logits((4, 64))
    y = numpy.full_like(x, -1)
    step = next(step for step in sw.steps() if step.operation == "softmax")
    _core.run(step, "f32", x, y, None, None, 0, 0)
    assert (y == sw.softmax(x, step=step.label)).all()


def test_the_binding_refuses_what_it_would_have_to_copy():
    x = logits((4, 64))
    step = next(step for step in sw.steps() if step.operation == "softmax")
    with pytest.raises(TypeError):
        _core.run(step, "f32", x[:, ::2], numpy.empty((4, 32), numpy.float32), None, None, 0, 0)
    with pytest.raises(TypeError):
        _core.run(step, "f32", x, numpy.empty((64, 4), numpy.float32).T, None, None, 0, 0)
