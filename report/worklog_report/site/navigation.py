"""What leads from page to page: the tree beside them, the steps of a part, previous and next."""

import re
from html import escape
from pathlib import Path

from ..results.steps import Unit
from .book import INDEX, Book
from .step_pages import page_name


def list_of_steps(steps: list[Unit]) -> str:
    """With what each is about; they stand under this page in the tree."""
    lines = [
        f'- \\subpage {page_name(unit.step)} "{unit.label} {unit.title}": {unit.idea}\n'
        for unit in steps
    ]
    return "".join(lines)


def with_subpages(text: str, file: Path, book: Book) -> str:
    """The first link to each page that stands under this one says so."""
    for name in book.under(file):
        text = re.sub(rf"\[([^\]]+)\]\(@ref {name}\)", rf'\\subpage {name} "\1"', text, count=1)
    return text


def with_turns(text: str, file: Path, book: Book, texts: dict[Path, str]) -> str:
    """Previous and next at the page's end."""
    before, after = book.neighbours(file)
    links = ""
    if before:
        links += _turn("previous", before, book, texts)
    if after:
        links += _turn("next", after, book, texts)
    return f'{text}\n\\htmlonly[block]<nav class="turns">{links}</nav>\\endhtmlonly\n'


def _turn(which: str, file: Path, book: Book, texts: dict[Path, str]) -> str:
    name = "index" if file == INDEX else book.pages[file]
    title = re.search(r"^# (.+)$", texts[file], re.M)[1]
    return f'<a class="{which}" href="{name}.html">{escape(title)}</a>'
