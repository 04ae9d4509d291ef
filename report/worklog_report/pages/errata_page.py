"""The table of docs/pages/errata.md: accesses that the sources claim, beside those counted."""

from typing import Any

from ..literature import published
from ..results.ladder import access_text
from ..results.recorded_run import RecordedRun, table

# What the sources leave out is less: terms in 1/N, and 6 partial results for each 256 logits.
_LEFT_OUT = 0.03


def sections(recorded: RecordedRun) -> dict[str, str]:
    return {"accesses": _accesses(recorded)}


def _accesses(recorded: RecordedRun) -> str:
    rows = [
        [document["authors"], *_cells(claim, recorded)]
        for document in published.read().values()
        if isinstance(document, dict)
        for claim in document.get("accesses", [])
    ]
    head = ["text", "kernel", "step", "claims", "loads counted", "stores counted", "together", ""]
    return f"\n{table(head, rows, words=3)}\nFor each logit, fp32, on the CPU executor.\n\n"


def _cells(claim: dict[str, Any], recorded: RecordedRun) -> list[str]:
    claimed = list(published.figures(claim["published"]["claimed"]))
    total = sum(figure.value for figure in claimed)
    cells = [claim["what"], claim["ours"], f"{total:g}"]
    counted = recorded.accesses(claim["ours"])
    if counted is None:
        return [*cells, "not counted yet", "–", "–", "–"]
    agrees = abs(sum(counted) - total) <= _LEFT_OUT
    texts = [access_text(value) for value in (*counted, sum(counted))]
    return [*cells, *texts, "agrees" if agrees else "differs"]
