"""What Nsight Compute said: how the executor's counts compare with it, and what only hardware
knows."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .records import MAIN_GPU, Shape, holds_profile, read_json, validate

_WARP_SIZE = 32
ELEMENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}

# What a warp waits for, in words: Nsight Compute's names of the reasons.
STALLS = {
    "long_scoreboard": "global memory",
    "short_scoreboard": "shared memory or a special unit",
    "lg_throttle": "a place in the queue to global memory",
    "mio_throttle": "a place in the queue to shared memory",
    "math_pipe_throttle": "an arithmetic unit",
    "barrier": "a barrier",
    "wait": "the instruction before",
    "no_instruction": "its next instruction",
    "branch_resolving": "a branch",
    "imc_miss": "a constant",
    "membar": "a memory fence",
    "drain": "its stores at the end",
    "dispatch_stall": "the dispatcher",
}


@dataclass(frozen=True)
class Measured:
    """A launch of a unit on a GPU."""

    unit: str
    shape: Shape
    kernel: str
    of: int  # launches that the unit makes
    values: dict[str, Any]

    def arrays(self, name: str) -> float:
        """Bytes, in units of the array of logits."""
        size = self.shape.rows * self.shape.cols * ELEMENT_BYTES[self.shape.dtype]
        return self.values[name] / size

    def a_logit(self, name: str) -> float:
        """Instructions of a lane for each logit, where the value counts those of warps."""
        return _WARP_SIZE * self.values[name] / (self.shape.rows * self.shape.cols)

    @property
    def spills(self) -> bool:
        return self.values["local_load_requests"] + self.values["local_store_requests"] > 0

    @property
    def waits_for(self) -> str:
        stall = self.values["stall"]
        return STALLS.get(stall, stall.replace("_", " "))


@dataclass(frozen=True)
class Hardware:
    gpu: str
    date: str
    launches: list[Measured]

    def of(self, unit: str, shape: Shape | None) -> list[Measured]:
        return [row for row in self.launches if row.unit == unit and row.shape == shape]

    @property
    def shapes(self) -> list[Shape]:
        """Without k, in the order of the file."""
        return list(dict.fromkeys(_without_k(row.shape) for row in self.launches))

    def at(self, shape: Shape) -> list[Measured]:
        return [row for row in self.launches if _without_k(row.shape) == shape]


@dataclass(frozen=True)
class Difference:
    """A figure of a launch that is not what the executor counts."""

    unit: str
    shape: Shape
    kernel: str
    figure: str
    ours: int
    ncu: int | list[int]
    reasons: tuple[str, ...]  # rules that make it equal, or the one reason for which it is not
    by_rule: bool

    @property
    def ncu_text(self) -> str:
        values = self.ncu if isinstance(self.ncu, list) else [self.ncu]
        return " or ".join(f"{value:,}" for value in values)


@dataclass(frozen=True)
class Agreement:
    """Of a unit: how many figures there are that are not 0 on both sides, and what became of
    them."""

    unit: str
    equal: int
    ruled: int
    listed: int
    unexplained: int
    zero: int

    @property
    def figures(self) -> int:
        return self.equal + self.ruled + self.listed + self.unexplained

    @property
    def share(self) -> float:
        return (self.equal + self.ruled) / self.figures if self.figures else 1.0


@dataclass(frozen=True)
class Parity:
    gpu: str
    date: str
    figures: dict[str, list[str]]  # ours: ncu's metrics
    not_compared: dict[str, str]
    reasons: dict[str, dict[str, str]]
    units: list[Agreement]
    total: Agreement
    differences: list[Difference]
    launches: int
    shapes: list[tuple[int, int]]

    def of(self, unit: str) -> list[Difference]:
        return [row for row in self.differences if row.unit == unit]


@dataclass(frozen=True)
class Profiles:
    """Of the main GPU, or of the newest one; `parities`, its own first, and `hardware_of` have what
    each GPU said."""

    parities: list[Parity] = field(default_factory=list)
    hardware: Hardware | None = None
    hardware_of: dict[str, Hardware] = field(default_factory=dict)

    @property
    def parity(self) -> Parity | None:
        return self.parities[0] if self.parities else None


def read_profiles(recorded: list[Path]) -> Profiles:
    """The newest of each kind among the recorded files, which may be others too."""
    newest: dict[tuple[str, str], tuple[str, Any]] = {}  # by kind and GPU
    for path in recorded:
        data = read_json(path)
        if not holds_profile(data):
            continue
        kind = "parity" if "parity" in data else "hardware"
        validate(path, data, f"{kind}.schema.json")
        gpu, date = data["context"]["gpu"], data["context"]["date"]
        if (kind, gpu) not in newest or date > newest[kind, gpu][0]:
            newest[kind, gpu] = (date, data)
    ranked = sorted(newest.items(), key=lambda item: (item[0][1] == MAIN_GPU, item[1][0]))
    parities = [_parity(data) for (kind, _), (_, data) in ranked if kind == "parity"]
    hardware = {gpu: _hardware(data) for (kind, gpu), (_, data) in ranked if kind == "hardware"}
    return Profiles(
        parities[::-1],
        list(hardware.values())[-1] if hardware else None,
        hardware,
    )


def _unit(case: dict) -> str:
    return f"{case['step']}/{case['variant']}" if case["variant"] else case["step"]


def _shape(case: dict) -> Shape:
    return Shape(case["dtype"], case["rows"], case["cols"], case["k"])


def _without_k(shape: Shape) -> Shape:
    return Shape(shape.dtype, shape.rows, shape.cols)


def _hardware(data: dict) -> Hardware:
    launches = [
        Measured(_unit(case), _shape(case), launch["kernel"], len(case["launches"]), launch)
        for case in data["cases"]
        for launch in case["launches"]
    ]
    return Hardware(data["context"]["gpu"], data["context"]["date"], launches)


def _parity(data: dict) -> Parity:
    counts: dict[str, Counter] = {}
    differences = []
    for case in data["cases"]:
        count = counts.setdefault(_unit(case), Counter())
        for launch in case["launches"]:
            differences += _differences(case, launch)
            unexplained = sum(not row["reason"] for row in launch["differ"].values())
            count.update(
                equal=len(launch["equal"]),
                ruled=len(launch["ruled"]),
                listed=len(launch["differ"]) - unexplained,
                unexplained=unexplained,
                zero=launch["zero"],
            )
    kinds = ("equal", "ruled", "listed", "unexplained", "zero")
    units = [Agreement(unit, *(counts[unit][kind] for kind in kinds)) for unit in sorted(counts)]
    total = Agreement("", *(sum(count[kind] for count in counts.values()) for kind in kinds))
    return Parity(
        gpu=data["context"]["gpu"],
        date=data["context"]["date"],
        figures=data["figures"],
        not_compared=data["not_compared"],
        reasons=data["reasons"],
        units=units,
        total=total,
        differences=differences,
        launches=sum(len(case["launches"]) for case in data["cases"]),
        shapes=sorted({(case["rows"], case["cols"]) for case in data["cases"]}),
    )


def _differences(case: dict, launch: dict) -> list[Difference]:
    def difference(figure: str, row: dict, reasons: list[str], by_rule: bool) -> Difference:
        return Difference(
            _unit(case), _shape(case), launch["kernel"], figure, row["ours"], row["ncu"],
            tuple(reasons), by_rule,
        )  # fmt: skip

    ruled = [difference(name, row, row["rules"], True) for name, row in launch["ruled"].items()]
    listed = [
        difference(name, row, [row["reason"]], False) for name, row in launch["differ"].items()
    ]
    return ruled + listed
