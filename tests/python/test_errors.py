"""What callers may get wrong: each error names the argument, its value and the limit."""

import numpy
import pytest
from inputs import logits

import softmax_worklog as sw

FUNCTIONS = [sw.softmax, sw.log_softmax, lambda x, **given: sw.topk(x, 1, **given)]
NAMES = ["softmax", "log_softmax", "topk"]
each_function = pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)


@each_function
@pytest.mark.parametrize("x", [None, "abc", ["a", "b"], [[1.0], [1.0, 2.0]], object(), {}])
def test_what_is_no_array(function, x):
    with pytest.raises(TypeError, match="x (has elements of|is no array)"):
        function(x)


@each_function
@pytest.mark.parametrize("dtype", ["bool", "complex64", "object", "longdouble", "datetime64[s]"])
def test_other_elements(function, dtype):
    x = numpy.zeros((2, 3), dtype)
    with pytest.raises(TypeError, match="x has elements of .*: must be one of float32, float16, "):
        function(x)


@each_function
def test_masked_arrays_whose_mask_would_be_lost(function):
    with pytest.raises(TypeError, match=r"x is a MaskedArray.*pass x.data, and where=~x.mask"):
        function(numpy.ma.masked_less(logits((2, 3)), 0))


@each_function
@pytest.mark.parametrize("name", ["axis", "dim"])
@pytest.mark.parametrize("given", [2, -3, 5, (0, 7)])
def test_axes_that_there_are_not(function, name, given):
    axis = given[1] if isinstance(given, tuple) else given
    with pytest.raises(ValueError, match=f"{name} = {axis}: must be from -2 to 1") as error:
        function(logits((2, 3)), **{name: given})
    assert isinstance(error.value, IndexError)


@each_function
@pytest.mark.parametrize("given", ["05", 1.0, True, [0], (0.5,)])
def test_axes_of_another_type(function, given):
    with pytest.raises(TypeError, match="axis is .*: must be an integer, a tuple of them or Non"):
        function(logits((2, 3)), axis=given)


def test_a_step_that_comes_second_is_an_axis():
    with pytest.raises(ValueError, match=r"axis = 5.*a step is given by keyword, as in step=5"):
        sw.softmax(logits((2, 3)), 5)
    with pytest.raises(TypeError, match=r"axis is a str.*a step is given by keyword"):
        sw.softmax(logits((2, 3)), "05_warp_shuffle")


@each_function
def test_axes_that_are_named_twice(function):
    with pytest.raises(TypeError, match="axis = 0 and dim = 1: must be one of them"):
        function(logits((2, 3)), axis=0, dim=1)
    with pytest.raises(ValueError, match=r"axis = \(1, -1\): must name each axis once"):
        function(logits((2, 3)), axis=(1, -1))


@pytest.mark.parametrize("function", [sw.softmax, sw.log_softmax])
class TestKeywords:
    @pytest.mark.parametrize("dtype", ["int32", "bool", "complex64"])
    def test_a_dtype_that_no_kernel_has(self, function, dtype):
        with pytest.raises(TypeError, match=f"dtype is {dtype}: must be one of float32, float16"):
            function(logits((2, 3)), dtype=dtype)

    def test_a_dtype_that_is_none(self, function):
        with pytest.raises(TypeError, match="dtype is 'float33': must be NumPy's, or its name"):
            function(logits((2, 3)), dtype="float33")

    def test_out_of_another_kind(self, function):
        with pytest.raises(TypeError, match="out is a builtins.list: must be an array of NumPy"):
            function(logits((2, 3)), out=[0.0] * 6)

    def test_out_of_another_shape(self, function):
        with pytest.raises(ValueError, match=r"out has the shape \(3, 2\): must have \(2, 3\)"):
            function(logits((2, 3)), out=numpy.zeros((3, 2), numpy.float32))

    def test_out_of_another_type(self, function):
        with pytest.raises(TypeError, match="out has elements of float64: must be of float32"):
            function(logits((2, 3)), out=numpy.zeros((2, 3)))

    def test_out_whose_elements_share_memory(self, function):
        memory = numpy.zeros(8, numpy.float32)
        rows = numpy.lib.stride_tricks.as_strided(memory, (2, 3), (8, 4))
        with pytest.raises(ValueError, match="out has elements that share memory"):
            function(logits((2, 3)), out=rows)
        apart = numpy.lib.stride_tricks.as_strided(memory, (2, 3), (16, 4))
        function(logits((2, 3)), out=apart)
        numpy.testing.assert_allclose(apart, function(logits((2, 3))), rtol=1e-6)

    def test_out_without_elements_shares_nothing(self, function):
        empty = numpy.lib.stride_tricks.as_strided(
            numpy.zeros(1, numpy.float32), (4, 3, 0), (0, 0, 4)
        )
        assert function(empty, out=empty) is empty

    def test_axes_that_are_none(self, function):
        with pytest.raises(ValueError, match=r"axis = \(\): must name an axis or more"):
            function(logits((2, 3)), ())

    def test_out_that_may_not_be_written(self, function):
        out = numpy.zeros((2, 3), numpy.float32)
        out.flags.writeable = False
        with pytest.raises(ValueError, match="out is read-only: must be writeable"):
            function(logits((2, 3)), out=out)

    def test_where_of_no_bools(self, function):
        with pytest.raises(TypeError, match="where has elements of int64: must be bool"):
            function(logits((2, 3)), where=[0, 1, 1])

    def test_where_of_another_shape(self, function):
        with pytest.raises(ValueError, match=r"where has the shape \(2,\): must be one that broad"):
            function(logits((2, 3)), where=[True, False])

    def test_a_step_for_doubles(self, function):
        step = 5 if function is sw.softmax else 8
        for x in (numpy.zeros((2, 3)), numpy.zeros((2, 3), int)):
            with pytest.raises(TypeError, match=f"step = {step}: takes no float64, and no integer"):
                function(x, step=step)


def test_keywords_of_topk():
    x = logits((2, 3))
    with pytest.raises(TypeError, match="largest is an int: must be a bool"):
        sw.topk(x, 1, largest=1)
    with pytest.raises(TypeError, match="probabilities is a str: must be a bool"):
        sw.topk(x, 1, probabilities="no")
    with pytest.raises(ValueError, match="step = 7: finds the largest probabilities alone"):
        sw.topk(x, 1, largest=False, step=7)
    with pytest.raises(TypeError, match="out is ndarray: must be a tuple"):
        sw.topk(x, 1, out=x)
    indices = numpy.zeros((2, 1), numpy.int32)
    with pytest.raises(TypeError, match=r"out\[1\] has elements of int32: must be of int64"):
        sw.topk(x, 1, out=(numpy.zeros((2, 1), numpy.float32), indices))


class OnAGpu(numpy.ndarray):
    """As CuPy's and PyTorch's are told apart: by the module that has the class."""


@each_function
def test_the_wrong_device(function, monkeypatch):
    import sys
    import types

    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(ndarray=OnAGpu))
    x = logits((2, 3)).view(OnAGpu)
    with pytest.raises(BufferError, match="x is on the device 'cuda': must be on 'cpu'"):
        function(x)


@pytest.mark.parametrize("k", [-1, -(2**70)])
def test_k_below_0(k):
    with pytest.raises(ValueError, match=f"k = {k}: must be 0 or more"):
        sw.topk(logits((2, 200)), k)


@pytest.mark.parametrize("k", [201, 2**31, 2**70])
def test_k_above_the_row(k):
    with pytest.raises(ValueError, match=f"k = {k}: must be at most 200, the length of the axis"):
        sw.topk(logits((2, 200)), k)


def test_k_that_the_step_does_not_take():
    message = (
        "k = 129: must be from 1 to 128, the limit of 07_topk_fusion; 18_topk_by_threshold takes"
    )
    with pytest.raises(ValueError, match=message):
        sw.topk(logits((2, 200)), 129, step=7)


@pytest.mark.parametrize("shape", [(2, 3), (0, 3), (3,)])
def test_k_above_the_columns(shape):
    with pytest.raises(ValueError, match="k = 4: must be at most 3, the length of the axis"):
        sw.topk(numpy.zeros(shape, numpy.float32), 4)


def test_k_of_no_columns():
    with pytest.raises(ValueError, match="k = 1: must be at most 0"):
        sw.topk(numpy.zeros((3, 0), numpy.float32), 1)


@pytest.mark.parametrize("k", [1.0, "1", None, True, [1]])
def test_k_of_another_type(k):
    with pytest.raises(TypeError, match="k is (a .*|None): must be an integer"):
        sw.topk(logits((2, 3)), k)


def test_k_of_numpys_integers():
    values, _ = sw.topk(logits((2, 3)), numpy.int64(2))
    assert values.shape == (2, 2)


@each_function
@pytest.mark.parametrize("step", [0, 99, 21, -5, "", "5_warp", "05_warp_shuffle/nothing", "/safe"])
def test_a_step_that_is_none_of_the_modules(function, step):
    with pytest.raises(ValueError, match=r"step = .*: must be one of 0"):
        function(logits((2, 3)), step=step)


@each_function
@pytest.mark.parametrize("step", [5.0, True, b"05", [5]])
def test_a_step_of_another_type(function, step):
    with pytest.raises(TypeError, match="step is .*: must be an int, a str or None"):
        function(logits((2, 3)), step=step)


@pytest.mark.parametrize(("function", "step"), list(zip(FUNCTIONS, [8, 5, 6], strict=True)))
def test_a_step_of_another_operation(function, step):
    with pytest.raises(ValueError, match="computes .*, not .*: must be one of 0"):
        function(logits((2, 3)), step=step)


@pytest.mark.parametrize(
    "step", ["07_topk_fusion/top_k_only", "08_log_softmax/negative_log_likelihood"]
)
def test_steps_that_no_function_is_for(step):
    for function in FUNCTIONS:
        with pytest.raises(ValueError, match="computes"):
            function(logits((2, 3)), step=step)


def test_more_rows_than_a_step_takes():
    with pytest.raises(ValueError, match="x has 6 rows: must have at most 1, the limit of 11_"):
        sw.softmax(logits((2, 3, 5)), step=11)


def test_more_memory_than_there_is(tmp_path):
    # A file that is all hole: nobody has its 12 GiB.
    x = numpy.lib.format.open_memmap(
        tmp_path / "x.npy", mode="w+", dtype=numpy.float16, shape=(2, 3 << 30)
    )
    with pytest.raises(MemoryError, match="12884901888 bytes"):
        sw.topk(x, 1)


def test_a_refused_call_leaves_nothing_behind():
    x = logits((2, 3))
    for _ in range(3):
        with pytest.raises(ValueError):
            sw.softmax(x, axis=7)
        sw.softmax(x)
