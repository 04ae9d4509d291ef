"""Measured numbers in sentences: a page says "22 times", and a new run makes it say another.

In a sentence, behind its first word, the number stands between two comments, which nobody sees on
the site or on a code host:

    Step 04 is <!-- value: time(03) / time(04) at 4000 x 4000 -->22<!-- /value --> times as fast.

The formula has the functions of a claim (measurements.py) and + - * / min max abs; where it holds
is said as in a claim, for one shape. Of several shapes one takes the least or the most:

    <!-- value: least time(14) / time(copy) at 4000 x 1000.. -->1.01<!-- /value -->

A number keeps as many decimals as it was typed with.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from ..results.records import InputError
from .claim_places import places
from .expression import Expression
from .measurements import Measurements
from .page_code import without_code

_VALUE = re.compile(r"<!-- value: (?P<formula>[^>]*?) -->(?P<shown>[^<]*)<!-- /value -->", re.S)
_LOOKS_LIKE_ONE = re.compile(r"<!--\s*/?\s*values?\b")
_NUMBER = re.compile(r"-?[0-9][0-9,]*(?:\.(?P<decimals>[0-9]+))?")
_FORMULA = re.compile(
    r"(?:(?P<which>least|most)\s+)?(?P<formula>.+?)(?:\s+at\s+(?P<where>.+))?", re.S
)
_WHICH = {"least": min, "most": max}


@dataclass(frozen=True)
class Value:
    page: Path
    line: int
    formula: str
    shown: str  # the number as the page has it
    start: int  # where it stands in the page
    end: int

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.formula}"


def values_of(page: Path, text: str) -> list[Value]:
    """Raises InputError for a comment that is not closed, begins a line, or holds no number."""
    plain = without_code(text)
    found = [_value(page, text, match) for match in _VALUE.finditer(plain)]
    comments = sum(1 for _ in _LOOKS_LIKE_ONE.finditer(plain))
    if comments != 2 * len(found):
        raise InputError(
            f"{page}: a value is '<!-- value: FORMULA -->NUMBER<!-- /value -->', "
            "and one of this page's is not closed, or never opened"
        )
    return found


def _value(page: Path, text: str, match: re.Match) -> Value:
    line = text.count("\n", 0, match.start()) + 1
    for comment in (match.start(), match.end("shown")):
        if not text[:comment].rpartition("\n")[2].strip():
            # Markdown takes such a line for HTML, and ends the paragraph.
            raise InputError(f"{page}:{line}: the comment of a value must not begin a line")
    if not _NUMBER.fullmatch(match["shown"]):
        raise InputError(f"{page}:{line}: '{match['shown']}' is no number such as 1.05 or 1,024")
    formula = " ".join(match["formula"].split())
    return Value(page, line, formula, match["shown"], match.start("shown"), match.end("shown"))


def failures(values: list[Value], measurements: Measurements) -> list[str]:
    """A message for each that pages show otherwise, or that cannot be understood."""
    found = []
    for value in values:
        try:
            now = measured(value, measurements.of_page(value.page))
        except InputError as error:
            found.append(f"{value}: {error}")
            continue
        if now != value.shown:
            found.append(f"{value}: the page says {value.shown}, measured was {now}")
    return found


def renewed(page: Path, text: str, measurements: Measurements) -> str:
    """The page with every value as it was measured."""
    for value in reversed(values_of(page, text)):
        try:
            now = measured(value, measurements.of_page(page))
        except InputError as error:
            raise InputError(f"{value}: {error}") from None
        text = text[: value.start] + now + text[value.end :]
    return text


def stripped(page: Path, text: str) -> str:
    """The page without the comments."""
    for value in reversed(values_of(page, text)):
        begin = text.rindex("<!--", 0, value.start)
        end = text.index("-->", value.end) + len("-->")
        text = text[:begin] + value.shown + text[end:]
    return text


def measured(value: Value, measurements: Measurements) -> str:
    """The number that the page should show. Raises InputError where nothing was measured."""
    match = _FORMULA.fullmatch(value.formula)
    which, formula, where = match.group("which", "formula", "where")
    expression = Expression(formula, measurements)
    numbers = [
        expression.evaluated([expression.tree], place)[0]
        for place in places(where or "", expression, measurements)
    ]
    if len(numbers) > 1 and not which:
        raise InputError("is about several shapes: take the least or the most of them")
    number = _WHICH[which](numbers) if which else numbers[0]
    decimals = _NUMBER.fullmatch(value.shown)["decimals"] or ""
    return f"{number:,.{len(decimals)}f}"
