"""The reductions of steps 04 and 05 on eight values, with what each thread holds after a round."""

from .drawing import Drawing
from .normalizer import (
    ROW,
    Normalizer,
    maximum_text,
    of_value,
    pair_text,
    sum_text,
    tree,
    warp_reduce,
)

_LEFT = 8
_PITCH = 38  # from thread to thread
_NODE = 35
_GUTTER = _LEFT + len(ROW) * _PITCH + 2  # words to the right of all threads
_OWN, _OTHER = "var(--own)", "var(--other)"
_LANES = 4  # of a warp that is small enough for eight values


def _middle(thread: int) -> float:
    return _LEFT + thread * _PITCH + _NODE / 2


class _Sheet(Drawing):
    """Rows of nodes, a column a thread, from top to bottom."""

    def __init__(self):
        super().__init__()
        self.y = 0.0  # the upper edge of what comes next
        self.bottom = 0.0  # the lower edge of the nodes above

    def heads(self, names: list[str]):
        for thread, name in enumerate(names):
            self.text(_middle(thread), self.y + 10, name, 9, "middle", fill="var(--muted)")
        self.y += 15

    def pairs(self, pairs: list[Normalizer]):
        for thread, pair in enumerate(pairs):
            self.box(_middle(thread) - _NODE / 2, self.y, _NODE, 29, rule="var(--rule)")
            self.text(_middle(thread), self.y + 12, maximum_text(pair.m), 10, "middle")
            self.text(_middle(thread), self.y + 24, sum_text(pair.d), 10, "middle")
        self.bottom = self.y + 29
        self.y = self.bottom

    def values(self, words: list[str]):
        for thread, word in enumerate(words):
            self.box(_middle(thread) - _NODE / 2, self.y, _NODE, 17, rule="var(--rule)")
            self.text(_middle(thread), self.y + 12, word, 10, "middle")
        self.bottom = self.y + 17
        self.y = self.bottom

    def arrow(self, from_thread: int, to_thread: int, height: float):
        """From the nodes above to those that begin `height` below them."""
        stroke, width = (_OWN, 1.0) if from_thread == to_thread else (_OTHER, 1.4)
        top, end = self.bottom, self.bottom + height
        self.line(_middle(from_thread), top, _middle(to_thread), end, stroke, width)

    def barrier(self, y: float):
        self.line(_LEFT, y, _GUTTER - 4, y, "var(--muted)", 1, "2 3")
        self.text(_GUTTER, y + 3, "barrier", 10, fill="var(--muted)")

    def note(self, y: float, *lines: str):
        for number, line in enumerate(lines):
            self.text(_GUTTER, y + 12 * number, line, 10, fill="var(--muted)")

    def key(self, own: str, other: str):
        """What the two kinds of lines are."""
        self.y += 20
        for colour, width, words in ((_OWN, 1.0, own), (_OTHER, 1.4, other)):
            self.line(_LEFT, self.y - 3.5, _LEFT + 22, self.y - 3.5, colour, width)
            self.text(_LEFT + 28, self.y, words, 10, fill="var(--muted)")
            self.y += 14


def shared_memory_tree() -> str:
    """Step 04: halves, through shared memory, a barrier after each round."""
    pairs = [of_value(x) for x in ROW]
    sheet = _Sheet()
    sheet.y = 4
    sheet.heads([f"thread {t}" if t == 0 else str(t) for t in range(len(pairs))])
    sheet.pairs(pairs)
    said = [f"Eight threads begin with {_listed(pairs)}."]
    count, gap = len(pairs), 38.0
    for round_ in tree(pairs):
        sheet.barrier(sheet.bottom + 8)
        for thread in range(round_.distance):
            sheet.arrow(thread, thread, gap)
            if thread + round_.distance < count:
                sheet.arrow(thread + round_.distance, thread, gap)
        sheet.y += gap
        combining = count - round_.distance
        words = f"distance {round_.distance}: {_first_threads(combining)}"
        beside = _middle(len(round_.pairs) - 1) + _NODE / 2 + 10
        sheet.text(beside, sheet.y + 18, words, 10.5)
        sheet.pairs(round_.pairs)
        said.append(
            f"At {words} pairs {round_.distance} apart, which leaves {_listed(round_.pairs)}."
        )
        count = len(round_.pairs)
    sheet.barrier(sheet.bottom + 8)
    sheet.y += 22
    result = pair_text(round_.pairs[0])
    sheet.text(_LEFT, sheet.y + 4, f"all threads read the row's pair, {result}", 10.5)
    sheet.key("its own pair, in registers", "another thread's pair, through shared memory")
    said.append(f"A barrier stands before each round, and before all threads read {result}.")
    title = "Step 04: a tree reduction of eight pairs (m, d) in shared memory"
    return sheet.render("tree-04", title, " ".join(said), sheet.y)


def _first_threads(count: int) -> str:
    if count == 1:
        return "thread 0 combines"
    return f"threads 0 {'and' if count == 2 else 'to'} {count - 1} combine"


def shuffle_tree() -> str:
    """Step 05: exchanges within each warp, then within one warp over the warps' pairs."""
    pairs = [of_value(x) for x in ROW]
    firsts = range(0, len(pairs), _LANES)
    warps = [warp_reduce(pairs[first : first + _LANES]) for first in firsts]
    sheet = _Sheet()
    sheet.y = 4
    for number, first in enumerate(firsts):
        middle = (_middle(first) + _middle(first + _LANES - 1)) / 2
        sheet.text(middle, sheet.y + 10, f"warp {number}", 10.5, "middle")
    sheet.y += 14
    sheet.heads([f"lane {t}" if t == 0 else str(t % _LANES) for t in range(len(pairs))])
    sheet.pairs(pairs)
    said = [f"Two warps of four lanes begin with {_listed(pairs)}."]
    said += _draw_warps(sheet, warps)
    found = [warp.result for warp in warps]
    sheet.barrier(sheet.bottom + 10)
    for number, first in enumerate(firsts):
        sheet.arrow(first, number, 42)
    sheet.y += 42
    loaded = found + [Normalizer()] * (_LANES - len(found))
    sheet.pairs(loaded)
    beside = _middle(_LANES - 1) + _NODE / 2 + 10
    sheet.text(beside, sheet.y - 17, "shared memory gives warp 0", 10)
    sheet.text(beside, sheet.y - 5, "a pair per warp, one in each lane", 10)
    last = warp_reduce(loaded)
    height = 40
    for lane in range(_LANES):
        for other in range(_LANES):
            sheet.arrow(other, lane, height)
    sheet.y += height
    sheet.pairs([last.result] * _LANES)
    shuffles = len(last.maxima) + len(last.sums)
    sheet.text(beside, sheet.y - 17, f"{shuffles} shuffles more: every lane", 10)
    sheet.text(beside, sheet.y - 5, "of warp 0 has the row's pair", 10)
    sheet.barrier(sheet.bottom + 10)
    sheet.y += 26
    result = pair_text(last.result)
    sheet.text(_LEFT, sheet.y + 4, f"all threads read the row's pair, {result}", 10.5)
    sheet.key(
        "its own value, in a register", "another lane's, by shuffle; between warps, shared memory"
    )
    said.append(
        f"Through shared memory lanes of warp 0 get {_listed(found)}, a barrier before; {shuffles} "
        f"shuffles leave {result} in each of its lanes, and after a barrier all threads read it."
    )
    title = "Step 05: eight pairs (m, d) combined by shuffles, in warps of four lanes"
    return sheet.render("tree-05", title, " ".join(said), sheet.y)


def _draw_warps(sheet: _Sheet, warps: list) -> list[str]:
    """The rounds within each warp, side by side; what they are in words."""
    said = []
    for name, what, rounds in (
        ("max", "maximum", [warp.maxima for warp in warps]),
        ("sum", "sum", [warp.sums for warp in warps]),
    ):
        if name == "sum":
            _draw_rescaled(sheet, warps)
            words = [sum_text(d) for warp in warps for d in warp.rescaled]
            said.append(f"Each lane rescales its sum to its warp's maximum: {', '.join(words)}.")
        text = maximum_text if name == "max" else sum_text
        for of_warps in zip(*rounds, strict=True):
            distance = of_warps[0][0]
            words = [text(value) for _, values in of_warps for value in values]
            for thread in range(len(words)):
                sheet.arrow(thread ^ distance, thread, 30)
                sheet.arrow(thread, thread, 30)
            sheet.y += 30
            sheet.note(sheet.y + 5, name, f"xor {distance}")
            sheet.values(words)
            said.append(f"The {what} with the lane xor {distance}: {', '.join(words)}.")
    return said


def _draw_rescaled(sheet: _Sheet, warps: list) -> None:
    words = [sum_text(d) for warp in warps for d in warp.rescaled]
    for thread in range(len(words)):
        sheet.arrow(thread, thread, 16)
    sheet.y += 16
    sheet.note(sheet.y + 12, "rescale")
    sheet.values(words)


def _listed(pairs: list[Normalizer]) -> str:
    return ", ".join(pair_text(pair) for pair in pairs)
