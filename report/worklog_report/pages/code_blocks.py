"""A CUDA source cut into its functions and types, so that a page can show each by \\snippet.

The sources need no marks for it: a copy gets them, on the blank lines around each block, so that
the lines keep their numbers.
"""

import re
from dataclasses import dataclass

# A type, an alias, or a function; `__launch_bounds__(...)` before a kernel's name is none.
_NAMED = re.compile(
    r"^(?:struct|class|enum class)\s+(\w+)|^using (\w+) =|\b(?!__)(\w+)\([^;{]*\)\s*\{", re.M
)


@dataclass(frozen=True)
class CodeBlock:
    """Lines from `first` to `last`, counted from 1, that define `name`."""

    name: str
    first: int
    last: int
    text: str


def code_blocks(source: str) -> list[CodeBlock]:
    """The functions and types of a file in their order. A block is what stands between blank lines
    at the outermost level; constants, includes and lone comments are none."""
    lines = source.splitlines()
    blocks, first, depth = [], None, 0
    for number, line in enumerate([*lines, ""], start=1):
        if line.strip() and not line.startswith("#pragma"):
            first = first or number
            depth += line.count("{") - line.count("}")
            if re.match(r"(inline )?namespace .*\{$", line) or re.match(r"\}  // namespace", line):
                first, depth = None, 0
        elif not line.strip() and depth == 0 and first:
            text = "\n".join(lines[first - 1 : number - 1])
            if name := _name_of(text):
                blocks.append(CodeBlock(name, first, number - 1, text))
            first = None
    return blocks


def _name_of(text: str) -> str:
    code = re.sub(r"//.*", "", text)
    found = _NAMED.search(code)
    return next(filter(None, found.groups())) if found else ""


def new_blocks(source: str, before: str) -> list[CodeBlock]:
    """Those that `before` has not, or has otherwise; what only comments say makes no difference."""
    old = {(block.name, _code(block.text)) for block in code_blocks(before)}
    return [block for block in code_blocks(source) if (block.name, _code(block.text)) not in old]


def _code(text: str) -> str:
    return " ".join(re.sub(r"//.*", "", text).split())


def label(block: CodeBlock) -> str:
    """Its mark: a file may define one name twice."""
    return f"{block.name}:{block.first}"


def marked(source: str) -> str:
    """The source with a mark on the blank lines before and after each block."""
    lines = [*source.splitlines(), ""]
    for block in code_blocks(source):
        for place in (block.first - 2, block.last):
            mark = f"[{label(block)}]"
            lines[place] = f"{lines[place]} {mark}" if lines[place] else f"//! {mark}"
    return "\n".join(lines)
