"""What a launch did at each line of its step's source: the executor's profile tells with --by-line.
Rules need it where a count depends on the logits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STEPS = Path(__file__).resolve().parents[2] / "steps"


@dataclass(frozen=True)
class Warp:
    """One or more warps that all did the same. `requests` is how often each executed every
    instruction of a line that accesses memory, in the order in which it came to them first."""

    alike: int
    source: Path
    requests: dict[str, list[int]]

    def at(self, line: str, kind: str) -> list[int]:
        return self.requests.get(f"{place_of(self.source, line)} {kind}", [])

    def times(self, lines: str | tuple[str, ...], kind: str) -> int:
        """Of one line, or of several together."""
        several = (lines,) if isinstance(lines, str) else lines
        return sum(sum(self.at(line, kind)) for line in several)


@dataclass(frozen=True)
class Lines:
    source: Path
    counters: dict[str, dict[str, int]]
    warps: tuple[Warp, ...]

    def counter(self, lines: tuple[str, ...], name: str) -> int:
        places = (place_of(self.source, line) for line in lines)
        return sum(self.counters.get(place, {}).get(name, 0) for place in places)

    def times(self, lines: str | tuple[str, ...], kind: str) -> int:
        return self.total(lambda warp: warp.times(lines, kind))

    def total(self, of_warp: Callable[[Warp], int]) -> int:
        return sum(warp.alike * of_warp(warp) for warp in self.warps)


@cache
def place_of(source: Path, text: str) -> str:
    """Of the only line that has this text, however lines move; 0 if none has."""
    lines = source.read_text("utf-8").splitlines()
    found = [number for number, line in enumerate(lines, start=1) if text in line]
    if len(found) > 1:
        raise ValueError(f"{source}: {len(found)} lines have {text!r}, and a rule looks for one")
    return f"{source.name}:{found[0] if found else 0}"


def lines_of(step: str, variant: str, launch: dict) -> Lines | None:
    """None if the profile does not tell."""
    if "by_line" not in launch:
        return None
    source = STEPS / step / (f"variants/{variant}.cu" if variant else "softmax.cu")
    warps = (Warp(one["warps"], source, one["requests"]) for one in launch["by_warp"])
    return Lines(source, launch["by_line"], tuple(warps))
