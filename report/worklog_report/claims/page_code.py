"""A page's code, in which no comment of a claim or of a value is meant."""

import re

_CODE = re.compile(
    r"^ *(?P<fence>```+|~~~+)[^`\n]*\n.*?(?:^ *(?P=fence)|\Z)|`[^`\n]*`", re.S | re.M
)


def without_code(text: str) -> str:
    """With spaces in its place, so that all else stays where it is."""
    return _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
