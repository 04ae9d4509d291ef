"""Scales, masks, results of another type, and rows that lie apart, against NumPy in double
precision."""

import ml_dtypes
import numpy
import pytest
from inputs import DTYPES, double, logits, rounding_of

import softmax_worklog as sw

# What arithmetic in fp32 may be off (tests/library/scale_mask.cpp): a difference of up to 64 is
# rounded by up to 2^-19, and the rest is of that size at most.
ARITHMETIC = 2.0**-18
OF_DOUBLES = 1e-13

each_function = pytest.mark.parametrize("function", [sw.softmax, sw.log_softmax])
each_type = pytest.mark.parametrize("dtype", DTYPES)
INFINITY = float("inf")


def expected(function, x, scale=1.0, mask=0.0, visible=True, axis=-1):
    """Of scale * x + mask as fp32 rounds it, but for doubles; -inf where it is not visible."""
    wide = x if x.dtype == numpy.float64 else double(x)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        z = wide * (scale if x.dtype == numpy.float64 else double(numpy.float32(scale)))
        z = z + double(mask)
        if x.dtype != numpy.float64:
            z = double(z.astype(numpy.float32))
        z = numpy.where(visible, z, -numpy.inf)
        z = z - z.max(axis=axis, keepdims=True)
        logarithms = z - numpy.log(numpy.exp(z).sum(axis=axis, keepdims=True))
    return numpy.exp(logarithms) if function is sw.softmax else logarithms


def assert_right(function, y, right):
    """Within the arithmetic and one rounding to the result's type; NaN and infinities alike."""
    arithmetic, relative, smallest = OF_DOUBLES, 0.0, 0.0
    if y.dtype != numpy.float64:
        arithmetic = ARITHMETIC
        relative, smallest = rounding_of(next(d for d in DTYPES if DTYPES[d] == y.dtype))
    assert y.shape == right.shape
    y = double(y)
    finite = numpy.isfinite(right)
    assert (numpy.isnan(y) == numpy.isnan(right)).all()
    assert (y[numpy.isinf(right)] == right[numpy.isinf(right)]).all()
    size = numpy.abs(right[finite])
    off = arithmetic * (size if function is sw.softmax else 1 + size)
    assert (numpy.abs(y[finite] - right[finite]) <= off + relative * size + smallest).all()


def causal(queries, cols, offset=0):
    return numpy.arange(cols) <= numpy.arange(queries)[:, None] + offset


def masks_of(dtype, shape, seed=5):
    """Of numbers, a third of them -inf, but not a whole row."""
    random = numpy.random.default_rng(seed)
    mask = random.normal(size=shape)
    mask[random.random(shape) < 0.3] = -numpy.inf
    mask[..., 0] = 1.0
    return mask.astype(dtype)


# ---- what is computed ----


@each_function
@each_type
@pytest.mark.parametrize("scale", [0.125, 3, -2.0, 0, numpy.float32(0.7)])
def test_scale(function, dtype, scale):
    for shape in [(5, 33), (2, 3, 65), (4096,)]:
        x = logits(shape, dtype)
        before = x.copy()
        y = function(x, scale=scale)
        assert y.dtype == x.dtype
        assert_right(function, y, expected(function, x, scale))
        assert (x == before).all()


# Of sequences, heads, queries and columns: what is hidden of each sequence from each query or from
# all, biases of each head or of each head of each sequence, and so on.
MASKS = [
    *[(2, 3, 7, 40), (3, 7, 40), (7, 40), (40,), (1, 1, 7, 40)],
    *[(2, 1, 7, 40), (2, 1, 1, 40), (3, 1, 40), (2, 3, 1, 40), (1, 1, 1, 40)],
]


@each_function
@each_type
@pytest.mark.parametrize("shape", MASKS)
def test_mask(function, dtype, shape):
    x = logits((2, 3, 7, 40), dtype)
    mask = masks_of(x.dtype, shape)
    y = function(x, scale=0.5, mask=mask)
    assert_right(function, y, expected(function, x, 0.5, mask))
    assert sw.counts()["global_load_elements"] == 2 * x.size


@pytest.mark.parametrize("shape", MASKS)
def test_such_masks_are_not_copied(shape, monkeypatch):
    x, mask = logits((2, 3, 7, 40)), masks_of(numpy.float32, shape)
    monkeypatch.setattr("softmax_worklog._libraries.ArrayLibrary.ready", lambda *_: 1 / 0)
    assert_right(sw.softmax, sw.softmax(x, mask=mask), expected(sw.softmax, x, 1.0, mask))
    x, mask = x.reshape(2, 1, 3, 1, 7, 40), masks_of(numpy.float32, (2, 1, 3, 1, 1, 40))
    assert_right(sw.softmax, sw.softmax(x, mask=mask), expected(sw.softmax, x, 1.0, mask))


@each_function
@each_type
@pytest.mark.parametrize("shape", [(2, 1, 7, 1), (1,), (), (7, 1), (2, 1, 1, 1)])
def test_mask_that_repeats_along_the_row(function, dtype, shape):
    x = logits((2, 3, 7, 40), dtype)
    mask = numpy.random.default_rng(0).normal(size=shape).astype(x.dtype)
    assert_right(function, function(x, mask=mask), expected(function, x, 1.0, mask))


@each_function
@pytest.mark.parametrize("length", [1, 3])
@pytest.mark.parametrize("shape", [(2, 1, 4, 1, 5, 6), (2, 1, 4, 1, 1, 6), (1, 3, 1, 2, 1, 6)])
def test_mask_of_many_axes(function, shape, length):
    """Of which the library's matrices do not have all. Axes of one element do not matter."""
    x = logits((2, 3, 4, 2, 5, 6))[:, :length, :, :, :length]
    mask = masks_of(numpy.float32, shape)[:, :length, :, :, :length]
    assert_right(function, function(x, mask=mask), expected(function, x, 1.0, mask))


@each_function
def test_parts_of_masks(function):
    """Whether their rows lie side by side, apart or backwards, or are the same memory."""
    x = logits((4, 3, 5, 6))
    whole = numpy.random.default_rng(0).normal(size=(8, 1, 10, 12)).astype(numpy.float32)
    for mask in (
        whole[:4, :, :5, :6],
        whole[:4, :, :1, :6],
        whole[::2, :, :5, ::2],
        whole[:1, :, 4::-1, 3:9],
        numpy.broadcast_to(whole[:1, :, :5, :6], x.shape),
        numpy.broadcast_to(whole[:4, :, :1, :6], x.shape),
    ):
        assert_right(function, function(x, mask=mask), expected(function, x, 1.0, mask))


@each_function
def test_mask_of_other_types_strides_and_kinds(function):
    x = logits((6, 8))
    mask = masks_of(numpy.float32, (6, 8))
    right = expected(function, x, 1.0, mask)
    wide = numpy.zeros((6, 20), numpy.float32)
    wide[:, 3:11] = mask
    transposed = numpy.asfortranarray(mask)
    for same in (mask.astype(float), mask.tolist(), wide[:, 3:11], transposed, mask.astype(">f4")):
        assert_right(function, function(x, mask=same), right)
    integers = numpy.arange(8)
    assert_right(function, function(x, mask=integers), expected(function, x, 1.0, integers))


@each_function
@each_type
@pytest.mark.parametrize(
    ("queries", "cols", "offset"), [(9, 9, 0), (7, 40, 33), (40, 7, 0), (5, 300, -2), (3, 8, 99)]
)
def test_causal(function, dtype, queries, cols, offset):
    x = logits((2, queries, cols), dtype)
    visible = causal(queries, cols, offset)
    x[:, ~visible] = numpy.nan  # whatever is there has no influence
    y = function(x, scale=0.25, is_causal=True, causal_offset=offset)
    assert_right(function, y, expected(function, x, 0.25, visible=visible))


@each_function
def test_all_at_once_into_every_type(function):
    for dtype in DTYPES:
        wide = logits((2, 7, 48), dtype)
        x = wide[..., 3:43]
        mask = masks_of(x.dtype, (7, 40))
        right = expected(function, x, 0.3, mask, causal(7, 40, 3))
        for result_type in DTYPES.values():
            y = function(
                x, dtype=result_type, scale=0.3, mask=mask, is_causal=True, causal_offset=3
            )
            assert y.dtype == result_type
            assert_right(function, y, right)


@each_function
def test_doubles_and_integers(function):
    x = numpy.random.default_rng(1).normal(scale=3, size=(2, 7, 40))
    mask = masks_of(float, (2, 1, 40))
    given = {"scale": 0.3, "mask": mask, "is_causal": True, "causal_offset": 3}
    right = expected(function, x, 0.3, mask, causal(7, 40, 3))
    assert_right(function, function(x, **given), right)
    singles = logits((2, 7, 40))
    right = expected(function, double(singles), 0.3, mask, causal(7, 40, 3))
    assert_right(function, function(singles, dtype=float, **given), right)
    integers = numpy.arange(560).reshape(2, 7, 40) % 11
    right = expected(function, integers.astype(float), 0.3, mask, causal(7, 40, 3))
    assert_right(function, function(integers, **given), right)
    assert_right(function, function(x, scale=1e200), expected(function, x, 1e200))


@each_function
@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2), None])
@pytest.mark.parametrize("dtype", [numpy.float32, float])
def test_along_every_axis(function, axis, dtype):
    x = logits((3, 4, 5)).astype(dtype)
    mask = masks_of(dtype, (4, 5))
    right = expected(function, x, 0.5, mask, axis=axis)
    assert_right(function, function(x, axis, scale=0.5, mask=mask), right)


@each_function
@pytest.mark.parametrize("dtype", [numpy.float32, float])
@pytest.mark.parametrize("scale", [0.5, -0.5, 0.0])
def test_where_hides_whatever_the_scale_is(function, dtype, scale):
    x = logits((5, 7)).astype(dtype)
    where = numpy.random.default_rng(3).random(x.shape) < 0.7
    where[:, 2] = True
    mask = numpy.linspace(0, 1, 7).astype(dtype)
    right = expected(function, x, scale, mask, where)
    x[~where] = numpy.where(numpy.arange((~where).sum()) % 2, numpy.nan, numpy.inf)
    assert_right(function, function(x, scale=scale, mask=mask, where=where), right)


@each_function
@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float16, float])
def test_rows_that_see_nothing_or_nan(function, dtype):
    x = numpy.zeros((4, 6), dtype)
    x[1, 1], x[3, 5] = numpy.nan, numpy.inf
    mask = numpy.zeros((4, 6), dtype)
    mask[0] = -numpy.inf
    y = function(x, mask=mask)
    assert numpy.isnan(y[[0, 1, 3]]).all()
    assert numpy.isfinite(y[2]).all()
    y = function(x[:3], is_causal=True, causal_offset=-1)
    assert numpy.isnan(y[0]).all()
    assert y[1, 0] == (1 if function is sw.softmax else 0)
    assert (y[2, 2:] == (0 if function is sw.softmax else -numpy.inf)).all()


@each_function
def test_shapes_without_rows_columns_or_axes(function):
    for dtype in (numpy.float32, float):
        for shape in [(0,), (0, 5), (3, 0), (2, 0, 4)]:
            x = numpy.zeros(shape, dtype)
            mask = numpy.zeros(shape[-1:], dtype)
            y = function(x, dtype="float16", scale=2, mask=mask, is_causal=len(shape) > 1)
            assert (y.shape, y.dtype) == (shape, numpy.float16)
            assert sw.counts()["launches"] == 0
        y = function(numpy.array(4, dtype), scale=2, mask=-1.0)
        assert y.shape == ()
        assert y == (1 if function is sw.softmax else 0)


# ---- results of another type ----


@each_function
@each_type
@pytest.mark.parametrize("result_type", DTYPES)
def test_dtype_is_made_by_the_kernel(function, dtype, result_type):
    """In one pass, rounded once: logits that fp16 does not hold are no reason for NaN."""
    x = logits((9, 1000), dtype)
    y = function(x, dtype=DTYPES[result_type])
    assert y.dtype == DTYPES[result_type]
    assert_right(function, y, expected(function, x))
    counts = sw.counts()
    assert counts["global_load_elements"] == counts["global_store_elements"] == x.size
    large = numpy.array([[70000.0, 69990.0]], numpy.float32)
    assert_right(function, function(large, dtype="float16"), expected(function, large))


@each_function
def test_dtype_into_an_array(function):
    x = logits((4, 64), "bf16")
    out = numpy.empty((4, 64), numpy.float32)
    assert function(x, dtype=numpy.float32, scale=0.5, out=out) is out
    assert_right(function, out, expected(function, x, 0.5))
    with pytest.raises(TypeError, match="out has elements of float32: must be of float16"):
        function(x, dtype=numpy.float16, out=out)
    memory = logits((4, 64))
    over = memory.ravel().view(numpy.float16)[:256].reshape(4, 64)  # begins where x does
    right = expected(function, memory)
    assert_right(function, function(memory, dtype=numpy.float16, out=over), right)


def test_a_step_has_the_types_that_it_has():
    x = logits((3, 50))
    y = sw.softmax(x, dtype=numpy.float16, step=5)
    assert (y == sw.softmax(x.astype(numpy.float16), step=5)).all()


# ---- rows that lie apart ----

APART = {
    "the first columns": lambda x: x[..., :5],
    "columns in the middle": lambda x: x[..., 2:7],
    "the last position": lambda x: x[:, -1, :],
    "every other row": lambda x: x[:, ::2, :],
    "one column": lambda x: x[..., 3:4],
}
COPIED = {
    "every other column": lambda x: x[..., ::2],
    "backwards": lambda x: x[:, ::-1],
    "transposed": lambda x: x.swapaxes(0, 1),
    "repeated": lambda x: numpy.broadcast_to(x[0, 0], (3, 8)),
}


@each_function
@each_type
@pytest.mark.parametrize("part", [*APART, *COPIED])
def test_strided(function, dtype, part):
    whole = logits((3, 4, 8), dtype)
    x = {**APART, **COPIED}[part](whole)
    before = whole.copy()
    assert_right(function, function(x), expected(function, x))
    assert_right(function, function(x, scale=2), expected(function, x, 2))
    assert (whole == before).all()


@pytest.mark.parametrize("part", APART)
def test_kernels_read_parts_where_they_are(part, monkeypatch):
    x = APART[part](logits((3, 4, 8)))
    monkeypatch.setattr("softmax_worklog._libraries.ArrayLibrary.ready", lambda *_: 1 / 0)
    assert_right(sw.softmax, sw.softmax(x), expected(sw.softmax, x))
    assert sw.counts()["global_load_elements"] == x.size


@pytest.mark.parametrize("part", COPIED)
def test_but_no_others(part, monkeypatch):
    x = COPIED[part](logits((3, 4, 8)))
    monkeypatch.setattr("softmax_worklog._libraries.ArrayLibrary.ready", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sw.softmax(x)


@each_function
def test_into_rows_that_lie_apart(function):
    memory = numpy.full((4, 20), 7, numpy.float32)
    x = logits((4, 6))
    out = memory[:, 5:11]
    assert function(x, scale=0.5, out=out) is out
    assert_right(function, out, expected(function, x, 0.5))
    assert (memory[:, :5] == 7).all()
    assert (memory[:, 11:] == 7).all()


@each_function
def test_in_place_and_beside(function):
    memory = numpy.full((4, 20), 7, numpy.float32)
    memory[:, :6] = logits((4, 6))
    x = memory[:, :6]
    right = expected(function, x, 0.5)
    beside = memory[:, 6:12]
    assert_right(function, function(x, scale=0.5, out=beside), right)
    overlapping = memory[:, 3:9]
    start = x.copy()
    assert_right(function, function(x, scale=0.5, out=overlapping), right)
    x[...] = start
    assert function(x, scale=0.5, out=x) is x
    assert_right(function, x, right)
    x[...] = start
    closer = memory.reshape(-1)[:24].reshape(4, 6)  # begins where x does, but its rows do not
    assert_right(function, function(x, scale=0.5, out=closer), right)
    assert (memory[2:, 12:] == 7).all()


@each_function
def test_a_mask_that_is_part_of_x_or_of_the_result(function):
    memory = logits((5, 8))
    x, mask = memory[:4], memory[4, :]
    right = expected(function, x, 0.5, mask)
    assert_right(function, function(x, scale=0.5, mask=mask), right)
    assert_right(function, function(x, scale=0.5, mask=x), expected(function, x, 0.5, x))
    mask = logits((4, 8), seed=1)
    right = expected(function, x, 0.5, mask[:1].copy())
    assert_right(function, function(x, scale=0.5, mask=mask[:1], out=mask), right)


# ---- what is refused ----


@each_function
class TestRefused:
    @pytest.mark.parametrize("scale", ["2", None, True, 1j, [1.0], numpy.zeros(2)])
    def test_a_scale_that_is_no_number(self, function, scale):
        with pytest.raises(TypeError, match="scale is .*: must be a number"):
            function(logits((2, 3)), scale=scale)

    @pytest.mark.parametrize("scale", [INFINITY, -INFINITY, float("nan")])
    def test_a_scale_that_is_not_finite(self, function, scale):
        for x in (logits((2, 3)), numpy.zeros((2, 3))):
            with pytest.raises(ValueError, match="scale = -?(inf|nan): must be finite"):
                function(x, scale=scale)

    def test_a_scale_that_float32_does_not_hold(self, function):
        with pytest.raises(ValueError, match=r"scale = 1e\+39: must be from -3.40282347e\+38 to"):
            function(logits((2, 3)), scale=1e39)

    @pytest.mark.parametrize("shape", [(2,), (4,), (3, 3), (2, 2, 3), (1, 2, 3), (0, 3)])
    def test_a_mask_of_another_shape(self, function, shape):
        message = (
            r"mask has the shape \(.*\): must be one that broadcasts to \(2, 3\), the shape of x"
        )
        with pytest.raises(ValueError, match=message):
            function(logits((2, 3)), mask=numpy.zeros(shape, numpy.float32))

    @pytest.mark.parametrize("dtype", [bool, complex, "U1", object])
    def test_a_mask_of_no_numbers(self, function, dtype):
        with pytest.raises(TypeError, match="mask has elements of .*: must be numbers, which are"):
            function(logits((2, 3)), mask=numpy.zeros((2, 3), dtype))

    def test_a_mask_that_is_no_array(self, function):
        with pytest.raises(TypeError, match="mask is no array|mask has elements of object"):
            function(logits((2, 3)), mask=object())
        with pytest.raises(TypeError, match="mask is a MaskedArray"):
            function(logits((2, 3)), mask=numpy.ma.masked_array([1.0, 2.0, 3.0]))

    @pytest.mark.parametrize("given", [1, "yes", None])
    def test_is_causal_that_is_no_bool(self, function, given):
        with pytest.raises(TypeError, match="is_causal is .*: must be a bool"):
            function(logits((2, 3)), is_causal=given)

    def test_is_causal_without_queries(self, function):
        with pytest.raises(ValueError, match="is_causal = True: x has 1 dimensions, must have 2"):
            function(logits((3,)), is_causal=True)
        with pytest.raises(ValueError, match="is_causal = True: rows are along 0 of 2 axes, must"):
            function(logits((2, 3)), 0, is_causal=True)
        with pytest.raises(ValueError, match=r"is_causal = True: rows are along \(0, 1\) of 2"):
            function(logits((2, 3)), None, is_causal=True)

    @pytest.mark.parametrize("offset", [1.0, "1", None, True])
    def test_an_offset_that_is_no_integer(self, function, offset):
        with pytest.raises(TypeError, match="causal_offset is .*: must be an integer"):
            function(logits((2, 3)), is_causal=True, causal_offset=offset)

    def test_an_offset_of_nothing(self, function):
        with pytest.raises(ValueError, match="causal_offset = 2: must be 0 where is_causal is Fal"):
            function(logits((2, 3)), causal_offset=2)

    @pytest.mark.parametrize(
        "given", [{"scale": 2}, {"mask": [0.0, 0.0, 0.0]}, {"is_causal": True}], ids=str
    )
    def test_a_step_that_should_scale_or_mask(self, function, given):
        step = 5 if function is sw.softmax else 8
        with pytest.raises(ValueError, match=f"step = {step}: scales and masks nothing: scale mus"):
            function(logits((2, 3)), step=step, **given)

    def test_dtypes_that_no_kernel_has(self, function):
        with pytest.raises(TypeError, match="dtype is int32: must be one of float32, float16"):
            function(logits((2, 3)), dtype="int32", scale=2)


def test_offsets_of_any_size():
    x = logits((3, 4))
    for offset in (10**30, 4):
        y = sw.softmax(x, is_causal=True, causal_offset=offset)
        assert_right(sw.softmax, y, expected(sw.softmax, x))
    assert numpy.isnan(sw.softmax(x, is_causal=True, causal_offset=-(10**30))).all()


def test_bfloat16_of_ml_dtypes():
    x = logits((4, 40), "bf16")
    y = sw.softmax(x, scale=0.5, dtype=ml_dtypes.bfloat16)
    assert y.dtype == ml_dtypes.bfloat16
    assert_right(sw.softmax, y, expected(sw.softmax, x, 0.5))
