"""The annotated source: a kernel's code, beside each line what it asked of the memory system."""

from dataclasses import dataclass
from types import SimpleNamespace

from ..pictures import access_picture
from ..results.annotations import Action, Annotation, Line
from ..results.steps import Unit
from .diffs import coloured_lines


@dataclass(frozen=True)
class Row:
    """A source line."""

    number: int
    html: str
    actions: list[Action]
    share: float  # of the sectors and wavefronts of all lines


@dataclass(frozen=True)
class File:
    name: str
    rows: list[Row]


def for_page(
    units: list[Unit], annotations: dict[str, Annotation], players: dict[str, str]
) -> list[SimpleNamespace]:
    """For each annotated kernel, in the ladder's order: its files, its access picture, and the link
    to the player of its step, if `players` has one."""
    found = []
    for unit in units:
        annotation = annotations.get(unit.name)
        if annotation is None:
            continue
        found.append(
            SimpleNamespace(
                unit=unit,
                player=players.get(unit.step, ""),
                shape=annotation.shape,
                block_size=annotation.block_size,
                files=files_of(unit, annotation),
                trace=annotation.trace,
                picture=access_picture.render(annotation, unit.sources, standalone=False),
            )
        )
    return found


def files_of(unit: Unit, annotation: Annotation) -> list[File]:
    """The kernel's own file, and those of its headers in which something was counted."""
    names = dict.fromkeys([annotation.file, *(line.file for line in annotation.lines)])
    return [_file(name, unit.sources[name], annotation) for name in names if name in unit.sources]


def _file(name: str, source: str, annotation: Annotation) -> File:
    total = sum(line.cost for line in annotation.lines) or 1
    by_number = {line.number: line for line in annotation.lines if line.file == name}
    rows = []
    for number, html in enumerate(coloured_lines(source), start=1):
        line = by_number.get(number, Line(name, number, {}))
        rows.append(Row(number, html, line.actions, line.cost / total))
    return File(name, rows)


def hottest(annotation: Annotation, most: int) -> list[Line]:
    """The lines that do the most, in the order of the source."""
    by_weight = sorted(annotation.lines, key=lambda line: -line.weight)
    chosen = [line for line in by_weight[:most] if line.weight]
    return [line for line in annotation.lines if line in chosen]
