"""What a page shows of published.json: each figure's text, and what stands beside it."""

from html.parser import HTMLParser

_VOID = {"br", "wbr", "meta", "link", "input", "img", "hr"}


class ShownFigures(HTMLParser):
    """`shown`: {path: texts}; `beside`: {path: texts of the cells that answer it}."""

    def __init__(self, html: str):
        super().__init__()
        self.shown: dict[str, list[str]] = {}
        self.beside: dict[str, list[str]] = {}
        self._open: list[tuple[str, list[str], list[str], list[str]]] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag in _VOID:
            return
        given = dict(attrs)
        shown = [given["data-published"]] if "data-published" in given else []
        self._open.append((tag, shown, given.get("data-beside", "").split(), []))

    def handle_endtag(self, tag):
        while self._open and self._open[-1][0] != tag:
            self._open.pop()  # an element whose end tag HTML lets one leave out
        if not self._open:
            return
        _, shown, beside, texts = self._open.pop()
        text = "".join(texts).strip()
        for path in shown:
            self.shown.setdefault(path, []).append(text)
        for path in beside:
            self.beside.setdefault(path, []).append(text)
        if self._open:
            self._open[-1][3].append("".join(texts))

    def handle_data(self, data):
        if self._open:
            self._open[-1][3].append(data)


def leaves(data, path="", inside=False):
    """(path, value) of every value under `published`, as text."""
    if isinstance(data, dict | list):
        for name, value in data.items() if isinstance(data, dict) else enumerate(data):
            below = f"{path}/{name}".lstrip("/")
            yield from leaves(value, below, inside or name == "published")
    elif inside:
        yield path, data if isinstance(data, str) else f"{data:g}"


def problems(html: str, data) -> list[str]:
    """Figures of `data` that the page does not show, shows wrongly, or leaves alone."""
    page = ShownFigures(html)
    found = []
    for path, value in leaves(data):
        if path not in page.shown:
            found.append(f"{path}: {value} is not shown")
        elif set(page.shown[path]) != {value}:
            found.append(f"{path}: {value} is shown as {page.shown[path]}")
        elif not any(text not in ("", "–") for text in page.beside.get(path, [])):
            found.append(f"{path}: nothing stands beside {value}")
    return found
