"""Figures 1 to 4 of Milakov and Gimelshein's paper, and its ratios by K, drawn from our times."""

from dataclasses import dataclass

from ..pictures.curves import Figure
from ..pictures.plots import Plot
from ..results.records import Shape
from . import lines
from .cells import Missing
from .here import Here
from .lines import Ratio

_NAIVE, _SAFE, _ONLINE = "05_warp_shuffle/unsafe", "05_warp_shuffle/safe", "05_warp_shuffle"
_SAFE_UNFUSED, _SAFE_FUSED = "07_topk_fusion/safe_then_top_k", "07_topk_fusion/safe_fused"
_ONLINE_UNFUSED, _ONLINE_FUSED = "07_topk_fusion/online_then_top_k", "07_topk_fusion"

_SOFTMAX = (_NAIVE, _SAFE, _ONLINE, "copy")
_SOFTMAX_RATIOS = (
    Ratio(_SAFE, _ONLINE, "safe over online"),
    Ratio(_NAIVE, _ONLINE, "naive over online"),
)
_TOP_K = (_SAFE_UNFUSED, _SAFE_FUSED, _ONLINE_FUSED, "read")
_TOP_K_RATIOS = (
    Ratio(_SAFE_UNFUSED, _ONLINE_FUSED, "safe unfused over online fused"),
    Ratio(_SAFE_UNFUSED, _SAFE_FUSED, "of which fusion: safe unfused over safe fused"),
    Ratio(_SAFE_FUSED, _ONLINE_FUSED, "of which online: safe fused over online fused"),
)


@dataclass(frozen=True)
class _Redrawn:
    """One of the paper's figures: V is its x axis, the rest of the shape is fixed."""

    number: int
    what: str
    entries: str  # of the paper's ratios, those to be marked
    like: Shape
    subjects: tuple[str, ...]
    ratios: tuple[Ratio, ...]


_FIGURES = (
    _Redrawn(1, "softmax", "softmax", Shape("f32", 4000, 0), _SOFTMAX, _SOFTMAX_RATIOS),
    _Redrawn(2, "softmax", "softmax", Shape("f32", 10, 0), _SOFTMAX, _SOFTMAX_RATIOS),
    _Redrawn(
        3,
        "softmax and top-k, K = 5",
        "softmax_and_top_k",
        Shape("f32", 4000, 0, 5),
        _TOP_K,
        _TOP_K_RATIOS,
    ),
    _Redrawn(
        4,
        "softmax and top-k, K = 5",
        "softmax_and_top_k",
        Shape("f32", 10, 0, 5),
        _TOP_K,
        _TOP_K_RATIOS,
    ),
)


def by_width(document: dict, here: Here) -> list[Figure | Missing]:
    return [_by_width(figure, document, here) for figure in _FIGURES]


def _by_width(figure: _Redrawn, document: dict, here: Here) -> Figure | Missing:
    like = figure.like
    title = f"Figure {figure.number}: {figure.what}, {like.dtype}, {like.rows} rows"
    key = f"paper-figure-{figure.number}"
    across = "V, columns"
    timed = here.sizes(figure.subjects, like, "cols")
    marks = [entry for entry in document[figure.entries] if entry["figure"] == figure.number]
    times = lines.time_lines(timed, figure.subjects, here)
    ratios = lines.ratio_lines(timed, figure.ratios, marks, here, document["gpu"])
    time_unit = f"time on {timed.gpu}, µs"
    return lines.figure(
        title,
        like.dtype,
        figure.subjects,
        Plot(f"{key}-time", f"Time: {title}", time_unit, times, across),
        Plot(f"{key}-ratio", f"Ratios: {title}", "time over time", ratios, across, from_zero=True),
    )


def by_k(document: dict, here: Here) -> Figure | Missing:
    """The paper names no V for this; the V of its figure 3 fits its ratio at K = 5."""
    like = Shape("f32", 4000, 25000)
    title = f"By K: softmax and top-k, {like.dtype}, {like.size()}"
    subjects = (_SAFE_UNFUSED, _SAFE_FUSED, _ONLINE_UNFUSED, _ONLINE_FUSED)
    timed = here.sizes(subjects, like, "k")
    ratio, *_ = _TOP_K_RATIOS
    ratios = lines.ratio_lines(timed, (ratio,), [], here, document["gpu"])
    if ratios:
        ratios += (lines.marks_by_k(_at(like, ratio, document), ratios[0].color, document["gpu"]),)
    time_unit = f"time on {timed.gpu}, µs"
    times = lines.time_lines(timed, subjects, here)
    return lines.figure(
        title,
        like.dtype,
        subjects,
        Plot("paper-by-k-time", f"Time: {title}", time_unit, times, "K"),
        Plot("paper-by-k-ratio", f"Ratio: {title}", "time over time", ratios, "K", from_zero=True),
    )


def _at(like: Shape, ratio: Ratio, document: dict) -> list[dict]:
    """What the paper has of that ratio at that size, for any K."""
    return [
        entry
        for entry in document["softmax_and_top_k"] + document["by_k"]
        if (entry["slower"], entry["faster"]) == (ratio.slower, ratio.faster)
        and (entry["rows"], entry.get("cols")) == (like.rows, like.cols)
    ]
