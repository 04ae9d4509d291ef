"""What a table of published and measured figures is made of."""

from dataclasses import dataclass

from .published import Published


@dataclass(frozen=True)
class Missing:
    """Why there is nothing to show, and the names of what would be shown."""

    why: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """Text in which published figures may stand, or the reason why there is none."""

    parts: tuple[str | Published, ...] = ()
    note: tuple[str | Published, ...] = ()  # smaller, below
    beside: tuple[str, ...] = ()  # paths of the published figures that it answers
    missing: Missing | None = None
    is_number: bool = True


@dataclass(frozen=True)
class Head:
    text: str
    note: str = ""
    is_number: bool = True
    span: int = 1  # columns


@dataclass(frozen=True)
class Table:
    """The first cell of each row says what it is of. `groups` stand above the heads, if there are
    any, and span all columns between them."""

    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    groups: tuple[Head, ...] = ()


def text(words: str, note: str = "") -> Cell:
    return Cell((words,), (note,) if note else (), is_number=False)


def shown(*parts: str | Published, note: tuple[str | Published, ...] = ()) -> Cell:
    """Published figures, with the words around them."""
    in_words = any(isinstance(part, Published) and isinstance(part.value, str) for part in parts)
    return Cell(parts, note, is_number=not in_words)


def measured(words: str, *beside: Published, note: str = "") -> Cell:
    """What was measured here, beside these published figures."""
    return Cell((words,), (note,) if note else (), _paths(beside))


def answered(words: str, *beside: Published) -> Cell:
    """Words beside published figures that no single number answers."""
    return Cell((words,), (), _paths(beside), is_number=False)


def dash() -> Cell:
    """Nothing was published or measured, and none was to be."""
    return Cell(("–",))


def missing(reason: Missing, *beside: Published) -> Cell:
    return Cell((), (), _paths(beside), reason, is_number=False)


def _paths(beside: tuple[Published, ...]) -> tuple[str, ...]:
    return tuple(figure.path for figure in beside)
