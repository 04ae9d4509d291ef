"""The table of docs/pages/executor.md that holds the floors of `simt run --on` against recorded
times: how much of a step's time its floors explain."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..results.annotations import Annotation
from ..results.ladder import percent_text, time_text
from ..results.recorded_run import RecordedRun, label, machine_text, table
from ..results.records import Shape

DEVICES = Path(__file__).resolve().parents[3] / "simt/run/devices.json"
# Shared memory and L1 are asked alike for each row, so counts of few rows tell those of many.
_SHAPE = Shape("f32", 4000, 4096)
# Of this one the L2 cache could hold little.
_LARGE_SHAPE = Shape("f32", 4000, 25000)
_FLOAT_BYTES = 4
_ENTERING_L1 = (
    "global_load_requests",
    "global_store_requests",
    "global_atomic_requests",
    "shared_load_wavefronts",
    "shared_store_wavefronts",
)


@dataclass(frozen=True)
class _Floor:
    """Both in microseconds."""

    least: float
    measured: float

    @property
    def share(self) -> float:
        return self.least / self.measured


def section(recorded: RecordedRun) -> str:
    figures = _figures_of(recorded.run.machine.name)
    if figures is None:
        return f"\nNo floors of {recorded.run.machine.name} are known.\n\n"
    found = {
        label(unit): (
            _of_l1(recorded, unit.name, figures),
            _of_dram(recorded, unit.name, figures),
        )
        for unit in recorded.softmaxes()
        if not unit.variant
    }
    timed = {name: both for name, both in found.items() if any(both)}
    if not timed:
        return "\nNo times are recorded at these shapes yet.\n\n"
    return _text(recorded, timed)


def _text(recorded: RecordedRun, timed: dict[str, tuple[_Floor | None, _Floor | None]]) -> str:
    floors = [floor for both in timed.values() for floor in both if floor is not None]
    above = sum(floor.share > 1 for floor in floors)
    head = [
        "step",
        f"L1 and shared, {_SHAPE.size()}", "time", "explained",
        f"DRAM, {_LARGE_SHAPE.size()}", "time", "explained",
    ]  # fmt: skip
    rows = [[name, *_cells(of_l1), *_cells(of_dram)] for name, (of_l1, of_dram) in timed.items()]
    of_dram = [both[1].share for both in timed.values() if both[1] is not None]
    return (
        f"\n{'None' if not above else f'**{above}**'} of {len(floors)} floors is above the time "
        f"that {machine_text(recorded.run)} took, with a cold cache. At {_LARGE_SHAPE.size()} the "
        f"floor of DRAM explains {percent_text(_mean(of_dram))} of the time, as a geometric mean, "
        f"and {percent_text(max(of_dram))} of the fastest step's.\n\n{table(head, rows)}\n"
    )


def _cells(floor: _Floor | None) -> list[str]:
    if floor is None:
        return ["–", "–", "–"]
    return [time_text(floor.least), time_text(floor.measured), percent_text(floor.share)]


def _figures_of(gpu: str) -> dict[str, Any] | None:
    """By the name of the data sheet, or by that which CUDA gives the device."""
    devices: dict[str, dict[str, Any]] = json.loads(DEVICES.read_text())
    return next(
        (each for each in devices.values() if gpu in (each["name"], *each.get("cuda_names", ()))),
        None,
    )


def _of_l1(recorded: RecordedRun, unit: str, figures: dict[str, Any]) -> _Floor | None:
    """By the executor's counts, which are of fewer rows of the same length."""
    annotation = recorded.annotations.get(unit)
    time = recorded.time(unit, _SHAPE)
    if annotation is None or time is None or annotation.shape.cols != _SHAPE.cols:
        return None
    clocks = figures["fp32_operations_per_second"] / 2 / figures["fp32_units_of_an_sm"]
    rows = _SHAPE.rows / annotation.shape.rows
    return _Floor(rows * _entering_l1(annotation) / clocks * 1e6, time["median_us"])


def _entering_l1(annotation: Annotation) -> int:
    """Requests to global memory, and wavefronts of shared memory: one at a clock on each SM."""
    return sum(line.counters.get(name, 0) for line in annotation.lines for name in _ENTERING_L1)


def _of_dram(recorded: RecordedRun, unit: str, figures: dict[str, Any]) -> _Floor | None:
    """For what must be loaded once and stored once, each beyond what the L2 cache can hold."""
    time = recorded.time(unit, _LARGE_SHAPE)
    if time is None:
        return None
    array = _LARGE_SHAPE.rows * _LARGE_SHAPE.cols * _FLOAT_BYTES
    beyond_cache = max(0, array - figures["l2_bytes"])
    return _Floor(2 * beyond_cache / figures["dram_bytes_per_second"] * 1e6, time["median_us"])


def _mean(shares: list[float]) -> float:
    return math.exp(sum(map(math.log, shares)) / len(shares))
