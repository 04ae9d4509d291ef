"""A step's page, cut into what a slide can show."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..results.records import InputError

_COMMENT = re.compile(r"<!--.*?-->", re.S)
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\([^)\s]+\)")
_IMAGE = re.compile(r"!\[(?P<words>[^\]]*)\]\((?P<file>[^)\s]+)\)")


@dataclass(frozen=True)
class Part:
    """Between two headings, in blocks: paragraphs, lists, tables, formulas, code, pictures."""

    heading: str
    blocks: tuple[str, ...]

    def all(self, wanted: Callable[[str], bool]) -> list[str]:
        return list(filter(wanted, self.blocks))


@dataclass(frozen=True)
class Page:
    """The title without its marks, what stands before the first heading, and the parts below it."""

    title: str
    top: Part
    parts: tuple[Part, ...]

    def part(self, *headings: str) -> Part:
        """The first part with one of these headings."""
        for part in self.parts:
            if part.heading in headings:
                return part
        raise InputError(f"{self.title}: its page has no part '{headings[0]}'")


def read_page(path: Path, root: Path) -> Page:
    """Pictures are named from `root`. Links are words, for a slide leads nowhere, and the comments
    that hold a page's claims are gone."""
    text = path.read_text("utf-8")
    folder = path.parent.relative_to(root)
    text = _IMAGE.sub(lambda image: f"![{image['words']}]({folder / image['file']})", text)
    blocks = _blocks(_LINK.sub(r"\1", _COMMENT.sub("", text)))
    parts: list[tuple[str, list[str]]] = []
    for block in blocks:
        if block.startswith(("# ", "## ")):
            parts.append((block.lstrip("# "), []))
        else:
            parts[-1][1].append(block)
    (title, top), *rest = parts
    below = tuple(Part(heading, tuple(found)) for heading, found in rest)
    return Page(title, Part(title, tuple(top)), below)


def _blocks(text: str) -> list[str]:
    """What blank lines separate; those of a fenced block do not, nor those of indented code."""
    blocks: list[list[str]] = [[]]
    fenced = False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        if line.strip() or fenced:
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]


def is_prose(block: str) -> bool:
    """A paragraph or a list, not a table, a formula, code, a picture, or a fold."""
    return not block.startswith(("|", "$$", "```", "    ", "!", "<"))


def is_table(block: str) -> bool:
    return block.startswith("|")


def is_code(block: str) -> bool:
    return block.startswith("```")


def is_picture(block: str) -> bool:
    return block.startswith("!")
