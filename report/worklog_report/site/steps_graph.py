"""The graph of steps: which step builds on which, drawn as version control draws its branches.

Each step builds on one other, so the graph is a tree. What builds on a variant hangs on the step
that the variant belongs to. A line is a branch: of the steps that build
on the same one, the last goes on in its column and each other starts a column of its own, so that
no line passes through a step that it does not belong to.
"""

from ..results.ladder import Ladder, Row
from ..results.recorded_run import label
from .drawing import Drawing, themed

_ROW = 24.0
_COLUMN = 18.0
_MARGIN = 12.0


def picture(table: Ladder) -> str:
    steps = [row for row in table.rows if not row.unit.variant]
    column = _columns(steps)
    x = {name: _MARGIN + _COLUMN * number for name, number in column.items()}
    y = {row.unit.name: _MARGIN + _ROW * index for index, row in enumerate(steps)}
    words_at = _MARGIN + _COLUMN * (max(column.values()) + 1)
    drawing = Drawing()
    for row in steps:
        name, before = row.unit.name, _step_before(row)
        if before in y:
            _connect(drawing, x[before], y[before], x[name], y[name])
    for row in steps:
        at_x, at_y = x[row.unit.name], y[row.unit.name]
        drawing.box(at_x - 5, at_y - 5, 10, 10, "var(--other)")
        drawing.text(words_at, at_y + 4, label(row.unit), 11)
    described = "; ".join(_described(row, table.rows) for row in steps)
    height = 2 * _MARGIN + _ROW * (len(steps) - 1)
    return themed(drawing.render("steps", "Which step builds on which", f"{described}.", height))


def _step_before(row: Row) -> str:
    return row.builds_on.partition("/")[0]


def _columns(steps: list[Row]) -> dict[str, int]:
    last_on = {_step_before(row): row.unit.name for row in steps}
    column: dict[str, int] = {}
    for row in steps:
        before = _step_before(row)
        goes_on = before in column and last_on[before] == row.unit.name
        new = max(column.values(), default=-1) + 1
        column[row.unit.name] = column[before] if goes_on else new
    return column


def _connect(drawing: Drawing, x1: float, y1: float, x2: float, y2: float) -> None:
    """Aside first, then down: the column of the step before stays free below it."""
    if x1 != x2:
        drawing.line(x1, y1, x2, y1 + _ROW / 2, "var(--muted)", 2)
        y1 += _ROW / 2
    drawing.line(x2, y1, x2, y2, "var(--muted)", 2)


def _described(row: Row, rows: list[Row]) -> str:
    before = next((other for other in rows if other.unit.name == row.builds_on), None)
    place = f"builds on {before.unit.label}" if before else "is the first"
    return f"{label(row.unit)} {place}"
