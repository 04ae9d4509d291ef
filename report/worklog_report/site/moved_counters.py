"""Which counters moved from one step to the next, as the CPU executor counted them."""

from math import inf, log
from typing import NamedTuple

from ..results.annotations import Annotation
from ..results.ladder import access_text

# Lines that touch the same byte count it each, so that their sum is not the launch's.
_NOT_A_SUM = "_unique_bytes"


class Counter(NamedTuple):
    name: str
    before: float
    after: float

    @property
    def moved(self) -> float:
        """0 if it did not; else the same for a half and for twice as much."""
        if self.before == self.after:
            return 0.0
        return abs(log(self.after / self.before)) if self.before and self.after else inf

    @property
    def change(self) -> str:
        if not self.before:
            return "new"
        return f"× {_factor_text(self.after / self.before)}" if self.after else "gone"


def _factor_text(factor: float) -> str:
    """Three digits, more where they would say that nothing moved."""
    if factor >= 100:
        return f"{factor:,.0f}"
    text = f"{factor:.3g}"
    return f"{factor:.6g}" if text == "1" else text


def totals(annotation: Annotation) -> dict[str, float]:
    """All lines together, with the figures of each logit that `--counters` begins with."""
    sums: dict[str, float] = {}
    for line in annotation.lines:
        for name, count in line.counters.items():
            if not name.endswith(_NOT_A_SUM):
                sums[name] = sums.get(name, 0) + count
    logits = annotation.shape.rows * annotation.shape.cols
    requests = sums.get("global_load_requests", 0)
    first = {
        "loads_per_element": sums.get("global_load_elements", 0) / logits,
        "stores_per_element": sums.get("global_store_elements", 0) / logits,
    }
    if requests:
        first["sectors_per_load_request"] = sums.get("global_load_sectors", 0) / requests
    return first | sums


def compared(before: Annotation, after: Annotation) -> list[Counter]:
    """What either counted; what moved most comes first, what did not last."""
    a, b = totals(before), totals(after)
    counters = [Counter(name, a.get(name, 0), b.get(name, 0)) for name in a | b]
    return sorted(counters, key=lambda counter: -counter.moved)


def count_text(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else access_text(value)
