"""Markdown of the repository, as Doxygen must read it to make one site of it.

A page in the repository links to its neighbours by path, as a code host wants it. Here those links
become references between pages, every heading gets an anchor with the name that code hosts give
it, pictures and figures stand in the page itself, so that they follow its light and dark, and
formulas become MathML. What is folded reaches Doxygen as HTML of ours: it closes a <details> of the
page's with its first paragraph.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..results.records import InputError
from . import formulas
from .step_pages import listing_name

_CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
_FENCE = re.compile(r"\s*(```|~~~)")
_CUDA_FENCE = re.compile(r"^(```)cuda$", re.M)  # a code host's name of the language
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*")
_IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_SOURCES = (".cu", ".cuh", ".cpp", ".h", ".py", ".sh", ".cmake", ".txt")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
_BOLD = re.compile(r"\*\*(?=\S)((?:(?!\n\n)[^*])+)(?<=\S)\*\*")
_UNIT = re.compile(r"(?<=\d) (?=%|[µm]s\b)")
_FOLD = re.compile(r"^</?details>.*$", re.M)
_STARTS_LIST = re.compile(r"\s|[-*+] |\d+\. ")


@dataclass(frozen=True)
class Site:
    """What pages may lead to and show. Files are named from the repository's root."""

    pages: dict[Path, str]  # file -> page
    headers: set[Path]  # those with a page of the API
    parents: set[Path]  # files that have pages under them
    figures: set[str]  # names of files
    root: Path  # the repository, for its other sources: those get a page where one links to them
    listed: dict[Path, str] = field(default_factory=dict)  # sources that pages link to -> page


def slug(heading: str) -> str:
    """The anchor that code hosts give a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def converted(text: str, source: Path, site: Site) -> str:
    """The page `source`, whose text is `text`."""
    blocks = []
    for is_code, block in _blocks(text):
        if not is_code:
            block = _headed(block, site.pages[source], sections=source not in site.parents)
            block = _outside_code_spans(block, lambda prose: _prose(prose, source, site))
        else:
            block = _CUDA_FENCE.sub(r"\1{.cpp}", block)
        blocks.append(block)
    return "".join(blocks)


def _blocks(text: str) -> list[tuple[bool, str]]:
    """The text cut into prose and code blocks, fenced or indented: (is_code, lines)."""
    blocks: list[tuple[bool, str]] = []
    fenced, may_indent = False, True
    for line in text.splitlines(keepends=True):
        is_fence = bool(_FENCE.match(line))
        is_indented = line.startswith("    ") and bool(line.strip()) and may_indent
        is_code = is_fence or fenced or is_indented
        fenced ^= is_fence
        may_indent = not line.strip() or (is_indented and not is_fence)
        if blocks and blocks[-1][0] == is_code:
            blocks[-1] = (is_code, blocks[-1][1] + line)
        else:
            blocks.append((is_code, line))
    return blocks


def _headed(text: str, page: str, sections: bool) -> str:
    """Every heading with an anchor: the first of a page is the page itself.

    Headings with anchors stand in the tree of pages, so those of a page that has others under it
    go without.
    """
    lines = text.split("\n")
    for index, line in enumerate(lines):
        heading = _HEADING.fullmatch(line)
        if heading and (line.startswith("# ") or sections):
            marks, title = heading.groups()
            anchor = page if marks == "#" else f"{page}-{slug(title)}"
            lines[index] = f"{marks} {title} {{#{anchor}}}"
    return "\n".join(lines)


def _outside_code_spans(text: str, change: Callable[[str], str]) -> str:
    """`change` sees whole paragraphs in which code spans are kept aside: the words of a link may
    hold one, and what looks like a link or a formula in one is none."""
    spans: list[str] = []

    def aside(match: re.Match) -> str:
        spans.append(match[0])
        return f"\x00{len(spans) - 1}\x00"

    changed = change(_CODE_SPAN.sub(aside, text))
    return re.sub("\x00(\\d+)\x00", lambda match: spans[int(match[1])], changed)


def _prose(text: str, source: Path, site: Site) -> str:
    text = formulas.rendered(text)
    text = _without_accidental_lists(text)
    text = _BOLD.sub(r"<b>\1</b>", text)  # Doxygen's ** knows no code at either end
    text = _FOLD.sub(r"\\htmlonly[block]\n\g<0>\n\\endhtmlonly", text)
    text = re.sub(r"^\|.*$", lambda row: _UNIT.sub("\u00a0", row[0]), text, flags=re.M)
    text = _IMAGE.sub(lambda match: figure(_figure_of(match[2], source), source, site), text)
    return _LINK.sub(lambda match: _link(match[1], match[2], source, site), text)


def _without_accidental_lists(text: str) -> str:
    """A line of a paragraph may begin with the number that ends a sentence. Code hosts see that it
    is no item of a list; for Doxygen the dot must be marked, or the number is lost."""
    lines = text.split("\n")
    in_list = False
    for index, line in enumerate(lines):
        if index == 0 or not lines[index - 1]:
            in_list = bool(_STARTS_LIST.match(line))
        elif not in_list:
            lines[index] = re.sub(r"^(\d+)\. ", r"\1\\. ", line)
    return "\n".join(lines)


def _figure_of(path: str, source: Path) -> str:
    """A step's access.svg is access_05.svg on the site; its text alternative is in the file."""
    step = source.parts[1][:2] if source.parts[0] == "steps" else ""
    return f"access_{step}.svg" if path == "access.svg" else Path(path).name


def figure(name: str, source: Path, site: Site) -> str:
    """In the page itself, in a box that scrolls where the screen is too narrow."""
    if name not in site.figures:
        raise InputError(f"{source}: shows {name}, but there is no such figure")
    return (
        f'\\htmlonly[block]<div class="figure {name.partition(".")[0]}">\\endhtmlonly\n'
        f"\\htmlinclude[block] {name}\n"
        "\\htmlonly[block]</div>\\endhtmlonly\n"
    )


def _link(words: str, target: str, source: Path, site: Site) -> str:
    if re.match(r"https?://", target):
        return f"[{words}]({target})"
    path, _, anchor = target.partition("#")
    file = Path(os.path.normpath(source.parent / path)) if path else source
    if file in site.pages:
        return f"[{words}](@ref {site.pages[file]}{'-' + anchor if anchor else ''})"
    if file in site.headers:
        return f"[{words}](@ref {file})"
    if file.suffix == ".ipynb" and (site.root / file).is_file():
        return f"{words} (`{file}`)"  # to be run, not to be read
    if file.suffix in _SOURCES and (site.root / file).is_file():
        return _listing_link(words, file, site)
    raise InputError(f"{source}: links to {target}, for which the site has no page")


def _listing_link(words: str, file: Path, site: Site) -> str:
    """The page of a whole file stands under the page that links to it first."""
    name = listing_name(file)
    if file in site.listed:
        return f"[{words}](@ref {name})"
    site.listed[file] = name
    return f'\\subpage {name} "{words}"'
