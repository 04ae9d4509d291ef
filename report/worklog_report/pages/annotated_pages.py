"""python -m worklog_report.pages.annotated_pages: what the steps' pages show of their own source.

For each step it writes steps/NN_slug/access.svg, the access picture, and in the page, between two
marker lines, the picture and a table of the lines that ask the most of the memory system; and the
lines of its kernel that it quotes (quoted_code.py), as README.md does.
"""

import argparse
import sys
from pathlib import Path

from ..html import listings
from ..pictures import access_picture
from ..results.annotations import Action, Annotation, Line, read_annotations
from ..results.ladder import access_text
from ..results.records import InputError
from ..results.steps import Unit, read_units
from ..support import arguments as common
from ..support.generated_files import check, renew, text_of
from . import quoted_code
from .markdown import explained, replace_between

BEGIN = "<!-- lines:begin -->"
END = "<!-- lines:end -->"
_MOST_LINES = 20


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 1 --check found files out of date; 2 bad input or usage."""
    parser = common.parser("annotated_pages", __doc__, ("--annotations", "--steps"))
    common.add_check(parser)
    return common.run(parser, arguments, _renew_or_check)


def _renew_or_check(options: argparse.Namespace) -> int:
    annotations = read_annotations(options.annotations)
    texts = updated_files(read_units(options.steps), annotations, options.steps)
    return check(texts, "annotated_pages") if options.check else renew(texts)


def updated_files(
    units: list[Unit], annotations: dict[str, Annotation], steps: Path
) -> dict[Path, str]:
    """Every step's page and picture as they should be."""
    texts = {}
    for unit in units:
        if unit.variant:
            continue
        if unit.is_of_ranks:
            page = steps / unit.step / "README.md"
            texts[page] = quoted_code.quoted(text_of(page), page, unit.sources)
            continue
        if unit.name not in annotations:
            raise InputError(f"{unit.name}: none of the files has its annotations")
        annotation = annotations[unit.name]
        page = steps / unit.step / "README.md"
        picture = page.parent / "access.svg"
        texts[picture] = access_picture.render(annotation, unit.sources, standalone=True)
        text = text_of(page)
        text = replace_between(text, (BEGIN, END), _section(unit, annotation), page)
        texts[page] = quoted_code.quoted(text, page, unit.sources)
    readme = steps.parent / "README.md"
    if readme.is_file():
        texts[readme] = quoted_code.quoted(text_of(readme), readme, _kernels(units, steps))
    return texts


def _kernels(units: list[Unit], steps: Path) -> dict[str, str]:
    """As README.md names them: steps/05_warp_shuffle/softmax.cu."""
    return {
        f"{steps.name}/{unit.step}/softmax.cu": unit.files["softmax.cu"]
        for unit in units
        if not unit.variant
    }


def _section(unit: Unit, annotation: Annotation) -> str:
    lines = listings.hottest(annotation, _MOST_LINES)
    rows = [
        ["line", "source", "does", "requests", "sectors or wavefronts", "per request"],
        ["---:", "---", "---", "---:", "---:", "---:"],
    ]
    rows += [row for line in lines for row in _rows(line, unit, annotation)]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return (
        f"\n![{access_picture.described(annotation)}](access.svg)\n\n"
        "<details><summary>The lines that do the most, with their counts</summary>\n\n"
        f"{table}\n{annotation.shape.dtype}, {annotation.shape.size()}, in blocks of "
        f"{annotation.block_size} threads. {explained('the-picture-and-the-hot-lines')}\n\n"
        "</details>\n\n"
    )


def _rows(line: Line, unit: Unit, annotation: Annotation) -> list[list[str]]:
    """One for each thing that the line does; its text stands in the first."""
    head = [access_picture.place_of(line, annotation), _code(line, unit)]
    rows = []
    for action in line.asked_for:
        rows.append([*head, action.what, f"{action.count:,}", *_cost(action)])
        head = ["", ""]
    return rows


def _cost(action: Action) -> list[str]:
    if action.each is None:
        return ["", ""]
    return [f"{action.cost:,}", access_text(action.each)]


def _code(line: Line, unit: Unit) -> str:
    lines = unit.sources.get(line.file, "").splitlines()
    text = lines[line.number - 1].strip() if line.number <= len(lines) else ""
    text = text.split("  //")[0].replace("|", "\\|")
    return f"`{text}`" if text else ""


if __name__ == "__main__":
    sys.exit(main())
