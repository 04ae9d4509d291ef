"""Which step is taken, with a table of times that the test has made up."""

import json
import subprocess
import sys

import numpy
import pytest

import softmax_worklog as sw
from softmax_worklog import _choice
from softmax_worklog._choice import Shape, fastest_of, find_step, named, recorded_times

SOFTMAX = [step for step in sw.steps() if step.operation == "softmax" and not step.variant]
FOUR, FIVE, SIX = (named(number) for number in (4, 5, 6))


@pytest.mark.parametrize("wanted", [5, "5", "05", "05_warp_shuffle"])
def test_names_of_a_step(wanted):
    assert named(wanted).label == "05_warp_shuffle"


@pytest.mark.parametrize("wanted", ["05_warp_shuffle/safe", "5/safe"])
def test_names_of_a_variant(wanted):
    assert named(wanted).label == "05_warp_shuffle/safe"


def test_the_fastest_at_the_nearest_shape():
    times = {
        Shape("f32", 100, 1000): {FOUR.label: 2.0, FIVE.label: 1.0},
        Shape("f32", 100, 4000): {FOUR.label: 1.0, FIVE.label: 2.0},
    }
    assert fastest_of([FOUR, FIVE], Shape("f32", 100, 1900), times) == FIVE
    assert fastest_of([FOUR, FIVE], Shape("f32", 100, 2100), times) == FOUR


def test_only_shapes_at_which_a_candidate_was_timed_count():
    times = {
        Shape("f32", 1, 1000): {SIX.label: 1.0},
        Shape("f32", 100, 1000): {FOUR.label: 3.0, FIVE.label: 4.0},
    }
    assert fastest_of([FOUR, FIVE], Shape("f32", 1, 1000), times) == FOUR


def test_another_type_is_as_far_as_twice_the_columns():
    half = Shape("f16", 100, 1000)
    assert half.distance(Shape("bf16", 100, 1000)) == 0
    assert half.distance(Shape("f32", 100, 1000)) == half.distance(Shape("f16", 100, 2000)) == 1
    assert half.distance(Shape("f16", 50, 1000, 4)) == 3


def test_without_times_the_last_of_the_ladder():
    assert fastest_of(SOFTMAX, Shape("f32", 1, 1000), {}) == SOFTMAX[-1]


def test_a_step_that_does_not_take_the_rows_is_none_of_the_candidates(monkeypatch):
    one_row = [step for step in SOFTMAX if step.max_rows == 1]
    times = {Shape("f32", 1, 1000): {one_row[0].label: 1.0, SIX.label: 9.0}}
    monkeypatch.setattr(_choice, "recorded_times", lambda: times)
    assert find_step("softmax", None, "f32", (1000,)) == one_row[0]
    assert find_step("softmax", None, "f32", (2, 1000)) == SIX


def test_a_step_that_does_not_take_the_columns_is_none_of_the_candidates(monkeypatch):
    short = min((step for step in SOFTMAX if step.max_cols), key=lambda step: step.max_cols)
    cols = short.max_cols
    times = {Shape("f32", 4, cols): {short.label: 1.0, SIX.label: 9.0}}
    monkeypatch.setattr(_choice, "recorded_times", lambda: times)
    assert find_step("softmax", None, "f32", (4, cols)) == short
    assert find_step("softmax", None, "f32", (4, cols + 1)) == SIX


def test_a_step_that_does_not_take_k_is_none_of_the_candidates():
    assert find_step("topk", None, "f32", (4, 1000), 129).label == "18_topk_by_threshold"
    longest = named(18).max_cols
    assert find_step("topk", None, "f32", (4, longest + 1), 128).label == "07_topk_fusion"


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("shape", [(1,), (0, 3), (4000, 4000), (1, 1 << 24), (1 << 40, 1)])
def test_there_is_a_step_for_every_shape(dtype, shape):
    for operation in ("softmax", "log_softmax", "topk"):
        step = find_step(operation, None, dtype, shape, 1 if operation == "topk" else 0)
        assert step.operation == operation
        assert not step.variant
        assert step.max_rows is None or numpy.prod(shape[:-1]) <= step.max_rows
        assert step.max_cols is None or shape[-1] <= step.max_cols


def test_is_what_the_recorded_run_says(repository):
    """Straight from the file in bench/results."""
    runs = [json.loads(file.read_text()) for file in (repository / "bench/results").glob("*.json")]
    run = max((run for run in runs if "benchmarks" in run), key=lambda run: run["context"]["date"])
    for size, shape in {"4000x4000": (4000, 4000), "1x16777216": (1, 16777216)}.items():
        times = {
            row["name"].split("/")[0]: row["median_us"]
            for row in run["benchmarks"]
            if row["name"] in {f"{step.label}/f32/{size}/cold" for step in SOFTMAX}
        }
        assert find_step("softmax", None, "f32", shape).label == min(times, key=times.get)


def test_times_are_of_the_ladders_steps():
    labels = {label for times in recorded_times().values() for label in times}
    assert labels <= {step.label for step in sw.steps() if not step.variant}


def planted_run(date, us):
    shape = {"dtype": "f32", "rows": 4, "cols": 8, "k": 0, "cache": "cold"}
    shuffle = {"step": "05_warp_shuffle", "variant": ""} | shape
    rows = [
        {"baseline": "copy"} | shape,
        shuffle,
        shuffle | {"cache": "warm"},
        shuffle | {"variant": "safe"},
        shuffle | {"step": "07_topk_fusion", "dtype": "bf16", "k": 5},
    ]
    refused = shuffle | {"step": "06_vectorized", "error_message": "no memory"}
    context = {"gpu": "a GPU", "date": f"{date}T00:00:00+00:00"}
    return {"context": context, "benchmarks": [*(row | {"median_us": us} for row in rows), refused]}


def test_times_are_taken_from_the_newest_run(tmp_path, repository):
    (tmp_path / "a.json").write_text(json.dumps(planted_run("2026-02-01", 2.0)))
    (tmp_path / "b.json").write_text(json.dumps(planted_run("2026-01-01", 1.0)))
    (tmp_path / "records.json").write_text(json.dumps({"records": []}))
    program = repository / "python/recorded_times.py"
    out = tmp_path / "out.json"
    files = sorted(tmp_path.glob("*.json"))
    subprocess.run([sys.executable, program, "--out", out, *files], check=True)
    shape = {"rows": 4, "cols": 8, "us": 2.0}
    assert json.loads(out.read_text()) == {
        "gpu": "a GPU",
        "date": "2026-02-01",
        "times": [
            {"step": "05_warp_shuffle", "dtype": "f32", "k": 0, **shape},
            {"step": "07_topk_fusion", "dtype": "bf16", "k": 5, **shape},
        ],
    }
    subprocess.run([sys.executable, program, "--out", out], check=True)
    assert json.loads(out.read_text()) == {"gpu": "", "date": "", "times": []}
