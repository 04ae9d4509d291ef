"""What changed between two kernels: line by line, with the source's colours.

The page gets every source once, as coloured lines, and for each pair only which stretches are
equal, deleted or inserted. So the reader's choice of any two needs no diff in the browser.
"""

import functools
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from itertools import combinations

from pygments.lexers import CppLexer
from pygments.token import Comment, Keyword, Literal, Name, Token

from ..results.steps import Unit

CONTEXT = 3  # unchanged lines shown around a change

# The CSS class of a token, the first that fits.
_CLASSES = (
    (Comment.Preproc, "pp"),
    (Comment.PreprocFile, "st"),
    (Comment, "co"),
    (Keyword.Type, "ty"),
    (Keyword, "kw"),
    (Literal.String, "st"),
    (Literal.Number, "nu"),
    (Name.Function, "fn"),
)
_CUDA_WORDS = {"__global__", "__device__", "__shared__", "__restrict__", "__launch_bounds__"}


@functools.cache
def coloured_lines(source: str) -> tuple[str, ...]:
    """Each line of C++ or CUDA source as HTML; no element spans lines. A page shows each
    many times."""
    lines = [""]
    for token, text in CppLexer(stripnl=False, ensurenl=False).get_tokens(source):
        for index, part in enumerate(text.split("\n")):
            if index:
                lines.append("")
            lines[-1] += _coloured(token, part)
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def _coloured(token: Token, text: str) -> str:
    if not text.strip():
        return text
    if text in _CUDA_WORDS:
        return f'<span class="kw">{text}</span>'
    css_class = next((name for kind, name in _CLASSES if token in kind), None)
    return f'<span class="{css_class}">{escape(text)}</span>' if css_class else escape(text)


def stretches(before: str, after: str) -> list[tuple[int, int, int]]:
    """The diff as (equal, gone, new): so many equal lines, then so many deleted and inserted."""
    a, b = before.splitlines(), after.splitlines()
    found, end_a, end_b = [], 0, 0
    for start_a, start_b, equal in SequenceMatcher(
        None, a, b, autojunk=False
    ).get_matching_blocks():
        gone, new = start_a - end_a, start_b - end_b
        if gone or new:
            found.append((0, gone, new))
        if equal:
            found.append((equal, 0, 0))
        end_a, end_b = start_a + equal, start_b + equal
    return _joined(found)


def _joined(parts: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Equal lines together with the change after them."""
    joined: list[tuple[int, int, int]] = []
    for equal, gone, new in parts:
        if joined and not equal and joined[-1][1:] == (0, 0):
            joined[-1] = (joined[-1][0], gone, new)
        else:
            joined.append((equal, gone, new))
    return joined


@dataclass(frozen=True)
class Line:
    kind: str  # "=", "-", "+", or "…" for skipped lines
    before: int | None
    after: int | None
    html: str


def unified(before: str, after: str, context: int = CONTEXT) -> list[Line]:
    """The changed lines of `after` against `before` with `context` unchanged ones around them."""
    a, b = coloured_lines(before), coloured_lines(after)
    lines, i, j = [], 0, 0
    for equal, gone, new in stretches(before, after):
        lines += [Line("=", i + n + 1, j + n + 1, b[j + n]) for n in range(equal)]
        i, j = i + equal, j + equal
        lines += [Line("-", i + n + 1, None, a[i + n]) for n in range(gone)]
        lines += [Line("+", None, j + n + 1, b[j + n]) for n in range(new)]
        i, j = i + gone, j + new
    return _with_gaps(lines, context)


def _with_gaps(lines: list[Line], context: int) -> list[Line]:
    changed = [index for index, line in enumerate(lines) if line.kind != "="]
    keep = {near for index in changed for near in range(index - context, index + context + 1)}
    shown: list[Line] = []
    skipped = 0
    for index, line in enumerate([*lines, None]):
        if line is not None and index not in keep:
            skipped += 1
            continue
        if skipped:
            plural = "s" if skipped != 1 else ""
            shown.append(Line("…", None, None, f"{skipped} unchanged line{plural}"))
            skipped = 0
        if line is not None:
            shown.append(line)
    return shown


def file_pairs(before: Unit, after: Unit) -> list[tuple[str, str, str]]:
    """(file name, source before, source after); "" where one of them lacks the file."""
    names = list(dict.fromkeys([*after.files, *before.files]))
    return [(name, before.files.get(name, ""), after.files.get(name, "")) for name in names]


def for_page(units: list[Unit]) -> dict:
    """Sources as coloured lines, and the stretches of every pair, for the page's script."""
    sources = {
        unit.name: {name: coloured_lines(text) for name, text in unit.files.items()}
        for unit in units
    }
    pairs = {}
    for before, after in combinations(units, 2):
        pairs[f"{before.name} {after.name}"] = {
            name: stretches(old, new) for name, old, new in file_pairs(before, after) if old != new
        }
    return {"sources": sources, "pairs": pairs}
