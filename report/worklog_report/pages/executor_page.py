"""The tables of docs/pages/executor.md: the executor's counts beside those of Nsight Compute."""

from collections import Counter

from ..results.profiles import Agreement, Difference, Parity
from ..results.recorded_run import RecordedRun, label, table

_NONE = "\nNo comparison with Nsight Compute is recorded yet.\n\n"


def sections(recorded: RecordedRun) -> dict[str, str]:
    parity = recorded.parity
    return {
        "parity": _summary(parity) if parity else _NONE,
        "parity-of-steps": _of_steps(recorded, parity) if parity else _NONE,
        "parity-reasons": _reasons(parity) if parity else _NONE,
        "parity-not-compared": _not_compared(parity) if parity else _NONE,
    }


def _summary(parity: Parity) -> str:
    total = parity.total
    sizes = ", ".join(f"{rows} × {cols}" for rows, cols in parity.shapes)
    unexplained = "None is" if not total.unexplained else f"**{total.unexplained:,} are**"
    return (
        f"\n{parity.launches:,} launches on {parity.gpu}, {parity.date[:10]}, gave "
        f"{total.figures:,} figures that are not 0 on both sides ({total.zero:,} more are).\n"
        f"{total.equal:,} are equal to the last digit as they stand, {total.ruled:,} more once a "
        f"rule has said what nvcc made of the source:\n{100 * total.share:.1f} % together. "
        f"{total.listed:,} are listed as different, with what is known of them. {unexplained} "
        f"different for no stated reason.\nThe shapes: {sizes}.\n\n"
    )


def _of_steps(recorded: RecordedRun, parity: Parity) -> str:
    labels = {unit.name: label(unit) for unit in recorded.units}
    rows = [_agreement(labels.get(unit.unit, unit.unit), unit) for unit in parity.units]
    rows.append(_agreement("together", parity.total))
    head = ["", "figures", "equal", "equal by a rule", "listed", "unexplained"]
    return f"\n{table(head, rows)}\n"


def _agreement(name: str, row: Agreement) -> list[str]:
    counts = (row.figures, row.equal, row.ruled, row.listed, row.unexplained)
    return [name, *(f"{count:,}" for count in counts)]


def _reasons(parity: Parity) -> str:
    rules = [row for row in parity.differences if row.by_rule]
    listed = [row for row in parity.differences if not row.by_rule]
    return (
        f"\nBy a rule, equal afterwards:\n\n{_reason_table(parity, rules)}\n"
        f"Listed, not equal:\n\n{_reason_table(parity, listed)}\n"
    )


def _reason_table(parity: Parity, differences: list[Difference]) -> str:
    count = Counter(reason for row in differences for reason in row.reasons if reason)
    rows = [
        [f"`{key}`", _cell(reason["what"]), f"{number:,}"]
        for key, reason in parity.reasons.items()
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
