"""The tables of docs/pages/executor.md: the executor's counts beside those of Nsight Compute."""

from collections import Counter

from ..results.profiles import Agreement, Difference, Parity
from ..results.recorded_run import RecordedRun, label, table
from . import floors_table

_NONE = "\nNo comparison with Nsight Compute is recorded yet.\n\n"


def sections(recorded: RecordedRun) -> dict[str, str]:
    parities = recorded.parities
    return {
        "floors": floors_table.section(recorded),
        "parity": _summaries(parities) if parities else _NONE,
        "parity-of-steps": _of_steps(recorded) if parities else _NONE,
        "parity-reasons": _reasons(parities) if parities else _NONE,
        "parity-not-compared": _not_compared(parities[0]) if parities else _NONE,
    }


def _summaries(parities: list[Parity]) -> str:
    return "".join(f"\n{_summary(parity)}" for parity in parities) + "\n"


def _summary(parity: Parity) -> str:
    total = parity.total
    sizes = ", ".join(f"{rows} × {cols}" for rows, cols in parity.shapes)
    unexplained = "None is" if not total.unexplained else f"**{total.unexplained:,} are**"
    return (
        f"{parity.launches:,} launches on {parity.gpu}, {parity.date[:10]}, gave "
        f"{total.figures:,} figures that are not 0 on both sides ({total.zero:,} more are).\n"
        f"{total.equal:,} are equal to the last digit as they stand, {total.ruled:,} more once a "
        f"rule has said what nvcc made of the source:\n{100 * total.share:.1f} % together. "
        f"{total.listed:,} are listed as different, with what is known of them. {unexplained} "
        f"different for no stated reason.\nThe shapes: {sizes}.\n"
    )


def _of_steps(recorded: RecordedRun) -> str:
    """A table for each GPU; above those that are not the first, which GPU it is."""
    labels = {unit.name: label(unit) for unit in recorded.units}
    head = ["", "figures", "equal", "equal by a rule", "listed", "unexplained"]
    text = ""
    for parity in recorded.parities:
        rows = [_agreement(labels.get(unit.unit, unit.unit), unit) for unit in parity.units]
        rows.append(_agreement("together", parity.total))
        above = f"On {parity.gpu}:\n\n" if text else ""
        text += f"\n{above}{table(head, rows)}"
    return f"{text}\n"


def _agreement(name: str, row: Agreement) -> list[str]:
    counts = (row.figures, row.equal, row.ruled, row.listed, row.unexplained)
    return [name, *(f"{count:,}" for count in counts)]


def _reasons(parities: list[Parity]) -> str:
    """Of all GPUs together, in the words of the newest comparison."""
    reasons: dict[str, dict[str, str]] = {}
    for parity in sorted(parities, key=lambda parity: parity.date, reverse=True):
        reasons = reasons | {
            key: what for key, what in parity.reasons.items() if key not in reasons
        }
    differences = [row for parity in parities for row in parity.differences]
    rules = [row for row in differences if row.by_rule]
    listed = [row for row in differences if not row.by_rule]
    return (
        f"\nBy a rule, equal afterwards:\n\n{_reason_table(reasons, rules)}\n"
        f"Listed, not equal:\n\n{_reason_table(reasons, listed)}\n"
    )


def _reason_table(reasons: dict[str, dict[str, str]], differences: list[Difference]) -> str:
    count = Counter(reason for row in differences for reason in row.reasons if reason)
    rows = [
        [f"`{key}`", _cell(reason["what"]), f"{number:,}"]
        for key, reason in reasons.items()
        if (number := count[key])
    ]
    return table(["", "what happens", "figures"], rows, words=2) if rows else "None.\n"


def _not_compared(parity: Parity) -> str:
    rows = [
        [", ".join(f"`{name}`" for name in names.split(", ")), _cell(why)]
        for names, why in parity.not_compared.items()
    ]
    return f"\n{table(['counter', 'why not'], rows, words=2)}\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
