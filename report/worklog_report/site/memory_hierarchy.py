"""The levels of the machine, and at each of them the operator that combines two pairs (m, d)."""

from typing import NamedTuple

from ..results.annotations import Annotation
from ..results.recorded_run import RecordedRun
from .drawing import WIDTH, Drawing
from .normalizer import ROW, Normalizer, combine, maximum_text, of_value

_STEP = "11_long_row_online"  # the first whose pairs go through all levels
_VALUES = (*ROW, 4, 2, 6, 1, 0, 3, 5, 2)
_LEFT = 8
_TREE = 128  # where the values begin
_PITCH = (WIDTH - _TREE - _LEFT) / len(_VALUES)
_FALL = 66.0  # from level to level
_NODE = 26  # as high as two lines
_TOP = 42.0  # of the frames around threads


class Level(NamedTuple):
    name: str
    where: tuple[str, str]  # what the pairs go through, in two lines
    counted: str  # "" without a count


def _levels(annotation: Annotation | None) -> list[Level]:
    counted = _counted(annotation) if annotation else [""] * 4
    places = (
        ("thread", ("its registers, in a", "loop: step 03")),
        ("warp", ("other lanes' registers,", "by shuffle: step 05")),
        ("block", ("shared memory and a", "barrier: steps 04, 05")),
        ("grid", ("global memory and the", "next launch: step 11")),
    )
    return [Level(*place, count) for place, count in zip(places, counted, strict=True)]


def _counted(annotation: Annotation) -> list[str]:
    """What crosses each level, thread, warp, block and grid."""

    def total(*names: str) -> int:
        return sum(line.counters.get(name, 0) for line in annotation.lines for name in names)

    pairs = total("global_store_elements") - annotation.shape.rows * annotation.shape.cols
    return [
        f"{total('global_load_requests'):,} load requests",
        f"{total('shuffles'):,} shuffles",
        f"{total('shared_load_requests', 'shared_store_requests'):,} shared accesses",
        f"{pairs:,} pairs stored",
    ]


def figure(run: RecordedRun) -> str:
    annotation = run.annotations.get(_STEP)
    sheet, said = Drawing(), []
    pairs = [of_value(x) for x in _VALUES]
    bottom = _draw_logits(sheet)
    for level in _levels(annotation):
        below, span = _combined(pairs), len(_VALUES) // (len(pairs) // 2)
        y = bottom + _FALL - _NODE
        for index in range(len(pairs)):
            x = _middle(index, span // 2)
            sheet.line(x, bottom, _middle(index // 2, span), y - 4, "var(--other)", 1.2)
        for index, pair in enumerate(below):
            _draw_pair(sheet, _middle(index, span), y, pair)
        _draw_level(sheet, level, y - 6)
        if level.name in ("warp", "block"):
            _draw_frames(sheet, level.name, len(below), y + _NODE + 4)
        said.append(_described(level, below))
        bottom, pairs = y + _NODE, below
    if annotation:
        bottom += 20
        shape, step = annotation.shape, _STEP[:2]
        where = (
            f"in step {step}, {shape.dtype}, {shape.size()}, in blocks of {annotation.block_size}"
        )
        sheet.text(_LEFT, bottom, f"* {where}", 10, fill="var(--muted)")
        said.append(f"Counted {where}.")
    values = ", ".join(str(x) for x in _VALUES)
    described = f"Sixteen logits, {values}, in two blocks of two warps. {' '.join(said)}"
    title = "One operator on (m, d) at every level of the machine"
    return sheet.render("hierarchy", title, described, bottom + 8)


def _draw_logits(sheet: Drawing) -> float:
    """Returns their lower edge."""
    sheet.text(_LEFT, 20, "the logits", 11)
    for index, x in enumerate(_VALUES):
        sheet.box(_middle(index, 1) - 6.5, 8, 13, 17, rule="var(--rule)")
        sheet.text(_middle(index, 1), 20, str(x), 10, "middle")
    return 25.0


def _described(level: Level, pairs: list[Normalizer]) -> str:
    leaves = ", ".join(f"({maximum_text(pair.m)}, {pair.d:.2f})" for pair in pairs)
    counted = f"; {level.counted} were counted" if level.counted else ""
    return f"{level.name}: {' '.join(level.where)}, leaves {leaves}{counted}."


def _combined(pairs: list[Normalizer]) -> list[Normalizer]:
    return [combine(*pairs[index : index + 2]) for index in range(0, len(pairs), 2)]


def _middle(index: int, span: int) -> float:
    """Of the place over which a pair of `span` values stands."""
    return _TREE + (index + 0.5) * span * _PITCH


def _draw_pair(sheet: Drawing, x: float, y: float, pair: Normalizer) -> None:
    sheet.box(x - 12, y, 24, _NODE, rule="var(--rule)")
    sheet.operator(x, y - 4)
    sheet.text(x, y + 11, maximum_text(pair.m), 10, "middle")
    sheet.text(x, y + 22, f"{pair.d:.2f}", 10, "middle")


def _draw_frames(sheet: Drawing, name: str, count: int, bottom: float) -> None:
    """Around the threads of each warp or block, which share what stands left."""
    inset = 2.0 if name == "warp" else 0.75
    width = len(_VALUES) * _PITCH / count
    for index in range(count):
        left, top = _TREE + index * width + inset, _TOP + inset
        sheet.frame(left, top, width - 2 * inset, bottom - top)
        if name == "block":
            sheet.text(left + 5, bottom - 6, f"block {index}", 9, fill="var(--muted)")


def _draw_level(sheet: Drawing, level: Level, y: float) -> None:
    sheet.text(_LEFT, y - 8, level.name, 12, font_weight="600")
    counted = [f"{level.counted}*"] if level.counted else []
    for number, line in enumerate([*level.where, *counted]):
        sheet.text(_LEFT, y + 5 + 12 * number, line, 10, fill="var(--muted)")
