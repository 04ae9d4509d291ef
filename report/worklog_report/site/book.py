"""Which pages the site has, in which order, and which page belongs under which.

docs/pages/index.md is the table of contents: the pages that it links to are the book's, in that
order. A page about a part of the ladder has a line `<!-- steps: 01 to 06 -->` or, for the last
part, `<!-- steps: 09 on -->`, where the pages of those steps go. So a new step is found without an
edit.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from ..results.records import InputError
from .step_pages import page_name

INDEX = Path("docs/pages/index.md")
STEPS = re.compile(r"<!-- steps: (\d\d) (?:to (\d\d)|on) -->\n")
_LINK = re.compile(r"\]\(([^)#\s:]+\.md)\)")


# The repository's front page has the title that the site has: there it goes by another.
_README = Path("README.md")
_TITLE_OF_README = "# Start here"


@dataclass
class Book:
    """`pages`: file of the repository -> the page's name; `order`: as one reads them."""

    pages: dict[Path, str] = field(default_factory=dict)
    order: list[Path] = field(default_factory=list)
    parents: set[Path] = field(default_factory=lambda: {INDEX})  # those with pages under them

    def add(self, file: Path, name: str) -> None:
        if file not in self.pages:
            self.pages[file] = name
            self.order.append(file)

    def under(self, file: Path) -> list[str]:
        """Pages that stand under this one because it links to them."""
        if file == INDEX:
            return [name for page, name in self.pages.items() if page.parts[0] != "steps"]
        return [
            name
            for page, name in self.pages.items()
            if is_exercise(page) and page.parents[1] == file.parent
        ]

    def neighbours(self, file: Path) -> tuple[Path | None, Path | None]:
        """The pages before and after this one. An exercise is a way aside: it leads back to its
        step and on to what follows that, and no other page leads through it."""
        at = self.order.index(file)
        before = [page for page in self.order[:at] if not is_exercise(page)]
        after = [page for page in self.order[at + 1 :] if not is_exercise(page)]
        return before[-1] if before else None, after[0] if after else None


def is_exercise(page: Path) -> bool:
    """A step's exercise/README.md; a second one stands in exercise_b/, and so on."""
    return page.parent.name.split("_")[0] == "exercise"


def _exercises_of(step: str, texts: dict[Path, str]) -> list[Path]:
    own = [page for page in texts if page.parent.parent == Path("steps", step)]
    return sorted(page for page in own if page.name == "README.md" and is_exercise(page))


def titled(texts: dict[Path, str]) -> dict[Path, str]:
    """The pages with the titles that they have on the site."""
    return texts | {_README: re.sub(r"\A# .+", _TITLE_OF_README, texts[_README])}


def read_book(texts: dict[Path, str], steps: list[str]) -> Book:
    """`texts` holds the repository's pages, `steps` the names of all steps."""
    book = Book()
    book.add(INDEX, "mainpage")
    for target in _LINK.findall(_text(texts, INDEX)):
        file = Path(os.path.normpath(INDEX.parent / target))
        if file.parts[0] == "steps":
            continue  # stands under its part
        text = _text(texts, file)
        book.add(file, _name(file))
        if STEPS.search(text):
            book.parents.add(file)
        for step in steps_of(text, steps):
            book.add(Path("steps", step, "README.md"), page_name(step))
            for page in _exercises_of(step, texts):
                book.add(page, f"{page.parent.name}_{step}")
    missing = [step for step in steps if Path("steps", step, "README.md") not in book.pages]
    if missing:
        raise InputError(f"no page that {INDEX} links to has the steps {', '.join(missing)}")
    return book


def steps_of(text: str, steps: list[str]) -> list[str]:
    """The steps that go where a page about a part says so."""
    mark = STEPS.search(text)
    if mark is None:
        return []
    first, last = mark[1], mark[2] or "99"
    return [step for step in steps if first <= step[:2] <= last]


def _name(file: Path) -> str:
    """docs/pages/roofline.md is roofline, simt/docs/run.md run; simt/README.md is simt."""
    if file.parent.name in (INDEX.parent.name, "docs"):
        return file.stem
    parts = file.parent.parts if file.stem == "README" else file.with_suffix("").parts
    return "_".join(parts).lower() or "readme"


def _text(texts: dict[Path, str], file: Path) -> str:
    if file not in texts:
        raise InputError(f"{INDEX}: links to {file}, which is not there")
    return texts[file]
