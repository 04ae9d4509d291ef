"""python -m worklog_report.claims: what pages say of results in words, held against the results.

A sentence such as "slower than step 02 up to a thousand columns" is typed, and a new run may make
it false. So directly below its paragraph, in a list as well, stands a comment, which nobody sees on
the site or on a code host:

    <!-- holds: time(03) > time(02) at 4000 x 10..1024; error(05) < error(03) -->

Claims are separated by semicolons. Each is a comparison of functions (measurements.py has them) and
numbers with + - * / min max abs, and says where it holds:

    at 4000 x 4000           one shape; at 10 x 4000 and 4000 x 4000: several
    at 4000 x 10..1000       every recorded width from 10 to 1000; 1000.. and ..1000 are open, * any
    at most of 4000 x *      more than half of them; at some of: at least one
    at 4000 x 25000, k = 5   with K; likewise f16 or bf16 (else f32), and warm or written (else a
                             cold cache), or values that are hard for a top-k, such as equal

Without a shape, or "at any shape, f16", it is about the worst of them, where the function has one.
What was not measured, or cannot be read, does not hold. An example, which nothing needs to hold,
stands in backquotes or in a fenced block.

A measured number in a sentence (values.py) is held likewise; --renew writes it anew.
"""

import argparse
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from ..results.recorded_run import files_of
from ..results.records import InputError, read_json
from ..support import arguments as common
from ..support.generated_files import renew, text_of
from . import values
from .claim_places import places
from .comparison import Comparison
from .measurements import Measurements, read_measurements
from .page_code import without_code

# Where the repository has pages, besides its root.
_FOLDERS = ("bench", "common", "docs", "notebooks", "python", "simt", "steps")
_COMMENT = re.compile(r"(?:\n|\A) *(?P<begin><!--) holds:(?P<claims>.*?)--> *(?=\n|\Z)", re.S)
_LOOKS_LIKE_ONE = re.compile(r"<!--\s*holds?\b", re.I)
_PLACE = re.compile(r"(?P<claim>.+?)\s+at\s+(?:(?P<how>most of|some of)\s+)?(?P<where>\S.*)", re.S)


@dataclass(frozen=True)
class Claim:
    page: Path
    line: int  # of the comment; in a notebook, the cell
    text: str
    sentence: str  # how the paragraph begins that it belongs to

    def __str__(self) -> str:
        return f'{self.page}:{self.line}: "{self.sentence}": {self.text}'


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 all hold; 1 one does not; 2 bad input or usage."""
    parser = common.parser("claims", __doc__, ("--recorded", "--root"))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--renew", action="store_true", help="write the values of pages anew")
    return common.run(parser, arguments, _say_which_fail)


def _say_which_fail(options: argparse.Namespace) -> int:
    recorded = files_of(options.recorded)
    measurements = read_measurements(recorded, options.root / "steps")
    if options.renew:
        renew(renewed_values(options.root, measurements))
    claims, shown = read_claims(options.root), read_values(options.root)
    found = failures(claims, measurements) + values.failures(shown, measurements)
    for failure in found:
        print(failure, file=sys.stderr)
    print(f"{len(claims)} claims and {len(shown)} values, {len(found)} of them do not hold")
    return 1 if found else 0


# ---- finding them ----


def read_claims(root: Path) -> list[Claim]:
    """Of all pages and notebooks; pages are named from the root."""
    found = []
    for file in _files(root, ".md", ".ipynb"):
        page = file.relative_to(root)
        is_page = file.suffix == ".md"
        found += claims_of(page, text_of(file)) if is_page else _of_notebook(page, read_json(file))
    return found


def read_values(root: Path) -> list[values.Value]:
    """Of all pages, named from the root."""
    pages = {file.relative_to(root): text_of(file) for file in _files(root, ".md")}
    return [value for page, text in pages.items() for value in values.values_of(page, text)]


def renewed_values(root: Path, measurements: Measurements) -> dict[Path, str]:
    """Every page that has values, with those that were measured."""
    texts = {file: text_of(file) for file in _files(root, ".md")}
    return {
        file: values.renewed(file.relative_to(root), text, measurements)
        for file, text in texts.items()
        if values.values_of(file.relative_to(root), text)
    }


def _files(root: Path, *kinds: str) -> list[Path]:
    files = list(root.glob("*.md"))
    for folder in _FOLDERS:
        files += [file for kind in kinds for file in (root / folder).rglob(f"*{kind}")]
    return sorted(files)


def claims_of(page: Path, text: str) -> list[Claim]:
    """Raises InputError for a comment that stands elsewhere than below its paragraph."""
    found = []
    comments = {comment.start("begin"): comment for comment in _comments(text)}
    for like in _LOOKS_LIKE_ONE.finditer(without_code(text)):
        line = text.count("\n", 0, like.start()) + 1
        comment = comments.get(like.start())
        if comment is None:
            raise InputError(f"{page}:{line}: a claim is '<!-- holds: ... -->' on lines of its own")
        before = text[: comment.start()]
        paragraph = " ".join(before.rpartition("\n\n")[2].split())
        if not before.rpartition("\n")[2].strip():
            raise InputError(f"{page}:{line}: 'holds:' must stand directly below its paragraph")
        parts = [" ".join(part.split()) for part in comment["claims"].split(";")]
        found += [Claim(page, line, part, _beginning(paragraph)) for part in parts]
    return found


def stripped(text: str) -> str:
    """The page without its claims."""
    for comment in reversed(_comments(text)):
        text = text[: comment.start()] + text[comment.end() :]
    return text


def _comments(text: str) -> list[re.Match]:
    return list(_COMMENT.finditer(without_code(text)))


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
            reason = _reason(claim.text, measurements.of_page(claim.page))
        except InputError as error:
            reason = str(error)
        if reason:
            found.append(f"{claim}: {reason}")
    return found


def _reason(text: str, measurements: Measurements) -> str:
    """Why it does not hold; "" if it does."""
    place = _PLACE.fullmatch(text)
    claim, how, where = place.group("claim", "how", "where") if place else (text, None, "")
    comparison = Comparison(claim, measurements)
    shown = {place: comparison.at(place) for place in places(where, comparison, measurements)}
    wrong = [f"at {place}: {values}" for place, (holds, values) in shown.items() if not holds]
    enough = {None: len(shown), "most of": len(shown) // 2 + 1, "some of": 1}[how]
    if len(shown) - len(wrong) >= enough:
        return ""
    more = f"; and at {len(wrong) - 3} more" if len(wrong) > 3 else ""
    return f"does not hold {'; '.join(wrong[:3])}{more}"
