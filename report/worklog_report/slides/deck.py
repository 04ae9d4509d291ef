"""A session's slides, in Markdown as Pandoc cuts it: each heading begins one."""

import itertools
from collections.abc import Iterator
from pathlib import Path

from ..support.generated_files import text_of
from .page_parts import Page, Part, is_code, is_picture, is_prose, is_table, read_page
from .sessions import Session

_MOST_WORDS = 100  # on a slide; a paragraph that has more by itself stays whole
_MOST_CODE_LINES = 22
_ACCESSES = "Line by line"  # the part of a page with the picture of its accesses


def deck(session: Session, steps: dict[str, Path], root: Path) -> str:
    """`steps`: the page of each, by its number."""
    slides = [_slide(session.title, f"Afterwards you can {session.afterwards}.")]
    for number in session.steps:
        page = steps[number]
        questions = _questions(text_of(page.with_name("predictions.txt")))
        slides += _step(number, read_page(page, root), questions)
    slides.append(_slide("Questions", session.questions))
    slides.append(_slide("Answers", session.answers))
    return "\n".join(slides)


def _slide(heading: str, *blocks: str) -> str:
    return "\n\n".join([f"# {heading}", *blocks]) + "\n"


def _step(number: str, page: Page, questions: list[str]) -> Iterator[str]:
    idea = page.part("The idea")
    yield _slide(page.title, *page.top.blocks[:2])
    for part in (page.part("What is slow", "What is wrong", "What is different"), idea):
        yield _slide(f"{number}: {part.heading.lower()}", *_beginning(part))
    for said, code in _code(idea):
        yield _slide(f"{number}: the code", *said, code)
    for part in page.parts:
        accesses = part.heading == _ACCESSES
        heading = "which lane touches which address" if accesses else part.heading.lower()
        for picture in part.all(is_picture):
            yield _slide(f"{number}: {heading}", picture)
    yield _slide(f"{number}: what do you predict?", *_fitting(questions))
    yield _slide(f"{number}: prediction", *_prediction(page.part("Prediction")))
    yield _slide(f"{number}: result", *page.part("Result").all(is_prose)[:2])
    yield _slide(f"{number}: next", *_next(page.part("Next")))


def _next(part: Part) -> tuple[str, str]:
    """The exercises, and what leads to the next step: the last paragraph but the sources."""
    said = [block for block in part.all(is_prose) if not block.startswith("Source")]
    return said[0], said[-1]


def _questions(predictions: str) -> list[str]:
    """What `./worklog predict` asks; the lines below each say how it is counted."""
    asked = []
    for block in predictions.split("\n\n"):
        lines = [line for line in block.strip().split("\n") if not line.startswith("#")]
        question = " ".join(itertools.takewhile(lambda line: not line.startswith("  "), lines))
        if question:
            asked.append(f"- {question}")
    return asked


def _beginning(part: Part) -> list[str]:
    """What a slide has room for, up to the first code or picture and what introduces it."""
    blocks = list(part.blocks)
    end = next((i for i, each in enumerate(blocks) if is_code(each) or is_picture(each)), None)
    shown = blocks[:end]
    if end and len(shown) > 1 and shown[-1].endswith(":"):
        shown.pop()
    return _fitting(shown)


def _fitting(blocks: list[str]) -> list[str]:
    """The first of them, as many as fit, but at least one."""
    words = 0
    for index, block in enumerate(blocks):
        words += len(block.split())
        if index > 0 and words > _MOST_WORDS:
            return blocks[:index]
    return blocks


def _code(part: Part) -> Iterator[tuple[list[str], str]]:
    """The kernel's lines that the page quotes, in the language that Pandoc colours, each with the
    paragraph that leads to it."""
    for before, block in zip(("", *part.blocks), part.blocks, strict=False):
        if is_code(block) and block.count("\n") <= _MOST_CODE_LINES:
            said = [before] if before.endswith(":") and is_prose(before) else []
            yield said, block.replace("```cuda", "```cpp", 1)


def _prediction(part: Part) -> list[str]:
    """Its first table with the paragraph that leads to it; without a table, its beginning."""
    own = [block for block in part.blocks if "./worklog predict" not in block]
    table = next(filter(is_table, own), "")
    if not table:
        return _fitting([block for block in own if is_prose(block)])
    before = own[own.index(table) - 1] if own[0] != table else ""
    return [before, table] if before.endswith(":") and is_prose(before) else [table]
