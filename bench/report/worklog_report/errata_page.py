"""The table of docs/pages/errata.md: accesses that the sources claim, beside those counted."""

from dataclasses import dataclass

from .ladder import access_text
from .recorded_run import RecordedRun, label, table


@dataclass(frozen=True)
class Claim:
    unit: str
    says: str  # the source's words
    accesses: float | None  # loads and stores together; None where the source gives no number


_CLAIMS = (
    Claim("01_naive_three_kernels", "5N", 5),
    Claim("02_fused", "3N", 3),
    Claim("03_online", "2N", 2),
    Claim("09_long_row_one_block", "3N + N", 4),
    Claim("10_long_row_many_launches", "4N + 2N", 6),
    Claim("11_long_row_online", "one pass", None),
)
# What the sources leave out is less: terms in 1/N, and 6 partial results for each 256 logits.
_LEFT_OUT = 0.03


def sections(recorded: RecordedRun) -> dict[str, str]:
    return {"accesses": _accesses(recorded)}


def _accesses(recorded: RecordedRun) -> str:
    units = {unit.name: unit for unit in recorded.units}
    rows = []
    for claim in _CLAIMS:
        counted = recorded.accesses(claim.unit)
        name = label(units[claim.unit]) if claim.unit in units else claim.unit
        if counted is None:
            rows.append([name, claim.says, "not counted yet", "–", "–", "–", "–"])
            continue
        loads, stores = counted
        rows.append(
            [
                name,
                claim.says,
                access_text(loads),
                access_text(stores),
                access_text(loads + stores),
                recorded.annotations[claim.unit].shape.size(),
                _verdict(claim, loads + stores),
            ]
        )
    head = ["kernel", "the article", "loads counted", "stores counted", "together", "at", ""]
    return f"\n{table(head, rows)}\nFor each logit, fp32, on the CPU executor.\n\n"


def _verdict(claim: Claim, counted: float) -> str:
    if claim.accesses is None:
        return "–"
    return "agrees" if abs(counted - claim.accesses) <= _LEFT_OUT else "differs"
