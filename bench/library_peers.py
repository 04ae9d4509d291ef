#!/usr/bin/env python3
"""Times others where worklog_library_times times the library, by the method of bench/baselines.

    build/bin/worklog_library_times --cases cases.json
    python3 bench/library_peers.py --cases cases.json --out peers.json
    python3 bench/library_peers.py --cases cases.json --list

PyTorch, a kernel in Triton, QuACK, FlashInfer and Liger where each has the operation, torch.compile
at a few shapes, what is scaled and masked at a few, too (baselines/scaled_calls.py), and what a
call of PyTorch's or of the library's Python module costs the host. What cannot be imported is
named. A case that fails is a row with its error.
"""

import argparse
import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent / "baselines"))

SECONDS = 88
COMPILE_SECONDS = 40
SCALED_SECONDS = 90

# The library itself is timed beside each, by the same program, for ratios. The fast ones first;
# Liger puts the gradients in the logits' place, so it comes last.
OURS = "library_with_peers"
PEERS = {
    "softmax": ("pytorch", "triton", "flashinfer", "quack"),
    "log_softmax": ("pytorch",),
    "top_k": ("pytorch",),
    "softmax_backward": ("pytorch", "quack"),
    "cross_entropy": ("pytorch", "quack", "liger"),
    "cross_entropy_rows": ("pytorch", "quack"),
}
# torch.compile takes seconds a shape. By operation: columns, and rows of each.
COMPILED = {
    "softmax": {1024: (32768,), 32000: (64, 4096), 50257: (4096,), 128256: (64, 4096)},
    "cross_entropy": {32000: (4096,), 128256: (4096,)},
    "softmax_backward": {1024: (32768,), 32000: (4096,), 128256: (4096,)},
}


class InputError(Exception):
    """The list of cases is not what it should be; the message says why."""


@dataclass(frozen=True)
class Case:
    operation: str
    dtype: str
    rows: int
    cols: int
    k: int
    cache: str

    @property
    def name(self) -> str:
        k = f"/k{self.k}" if self.k else ""
        return f"{self.operation}/{self.dtype}/{self.rows}x{self.cols}{k}/{self.cache}"

    @property
    def is_compiled(self) -> bool:
        rows = COMPILED.get(self.operation, {}).get(self.cols, ())
        return self.cache == "cold" and self.rows in rows

    @property
    def peers(self) -> tuple[str, ...]:
        """Who is timed, but for torch.compile: FlashInfer's softmax takes fp32 alone."""
        peers = (by for by in PEERS[self.operation] if by != "flashinfer" or self.dtype == "f32")
        return (OURS, *peers)

    def row(self, by: str, result: dict[str, Any]) -> dict[str, Any]:
        return {"by": by} | vars(self) | result


def read_cases(path: Path) -> list[Case]:
    """What worklog_library_times --cases FILE wrote."""
    try:
        return [Case(**row) for row in json.loads(path.read_text("utf-8"))["cases"]]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}: is not what worklog_library_times --cases writes") from None


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/library_peers.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--cases", required=True, type=Path, metavar="FILE", help="of worklog_library_times"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the JSON goes")
    parser.add_argument("--list", action="store_true", help="print what would be timed")
    parser.add_argument(
        "--seconds",
        type=float,
        default=SECONDS,
        metavar="S",
        help=f"begin no case after S seconds ({SECONDS})",
    )
    parser.add_argument(
        "--compile-seconds",
        type=float,
        default=COMPILE_SECONDS,
        metavar="S",
        help=f"for torch.compile, beside that ({COMPILE_SECONDS})",
    )
    parser.add_argument(
        "--scaled-seconds",
        type=float,
        default=SCALED_SECONDS,
        metavar="S",
        help=f"for what is scaled and masked, beside that ({SCALED_SECONDS})",
    )
    options = parser.parse_args()
    if not options.list and options.out is None:
        parser.error("--out FILE is missing")
    return options


def main() -> int:
    options = _options()
    try:
        cases = read_cases(options.cases)
    except InputError as error:
        print(f"bench/library_peers.py: {error}", file=sys.stderr)
        return 2
    if options.list:
        for case in cases:
            compiled = ("torch_compile",) if case.is_compiled else ()
            print(case.name, *case.peers, *compiled)
        return 0
    if importlib.util.find_spec("torch") is None:
        sys.exit("bench/library_peers.py: PyTorch is not installed here (no module named torch)")
    from library_measuring import measure

    limits = (options.seconds, options.compile_seconds, options.scaled_seconds)
    return measure(cases, options.out, *limits)


if __name__ == "__main__":
    sys.exit(main())
