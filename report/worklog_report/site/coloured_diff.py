"""What changed between two kernels as HTML, with colours that follow the page's theme."""

from html import escape
from pathlib import Path

from ..html import diffs
from ..results.steps import Unit

_STYLE = Path(__file__).parent / "step_diff.css"
_CLASSES = {"+": ' class="new"', "-": ' class="gone"', "…": ' class="skipped"', "=": ""}


def style() -> str:
    """A <style> element, which a page needs once."""
    return f"<style>\n{_STYLE.read_text('utf-8')}</style>\n"


def changed_files(before: Unit, after: Unit) -> list[tuple[str, str]]:
    """(name, HTML) of each file that differs, the kernel's first."""
    return [
        (name, _diff(name, old, new))
        for name, old, new in diffs.file_pairs(before, after)
        if old != new
    ]


def _diff(name: str, old: str, new: str) -> str:
    lines = diffs.unified(old, new)
    digits = len(str(max(len(old.splitlines()), len(new.splitlines()))))
    body = "".join(_line(line, digits) for line in lines)
    what = escape(f"What changed in {name}", quote=True)
    return (
        f'<div class="step-diff" role="region" aria-label="{what}" tabindex="0">'
        f"<pre>{body}</pre></div>\n"
    )


def _line(line: diffs.Line, digits: int) -> str:
    """A line with its numbers before and after, and the sign of a diff. No line break: each is a
    block of its own, and those between would show as empty lines."""
    if line.kind == "…":
        return f'<span class="skipped">  … {line.html}</span>'
    sign = " " if line.kind == "=" else line.kind
    numbers = " ".join(f"{number or '':>{digits}}" for number in (line.before, line.after))
    return f"<span{_CLASSES[line.kind]}><i>{numbers} </i>{sign} {line.html}</span>"
