"""Where the links of a folder of HTML pages lead."""

import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """Anchors and links of one page, those of inline SVG included."""

    def __init__(self):
        super().__init__()
        self.anchors: set[str] = set()
        self.repeated: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        name = found.get("id") or (found.get("name") if tag == "a" else None)
        if name:
            if name in self.anchors and found.get("id"):
                self.repeated.add(name)
            self.anchors.add(name)
        for attribute in ("href", "src", "xlink:href"):
            if found.get(attribute):
                self.links.append(found[attribute])


def read_page(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page


def dead_links(folder: Path) -> tuple[list[str], int]:
    """What leads nowhere, as "page: link", and how many links were looked at."""
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    pages = {name: read_page(folder / name) for name in sorted(files) if name.endswith(".html")}
    links = [(name, link) for name, page in pages.items() for link in page.links]
    links += [(path.name, link) for path in folder.glob("*.js") for link in _in_tree(path)]
    dead = [
        f"{name}: {link}" for name, link in links if not _leads_somewhere(name, link, pages, files)
    ]
    return dead, len(links)


def _in_tree(path: Path) -> list[str]:
    """Links of the tree beside the pages, which a script holds."""
    return re.findall(r'"([\w-]+\.html(?:#[\w-]+)?)"', path.read_text("utf-8"))


def _leads_somewhere(name: str, link: str, pages: dict, files: set[str]) -> bool:
    parts = urlsplit(link)
    if parts.scheme in ("http", "https"):
        return bool(parts.netloc)
    if parts.scheme == "javascript":
        return True
    path = unquote(parts.path)
    target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
    if parts.scheme or target not in files:
        return False
    fragment = unquote(parts.fragment)
    return not fragment or target not in pages or fragment in pages[target].anchors
