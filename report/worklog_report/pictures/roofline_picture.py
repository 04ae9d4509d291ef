"""The roofline laid on its side: for each step the share of the copy's speed, as SVG.

Softmax does the same few operations for each byte whatever the kernel, so all steps stand on one
vertical line of a roofline plot. What differs is how high: that is what the bars show.
"""

from dataclasses import dataclass

from ..results.ladder import bandwidth_text, percent_text
from . import svg

_WIDTH = 400
_NAMES = 166  # where the bars begin
_BARS = 108  # as long as the copy's: the value beside it has room in DejaVu Sans, a wide font
_LINE = 22
_MARGIN = 10


@dataclass(frozen=True)
class Bar:
    name: str
    gbps: float
    share: float  # of the copy's speed


@dataclass(frozen=True)
class Panel:
    title: str
    bars: tuple[Bar, ...]


def picture(panels: list[Panel], title: str, standalone: bool) -> str:
    """The picture as an <svg> element; `standalone`: as a file of its own, with its colours."""
    content, y = "", _MARGIN
    for panel in panels:
        y += 16
        content += _text(_MARGIN, y, panel.title, "var(--ink)", 14)
        y += 12
        top = y
        for bar in panel.bars:
            content += _bar(bar, y)
            y += _LINE
        edge = _NAMES + _BARS
        content += f'<path d="M{edge} {top}V{y}" stroke="var(--rule)" stroke-dasharray="4 3"/>\n'
        y += _MARGIN
    described = "; ".join(_described(panel) for panel in panels)
    view = (0, 0, _WIDTH, y)
    return svg.picture("roofline", title, described, view, content, standalone)


def _described(panel: Panel) -> str:
    shares = [f"{bar.name} {percent_text(bar.share)}" for bar in panel.bars]
    return f"{panel.title}: {', '.join(shares)}"


def _bar(bar: Bar, y: float) -> str:
    size = f'width="{_BARS * bar.share:.1f}" height="{_LINE - 8}"'
    value = f"{bandwidth_text(bar.gbps)} GB/s, {percent_text(bar.share)}"
    fill = "var(--muted)" if bar.name in ("copy", "PyTorch") else "hsl(228 62% 55%)"
    return (
        _text(_MARGIN, y + 15, bar.name, "var(--ink)", 12)
        + f'<rect x="{_NAMES}" y="{y + 4}" {size} fill="{fill}"/>\n'
        + _text(_NAMES + _BARS + 7, y + 15, value, "var(--muted)", 12)
    )


def _text(x: float, y: float, words: str, fill: str, size: int) -> str:
    return svg.text(x, y, words, fill=fill, font_size=str(size))
