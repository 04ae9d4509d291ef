"""The step that a caller names."""

from functools import cache

from ._arguments import kind_of
from ._core import Step, steps


def checked_step(wanted: int | str, operation: str, rows: int) -> Step:
    """The step of that name, if it computes this of so many rows."""
    step = named(wanted)
    if step.operation != operation:
        others = ", ".join(other.label for other in steps() if other.operation == operation)
        raise ValueError(
            f"step = {wanted}: {step.label} computes {step.operation}, not {operation}: must be "
            f"one of {others}"
        )
    if step.max_rows is not None and rows > step.max_rows:
        raise ValueError(
            f"x has {rows} rows: must have at most {step.max_rows}, the limit of {step.label}"
        )
    return step


def named(wanted: int | str) -> Step:
    """The step of a number or a label: 5, '5', '05', '05_warp_shuffle', '05_warp_shuffle/safe'."""
    if isinstance(wanted, bool) or not isinstance(wanted, (int, str)):
        raise TypeError(f"step is {kind_of(wanted)}: must be an int, a str or None")
    return _named(str(wanted))


@cache
def _named(wanted: str) -> Step:
    name, _, variant = wanted.partition("/")
    for step in steps():
        if step.variant == variant and name in (step.name, *_numbers(step)):
            return step
    raise ValueError(f"step = {wanted or repr(wanted)}: must be one of {_existing(name)}")


def _numbers(step: Step) -> tuple[str, str]:
    number = step.name.partition("_")[0]
    return number, str(int(number))


def _existing(name: str) -> str:
    of_that_name = [s.label for s in steps() if name in (s.name, *_numbers(s))]
    if of_that_name:
        return ", ".join(of_that_name)
    return ", ".join(s.label for s in steps() if not s.variant)
