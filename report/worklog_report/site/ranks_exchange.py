"""Two ranks with a slice each: what each tells the other, and what both make of it."""

from .drawing import WIDTH, Drawing
from .normalizer import ROW, Normalizer, combine, maximum_text, of_value

_RANKS = 2
_LEFT = 64
_PITCH = (WIDTH - _LEFT - 8) / len(ROW)
_NODE_WIDTH = 58.0
_NODE = 26.0  # as high as two lines
_TOLD, _MAILBOX, _RESULT = 72.0, 132.0, 206.0  # where these rows begin


def figure() -> str:
    sheet = Drawing()
    width = len(ROW) // _RANKS
    pairs = [_pair_of(ROW[rank * width : (rank + 1) * width]) for rank in range(_RANKS)]
    row = combine(*pairs)
    for label, y in (("logits", 42.0), ("know", _TOLD + 16), ("tell", _MAILBOX + 16)):
        sheet.text(8, y, label, 11)
    sheet.text(8, _RESULT + 16, "combine", 11)
    for rank in range(_RANKS):
        _draw_slice(sheet, rank, width)
    for rank in range(_RANKS):
        middle = _middle(rank, width)
        _draw_pair(sheet, middle, _TOLD, pairs[rank])
        sheet.line(middle, 47, middle, _TOLD, "var(--own)")
        for to in range(_RANKS):
            x = _place(to, rank, width)
            crosses = to != rank
            colour = "var(--other)" if crosses else "var(--own)"
            sheet.line(middle, _TOLD + _NODE, x, _MAILBOX, colour, 1.6 if crosses else 1.0)
            _draw_pair(sheet, x, _MAILBOX, pairs[rank])
            sheet.line(x, _MAILBOX + _NODE, _middle(to, width), _RESULT - 4, "var(--own)")
        _draw_pair(sheet, middle, _RESULT, row)
        sheet.operator(middle, _RESULT - 4)
    x = _LEFT + len(ROW) * _PITCH / 2
    sheet.line(x, 8, x, _RESULT + _NODE + 4, "var(--rule)", 1.0, "4 3")
    sheet.text(x, _RESULT + _NODE + 18, "the link: a pair each way", 10, "middle")
    told = " and ".join(_text(pair) for pair in pairs)
    described = (
        f"Rank 0 has the logits {_values(ROW[:width])}, rank 1 {_values(ROW[width:])}. They tell "
        f"each other their pairs (m, d), {told}, and each combines the two into {_text(row)}."
    )
    return sheet.render("ranks", "One pair crosses the link each way", described, _RESULT + 52)


def _pair_of(values) -> Normalizer:
    first, *rest = [of_value(x) for x in values]
    for pair in rest:
        first = combine(first, pair)
    return first


def _values(values) -> str:
    return ", ".join(str(x) for x in values)


def _text(pair: Normalizer) -> str:
    return f"({maximum_text(pair.m)}, {pair.d:.4f})"


def _middle(rank: int, width: int) -> float:
    return _LEFT + (rank + 0.5) * width * _PITCH


def _place(rank: int, of: int, width: int) -> float:
    """Of what rank `of` has told, with `rank`."""
    return _middle(rank, width) + (of - (_RANKS - 1) / 2) * (_NODE_WIDTH + 8)


def _draw_slice(sheet: Drawing, rank: int, width: int) -> None:
    sheet.text(_middle(rank, width), 18, f"rank {rank}", 11, "middle", font_weight="600")
    for index in range(rank * width, (rank + 1) * width):
        x = _LEFT + (index + 0.5) * _PITCH
        sheet.box(x - 10, 28, 20, 19, rule="var(--rule)")
        sheet.text(x, 42, str(ROW[index]), 11, "middle")


def _draw_pair(sheet: Drawing, x: float, y: float, pair: Normalizer) -> None:
    sheet.box(x - _NODE_WIDTH / 2, y, _NODE_WIDTH, _NODE, rule="var(--rule)")
    sheet.text(x, y + 11, maximum_text(pair.m), 10, "middle")
    sheet.text(x, y + 22, f"{pair.d:.4f}", 10, "middle")
