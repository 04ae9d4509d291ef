"""Formulas in Markdown, as code hosts write them: $...$ in a line, $$...$$ as a paragraph.

They become MathML, which browsers draw themselves: no script, no network.
"""

import re

from latex2mathml.converter import convert

from ..results.records import InputError

# A dollar that stands beside a space or a digit is money, or a shell's prompt.
FORMULA = re.compile(
    r"\$\$(?P<display>.+?)\$\$"
    r"|(?<![\w$\\])\$(?P<inline>[^\s$](?:[^$]*[^\s$\\])?)\$(?![\w$])",
    re.S,
)


def rendered(text: str) -> str:
    """Prose with its formulas as MathML that Doxygen passes on."""
    return FORMULA.sub(_rendered, text)


def _rendered(match: re.Match) -> str:
    latex = match["display"] or match["inline"]
    display = "block" if match["display"] else "inline"
    try:
        mathml = convert(" ".join(latex.split()), display=display)
    except Exception as error:  # the library has no common class for what it refuses
        raise InputError(f"the formula {latex!r} cannot be rendered: {error!r}") from None
    # What the library does not know it passes on as it is.
    if "\\" in mathml or latex.count("{") != latex.count("}"):
        raise InputError(f"the formula {latex!r} cannot be rendered")
    # A bar would end the cell of a table.
    mathml = mathml.replace("|", "&#124;")
    return f"\\htmlonly{mathml}\\endhtmlonly"
