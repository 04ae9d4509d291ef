"""What every picture that we write as SVG is made of."""

from html import escape

# Where a file stands alone; inside a page the page's own colours are in force.
_OWN_COLOURS = """
text { font-family: "Helvetica Neue", "Segoe UI", Roboto, Arial, sans-serif; }
.code { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
svg { --ink: #1c1e21; --muted: #62666d; --grid: #e5e5e0; --rule: #c9c9c2; --paper: #fdfdfb; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e6e7e9; --muted: #9aa0a8; --grid: #2b2f37; --rule: #454b56; --paper: #14161a; }
}
"""
_PAPER = '<rect width="100%" height="100%" fill="var(--paper)"/>\n'
_ENLARGED = 1.5  # a file of its own is shown as large


def picture(
    key: str,
    title: str,
    described: str,
    view: tuple[float, float, float, float],
    content: str,
    standalone: bool = False,
) -> str:
    """An <svg> element. `key` is a word that no other picture of a page has; `described` is the
    picture in words; `view` is left, top, width and height; `standalone`: as a file of its own,
    with its colours.
    """
    size, own = "", ""
    if standalone:
        size = f' width="{view[2] * _ENLARGED:g}" height="{view[3] * _ENLARGED:g}"'
        own = f"<style>{_OWN_COLOURS}</style>\n{_PAPER}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(map(short, view))}" '
        f'role="img" aria-labelledby="{key}-title {key}-text"{size}>\n'
        f'<title id="{key}-title">{escape(title)}</title>\n'
        f'<desc id="{key}-text">{escape(described)}</desc>\n{own}{content}</svg>\n'
    )


def text(x: float, y: float, words: str, **attributes: str) -> str:
    """`y` is the base line. An attribute's name has _ for - (font_size); class_ is class."""
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    more = "".join(f' {name}="{value}"' for name, value in named.items())
    return f'<text x="{short(x)}" y="{short(y)}"{more}>{escape(words)}</text>\n'


def short(number: float) -> str:
    """To a hundredth, without zeros at the end."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
