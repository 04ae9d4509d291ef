"""The tables of docs/pages/library_beside_peers.md: the library's times beside its peers'."""

import statistics
from collections.abc import Iterable
from dataclasses import replace

from ..results.ladder import time_text
from ..results.library_times import (
    LEVEL,
    MEAN,
    OF_ROWS,
    PEERS,
    WARM_PART,
    Cell,
    LibraryRun,
    geometric_mean,
)
from ..results.recorded_run import table
from . import library_scaled_table
from .listed import listed

_TITLES = {
    "softmax": "softmax",
    "log_softmax": "log-softmax",
    "top_k": "top-k",
    "softmax_backward": "softmax's backward pass",
    MEAN: "mean cross-entropy with gradients",
    OF_ROWS: "each row's cross-entropy with gradients",
}
_CACHES = {"cold": "a cold cache", "warm": "a warm cache"}
NOTHING = "–"
_SHORT_US = 10
_WORST = 10
"""So many of the shapes where a peer is faster stand unfolded."""


def sections(newest: LibraryRun, *others: LibraryRun) -> dict[str, str]:
    """Of the newest run, and how the library stands on other cards."""
    run, too_large = _comparable(newest)
    folded = [_comparable(other) for other in others]
    return {
        "answer": _answer(run, [other for other, _ in folded]),
        "standing": _standing(run, too_large)
        + "".join(
            _folded(f"The same on {other.machine}", _standing(other, left_out)[1:-1])
            for other, left_out in folded
        ),
        "losses": _losses(run) + "".join(_other_losses(other) for other, _ in folded),
        "steps": _steps(run),
        "scaled": library_scaled_table.section(run),
        "host": _host(run),
        "all": _all(run),
    }


def _comparable(run: LibraryRun) -> tuple[LibraryRun, list[Cell]]:
    """Without the cells that are called warm and were not, and these."""
    too_large = run.too_large_to_be_warm
    return replace(run, cells=[cell for cell in run.cells if cell not in too_large]), too_large


def _groups(run: LibraryRun) -> list[tuple[str, str, list[Cell]]]:
    """Cells of an operation and a cache, in the order of the page."""
    return [
        (operation, cache, cells)
        for cache in _CACHES
        for operation in _TITLES
        if (
            cells := [
                cell
                for cell in run.cells
                if (cell.case.operation, cell.case.cache) == (operation, cache)
            ]
        )
    ]


def _answer(run: LibraryRun, others: list[LibraryRun]) -> str:
    """In words, what the table of standings comes to."""
    ahead, behind = [], []
    for operation, title in _TITLES.items():
        cells = [cell for cell in run.cells if cell.case.operation == operation]
        ratios = _over_best_peers(cells)
        if not ratios:
            continue
        who = f"{title} (beside {listed(_peers_of(cells))})"
        if max(ratios) <= LEVEL:
            ahead.append(who)
            continue
        mean = 1 / geometric_mean(ratios)
        behind.append(
            f"For {who} the fastest peer takes {mean:.2f} times as long as we do on average; "
            f"where we do worst, we take {max(ratios):.2f} times as long as it."
        )
    text = f"In {_won(run)} comparisons no peer is faster."
    if ahead:
        text += f" None is in any for {listed(ahead)}."
    last = [_of_top_k(run), _of_others(run, others)]
    return "\n" + " ".join(filter(None, [text, *behind, *last])) + "\n\n"


def _won(run: LibraryRun) -> str:
    ratios = _over_best_peers(run.cells)
    return f"{sum(ratio <= LEVEL for ratio in ratios)} of {len(ratios)}"


def _of_others(run: LibraryRun, others: list[LibraryRun]) -> str:
    if not others:
        return ""
    counts = listed([f"in {_won(other)} on {other.machine}" for other in others])
    return f"All this is of {run.machine}; no peer is faster {counts}."


def _peers_of(cells: list[Cell]) -> list[str]:
    """The names of those that were timed there, each with how many of the cells it has."""
    counts = {title: sum(peer in cell.peers for cell in cells) for peer, title in PEERS.items()}
    texts = [f"{title} in {count}" for title, count in counts.items() if count]
    first = next(iter(count for count in counts.values() if count))
    whole = f"all {len(cells)}" if first == len(cells) else f"{first} of {len(cells)}"
    return [texts[0].removesuffix(str(first)) + whole, *texts[1:]]


def _of_top_k(run: LibraryRun) -> str:
    """Which shapes its standing is of, and what is known of shorter rows."""
    shapes = [cell.case.shape for cell in run.cells if cell.case.operation == "top_k"]
    if not shapes:
        return ""
    least = min(shape.cols for shape in shapes)
    ks = [str(k) for k in sorted({shape.k for shape in shapes})]
    text = (
        f"All that is said of top-k is of K = {listed(ks)}, and of rows of {least:,} columns and "
        "more."
    )
    copies = {
        cell.case.shape: cell.limit_us for cell in run.cells
        if (cell.case.operation, cell.case.cache) == ("softmax", "cold")
    }  # fmt: skip
    shorter = [
        f"{times.unscaled_us / copies[times.case.shape]:.0f} times as long as a copy at "
        f"{times.case.shape.size()}, {times.case.shape.dtype}"
        for times in run.scaled
        if (times.case.call, times.case.matrices) == ("top_k", 1)
        and times.case.shape.cols < least
        and times.case.shape in copies
        and times.unscaled_us is not None
    ]
    if not shorter:
        return text
    return (
        f"{text} Of shorter rows the table of what is scaled has some; without a scale top-k takes "
        f"{listed(shorter)}."
    )


def _over_best_peers(cells: Iterable[Cell]) -> list[float]:
    return [cell.over_best_peer for cell in cells if cell.over_best_peer is not None]


def _standing(run: LibraryRun, too_large: list[Cell]) -> str:
    groups = [(_TITLES[operation], cache, cells) for operation, cache, cells in _groups(run)]
    rows = [_standing_row(*group) for group in groups]
    if len(groups) > 1:
        rows.append(_standing_row("all", "both", run.cells))
    head = [
        "operation", "cache", "shapes", "at least as fast as the best peer",
        "the best peer's time over ours, geometric mean", "our time over the best peer's, at worst",
        "our time over our best step's, at worst", "our time over the limit's, geometric mean",
    ]  # fmt: skip
    lacking = f"{_absent(run)}{_lacking(run)}{_left_out(too_large)}"
    text = f"On {run.machine}.{lacking}{_repeated(run)}{_spread(run)}"
    return f"\n{table(head, rows, words=2)}\n{text}\n\n"


def _lacking(run: LibraryRun) -> str:
    """What an older run has not, or not as this page says."""
    text = ""
    if run.lacks_cross_entropy_of_rows:
        text += " This run has no times of each row's cross-entropy."
    if run.times_quack_without_mean:
        text += (
            " QuACK was not timed then as this page says: its time for the mean cross-entropy is "
            "that of the one pass that gives no mean."
        )
    return text


def _left_out(too_large: list[Cell]) -> str:
    """Cells that are called warm and were not."""
    if not too_large:
        return ""
    return (
        f" Left out of every table here are {len(too_large)} of the cases that were run for a warm "
        f"cache: their arrays take more than {100 * WARM_PART:.0f} % of the L2 cache, and what is "
        "so large a copy gets no faster than DRAM gives it. The choice of steps counts their times."
    )


def _repeated(run: LibraryRun) -> str:
    """How far to trust a line: the library and the step that it picked are one kernel."""
    ratios = [ratio for cell in run.cells if (ratio := cell.differs_by_itself) is not None]
    apart = [ratio for ratio in ratios if not 1 / LEVEL <= ratio <= LEVEL]
    if not apart:
        return ""
    most = max(max(ratio, 1 / ratio) for ratio in apart)
    return (
        f" The library and the step that it picked are one kernel, timed twice: in {len(apart)} of "
        f"{len(ratios)} cases the two times differ by more than two percent, at most by "
        f"{100 * (most - 1):.0f} %. So do not read much into a single line.{_in_python(run)}"
    )


def _spread(run: LibraryRun) -> str:
    """How far a case's samples lie apart, of which its time is the median."""
    known = [cell for cell in run.cells if cell.spread is not None]
    groups = {
        f"for launches of up to {_SHORT_US} µs with a cold cache": [
            cell for cell in known if cell.case.cache == "cold" and cell.library_us < _SHORT_US
        ],
        "for longer ones": [
            cell for cell in known if cell.case.cache == "cold" and cell.library_us >= _SHORT_US
        ],
        "with a warm cache": [cell for cell in known if cell.case.cache == "warm"],
    }
    parts = [f"{_spread_of(cells)} {words}" for words, cells in groups.items() if cells]
    if not parts:
        return ""
    return (
        " A time is the median of its samples. The middle half of the library's samples spans "
        f"{listed(parts)}, for the middle one of these cases."
    )


def _spread_of(cells: list[Cell]) -> str:
    spread = statistics.median(cell.spread or 0.0 for cell in cells)
    error = statistics.median(cell.standard_error or 0.0 for cell in cells)
    return f"{100 * spread:.1f} % of it (its standard error is {100 * error:.2f} %)"


def _in_python(run: LibraryRun) -> str:
    """How the library's time in the peers' program compares with that in ours."""
    short = [cell for cell in run.cells if cell.with_peers_us and cell.library_us < _SHORT_US]
    ratios = {
        cache: geometric_mean(of) for cache in _CACHES
        if (of := [c.with_peers_us / c.library_us for c in short if c.case.cache == cache])
    }  # fmt: skip
    if not ratios:
        return ""
    text = " and ".join(f"{ratio:.2f} with {_CACHES[cache]}" for cache, ratio in ratios.items())
    return (
        f" In the peers' program launches of up to {_SHORT_US} µs took the library {text} times as "
        "long as in ours, as a geometric mean."
    )


def _standing_row(title: str, cache: str, cells: list[Cell]) -> list[str]:
    ratios = _over_best_peers(cells)
    won = sum(ratio <= LEVEL for ratio in ratios)
    behind = max(cell.behind_best_step for cell in cells)
    limit = geometric_mean([cell.library_us / cell.limit_us for cell in cells])
    return [
        title,
        cache,
        str(len(cells)),
        f"{won} of {len(ratios)}" if ratios else NOTHING,
        f"{1 / geometric_mean(ratios):.2f}" if ratios else NOTHING,
        f"{max(ratios):.2f}" if ratios else NOTHING,
        f"{behind:.2f}",
        f"{limit:.2f}",
    ]


def _worst_first(cells: Iterable[Cell]) -> list[Cell]:
    """Those without a peer come last."""
    return sorted(cells, key=lambda cell: (-(cell.over_best_peer or 0.0), cell.case))


def _losses(run: LibraryRun) -> str:
    rows = _loss_rows(run)
    if not rows:
        return "\nThere is none.\n\n"
    text = f"{_without_mean(run)}\n{table(_LOSS_HEAD, rows[:_WORST], words=4)}\n"
    rest = rows[_WORST:]
    if not rest:
        return text
    return text + _folded(f"The other {len(rest)}", table(_LOSS_HEAD, rest, words=4))


def _other_losses(run: LibraryRun) -> str:
    rows = _loss_rows(run)
    if not rows:
        return f"There is none on {run.machine}.\n\n"
    text = _without_mean(run).lstrip() + table(_LOSS_HEAD, rows, words=4)
    return _folded(f"The {len(rows)} on {run.machine}", text)


def _without_mean(run: LibraryRun) -> str:
    """What lines of a mean cross-entropy are of whose peer gives none."""
    lost = [cell for cell in run.cells if cell.is_lost and cell.case.operation == MEAN]
    if not run.times_quack_without_mean or all(cell.best_peer != "quack" for cell in lost):
        return ""
    return (
        "\nIn this run the lines of QuACK's cross-entropy are of different results. Its kernel "
        "gives each row's loss and the gradients by that. Our call gives the mean of the losses, "
        "and gradients of that: two more kernels count the labels that are not ignored and add up "
        "the losses, which takes a good part of the time where rows are few.\n"
    )


_LOSS_HEAD = [
    "operation", "cache", "shape", "best peer", "our time over its", "our time", "over the limit",
    "step", "over our best step's",
]  # fmt: skip


def _loss_rows(run: LibraryRun) -> list[list[str]]:
    """Of the cells where a peer is faster, the worst first."""
    return [
        [
            _TITLES[cell.case.operation],
            cell.case.cache,
            _shape_text(cell),
            PEERS[cell.best_peer],
            f"{cell.over_best_peer:.2f}",
            time_text(cell.library_us),
            f"{cell.library_us / cell.limit_us:.2f}",
            cell.step,
            f"{cell.behind_best_step:.2f}",
        ]
        for cell in _worst_first(cell for cell in run.cells if cell.is_lost)
    ]


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n</details>\n\n"


def _steps(run: LibraryRun) -> str:
    """How the library's choice did among its own steps."""
    rows = []
    for operation, cache, cells in _groups(run):
        judged = [cell for cell in cells if cell.steps]
        seconds = [cell.second_best for cell in judged if cell.second_best is not None]
        if not judged:
            continue
        worst = max(judged, key=lambda cell: cell.behind_best_step)
        rows.append(
            [
                _TITLES[operation],
                cache,
                str(len(judged)),
                str(sum(cell.behind_best_step > 1.05 for cell in judged)),
                f"{worst.behind_best_step:.2f} at {_shape_text(worst)}",
                worst.best_step,
                f"{geometric_mean(seconds):.2f}" if seconds else NOTHING,
            ]
        )
    head = [
        "operation", "cache", "shapes", "more than five percent behind", "furthest behind",
        "the best there", "the second best's time over ours, geometric mean",
    ]  # fmt: skip
    return f"\n{table(head, rows, words=2)}\n"


def _host(run: LibraryRun) -> str:
    columns = [("library", "C++"), ("pytorch", "C++"), ("library", "Python"), ("pytorch", "Python")]
    times = {(call.by, call.language, call.call): call.us for call in run.calls}
    columns = [column for column in columns if any(key[:2] == column for key in times)]
    calls = list(dict.fromkeys(call.call for call in run.calls))
    rows = [
        [
            _TITLES.get(call, call),
            *(
                f"{times[*column, call]:.2f} µs" if (*column, call) in times else NOTHING
                for column in columns
            ),
        ]
        for call in calls
    ]
    names = {"library": "the library", "pytorch": "PyTorch"}
    head = ["8 × 1024, fp32", *(f"{names[by]}, {language}" for by, language in columns)]
    compared = filter(None, (_host_answer(times, language) for language in ("C++", "Python")))
    text = " ".join(compared)
    return f"\n{table(head, rows)}\n" + (f"{text}\n\n" if text else "")


def _host_answer(times: dict[tuple[str, str, str], float], language: str) -> str:
    """Whose calls take less; "" where not both were timed."""
    both = [
        call for by, spoken, call in times
        if (by, spoken) == ("library", language) and ("pytorch", language, call) in times
    ]  # fmt: skip
    slower = [
        call for call in both
        if times["library", language, call] > times["pytorch", language, call]
    ]  # fmt: skip
    if not both:
        return ""
    if not slower:
        return f"From {language} our calls take less time than PyTorch's."
    longer = [
        f"{_TITLES.get(call, call)} "
        f"{times['library', language, call] - times['pytorch', language, call]:.1f} µs"
        for call in slower
    ]
    faster = [_TITLES.get(call, call) for call in both if call not in slower]
    less = f"; {listed(faster)} less" if faster else ""
    return f"From {language} our calls take longer than PyTorch's: {listed(longer)}{less}."


def _absent(run: LibraryRun) -> str:
    """Each with what is known of why."""
    reasons = "; ".join(f"{title} ({reason})" for title, reason in run.absent.items())
    return f" Left out, because they could not run there: {reasons}." if reasons else ""


def _all(run: LibraryRun) -> str:
    text = ""
    for operation, cache, cells in _groups(run):
        peers = [peer for peer in PEERS if any(peer in cell.peers for cell in cells)]
        head = ["shape", "limit", "library", "step", *(PEERS[peer] for peer in peers)]
        rows = [
            [
                _shape_text(cell),
                time_text(cell.limit_us),
                f"{cell.library_us / cell.limit_us:.2f}",
                cell.step,
                *(
                    f"{cell.over_limit(peer):.2f}" if peer in cell.peers else NOTHING
                    for peer in peers
                ),
            ]
            for cell in _worst_first(cells)
        ]
        text += f"\n### {_TITLES[operation].capitalize()}, with {_CACHES[cache]}\n\n"
        text += _folded(f"{len(rows)} shapes", table(head, rows)).removesuffix("\n")
    return text + "\n"


def _shape_text(cell: Cell) -> str:
    return f"{cell.case.shape.size()}, {cell.case.shape.dtype}"
