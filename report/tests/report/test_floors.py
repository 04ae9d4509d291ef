"""The figures by which `simt run --on h200` gives floors, held against the recorded run: no step,
and no copy, was faster than what it must move at least."""

import json

import pytest
from repository import ROOT

BYTES = {"f32": 4, "f16": 2, "bf16": 2}
BYTES_OF_A_REQUEST = 32 * 16  # as wide as a warp can ask


def figures():
    return json.loads((ROOT / "simt/run/devices.json").read_text())["h200"]


def timed():
    results = ROOT / "bench/results/h200_2026-11-25.json"
    return [case for case in json.loads(results.read_text())["benchmarks"] if "real_time" in case]


def floors(case, device):
    """Seconds by unit, of a case that loads each logit once and stores what else its bytes are."""
    loaded = case["rows"] * case["cols"] * BYTES[case["dtype"]]
    stored = max(0, case["bytes"] - loaded)
    beyond_cache = [max(0, moved - device["l2_bytes"]) for moved in (loaded, stored)]
    clocks = device["fp32_operations_per_second"] / 2 / device["fp32_units_of_an_sm"]
    return {
        "DRAM": sum(beyond_cache) / device["dram_bytes_per_second"],
        "L1 and shared": (loaded + stored) / BYTES_OF_A_REQUEST / clocks,
    }


def slower_than_measured(cases, device):
    return [
        (case["name"], unit)
        for case in cases
        for unit, seconds in floors(case, device).items()
        if seconds > case["real_time"] * 1e-6
    ]


def test_no_floor_is_above_a_measured_time():
    cases = timed()
    assert len({case["step"] for case in cases if "step" in case}) >= 17
    assert {case["time_unit"] for case in cases} == {"us"}
    assert slower_than_measured(cases, figures()) == []


@pytest.mark.parametrize(
    ("figure", "times_too_low"),
    [("dram_bytes_per_second", 2), ("fp32_operations_per_second", 100)],
)
def test_a_figure_that_is_too_low_is_seen(figure, times_too_low):
    device = figures()
    device[figure] /= times_too_low
    assert slower_than_measured(timed(), device)
