"""Cells of times and ratios, each of one GPU, named where the table's head names another."""

from ..results.records import Shape
from .cells import Cell, Missing, measured, missing
from .here import Here
from .published import Published


def time(name: str, shape: Shape, here: Here, *beside: Published, before: str = "") -> Cell:
    """Its time; below it the time of `before`, if one is named, over it."""
    times = here.times((before or name, shape), (name, shape))
    if isinstance(times, Missing):
        return missing(times, *beside)
    over, own = times.microseconds
    ratio = f"{over / own:.2f}×" if before else ""
    return measured(_milliseconds(own), *beside, note=noted(ratio, times.gpu, here))


def ratio(slower: str, faster: str, shape: Shape, here: Here, *beside: Published) -> Cell:
    """Time over time."""
    times = here.times((slower, shape), (faster, shape))
    if isinstance(times, Missing):
        return missing(times, *beside)
    over, own = times.microseconds
    return measured(f"{over / own:.2f}×", *beside, note=noted("", times.gpu, here))


def _milliseconds(microseconds: float) -> str:
    """The unit of all times that the sources publish."""
    time = microseconds / 1000
    return f"{time:.3g} ms" if time < 1000 else f"{time:.0f} ms"


def noted(note: str, gpu: str, here: Here) -> str:
    """The note, with the GPU's name where the head has another."""
    parts = [note] if note else []
    if gpu != here.gpu:
        parts.append(f"on {gpu}")
    return ", ".join(parts)
