"""What the warps of a launch did, line by line of the step's source: the executor's profile has it
with --by-warp. Rules need it where a count depends on the logits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STEPS = Path(__file__).resolve().parents[2] / "steps"


@dataclass(frozen=True)
class Warp:
    """One or more warps that all did the same: how often each came to a line, for every
    instruction there, in the order in which it came to them first."""

    alike: int
    source: Path
    requests: dict[str, list[int]]

    def at(self, line: str, kind: str) -> list[int]:
        place = f"{self.source.name}:{number_of(self.source, line)} {kind}"
        return self.requests.get(place, [])

    def times(self, line: str, kind: str) -> int:
        return sum(self.at(line, kind))


@cache
def number_of(source: Path, line: str) -> int:
    """Of the only line that has this text."""
    lines = source.read_text("utf-8").splitlines()
    found = [number for number, text in enumerate(lines, start=1) if line in text]
    if len(found) != 1:
        raise ValueError(f"{source}: {len(found)} lines have {line!r}, and a rule looks for one")
    return found[0]


def warps_of(step: str, variant: str, by_warp: list[dict]) -> tuple[Warp, ...]:
    source = STEPS / step / (f"variants/{variant}.cu" if variant else "softmax.cu")
    return tuple(Warp(one["warps"], source, one["requests"]) for one in by_warp)


def total(warps: tuple[Warp, ...], of_warp: Callable[[Warp], int]) -> int:
    return sum(warp.alike * of_warp(warp) for warp in warps)
