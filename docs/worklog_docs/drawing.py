"""SVG that follows light and dark: in a file of its own by the system, in a page by its theme.

All figures are WIDTH units wide, so that their letters are legible on a screen that is as narrow.
"""

from html import escape

WIDTH = 360

# Inside a page a <style> holds for all of the page, so every rule names the figure's class. The
# page's theme sets light-mode or dark-mode on <html>; without either the system decides.
_LIGHT = "--ink: #1c1e21; --muted: #5c6068; --grid: #e5e5e0; --rule: #c9c9c2; "
_LIGHT += "--node: #f4f4f0; --own: #8a8e96; --other: #2f55c8"
_DARK = "--ink: #e6e7e9; --muted: #a2a8b0; --grid: #2b2f37; --rule: #454b56; "
_DARK += "--node: #21252c; --own: #7b828d; --other: #8aa6ff"
_STYLE = f"""
.worklog-figure {{ {_LIGHT}; --paper: transparent; }}
.worklog-figure:root {{ --paper: #fdfdfb; }}
@media (prefers-color-scheme: dark) {{
  html:not(.light-mode) .worklog-figure {{ {_DARK}; }}
  .worklog-figure:root {{ {_DARK}; --paper: #14161a; }}
}}
html.dark-mode .worklog-figure {{ {_DARK}; }}
.worklog-figure text {{ font-family: "Helvetica Neue", "Segoe UI", Roboto, Arial, sans-serif; }}
.worklog-figure .code {{
  font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}}
"""


class Drawing:
    """Shapes and words on a sheet; `render` makes the figure of them."""

    def __init__(self):
        self._shapes = ""
        self._marks = ""  # on the shapes
        self._words = ""

    def box(self, x: float, y: float, width: float, height: float, fill="var(--node)", rule=""):
        stroke = f' stroke="{rule}"' if rule else ""
        self._shapes += (
            f'<rect x="{_short(x)}" y="{_short(y)}" width="{_short(width)}" '
            f'height="{_short(height)}" rx="3" fill="{fill}"{stroke}/>\n'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str, width=1.0, dashes=""):
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._shapes += (
            f'<path d="M{_short(x1)} {_short(y1)}L{_short(x2)} {_short(y2)}" stroke="{stroke}" '
            f'stroke-width="{width:g}"{dashed}/>\n'
        )

    def frame(self, x: float, y: float, width: float, height: float):
        self._shapes += (
            f'<rect x="{_short(x)}" y="{_short(y)}" width="{_short(width)}" '
            f'height="{_short(height)}" rx="4" fill="none" stroke="var(--rule)"/>\n'
        )

    def operator(self, x: float, y: float):
        """A circled plus."""
        self._marks += (
            f'<circle cx="{_short(x)}" cy="{_short(y)}" r="4.5" fill="var(--node)" '
            f'stroke="var(--ink)"/>\n<path d="M{_short(x - 4.5)} {_short(y)}h9M{_short(x)} '
            f'{_short(y - 4.5)}v9" stroke="var(--ink)"/>\n'
        )

    def text(self, x: float, y: float, words: str, size=10.0, anchor="start", **attributes: str):
        """`y` is the base line; `anchor` is start, middle or end."""
        attributes = {"fill": "var(--ink)"} | attributes
        more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
        self._words += (
            f'<text x="{_short(x)}" y="{_short(y)}" font-size="{size:g}" text-anchor="{anchor}"'
            f"{more}>{escape(words)}</text>\n"
        )

    def render(self, key: str, title: str, described: str, height: float) -> str:
        """`key` is a word that no other figure of a page has."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {_short(height)}" '
            f'role="img" aria-labelledby="{key}-title {key}-text">\n'
            f'<title id="{key}-title">{escape(title)}</title>\n'
            f'<desc id="{key}-text">{escape(described)}</desc>\n'
            f"{self._shapes}{self._marks}{self._words}</svg>\n"
        )


def themed(svg: str) -> str:
    """A figure whose colours are the variables above, with these."""
    head, end, rest = svg.partition("</desc>\n")
    head = head.replace("<svg ", '<svg class="worklog-figure" ', 1)
    # Not every sheet begins at 0.
    left, top, width, height = head.split('viewBox="')[1].split('"')[0].split()
    sheet = f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="var(--paper)"/>\n'
    return f"{head}{end}<style>{_STYLE}</style>\n{sheet}{rest}"


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
