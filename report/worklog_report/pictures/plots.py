"""Plots as inline SVG whose colours are CSS variables, so that they follow light and dark."""

import io
import math
import re
from dataclasses import dataclass

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

# Natural size in CSS pixels: as wide as a phone's column, so that text stays legible there. Higher
# where there are more labels beside the lines than that has room for.
_WIDTH, _LEAST_HEIGHT = 460, 340
_ABOVE, _BELOW = 34, 49  # the axes
_FONT_SIZE = 12.5
_LABEL_GAP = 14.5  # between the labels at the lines' ends
# Of the width. In DejaVu Sans, the widest font that a reader is likely to have, the longest
# tick ("100 000") takes 51 pixels on the left, the longest label ("compiled") 64 on the right.
_AXES_LEFT, _AXES_RIGHT = 0.128, 0.825
_LEAST_SPAN = 6.0  # of the y axis: its last value over its first

# Stand-ins that the SVG's text is searched for; each becomes a CSS variable.
_INK, _MUTED, _GRID = "#010001", "#010002", "#010003"
_SERIES_COUNT = 12
_DOTS = (0, (1, 2))
_STYLES = {
    "solid": {"linestyle": "-", "linewidth": 1.8, "marker": "o", "markersize": 3},
    "dashed": {"linestyle": (0, (4, 2.5)), "linewidth": 1.8, "marker": "o", "markersize": 2},
    "dotted": {"linestyle": _DOTS, "linewidth": 1.4, "marker": "o", "markersize": 2},
    "marked": {
        "linestyle": _DOTS, "linewidth": 1.4, "marker": "D", "markersize": 7,
        "markerfacecolor": "none",
    },
}  # fmt: skip
_PLAIN = 0  # the series colour of a ceiling or a baseline


@dataclass(frozen=True)
class Series:
    """One line. `label` stands at its end; `name` says what it is in legend and table."""

    label: str
    name: str
    points: tuple[tuple[float, float], ...]  # sorted by x
    color: int  # 1 .. 12, a step's number; 0 for what is not a step
    dashes: str = "solid"  # dashed: a variant; dotted: a ceiling or a baseline; marked: published


@dataclass(frozen=True)
class Plot:
    """Both axes are logarithmic: widths and times span four decades. Ratios near 1 do not: they are
    drawn `from_zero`, on a linear axis with a line at 1."""

    key: str  # unique in the page
    title: str
    unit: str  # of y
    series: tuple[Series, ...]
    across: str = "columns"  # what x is
    from_zero: bool = False

    @property
    def has_data(self) -> bool:
        return any(len(line.points) > 1 for line in self.series if line.dashes != "marked")

    def table(self) -> tuple[list[int], list[tuple[Series, list[float | None]]]]:
        """The data: columns (x) and, for each series, a value or None at each."""
        xs = sorted({x for series in self.series for x, _ in series.points})
        return xs, [(series, [dict(series.points).get(x) for x in xs]) for series in self.series]


def _stand_in(color: int) -> str:
    return _INK if color == _PLAIN else f"#0200{(color - 1) % _SERIES_COUNT + 1:02x}"


def render(plot: Plot) -> str:
    """The plot as an <svg> element. Raises ValueError for a plot without a line."""
    if not plot.has_data:
        raise ValueError(f"plot '{plot.title}': no series has two points")
    settings = {
        "svg.fonttype": "none",
        "svg.hashsalt": plot.key,
        "font.family": "sans-serif",
        "font.size": _FONT_SIZE,
    }
    with matplotlib.rc_context(settings):
        height = _height(plot)
        figure, axes = pyplot.subplots(figsize=(_WIDTH / 72, height / 72))
        figure.subplots_adjust(
            left=_AXES_LEFT, right=_AXES_RIGHT, top=1 - _ABOVE / height, bottom=_BELOW / height
        )
        _draw_axes(axes, plot)
        for series in plot.series:
            _draw_line(axes, series)
        _label_ends(axes, plot)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
        pyplot.close(figure)
    return _for_page(text.getvalue(), plot)


def _height(plot: Plot) -> int:
    # Half a label's gap stays free below the lowest and above the highest.
    return max(_LEAST_HEIGHT, _ABOVE + _BELOW + math.ceil(_LABEL_GAP * len(plot.series)))


def _draw_axes(axes, plot: Plot) -> None:
    axes.set_xscale("log")
    axes.set_xlim(*_x_range(plot))
    axes.xaxis.set_major_locator(FixedLocator(_ticks(*_x_range(plot))))
    if plot.from_zero:
        axes.set_ylim(0, 1.1 * max(y for series in plot.series for _, y in series.points))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
        axes.axhline(1, color=_MUTED, linewidth=0.8)
    else:
        axes.set_yscale("log")
        axes.set_ylim(*_y_range(plot))
        axes.yaxis.set_major_locator(FixedLocator(_ticks(*_y_range(plot))))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axes.tick_params(length=0, colors=_MUTED, pad=5)
    axes.grid(color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xlabel(plot.across, color=_MUTED, labelpad=4)
    # The unit stands above the axis, read without turning the head.
    axes.annotate(
        plot.unit, (0, 1), (0, 9), "axes fraction", textcoords="offset points", color=_MUTED
    )


def _x_range(plot: Plot) -> tuple[float, float]:
    xs = [x for series in plot.series for x, _ in series.points]
    return min(xs) / 1.15, max(xs) * 1.15


def _y_range(plot: Plot) -> tuple[float, float]:
    """With some air, and never so narrow that noise looks like a slope."""
    ys = [y for series in plot.series for _, y in series.points]
    air = max(1.3, (_LEAST_SPAN * min(ys) / max(ys)) ** 0.5)
    return min(ys) / air, max(ys) * air


def _ticks(low: float, high: float) -> list[float]:
    """Decades; where there are fewer than three of them also their 3, or their 2 and 5 if those are
    so far apart that "100 000" and "200 000" have room side by side."""
    decades = [10.0**power for power in range(-9, 13)]
    inside = [value for value in decades if low <= value <= high]
    if len(inside) >= 3:
        return inside
    factors = (1, 2, 5) if high < 50 * low else (1, 3)
    finer = [factor * value for value in decades for factor in factors]
    return [value for value in finer if low <= value <= high]


def _draw_line(axes, series: Series) -> None:
    xs, ys = zip(*series.points, strict=True)
    axes.plot(
        xs,
        ys,
        color=_stand_in(series.color),
        **_STYLES[series.dashes],
        gid=f"line-{series.label}",
        clip_on=False,
    )


def _label_ends(axes, plot: Plot) -> None:
    """A label beside each line's end, moved up or down until none touches the next."""
    ends = [(axes.transData.transform(series.points[-1]), series) for series in plot.series]
    ends.sort(key=lambda end: end[0][1])
    box = axes.get_window_extent()
    gap = _LABEL_GAP * axes.figure.dpi / 72
    # Half a gap above the axis: below it stands the last width.
    heights = spread_out([end[1] for end, _ in ends], gap, box.y0 + gap / 2, box.y1)
    for (end, series), height in zip(ends, heights, strict=True):
        to_axes = axes.transAxes.inverted().transform
        end_x, end_y = to_axes(end)
        _, label_y = to_axes((0, height))
        axes.plot(
            [end_x, 1.028],
            [end_y, label_y],
            transform=axes.transAxes,
            # A long leader must not be taken for a line of data.
            color=_stand_in(series.color) if end_x > 0.9 else _GRID,
            linewidth=0.6,
            clip_on=False,
        )
        axes.text(
            1.038,
            label_y,
            series.label,
            transform=axes.transAxes,
            color=_stand_in(series.color),
            va="center_baseline",
            fontweight="bold",
        )


def spread_out(positions: list[float], gap: float, low: float, high: float) -> list[float]:
    """Ascending positions, moved so that they are at least `gap` apart.

    Those that would touch become a group centred on its members' mean, inside low .. high where
    that has room for it.
    """
    groups: list[list[float]] = []
    for position in positions:
        groups.append([position])
        while len(groups) > 1 and _starts(groups[-2], gap, low, high) + gap * len(groups[-2]) > (
            _starts(groups[-1], gap, low, high)
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    return [
        _starts(group, gap, low, high) + gap * index
        for group in groups
        for index in range(len(group))
    ]


def _starts(group: list[float], gap: float, low: float, high: float) -> float:
    extent = gap * (len(group) - 1)
    centred = sum(group) / len(group) - extent / 2
    return max(low, min(centred, high - extent))


def number(value: float) -> str:
    """10, 1000, 0.5, 100 000, 10 M: as a reader would write it."""
    if value >= 1_000_000:
        return f"{value / 1_000_000:.12g}\u2009M"
    if value >= 10000:
        return f"{value:,.0f}".replace(",", "\u2009")
    return f"{value:.12g}"


def _for_page(svg: str, plot: Plot) -> str:
    """Colours become CSS variables; ids become the plot's own or go; the size becomes fluid."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    for stand_in, variable in ((_INK, "ink"), (_MUTED, "muted"), (_GRID, "grid")):
        svg = svg.replace(stand_in, f"var(--{variable})")
    svg = re.sub(r"#0200([0-9a-f]{2})", lambda m: f"var(--step-{int(m[1], 16)})", svg)
    used = set(re.findall(r"(?:url\(#|href=\"#)([^)\"]+)", svg))
    svg = re.sub(r' id="(line-[^"]*)"', r' class="line" data-line="\1"', svg)
    svg = re.sub(
        r' id="([^"]*)"', lambda m: f' id="{plot.key}-{m[1]}"' if m[1] in used else "", svg
    )
    svg = re.sub(r"(url\(#|href=\"#)", rf"\1{plot.key}-", svg)
    svg = re.sub(r"font-family: [^;\"]*", "font-family: var(--sans)", svg)
    return re.sub(
        r"<svg[^>]*>",
        f'<svg viewBox="0 0 {_WIDTH} {_height(plot)}" role="img" '
        f'aria-labelledby="{plot.key}-title" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<title id="{plot.key}-title">{plot.title}</title>',
        svg,
        count=1,
    )
