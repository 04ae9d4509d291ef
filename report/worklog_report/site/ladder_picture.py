"""The ladder on the landing page: for each step how near it comes to the speed of memory."""

from itertools import groupby

from ..results.ladder import LIMITS, Ladder, Row, Timing, percent_text, time_text
from ..results.recorded_run import RecordedRun, label, machine_text
from .drawing import WIDTH, Drawing, themed

NAMES = 150.0  # where the bars begin
_BARS = 114.0  # as long as the limit's
_LINE = 15.0
MARGIN = 4.0

# What PyTorch is measured at beside a step that does the same.
_BASELINES = {
    "softmax": "PyTorch softmax",
    "log_softmax": "PyTorch log softmax",
    "softmax_backward": "PyTorch softmax backward",
    "log_softmax_backward": "PyTorch log softmax backward",
    "cross_entropy": "PyTorch cross entropy",
    "softmax and top-k": "PyTorch softmax then topk",
}


def picture(table: Ladder, run: RecordedRun) -> str:
    title = f"How near each step comes to the speed of memory, fp32, {machine_text(run.run)}"
    timed = [row for row in table.rows if row.timing and row.timing.limit and not row.unit.variant]
    by_work = groupby(timed, key=lambda row: (row.timing.shape, run.operation(row.unit)))
    drawing, described, y = Drawing(), [], 0.0
    for (shape, operation), rows in by_work:
        bars = [(label(row.unit), row.timing, "var(--other)") for row in rows]
        bars += [("PyTorch", found, "var(--own)") for found in _baseline(table, shape, operation)]
        y += 12
        drawing.text(MARGIN, y, f"{shape.size()}", 9, fill="var(--muted)")
        limit = f"{LIMITS[bars[0][1].limit]}: 100 %"
        drawing.text(NAMES + _BARS, y, limit, 9, "end", fill="var(--muted)")
        y += 4
        top = y
        for bar in bars:
            _draw(drawing, bar, y)
            y += _LINE
        drawing.line(NAMES + _BARS, top, NAMES + _BARS, y, "var(--muted)", dashes="3 2")
        shares = ", ".join(f"{name} {percent_text(timing.fraction)}" for name, timing, _ in bars)
        described.append(f"{shape.size()}: {shares}")
        y += 3
    for words in (f"fp32, {machine_text(run.run)}.", _explained(timed)):
        y += 13
        drawing.text(MARGIN, y, words, 9, fill="var(--muted)")
    return themed(drawing.render("ladder", title, f"{title}. {'; '.join(described)}.", y + 6))


def _explained(timed: list[Row]) -> str:
    limits = dict.fromkeys(f"the {LIMITS[row.timing.limit]}'s" for row in timed)
    return f"Bar: share of {' or '.join(limits)} speed."


def _baseline(table: Ladder, shape, operation: str) -> list[Timing]:
    wanted = _BASELINES.get(operation)
    return [timing for name, timing in table.baselines if (name, timing.shape) == (wanted, shape)]


def _draw(drawing: Drawing, bar: tuple[str, Timing, str], y: float) -> None:
    name, timing, fill = bar
    share = timing.fraction or 0.0
    drawing.text(MARGIN, y + 11, name, 10)
    drawing.box(NAMES, y + 2, max(1.0, _BARS * share), _LINE - 4, fill)
    value = f"{time_text(timing.median_us)}, {percent_text(share)}"
    drawing.text(WIDTH - MARGIN, y + 11, value, 10, "end", fill="var(--muted)")
