"""What callers may get wrong: each error names the argument, its value and the limit."""

import numpy
import pytest
from inputs import logits

import softmax_worklog as sw
from softmax_worklog._choice import named

FUNCTIONS = [sw.softmax, sw.log_softmax, lambda x, step=None: sw.topk(x, 1, step)]
NAMES = ["softmax", "log_softmax", "topk"]
each_function = pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)


@each_function
@pytest.mark.parametrize("x", [[1.0, 2.0], 3.0, None, "abc", memoryview(b"abcd"), numpy.float32(1)])
def test_what_is_no_array(function, x):
    with pytest.raises(TypeError, match="x is a .*: must be an array of NumPy, CuPy or PyTorch"):
        function(x)


@each_function
@pytest.mark.parametrize("dtype", ["float64", "int32", "bool", "complex64", ">f4", "object"])
def test_other_elements(function, dtype):
    x = numpy.zeros((2, 3), dtype)
    with pytest.raises(TypeError, match=f"elements of {x.dtype}: must be float32, float16 or bfl"):
        function(x)


@each_function
def test_masked_arrays_whose_mask_would_be_lost(function):
    with pytest.raises(TypeError, match="MaskedArray"):
        function(numpy.ma.masked_less(logits((2, 3)), 0))


@each_function
def test_no_dimension(function):
    with pytest.raises(ValueError, match="0 dimensions: must have at least 1"):
        function(numpy.array(1, numpy.float32))


@each_function
@pytest.mark.parametrize(
    "part", [numpy.s_[:, ::2], numpy.s_[:, :3], numpy.s_[::-1]], ids=["every other", "some", "back"]
)
def test_not_contiguous(function, part):
    x = logits((4, 6))[part]
    with pytest.raises(ValueError, match=r"strides \(.*\) for its shape \(.*\): must be C-contig"):
        function(x)
    function(numpy.ascontiguousarray(x))


@each_function
def test_transposed(function):
    with pytest.raises(ValueError, match="C-contiguous"):
        function(logits((4, 6)).T)


@each_function
def test_between_elements(function):
    x = numpy.frombuffer(bytes(17), numpy.uint8)[1:].view(numpy.float32)
    with pytest.raises(ValueError, match="logits = 0x.*: must be a multiple of 4"):
        function(x)


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


@pytest.mark.parametrize("k", [0, -1, 2049, 2**31, 2**70])
def test_k_out_of_range(k):
    with pytest.raises(ValueError, match=f"k = {k}: must be from 1 to 2048"):
        sw.topk(logits((2, 200)), k)


def test_k_that_the_step_does_not_take():
    message = (
        "k = 129: must be from 1 to 128, the limit of 07_topk_fusion; 18_topk_by_threshold takes"
    )
    with pytest.raises(ValueError, match=message):
        sw.topk(logits((2, 200)), 129, step=7)


def test_a_large_k_of_a_row_that_is_too_long_for_it():
    longest = named(18).max_cols
    message = f"x has {longest + 1} columns: must have at most {longest} for k = 129, the limit of"
    with pytest.raises(ValueError, match=message):
        sw.topk(numpy.zeros((1, longest + 1), numpy.float32), 129)


@pytest.mark.parametrize("shape", [(2, 3), (0, 3), (3,)])
def test_k_above_the_columns(shape):
    with pytest.raises(ValueError, match="k = 4: must be at most 3, the length of the last axis"):
        sw.topk(numpy.zeros(shape, numpy.float32), 4)


def test_k_of_no_columns():
    with pytest.raises(ValueError, match="k = 1: must be at most 0"):
        sw.topk(numpy.zeros((3, 0), numpy.float32), 1)


@pytest.mark.parametrize("k", [1.0, "1", None, True, [1]])
def test_k_of_another_type(k):
    with pytest.raises(TypeError, match="k is a .*: must be an integer"):
        sw.topk(logits((2, 3)), k)


def test_k_of_numpys_integers():
    values, _ = sw.topk(logits((2, 3)), numpy.int64(2))
    assert values.shape == (2, 2)


@each_function
@pytest.mark.parametrize("step", [0, 99, -5, "", "5_warp", "05_warp_shuffle/nothing", "/safe"])
def test_a_step_that_does_not_exist(function, step):
    with pytest.raises(ValueError, match="does not exist: there are 0"):
        function(logits((2, 3)), step)


@each_function
@pytest.mark.parametrize("step", [5.0, True, b"05", [5]])
def test_a_step_of_another_type(function, step):
    with pytest.raises(TypeError, match="step is a .*: must be an int, a str or None"):
        function(logits((2, 3)), step)


@pytest.mark.parametrize(("function", "step"), list(zip(FUNCTIONS, [8, 5, 6], strict=True)))
def test_a_step_of_another_operation(function, step):
    with pytest.raises(ValueError, match="computes .*, not .*: must be one of 0"):
        function(logits((2, 3)), step)


@pytest.mark.parametrize(
    "step", ["07_topk_fusion/top_k_only", "08_log_softmax/negative_log_likelihood"]
)
def test_steps_that_no_function_is_for(step):
    for function in FUNCTIONS:
        with pytest.raises(ValueError, match="computes"):
            function(logits((2, 3)), step)


def test_more_rows_than_a_step_takes():
    with pytest.raises(ValueError, match="x has 6 rows: must have at most 1, the limit of 11_"):
        sw.softmax(logits((2, 3, 5)), 11)


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
            sw.softmax(numpy.frombuffer(bytes(17), numpy.uint8)[1:].view(numpy.float32))
        sw.softmax(x)
