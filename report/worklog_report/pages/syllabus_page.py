"""The table of docs/pages/syllabus.md: of each step what its own page says at its top."""

from ..results.recorded_run import RecordedRun, table
from ..results.steps import Unit


def sections(recorded: RecordedRun) -> dict[str, str]:
    rows = [_row(unit) for unit in recorded.units if not unit.variant]
    head = ["step", "afterwards, a student can", "needs", "minutes"]
    return {"steps": f"\n{table(head, rows, words=3)}\n"}


def _row(unit: Unit) -> list[str]:
    step = f"[{unit.label} {unit.title}](../../steps/{unit.step}/README.md)"
    if unit.goal is None:
        return [step, "–", "–", "–"]
    needs = ", ".join(unit.goal.steps_before) or "–"
    return [step, unit.goal.afterwards, needs, str(unit.goal.minutes)]
