"""The library's times beside its peers', and what they come to (bench/library_on_gpu.sh)."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .records import Shape, holds_library, read_json, validate

LIBRARY = "library"
WITH_PEERS = "library_with_peers"
"""The library timed by the program that times the peers but cuDNN: a ratio is of one program."""
UNSCALED = "library_unscaled"
"""The library's function without scale and mask, by the same program."""
PEERS = {
    "pytorch": "PyTorch",
    "torch_compile": "torch.compile",
    "triton": "Triton",
    "cudnn": "cuDNN",
    "quack": "QuACK",
    "flashinfer": "FlashInfer",
    "liger": "Liger",
}
_IN_OUR_PROGRAM = "cudnn"
LEVEL = 1.02
"""Two that are nearer to each other than their spread are as fast as each other."""
MEAN = "cross_entropy"
"""The mean loss, and its gradients."""
OF_ROWS = "cross_entropy_rows"
"""Each row's loss, and the gradients by these. Older runs do not have it."""
_ARRAYS = {
    "softmax": 2,
    "log_softmax": 2,
    "top_k": 1,
    "softmax_backward": 3,
    MEAN: 2,
    OF_ROWS: 2,
}
_QUACK_WITHOUT_MEAN = ("NVIDIA H200", "2026-11-29T02:51:53+00:00")
"""The run, of all that were recorded, that timed QuACK's `cross_entropy_fwd(return_dx=True)` as
cross-entropy: it gives each row's loss and the gradients by that, and no mean."""
_ELEMENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
WARM_PART = 0.75
"""Of the L2 cache, as bench/library_cases.cpp has it: on an H100 larger arrays are copied no faster
than DRAM gives them."""


@dataclass(frozen=True, order=True)
class Case:
    """An operation at a shape, with a cold or a warm cache."""

    operation: str
    cache: str
    shape: Shape

    @property
    def bytes(self) -> int:
        """Of the arrays that are as long as the logits."""
        elements = self.shape.rows * self.shape.cols
        return _ARRAYS[self.operation] * elements * _ELEMENT_BYTES[self.shape.dtype]


@dataclass
class Cell:
    """What was measured of a case, in microseconds."""

    case: Case
    library_us: float
    limit_us: float
    step: str  # which the library picked
    steps: dict[str, float] = field(default_factory=dict)  # that it could have picked
    peers: dict[str, float] = field(default_factory=dict)
    with_peers_us: float | None = None  # the library's, in the program of the peers
    spread: float | None = None  # between the quartiles of the library's samples, over their median
    samples: int = 1

    def over(self, peer: str) -> float:
        """The library's time over a peer's."""
        is_apart = peer == _IN_OUR_PROGRAM or self.with_peers_us is None
        return (self.library_us if is_apart else self.with_peers_us) / self.peers[peer]

    @property
    def best_peer(self) -> str:
        """Its name in PEERS; "" if there is none."""
        return max(self.peers, key=self.over, default="")

    @property
    def over_best_peer(self) -> float | None:
        """The library's time over the best peer's."""
        return self.over(self.best_peer) if self.peers else None

    def over_limit(self, peer: str) -> float:
        """A peer's time over the limit, as if our program had timed it."""
        return self.library_us / self.over(peer) / self.limit_us

    @property
    def best_step(self) -> str:
        return min(self.steps, key=self.steps.__getitem__, default=self.step)

    @property
    def behind_best_step(self) -> float:
        """The time of the step that the library picked over that of the best one: 1 or more."""
        return (
            self.steps.get(self.step, self.library_us) / self.steps[self.best_step]
            if self.steps
            else 1.0
        )

    @property
    def differs_by_itself(self) -> float | None:
        """The library's time over that of the very step that it picked: one kernel, timed twice."""
        return self.library_us / self.steps[self.step] if self.step in self.steps else None

    @property
    def second_best(self) -> float | None:
        """The time of the fastest step that was not picked, over the library's."""
        others = [time for step, time in self.steps.items() if step != self.step]
        return min(others) / self.library_us if others else None

    @property
    def standard_error(self) -> float | None:
        """The median's, relative to it, as if samples were normally distributed."""
        return None if self.spread is None else 0.93 * self.spread / math.sqrt(self.samples)

    @property
    def is_lost(self) -> bool:
        return self.over_best_peer is not None and self.over_best_peer > LEVEL


@dataclass(frozen=True)
class HostCall:
    by: str
    language: str
    call: str
    us: float


@dataclass(frozen=True, order=True)
class ScaledCase:
    """A call with scaled or masked logits, of matrices that lie one below the other."""

    call: str
    matrices: int
    shape: Shape  # of a matrix


@dataclass(frozen=True)
class ScaledTimes:
    """With a cold cache, in microseconds, all by the program of the peers."""

    case: ScaledCase
    library_us: float
    unscaled_us: float | None  # the library's, of the same without scale and mask
    peers: dict[str, float]


@dataclass(frozen=True)
class LibraryRun:
    """Of one GPU."""

    context: dict[str, Any]
    cells: list[Cell]
    calls: list[HostCall]
    errors: list[tuple[str, Case, str]]  # who has no time of what, and why
    scaled: list[ScaledTimes]

    @property
    def machine(self) -> str:
        return f"{self.context['gpu']}, {self.context['date'][:10]}"

    @property
    def too_large_to_be_warm(self) -> list[Cell]:
        """Those with a warm cache whose arrays it did not hold."""
        if "l2_bytes" not in self.context:
            return []
        most = WARM_PART * int(self.context["l2_bytes"])
        return [cell for cell in self.cells if cell.case.cache == "warm" and cell.case.bytes > most]

    def _has(self, operation: str) -> bool:
        return any(cell.case.operation == operation for cell in self.cells)

    @property
    def lacks_cross_entropy_of_rows(self) -> bool:
        """Whether it is of the time when the mean alone was timed."""
        return self._has(MEAN) and not self._has(OF_ROWS)

    @property
    def times_quack_without_mean(self) -> bool:
        """Whether QuACK's time of the mean cross-entropy is of a kernel that gives none."""
        return (self.context["gpu"], self.context["date"]) == _QUACK_WITHOUT_MEAN

    @property
    def absent(self) -> dict[str, str]:
        """Peers that were timed nowhere, and what is known of them."""
        there = {peer for cell in self.cells for peer in cell.peers}
        return {
            title: str(self.context.get(peer, "not asked"))
            for peer, title in PEERS.items()
            if peer not in there
        }


def read_library_run(recorded: list[Path]) -> LibraryRun | None:
    """The newest, of whichever GPU; None if there is none. Raises InputError."""
    return next(iter(read_library_runs(recorded)), None)


def read_library_runs(recorded: list[Path]) -> list[LibraryRun]:
    """Of each GPU the newest among the files, the newest of all first. Raises InputError."""
    files = []
    for path in recorded:
        data = read_json(path)
        if holds_library(data):
            validate(path, data, "library.schema.json")
            files.append(data)
    newest: dict[str, dict[str, Any]] = {}
    for data in sorted(files, key=lambda data: data["context"]["date"], reverse=True):
        newest.setdefault(data["context"]["gpu"], data)
    return [_run(data) for data in newest.values()]


def _run(data: dict[str, Any]) -> LibraryRun:
    cells: dict[Case, Cell] = {}
    errors = []
    timed = [row for row in data["of_library"] if "median_us" in row]
    for row in timed:
        if row["by"] == LIBRARY:
            case = _case(row)
            step = row.get("step", "")
            cells[case] = Cell(
                case,
                row["median_us"],
                row["limit_us"],
                step,
                spread=row.get("spread"),
                samples=row.get("samples", 1),
            )
    for row in timed:
        cell = cells.get(_case(row))
        if cell is None or row["by"] == LIBRARY:
            continue
        if row["by"] == WITH_PEERS:
            cell.with_peers_us = row["median_us"]
            continue
        times = cell.peers if row["by"] in PEERS else cell.steps
        times[row["by"]] = row["median_us"]
    _keep_comparable(list(cells.values()))
    for row in data["of_library"]:
        if "error_message" in row:
            errors.append((row["by"], _case(row), row["error_message"]))
    calls = [
        HostCall(row["by"], row["language"], row["call"], row["us"])
        for row in data["host_calls"]
        if "us" in row
    ]
    scaled = _scaled(data.get("of_scaling", []))
    return LibraryRun(data["context"], list(cells.values()), calls, errors, scaled)


def _scaled(rows: list[dict[str, Any]]) -> list[ScaledTimes]:
    """In the order of the rows; what the library has no time of is left out."""
    times: dict[ScaledCase, dict[str, float]] = {}
    for row in rows:
        if "median_us" in row:
            shape = Shape(row["dtype"], row["rows"], row["cols"], 0)
            case = ScaledCase(row["call"], row["matrices"], shape)
            times.setdefault(case, {})[row["by"]] = row["median_us"]
    return [
        ScaledTimes(
            case,
            of_case[WITH_PEERS],
            of_case.get(UNSCALED),
            {peer: of_case[peer] for peer in PEERS if peer in of_case},
        )
        for case, of_case in times.items()
        if WITH_PEERS in of_case
    ]


def _keep_comparable(cells: list[Cell]) -> None:
    """Where the peers' program timed the library at all, a case without its time has no peers."""
    if not any(cell.with_peers_us for cell in cells):
        return
    for cell in cells:
        if cell.with_peers_us is None:
            cell.peers = {by: us for by, us in cell.peers.items() if by == _IN_OUR_PROGRAM}


def _case(row: dict[str, Any]) -> Case:
    shape = Shape(row["dtype"], row["rows"], row["cols"], row["k"])
    return Case(row["operation"], row["cache"], shape)


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))
