"""Which step is taken: the one that is named, or the one that the library's dispatcher picks."""

import json
import re
from collections import defaultdict
from pathlib import Path

import ml_dtypes
import numpy
import pytest
from inputs import DTYPES, logits

import softmax_worklog as sw
from softmax_worklog import _core
from softmax_worklog._steps import named


@pytest.mark.parametrize("wanted", [5, "5", "05", "05_warp_shuffle"])
def test_names_of_a_step(wanted):
    assert named(wanted).label == "05_warp_shuffle"


@pytest.mark.parametrize("wanted", ["05_warp_shuffle/safe", "5/safe"])
def test_names_of_a_variant(wanted):
    assert named(wanted).label == "05_warp_shuffle/safe"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (0, 3), (4000, 4000), (1, 1 << 24), (1 << 30, 1)])
def test_there_is_a_step_for_every_shape(dtype, shape):
    rows, cols = shape
    for operation in ("softmax", "log_softmax", "topk"):
        step = sw.step_for(operation, rows, cols, 1 if operation == "topk" else 0, dtype)
        assert step.operation == operation
        assert step.max_rows is None or rows <= step.max_rows
        assert step.max_cols is None or cols <= step.max_cols or dtype != "f32"


def test_a_large_k_and_a_row_that_is_too_long_for_it():
    assert sw.step_for("topk", 4, 1000, 129).label == "18_topk_by_threshold"
    longest = named(18).max_cols
    assert sw.step_for("topk", 4, longest + 1, 128).label == "07_topk_fusion"
    with pytest.raises(ValueError, match=f"cols = {longest + 1}: must be at most {longest} for k"):
        sw.step_for("topk", 1, longest + 1, 129)


def test_questions_that_have_no_answer():
    with pytest.raises(
        ValueError, match="operation 'sum': must be one of softmax, log_softmax, topk,"
    ):
        sw.step_for("sum", 1, 1)
    with pytest.raises(ValueError, match="rows = -1: must be 0 or more"):
        sw.step_for("softmax", -1, 1)
    with pytest.raises(ValueError, match="k = 0: must be from 1 to 2048"):
        sw.step_for("topk", 1, 1)


TYPES_IN_WORDS = {
    "f32": ["float32", "single", "<f4", numpy.float32, numpy.dtype(">f4")],
    "f16": ["float16", "half", "f2", numpy.float16, numpy.dtype("float16")],
    "bf16": ["bfloat16", ml_dtypes.bfloat16, numpy.dtype(ml_dtypes.bfloat16)],
}
QUESTIONS = [
    lambda dtype: sw.step_for("softmax", 4000, 100_000, dtype=dtype).label,
    lambda dtype: named(18).predicted_loads(2, 1000, 3, dtype=dtype),
    lambda dtype: named(18).predicted_stores(2, 1000, 3, dtype=dtype),
]


@pytest.mark.parametrize("ask", QUESTIONS)
@pytest.mark.parametrize(
    ("code", "word"), [(code, word) for code, words in TYPES_IN_WORDS.items() for word in words]
)
def test_types_as_others_write_them(ask, code, word):
    assert ask(word) == ask(code)


@pytest.mark.parametrize("ask", QUESTIONS[:2])
def test_the_type_makes_a_difference(ask):
    """Or the test above would hold of a type that is not looked at."""
    assert ask("float32") != ask("float16")


@pytest.mark.parametrize("ask", QUESTIONS)
@pytest.mark.parametrize(
    ("dtype", "named_as"),
    [
        ("f64", "'f64'"),
        ("float64", "'float64'"),
        ("torch.float32", "'torch.float32'"),
        ("", "''"),
        (numpy.float64, "float64"),
        (numpy.dtype("int8"), "int8"),
        (None, "None"),
        (32, "of the type int"),
        ([], "of the type list"),
        (numpy.zeros(3, numpy.float32), "of the type ndarray"),
    ],
)
def test_types_that_no_step_has(ask, dtype, named_as):
    text = re.escape(
        f"dtype is {named_as}: must be float32, float16 or bfloat16, as a name or as the type of "
        "NumPy or PyTorch (or f32, f16 or bf16)"
    )
    with pytest.raises(TypeError, match=text):
        ask(dtype)


@pytest.mark.parametrize("operation", ["softmax", "log_softmax"])
def test_is_what_the_recorded_run_says(repository, operation):
    """Straight from the GPU's newest file of the library's times, where it timed two steps or more;
    the executor stands in for an H200."""
    gpu = "NVIDIA H200" if sw.machine() == "cpu" else sw.machine()
    runs = map(
        json.loads, map(Path.read_text, (repository / "bench/results").glob("library_*.json"))
    )
    of_gpu = [run for run in runs if run["context"]["gpu"] == gpu]
    if sw.machine() != "cpu" and not of_gpu:
        pytest.skip(f"no run of the library on {gpu} is recorded")
    run = max(of_gpu, key=lambda run: run["context"]["date"])
    times = defaultdict(dict)
    for row in run["of_library"]:
        if row["operation"] == operation and row["cache"] == "cold" and row["by"][0].isdigit():
            times[row["dtype"], row["rows"], row["cols"]][row["by"]] = row["median_us"]
    chosen = {
        case: sw.step_for(operation, *case[1:], dtype=case[0]).label
        for case, timed in times.items()
        if len(timed) > 1
    }
    assert len(chosen) > 40
    behind = {case: times[case][step] / min(times[case].values()) for case, step in chosen.items()}
    # Cold launches of 4 us differ by 3 % from one to the next: a finer bound would hold noise.
    assert max(behind.values()) <= 1.05, max(behind, key=behind.get)


@pytest.mark.skipif(_core.DEVICE != "cpu", reason="a GPU counts nothing")
@pytest.mark.parametrize("shape", [(9, 33), (40, 3000), (1, 70001)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_calls_without_a_step_are_served_by_it(shape, dtype):
    """What is counted tells."""
    x = logits(shape, dtype)
    for operation in ("softmax", "log_softmax"):
        counted = counts_of(getattr(sw, operation), x)
        label = sw.step_for(operation, *shape, dtype=dtype).label
        assert counts_of(getattr(sw, operation), x, step=label) == counted
    counted = counts_of(sw.topk, x, 3)
    assert counts_of(sw.topk, x, 3, step=sw.step_for("topk", *shape, 3, dtype).label) == counted
    assert counts_of(sw.topk, x, 3, step="07/safe_fused") != counted


def counts_of(function, *given, **keywords):
    """Those that do not depend on where an array begins."""
    function(*given, **keywords)
    counts = sw.counts()
    names = ("launches", "blocks", "threads", "global_load_elements", "global_store_elements")
    return {name: counts[name] for name in names if name in counts}, counts["block_barriers"]


def test_different_shapes_have_different_steps():
    shapes = [(4000, 32), (4000, 4000), (4000, 100000), (1, 1 << 20)]
    labels = [sw.step_for("softmax", *shape).label for shape in shapes]
    assert len(set(labels)) == len(shapes)
    assert numpy.all([label in {step.label for step in sw.steps()} for label in labels])
