"""Reads what the step programs write with --annotations: counts by line, and traced requests."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .records import InputError, Shape, read_json, validate


class Action(NamedTuple):
    """One kind of thing that a line did."""

    what: str
    count: int  # requests, or how often
    cost: int = 0  # sectors of global memory, wavefronts of shared memory
    unit: str = ""  # of the cost
    conflicts: int = 0

    @property
    def each(self) -> float | None:
        return self.cost / self.count if self.unit else None


_MEMORY = (
    ("global load", "global_load", "sectors"),
    ("global store", "global_store", "sectors"),
    ("global atomic", "global_atomic", "sectors"),
    ("shared load", "shared_load", "wavefronts"),
    ("shared store", "shared_store", "wavefronts"),
    ("shared atomic", "shared_atomic", "wavefronts"),
)
_OTHERS = (
    ("constant load", "constant_load_requests"),
    ("distributed shared", "distributed_requests"),
    ("shuffle", "shuffles"),
    ("vote", "votes"),
    ("warp sync", "warp_syncs"),
    ("tensor instruction", "tensor_instructions"),
    ("block barrier", "block_barriers"),
    ("barrier of several blocks", "cluster_barriers"),
    ("divergence", "divergences"),
)


@dataclass(frozen=True)
class Line:
    """What one source line did."""

    file: str
    number: int
    counters: dict[str, int]

    @property
    def actions(self) -> list[Action]:
        count = self.counters.get
        memory = [
            Action(
                what,
                count(f"{name}_requests", 0),
                count(f"{name}_{unit}", 0),
                unit,
                count(f"{name}_bank_conflicts", 0),
            )
            for what, name, unit in _MEMORY
        ]
        others = [Action(what, count(name, 0)) for what, name in _OTHERS]
        return [action for action in memory + others if action.count]

    @property
    def cost(self) -> int:
        """Sectors and wavefronts."""
        return sum(action.cost for action in self.actions)

    @property
    def asked_for(self) -> list[Action]:
        """What the source says; which line diverges is in part the compiler's choice."""
        return [action for action in self.actions if action.what != "divergence"]

    @property
    def weight(self) -> int:
        """Sectors and wavefronts, with shuffles, barriers and the like, each counted as one."""
        return sum(action.cost or action.count for action in self.asked_for)


class Lane(NamedTuple):
    number: int
    array: int  # -1: shared memory
    offset: int


@dataclass(frozen=True)
class Request:
    """An access that lanes of one warp made together."""

    launch: int
    kernel: str
    block: int
    warp: int
    file: str
    line: int
    kind: str
    bytes: int  # of each lane
    number: int  # which of the warp's requests at this place, 1 for the first
    of: int
    sectors: int
    wavefronts: int
    lanes: tuple[Lane, ...]

    @property
    def is_global(self) -> bool:
        return self.kind.startswith("global")


@dataclass(frozen=True)
class Array:
    name: str
    bytes: int
    element_bytes: int


@dataclass(frozen=True)
class Trace:
    """Requests of the first warps on a small case, by launch, block and warp."""

    rows: int
    cols: int
    arrays: tuple[Array, ...]
    requests: tuple[Request, ...]


@dataclass(frozen=True)
class Annotation:
    """Of one kernel: what its lines did at one shape, and its requests on a small case."""

    step: str
    variant: str
    shape: Shape
    block_size: int
    predictions: dict[Shape, tuple[float, float]]  # loads and stores per logit, at other shapes
    lines: tuple[Line, ...]
    trace: Trace
    lines_json: list[dict[str, Any]]

    @property
    def unit(self) -> str:
        return f"{self.step}/{self.variant}" if self.variant else self.step

    @property
    def file(self) -> str:
        """The kernel's own, as compilers name it."""
        return f"{self.variant}.cu" if self.variant else "softmax.cu"

    def as_json(self) -> dict[str, Any]:
        """For report.json: the counts, without the traced requests."""
        row = {
            "step": self.step,
            "variant": self.variant,
            "dtype": self.shape.dtype,
            "rows": self.shape.rows,
            "cols": self.shape.cols,
            "block_size": self.block_size,
        }
        if self.shape.k:
            row["k"] = self.shape.k
        return row | {"lines": self.lines_json}


def read_annotations(paths: list[Path]) -> dict[str, Annotation]:
    """By the name of the kernel, as Unit.name. Raises InputError that names file and field."""
    found: dict[str, Annotation] = {}
    for path in paths:
        data = read_json(path)
        validate(path, data, "annotations.schema.json")
        for row in data["annotations"]:
            annotation = _annotation(path, row)
            if annotation.unit in found:
                raise InputError(f"{path}: a second annotation of {annotation.unit}")
            found[annotation.unit] = annotation
    return found


def _annotation(path: Path, row: dict[str, Any]) -> Annotation:
    return Annotation(
        step=row["step"],
        variant=row["variant"],
        shape=Shape(row["dtype"], row["rows"], row["cols"], row.get("k", 0)),
        block_size=row["block_size"],
        predictions=dict(_prediction(row["dtype"], of) for of in row["predictions"]),
        lines=tuple(Line(line["file"], line["line"], line["counters"]) for line in row["lines"]),
        trace=_trace(path, row["trace"]),
        lines_json=row["lines"],
    )


def _prediction(dtype: str, row: dict[str, Any]) -> tuple[Shape, tuple[float, float]]:
    logits = row["rows"] * row["cols"]
    shape = Shape(dtype, row["rows"], row["cols"], row.get("k", 0))
    return shape, (row["loads"] / logits, row["stores"] / logits)


def _trace(path: Path, row: dict[str, Any]) -> Trace:
    arrays = tuple(
        Array(array["name"], array["bytes"], array["element_bytes"]) for array in row["arrays"]
    )
    requests = tuple(
        Request(**request | {"lanes": tuple(Lane(*lane) for lane in request["lanes"])})
        for request in row["requests"]
    )
    for index, request in enumerate(requests):
        if any(lane.array >= len(arrays) for lane in request.lanes):
            raise InputError(
                f"{path}: trace.requests[{index}].lanes: there are {len(arrays)} arrays"
            )
    return Trace(row["rows"], row["cols"], arrays, requests)
