"""The kernel's lines in the page that explains them, taken from the source.

Between the lines <!-- code: FILE, NAME --> and <!-- code:end --> stands the function or type NAME
of FILE, which lies beside the page or in a folder there; README.md names it from the root. With a
third part in quotes it is one statement of it, the one whose first line has this text:

    <!-- code: softmax.cu, softmax, "for (int col = thread" -->
"""

import re
from dataclasses import dataclass
from pathlib import Path

from ..results.records import InputError
from .code_blocks import CodeBlock, code_blocks

END = "<!-- code:end -->"
_BEGIN = re.compile(r"<!-- code: (?P<file>[\w./]+), (?P<name>\w+)(?:, \"(?P<statement>.+)\")? -->")
_LOOKS_LIKE_ONE = re.compile(r"<!--\s*code\b")


@dataclass(frozen=True)
class _Quote:
    file: str
    name: str
    statement: str  # "": all of it


def quoted(text: str, page: Path, sources: dict[str, str]) -> str:
    """The page with every quote as the sources have it; `sources` by how the page names them."""
    lines, out, open_at = text.splitlines(keepends=True), [], 0
    for number, line in enumerate(lines, 1):
        if open_at and line.strip() == END:
            open_at = 0
        elif _LOOKS_LIKE_ONE.match(line):
            if open_at:
                raise InputError(f"{page}:{open_at}: needs a line '{END}' before line {number}")
            open_at = number
            try:
                out += [line, _shown(_read(line), sources)]
            except InputError as error:
                raise InputError(f"{page}:{number}: {error}") from None
        if not open_at:
            out.append(line)
    if open_at:
        raise InputError(f"{page}:{open_at}: needs a line '{END}' after it")
    return "".join(out)


def _read(line: str) -> _Quote:
    match = _BEGIN.fullmatch(line.strip())
    if match is None:
        raise InputError(
            'a quote is <!-- code: FILE, NAME --> or <!-- code: FILE, NAME, "TEXT" -->'
        )
    return _Quote(match["file"], match["name"], match["statement"] or "")


def _shown(quote: _Quote, sources: dict[str, str]) -> str:
    if quote.file not in sources:
        raise InputError(f"there is no {quote.file}, only {', '.join(sorted(sources))}")
    blocks = [block for block in code_blocks(sources[quote.file]) if block.name == quote.name]
    if len(blocks) != 1:
        raise InputError(f"{quote.file} has {len(blocks)} blocks named '{quote.name}', not one")
    text = _statement(blocks[0], quote.statement) if quote.statement else blocks[0].text
    return f"\n```cuda\n{text}\n```\n\n"


def _statement(block: CodeBlock, begins: str) -> str:
    """From the line that has the text to the one where its brackets are closed again, without the
    indentation that all of them share."""
    lines = block.text.splitlines()
    found = [index for index, line in enumerate(lines) if begins in line]
    if len(found) != 1:
        raise InputError(f"'{begins}' is on {len(found)} lines of '{block.name}', not on one")
    first = found[0]
    indentation = len(lines[first]) - len(lines[first].lstrip())
    taken, depth = [], 0
    for line in lines[first:]:
        taken.append(line[indentation:])
        code = line.partition("//")[0].rstrip()
        depth += sum(code.count(mark) for mark in "{(") - sum(code.count(mark) for mark in "})")
        if depth == 0 and code.endswith((";", "}")):
            break
    return "\n".join(taken)
