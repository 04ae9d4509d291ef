"""What a step's page says of its results before the tables: the counts, and how fast it is."""

from ..results import ladder
from ..results.ladder import Accesses, Row, Timing


def counts(accesses: Accesses) -> str:
    """Of the step's own kernels, at the shape of its table."""
    asked = _asked("load", accesses.loads), _asked("store", accesses.stores)
    launches = "one launch" if accesses.launches == 1 else f"{accesses.launches} launches"
    as_predicted = (
        "exactly as predicted, here and at every other shape"
        if accesses.exact
        else "which is NOT what was predicted at every shape"
    )
    sectors = ladder.access_text(accesses.sectors_per_load_request)
    return (
        f"At {accesses.shape.size()} the executor counts {asked[0]} and {asked[1]} per logit in "
        f"{launches}, {as_predicted}. A load request of a warp touches {sectors} sectors on "
        "average."
    )


def times(row: Row, before: str) -> str:
    """Of a step that was timed: beside the step `before`, on which it builds, and its limit."""
    timing = row.timing
    text = f"At {timing.shape.size()} step {row.unit.label} takes "
    text += f"**{ladder.time_text(timing.median_us)}**"
    if timing.gain is not None:
        theirs = ladder.time_text(timing.gain * timing.median_us)
        text += f", where step {before} takes {theirs}: it is {_compared(timing.gain)}"
    return f"{text}.{_of_limit(timing)}"


def _asked(what: str, count: float) -> str:
    return f"{ladder.access_text(count)} {what}{'' if count == 1 else 's'}"


def _compared(gain: float) -> str:
    """How many times as fast as the step before, or as slow."""
    if gain >= 1:
        return f"{ladder.ratio_text(gain).removesuffix('×')} times as fast"
    return f"slower, and takes {ladder.ratio_text(1 / gain).removesuffix('×')} times as long"


def _of_limit(timing: Timing) -> str:
    if timing.fraction is None:
        return ""
    share = ladder.percent_text(timing.fraction)
    if timing.limit == "read":
        return f" It reaches {share} of the speed at which the GPU reads the same bytes."
    if timing.limit == "combine":
        return f" It reaches {share} of the speed at which two arrays are combined into one."
    return f" It reaches {share} of the speed at which a copy moves the same bytes."
