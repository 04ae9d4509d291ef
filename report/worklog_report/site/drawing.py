"""SVG that follows light and dark: in a file of its own by the system, in a page by its theme.

All figures are WIDTH units wide, so that their letters are legible on a screen that is as narrow.
"""

from ..pictures import svg
from ..pictures.svg import short

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
            f'<rect x="{short(x)}" y="{short(y)}" width="{short(width)}" '
            f'height="{short(height)}" rx="3" fill="{fill}"{stroke}/>\n'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str, width=1.0, dashes=""):
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._shapes += (
            f'<path d="M{short(x1)} {short(y1)}L{short(x2)} {short(y2)}" stroke="{stroke}" '
            f'stroke-width="{width:g}"{dashed}/>\n'
        )

    def frame(self, x: float, y: float, width: float, height: float):
        self._shapes += (
            f'<rect x="{short(x)}" y="{short(y)}" width="{short(width)}" '
            f'height="{short(height)}" rx="4" fill="none" stroke="var(--rule)"/>\n'
        )

    def operator(self, x: float, y: float):
        """A circled plus."""
        self._marks += (
            f'<circle cx="{short(x)}" cy="{short(y)}" r="4.5" fill="var(--node)" '
            f'stroke="var(--ink)"/>\n<path d="M{short(x - 4.5)} {short(y)}h9M{short(x)} '
            f'{short(y - 4.5)}v9" stroke="var(--ink)"/>\n'
        )

    def text(self, x: float, y: float, words: str, size=10.0, anchor="start", **attributes: str):
        """`y` is the base line; `anchor` is start, middle or end."""
        attributes = {"fill": "var(--ink)"} | attributes
        self._words += svg.text(
            x, y, words, font_size=f"{size:g}", text_anchor=anchor, **attributes
        )

    def render(self, key: str, title: str, described: str, height: float) -> str:
        """`key` is a word that no other figure of a page has."""
        content = f"{self._shapes}{self._marks}{self._words}"
        return svg.picture(key, title, described, (0, 0, WIDTH, height), content)


def themed(svg: str) -> str:
    """A figure whose colours are the variables above, with these."""
    head, end, rest = svg.partition("</desc>\n")
    head = head.replace("<svg ", '<svg class="worklog-figure" ', 1)
    # Not every sheet begins at 0.
    left, top, width, height = head.split('viewBox="')[1].split('"')[0].split()
    sheet = f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="var(--paper)"/>\n'
    return f"{head}{end}<style>{_STYLE}</style>\n{sheet}{rest}"
