"""The table of docs/pages/library_beside_peers.md of what is scaled and masked."""

from ..results.ladder import time_text
from ..results.library_times import LEVEL, PEERS, LibraryRun, ScaledTimes
from ..results.recorded_run import table
from .listed import listed

_TITLES = {
    "scale": "softmax of scale · x",
    "mask": "softmax of scale · x + mask",
    "causal": "causal softmax of scale · x",
    "top_k": "top-k of scale · x",
    "cross_entropy": "cross-entropy of scale · x, with gradients",
    "backward": "softmax's backward pass, times scale",
}
_NOTHING = "–"


def section(run: LibraryRun) -> str:
    if not run.scaled:
        return "\nNo recorded run has times of them.\n\n"
    peers = [peer for peer in PEERS if any(peer in times.peers for times in run.scaled)]
    head = [
        "call", "shape", "our time", "over that without scale and mask",
        *(f"{PEERS[peer]}'s time over ours" for peer in peers),
    ]  # fmt: skip
    rows = [
        [
            _TITLES[times.case.call],
            _shape_text(times),
            time_text(times.library_us),
            f"{times.library_us / times.unscaled_us:.2f}" if times.unscaled_us else _NOTHING,
            *(
                f"{times.peers[peer] / times.library_us:.2f}" if peer in times.peers else _NOTHING
                for peer in peers
            ),
        ]
        for times in run.scaled
    ]
    return f"\n{_answer(run.scaled)}{_over_unscaled(run.scaled)}\n\n{table(head, rows, words=2)}\n"


def _answer(scaled: list[ScaledTimes]) -> str:
    """In words, who is faster where, and who was asked."""
    ratios = [min(times.peers.values()) / times.library_us for times in scaled if times.peers]
    if not ratios:
        return "No peer was timed."
    lost = sum(ratio < 1 / LEVEL for ratio in ratios)
    text = f"In {len(ratios) - lost} of {len(ratios)} comparisons no peer is faster"
    text += (
        f"; where one is, we take up to {1 / min(ratios):.2f} times as long as it."
        if lost
        else f"; the fastest peer takes {min(ratios):.2f} to {max(ratios):.2f} times as long."
    )
    return f"{text} {_asked(scaled)}"


def _asked(scaled: list[ScaledTimes]) -> str:
    """Not every peer was asked everywhere: how often each was, and how often it is faster."""
    parts = []
    for peer, title in PEERS.items():
        timed = [times for times in scaled if peer in times.peers]
        faster = sum(times.peers[peer] / times.library_us < 1 / LEVEL for times in timed)
        if timed:
            parts.append(f"{title} was timed in {len(timed)} and is faster in {faster or 'none'}")
    alone = [next(iter(times.peers)) for times in scaled if len(times.peers) == 1]
    text = f"Of these {len(scaled)}, {listed(parts)}."
    if len(set(alone)) == 1 and len(parts) > 1:
        text += f" In {len(alone)} there is {PEERS[alone[0]]} alone."
    return text


def _over_unscaled(scaled: list[ScaledTimes]) -> str:
    """Over the same without scale and mask: of each call from where to where."""
    parts = []
    for call, title in _TITLES.items():
        ratios = [
            times.library_us / times.unscaled_us
            for times in scaled
            if times.case.call == call and times.unscaled_us
        ]
        if ratios:
            parts.append(f"{min(ratios):.2f} to {max(ratios):.2f} for {title}")
    if not parts:
        return ""
    return f" Our time over that without scale and mask is {'; '.join(parts)}."


def _shape_text(times: ScaledTimes) -> str:
    matrices = f"{times.case.matrices} × " if times.case.matrices > 1 else ""
    return f"{matrices}{times.case.shape.size()}, {times.case.shape.dtype}"
