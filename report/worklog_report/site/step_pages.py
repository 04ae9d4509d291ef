"""A step's page on the site: its README.md, with its code, its neighbours and its whole files."""

import re
from pathlib import Path

from ..pages.code_blocks import code_blocks, label, new_blocks
from ..results.records import InputError
from ..results.steps import Unit
from . import diff_pages, players

# Before the first of these, which every page has.
_CODE_STANDS_BEFORE = ("## Prediction", "## Build and run", "## Result")


def page_name(step: str) -> str:
    """step_05_warp_shuffle"""
    return f"step_{step}"


def listing_name(file: Path) -> str:
    """The page of a whole file: code_steps_05_warp_shuffle_softmax_cu."""
    return "code_" + re.sub(r"\W", "_", str(file))


def sources_of(directory: Path) -> list[Path]:
    """A step's CUDA files, its kernel first, then its headers, then the variants."""
    files = [path.relative_to(directory) for path in directory.rglob("*.cu*")]
    own = [path for path in files if path.parts[0].split("_")[0] != "exercise"]
    return sorted(own, key=lambda path: (str(path) != "softmax.cu", len(path.parts), str(path)))


def with_code(
    text: str, unit: Unit, before: Unit | None, sources: list[Path], is_played: bool = False
) -> str:
    """The README with a section that shows what is new in its kernel. `is_played`: there is a page
    that plays its warps."""
    heading = next((line for line in _CODE_STANDS_BEFORE if f"\n{line}\n" in text), None)
    if heading is None:
        raise InputError(f"{unit.step}/README.md: has no '{_CODE_STANDS_BEFORE[0]}'")
    section = _code_section(unit, before, sources, is_played)
    return text.replace(f"\n{heading}\n", f"\n{section}\n{heading}\n", 1)


def _code_section(unit: Unit, before: Unit | None, sources: list[Path], is_played: bool) -> str:
    source = unit.files["softmax.cu"]
    blocks = new_blocks(source, before.files["softmax.cu"]) if before else code_blocks(source)
    since = "The kernels."
    if before:
        words = "the whole difference, and the counters and times that it moved"
        since = f"What is new since step {before.label}: \\subpage "
        since += f'{diff_pages.page_name(before, unit)} "{words}".'
    whole = ", ".join(f"[{file}]({file})" for file in sources)
    snippets = "".join(f"\\snippet{{lineno}} {unit.step}.cu {label(block)}\n\n" for block in blocks)
    played = f"{_player_link(unit, before)}\n\n" if is_played else ""
    return f"## The code\n\n{since} Whole files: {whole}.\n\n{played}{snippets}"


def _player_link(unit: Unit, before: Unit | None) -> str:
    link = f'<a href="{players.page_name(unit.step)}.html">Watch its warps</a>'
    text = f"{link}: which lanes take part in each step, which sectors and banks they ask for"
    return f"{text}, and the same of step {before.label} beside it." if before else f"{text}."


def listing(file: Path) -> str:
    """The page of a whole file, named as in the repository."""
    title = str(file)
    if file.parts[0] == "steps":
        title = f"{file.parts[1][:2]} {file.relative_to(Path(*file.parts[:2]))}"
    head = f"# {title} {{#{listing_name(file)}}}\n\n"
    return f"{head}`{file}`\n\n\\include{{lineno}} {file}\n"
