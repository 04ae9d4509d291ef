"""python -m worklog_report.claims: what pages say of results in words, held against the results.

A sentence such as "slower than step 02 up to a thousand columns" is typed, and a new run may make
it false. So directly below its paragraph stands a comment, which nobody sees on the site or on a
code host:

    <!-- holds: time(03) > time(02) at 4000 x 10..1024; error(05) < error(03) -->

Claims are separated by semicolons. Each is a comparison of functions (measurements.py has them) and
numbers with + - * / min max abs, and says where it holds:

    at 4000 x 4000           one shape; at 10 x 4000 and 4000 x 4000: several
    at 4000 x 10..1000       every recorded width from 10 to 1000; 1000.. and ..1000 are open, * any
    at most of 4000 x *      more than half of them; at some of: at least one
    at 4000 x 25000, k = 5   with K; likewise f16 or bf16 (else f32), and warm (else a cold cache)

Without a shape, or "at any shape, f16", it is about the worst of them, where the function has one.
What was not measured, or cannot be read, does not hold.
"""

import argparse
import ast
import operator
import re
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from . import arguments as common
from .generated_files import text_of
from .measurements import Measurements, Where
from .recorded_run import files_of, read_recorded_run
from .records import DTYPES, InputError, Shape, read_json

# Where the repository has pages, besides its root.
_FOLDERS = ("bench", "common", "docs", "notebooks", "python", "steps")
_COMMENT = re.compile(r"(?:\n|\A) {0,3}<!-- holds:(?P<claims>.*?)-->[ ]*(?=\n|\Z)", re.S)
_LOOKS_LIKE_ONE = re.compile(r"<!--\s*holds\b")
_CODE = re.compile(r"`[^`\n]*`|^ {4,}<!--.*$", re.M)
_CALL = re.compile(r"(?P<name>[a-z]\w*)\((?P<arguments>[^()]*)\)")
_PLACE = re.compile(r"(?P<claim>.+?)\s+at\s+(?P<how>most of\s+|some of\s+)?(?P<where>\S.*)", re.S)
_SHAPE = re.compile(r"(?P<rows>\S+) x (?P<cols>\S+)")
_RANGE = re.compile(r"(?P<least>\d*)(?P<to>\.\.)?(?P<most>\d*)")
_OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.USub: operator.neg, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Eq: operator.eq,
}  # fmt: skip
_FUNCTIONS = {"min": min, "max": max, "abs": abs}


@dataclass(frozen=True)
class Claim:
    page: Path
    line: int  # of the comment; in a notebook, the cell
    text: str
    sentence: str  # how the paragraph begins that it belongs to

    def __str__(self) -> str:
        return f'{self.page}:{self.line}: "{self.sentence}": {self.text}'


@dataclass(frozen=True)
class _Numbers:
    """Which rows, columns or K: from `least` to `most`."""

    least: int = 0
    most: float = float("inf")
    ends: tuple[int, ...] = ()  # those that must be among the recorded ones

    def __contains__(self, number: int) -> bool:
        return self.least <= number <= self.most


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 all hold; 1 one does not; 2 bad input or usage."""
    parser = common.parser("claims", __doc__, ("--recorded", "--annotations", "--root"))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    return common.run(parser, arguments, _say_which_fail)


def _say_which_fail(options: argparse.Namespace) -> int:
    recorded = files_of(options.recorded)
    run = read_recorded_run(recorded, options.annotations, options.root / "steps")
    claims = read_claims(options.root)
    found = failures(claims, Measurements(run, recorded))
    for failure in found:
        print(failure, file=sys.stderr)
    print(f"{len(claims)} claims, {len(found)} of them do not hold")
    return 1 if found else 0


# ---- finding them ----


def read_claims(root: Path) -> list[Claim]:
    """Of all pages and notebooks; pages are named from the root."""
    files = list(root.glob("*.md"))
    for folder in _FOLDERS:
        files += [*(root / folder).rglob("*.md"), *(root / folder).rglob("*.ipynb")]
    found = []
    for file in sorted(files):
        page = file.relative_to(root)
        is_page = file.suffix == ".md"
        found += claims_of(page, text_of(file)) if is_page else _of_notebook(page, read_json(file))
    return found


def claims_of(page: Path, text: str) -> list[Claim]:
    """Raises InputError for a comment that stands elsewhere than below its paragraph."""
    found = []
    prose = _CODE.sub(lambda code: " " * len(code[0]), text)
    if len(_LOOKS_LIKE_ONE.findall(prose)) != len(_COMMENT.findall(prose)):
        raise InputError(f"{page}: has a claim that is not on lines of its own: <!-- holds: ...")
    for comment in _COMMENT.finditer(prose):
        line = text.count("\n", 0, comment.start("claims")) + 1
        before = text[: comment.start()]
        paragraph = " ".join(before.rpartition("\n\n")[2].split())
        if not paragraph or before.endswith("\n"):
            raise InputError(f"{page}:{line}: 'holds:' must stand directly below its paragraph")
        parts = [" ".join(part.split()) for part in comment["claims"].split(";")]
        found += [Claim(page, line, part, _beginning(paragraph)) for part in parts]
    return found


def stripped(text: str) -> str:
    """The page without its claims."""
    return _COMMENT.sub("", text)


def _of_notebook(page: Path, notebook: dict) -> list[Claim]:
    found = []
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] == "markdown":
            claims = claims_of(page, "".join(cell["source"]))
            found += [replace(claim, line=number) for claim in claims]
    return found


def _beginning(paragraph: str) -> str:
    return paragraph if len(paragraph) <= 70 else paragraph[:70].rpartition(" ")[0] + " …"


# ---- holding them against the results ----


def require(claims: list[Claim], measurements: Measurements) -> None:
    """Raises InputError that names every claim that does not hold."""
    found = failures(claims, measurements)
    if found:
        raise InputError("\n".join(["pages say what the results do not:", *found]))


def failures(claims: list[Claim], measurements: Measurements) -> list[str]:
    """A message for each claim that does not hold, or cannot be understood."""
    found = []
    for claim in claims:
        try:
            reason = _reason(claim.text, measurements)
        except InputError as error:
            reason = str(error)
        if reason:
            found.append(f"{claim}: {reason}")
    return found


def _reason(text: str, measurements: Measurements) -> str:
    """Why it does not hold; "" if it does."""
    place = _PLACE.fullmatch(text)
    expression = _Expression(place["claim"] if place else text, measurements)
    how = (place["how"] or "").strip() if place else ""
    shown = {where: expression.at(where) for where in _places(place, expression, measurements)}
    wrong = [f"at {where}: {values}" for where, (holds, values) in shown.items() if not holds]
    enough = {"": len(shown), "most of": len(shown) // 2 + 1, "some of": 1}[how]
    if len(shown) - len(wrong) >= enough:
        return ""
    more = f"; and at {len(wrong) - 3} more" if len(wrong) > 3 else ""
    return f"does not hold {'; '.join(wrong[:3])}{more}"


def _places(
    place: re.Match | None, expression: "_Expression", measurements: Measurements
) -> list[Where]:
    """Those that a claim is about, in order; all of them have been measured."""
    if place is None:
        return [_measured(expression, Where(None))]
    shapes, *options = (part.strip() for part in place["where"].split(","))
    dtype, cache, k = "f32", "cold", _Numbers(0, 0)
    for option in options:
        if option in DTYPES:
            dtype = option
        elif option == "warm":
            cache = "warm"
        elif option.startswith("k = "):
            k = _numbers(option.removeprefix("k = "))
        else:
            raise InputError(f"'{option}' is neither a type nor 'warm' nor 'k = ...'")
    if shapes == "any shape":
        return [_measured(expression, Where(None, dtype, cache))]
    found = []
    for text in re.split(r"\s+and\s+", shapes):
        found += _shapes(text, k, Where(None, dtype, cache), expression, measurements)
    return found


def _shapes(
    text: str, k: _Numbers, where: Where, expression: "_Expression", measurements: Measurements
) -> list[Where]:
    """Of one 'ROWS x COLUMNS'."""
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise InputError(f"'{text}' is no shape such as 4000 x 10..1000")
    rows, cols = _numbers(match["rows"]), _numbers(match["cols"])
    if all(numbers.least == numbers.most for numbers in (rows, cols, k)):
        return [_measured(expression, replace(where, shape=_only(where.dtype, rows, cols, k)))]
    shapes = [
        shape for shape in sorted(measurements.shapes)
        if shape.dtype == where.dtype and shape.rows in rows and shape.cols in cols and shape.k in k
    ]  # fmt: skip
    found = [replace(where, shape=shape) for shape in shapes]
    found = [one for one in found if not expression.missing(one)]
    if len(found) < 2:
        raise InputError(f"fewer than two shapes '{text}' have been measured")
    for name, numbers in (("rows", rows), ("cols", cols), ("k", k)):
        for end in numbers.ends:
            if all(getattr(one.shape, name) != end for one in found):
                raise InputError(f"nothing of it has been measured at {name} = {end}")
    return found


def _measured(expression: "_Expression", where: Where) -> Where:
    missing = expression.missing(where)
    if missing:
        raise InputError(f"there is no {missing[0]} at {where}")
    return where


def _only(dtype: str, rows: _Numbers, cols: _Numbers, k: _Numbers) -> Shape:
    return Shape(dtype, rows.least, cols.least, k.least)


def _numbers(text: str) -> _Numbers:
    match = _RANGE.fullmatch(text)
    if text == "*":
        return _Numbers()
    if match is None or not (match["least"] or match["most"]):
        raise InputError(f"'{text}' is neither a number nor a range such as 10..1000 nor *")
    ends = tuple(int(match[name]) for name in ("least", "most") if match[name])
    if not match["to"]:
        return _Numbers(ends[0], ends[0], ends)
    most = int(match["most"]) if match["most"] else float("inf")
    return _Numbers(int(match["least"] or 0), most, ends)


class _Expression:
    """A comparison, read once and evaluated at many shapes, in which only listed names may be."""

    def __init__(self, text: str, measurements: Measurements):
        self._measurements = measurements
        self._calls: dict[str, tuple[str, list[str]]] = {}  # place holder -> function, arguments
        self._texts: dict[str, str] = {}
        plain = _CALL.sub(self._aside, text)
        try:
            tree = ast.parse(plain.strip(), mode="eval").body
        except SyntaxError:
            raise InputError("is no comparison that can be read") from None
        if not isinstance(tree, ast.Compare):
            raise InputError("is no comparison: it has none of < <= > >= ==")
        if not self._calls:
            raise InputError("names nothing that was measured")
        self._tree = tree

    def _aside(self, call: re.Match) -> str:
        arguments = [part.strip() for part in call["arguments"].split(",")]
        if call["name"] in _FUNCTIONS:
            return call[0]
        holder = f"_{len(self._calls)}"
        self._calls[holder] = (call["name"], arguments)
        self._texts[holder] = call[0]
        return holder

    def missing(self, where: Where) -> list[str]:
        return [self._texts[name] for name, value in self._values(where).items() if value is None]

    def at(self, where: Where) -> tuple[bool, str]:
        """Whether it holds, and the values that decide."""
        values = self._values(where)
        shown = dict(zip(self._texts.values(), values.values(), strict=True))
        evaluate = partial(_evaluated, values=values)
        try:
            operands = [evaluate(node) for node in (self._tree.left, *self._tree.comparators)]
            pairs = zip(self._tree.ops, operands, operands[1:], strict=False)
            holds = all(_operator(op)(left, right) for op, left, right in pairs)
        except ZeroDivisionError:
            raise InputError(f"divides by 0 at {where}") from None
        return holds, ", ".join(f"{text} = {value:.5g}" for text, value in shown.items())

    def _values(self, where: Where) -> dict[str, float | None]:
        return {
            holder: self._measurements.value(name, arguments, where)
            for holder, (name, arguments) in self._calls.items()
        }


def _evaluated(node: ast.expr, values: dict[str, float]) -> float:
    evaluate = partial(_evaluated, values=values)
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.BinOp(left=left, op=op, right=right):
            return _operator(op)(evaluate(left), evaluate(right))
        case ast.UnaryOp(op=op, operand=operand):
            return _operator(op)(evaluate(operand))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(evaluate(argument) for argument in arguments))
    raise InputError(f"'{ast.unparse(node)}' is none of what a claim may contain")


def _operator(op: ast.AST):
    if type(op) not in _OPERATORS:
        raise InputError(f"'{type(op).__name__}' is none of + - * / < <= > >= ==")
    return _OPERATORS[type(op)]


if __name__ == "__main__":
    sys.exit(main())
