"""Time against the number of GPUs that share a row: what was measured, and what a model says."""

import math
from dataclasses import dataclass

from ..results import ranks
from ..results.ladder import time_text
from ..results.ranks import RankTimes
from ..results.records import Shape
from . import svg

# Many rows, behind which an exchange hides, and few.
SHAPES = (Shape("bf16", 8192, 64128), Shape("bf16", 64, 64128))
STEP, IN_KERNEL = "step", "in_cluster"
MOST = 64  # GPUs
_TOLD = (8, 64)  # what the model says of as many is told in words

_WIDTH = 360
_LEFT, _RIGHT = 34.0, 306.0  # the axes
_HEIGHT = 112.0
_NAMES = {STEP: "the step", IN_KERNEL: f"{IN_KERNEL}, within a machine"}


@dataclass(frozen=True)
class Curve:
    """A kernel's times in microseconds, by the number of GPUs."""

    kernel: str
    measured: dict[int, float]
    model: dict[int, float]


@dataclass(frozen=True)
class Panel:
    shape: Shape  # of each GPU's slice
    copy_us: float
    curves: tuple[Curve, ...]


def panels(times: RankTimes) -> list[Panel]:
    """Of the shapes that were recorded with all that the model begins with."""
    found = []
    for shape in SHAPES:
        model = ranks.model_of(times, shape, IN_KERNEL)
        if model is None:
            continue
        doubled = [2**power for power in range(int(math.log2(MOST)) + 1)]
        numbers = sorted({1, *times.numbers, *(each for each in doubled if each >= times.fewest)})
        curves = tuple(
            Curve(
                kernel,
                times.by_ranks(kernel, shape),
                {each: us for each in numbers if (us := predicted(each)) is not None},
            )
            for kernel, predicted in ((STEP, model.step), (IN_KERNEL, model.in_kernel))
        )
        found.append(Panel(shape, model.copy_us, curves))
    return found


def picture(times: RankTimes, accent: str) -> str:
    """The picture as an <svg> element, or "" without the times that it needs. `accent`: the colour
    of what exchanges by itself, which the page of the picture defines."""
    drawn = panels(times)
    if not drawn:
        return ""
    content, y = "", 4.0
    for panel in drawn:
        content += _panel(panel, y, {STEP: "var(--ink)", IN_KERNEL: accent}, max(times.numbers))
        y += _HEIGHT + 58
    for words in (
        f"Points: measured, {times}.",
        "Lines: the model. Dashed: extrapolated, nobody measured it.",
        f"It assumes {ranks.HOP_US:g} µs a hop, {ranks.LINK:g} KB/µs between GPUs of a machine",
        f"of {ranks.IN_MACHINE}, {ranks.LINK_BETWEEN:g} KB/µs between machines, "
        f"{ranks.WORD_US:g} µs for a word.",
    ):
        content += _text(4, y, words, 9, fill="var(--muted)")
        y += 13
    title = "Time of a softmax against the number of GPUs that share its rows"
    described = f"{title}, {times}. {' '.join(map(_described, drawn))}"
    return svg.picture("ranks-scaling", title, described, (0, 0, _WIDTH, y - 6), content)


def _described(panel: Panel) -> str:
    """The measured times beside the model's, and what it says of more GPUs."""
    told = []
    for curve in panel.curves:
        parts = [
            f"{time_text(us)} with {number} (model {time_text(curve.model[number])})"
            for number, us in curve.measured.items()
        ]
        parts += [
            f"with {number} the model says {time_text(curve.model[number])}"
            for number in _TOLD
            if number in curve.model and number not in curve.measured
        ]
        told.append(f"{curve.kernel} {', '.join(parts)}")
    where = f"{panel.shape.size()} {panel.shape.dtype} on each GPU"
    return f"{where}, whose copy takes {time_text(panel.copy_us)}: {'; '.join(told)}."


def _panel(panel: Panel, top: float, colours: dict[str, str], most_measured: int) -> str:
    """Below `top` the shape and the unit, then the axes."""
    top += 28
    bottom = top + _HEIGHT
    highest = max(us for curve in panel.curves for us in curve.model.values())
    ticks = _ticks(highest)
    scale = _HEIGHT / max(highest, ticks[-1])

    def place(number: int, us: float) -> tuple[float, float]:
        return _LEFT + math.log2(number) / math.log2(MOST) * (_RIGHT - _LEFT), bottom - us * scale

    drawn = _text(4, top - 16, f"{panel.shape.size()} {panel.shape.dtype} on each GPU", 11)
    drawn += _text(_LEFT - 4, top - 5, "µs", 9, "end", fill="var(--muted)")
    for tick in ticks:
        _, y = place(1, tick)
        drawn += _path([(_LEFT, y), (_RIGHT, y)], "var(--grid)", 1.0)
        drawn += _text(_LEFT - 4, y + 3, f"{tick:g}", 9, "end", fill="var(--muted)")
    for power in range(int(math.log2(MOST)) + 1):
        x, _ = place(2**power, 0)
        drawn += _text(x, bottom + 12, str(2**power), 9, "middle", fill="var(--muted)")
    drawn += _text(_RIGHT + 8, bottom + 12, "GPUs", 9, fill="var(--muted)")
    copy = [place(1, panel.copy_us), place(MOST, panel.copy_us)]
    drawn += _path(copy, "var(--muted)", 1.0, "1 3")
    drawn += _text(_RIGHT + 4, copy[1][1] + 3, "a copy", 9, fill="var(--muted)")
    for curve in panel.curves:
        drawn += _curve(curve, place, colours[curve.kernel], most_measured)
    return drawn


def _curve(curve: Curve, place, colour: str, most_measured: int) -> str:
    line = [(number, place(number, us)) for number, us in curve.model.items()]
    known = [at for number, at in line if number <= most_measured]
    beyond = known[-1:] + [at for number, at in line if number > most_measured]
    drawn = _path(known, colour, 1.8) + _path(beyond, colour, 1.8, "4 3")
    for number, us in curve.measured.items():
        x, y = place(number, us)
        drawn += f'<circle cx="{svg.short(x)}" cy="{svg.short(y)}" r="3.2" fill="{colour}"/>\n'
    x, y = beyond[-1]
    x, y = (x + 4, y + 3) if x >= _RIGHT else (x + 5, y - 3)  # above what goes on below it
    drawn += _text(x, y, _NAMES[curve.kernel], 9, fill=colour)
    return f'<g class="line">\n{drawn}</g>\n'


def _ticks(highest: float) -> list[float]:
    """From 0 in steps of 1, 2 or 5 times a power of ten, at most five of them."""
    power = 10.0 ** math.floor(math.log10(highest / 4))
    step = next(factor * power for factor in (1, 2, 5, 10) if highest / (factor * power) < 5)
    return [index * step for index in range(int(highest / step) + 1)]


def _path(points: list[tuple[float, float]], stroke: str, width: float, dashes: str = "") -> str:
    if len(points) < 2:
        return ""
    d = "L".join(f"{svg.short(x)} {svg.short(y)}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="M{d}" fill="none" stroke="{stroke}" stroke-width="{width:g}"{dashed}/>\n'


def _text(x: float, y: float, words: str, size: int, anchor: str = "start", **more: str) -> str:
    attributes = {"fill": "var(--ink)"} | more
    return svg.text(x, y, words, font_size=str(size), text_anchor=anchor, **attributes)
