"""The table of floors beside times: what it computes, and what it says of a floor that is wrong."""

import json
from types import SimpleNamespace

import pytest
from repository import ROOT

from worklog_report.pages import floors_table
from worklog_report.results.annotations import Annotation, Line
from worklog_report.results.records import Shape

FEW_ROWS = Shape("f32", 40, 4096)
COUNTERS = {"global_load_requests": 700, "shared_load_wavefronts": 300, "shuffles": 9000}


def recorded_run(times, gpu="NVIDIA H200"):
    unit = SimpleNamespace(name="02_fused", label="02", title="Fused", variant="")
    lines = (Line("softmax.cu", 28, COUNTERS),)
    annotation = Annotation(unit.name, "", FEW_ROWS, 256, {}, lines, None, [])
    return SimpleNamespace(
        run=SimpleNamespace(machine=SimpleNamespace(name=gpu, date="2026-11-25T00:00:00")),
        softmaxes=lambda: [unit],
        annotations={unit.name: annotation},
        time=lambda name, shape: {"median_us": times[shape.cols]} if shape.cols in times else None,
    )


def row_of(text):
    return next(line for line in text.splitlines() if line.startswith("| 02 Fused"))


def test_floors_are_those_of_what_was_counted_and_must_move():
    text = floors_table.section(recorded_run({4096: 10.0, 25000: 300.0}))
    # 100 times 1,000 at 67e12 / 2 / 128 a second; 2 * (400 MB - 60 MiB) at 4.8 TB a second.
    assert row_of(text) == "| 02 Fused | 0.4 µs | 10.0 µs | 4 % | 140 µs | 300 µs | 47 % |"
    assert "None of 2 floors is above the time" in text


def test_a_floor_that_is_above_a_time_is_told():
    text = floors_table.section(recorded_run({4096: 10.0, 25000: 139.0}))
    assert "**1** of 2 floors" in text


@pytest.mark.parametrize("times", [{25000: 300.0}, {4096: 10.0, 25000: 300.0}])
def test_what_was_not_timed_is_left_out(times):
    assert ("–" in row_of(floors_table.section(recorded_run(times)))) == (4096 not in times)


def test_a_device_is_known_by_the_name_that_cuda_gives_it():
    results = [json.loads(path.read_text()) for path in (ROOT / "bench/results").glob("*.json")]
    names = {result["context"]["gpu"] for result in results if "gpu" in result.get("context", {})}
    assert len(names) > 1
    for name in names:
        assert "No floors of" not in floors_table.section(recorded_run({25000: 300.0}, name)), name


def test_without_times_or_figures_it_says_so():
    assert "No times are recorded" in floors_table.section(recorded_run({}))
    assert "No floors of NVIDIA T4" in floors_table.section(recorded_run({4096: 1.0}, "NVIDIA T4"))
