"""The tables in README.md and in the steps' pages, between two marker lines.

Only what is the same on every machine goes in: exact counts, and times recorded on a GPU.
"""

from pathlib import Path

from . import ladder
from .ladder import Ladder, Row, Timing
from .records import InputError, Results
from .steps import Unit

BEGIN = "<!-- results:begin -->"
END = "<!-- results:end -->"


def replace_between_markers(text: str, table: str, path: Path) -> str:
    """`text` with `table` between its marker lines. Raises InputError unless there is one pair."""
    lines = text.splitlines(keepends=True)
    begins = [index for index, line in enumerate(lines) if line.strip() == BEGIN]
    ends = [index for index, line in enumerate(lines) if line.strip() == END]
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        raise InputError(
            f"{path}: needs one line '{BEGIN}' and, after it, one line '{END}' "
            f"(found {len(begins)} and {len(ends)})"
        )
    return "".join(lines[: begins[0] + 1]) + table + "".join(lines[ends[0] :])


def updated_files(
    units: list[Unit], results: Results, steps: Path, readme: Path
) -> dict[Path, str]:
    """The README and every step's page, with tables as the results have them."""
    table = ladder.build(units, results, "f32")
    texts = {readme: _updated(readme, _ladder_text(table, results))}
    for unit in units:
        if not unit.variant:
            page = steps / unit.step / "README.md"
            texts[page] = _updated(page, _step_text(unit, table, results))
    return texts


def _updated(path: Path, table: str) -> str:
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return replace_between_markers(text, table, path)


def _ladder_text(table: Ladder, results: Results) -> str:
    rows = [row for row in table.rows if not row.unit.variant]
    return _table(rows, results, True, table.baselines) + _caption(table, rows, results)


def _step_text(unit: Unit, table: Ladder, results: Results) -> str:
    """The step, its variants, and before them whatever they are compared with."""
    own = [row for row in table.rows if row.unit.step == unit.step]
    compared = {row.builds_on for row in own}
    before = [row for row in table.rows if row.unit.step != unit.step and row.unit.name in compared]
    return _table(before + own, results, False, []) + _caption(table, before + own, results)


def _table(
    rows: list[Row], results: Results, link: bool, baselines: list[tuple[str, Timing]]
) -> str:
    timed = results.run is not None
    head = ["step", "loads", "stores", "sectors a load request", "launches"]
    if timed:
        head += ["time", "GB/s", "of copy or read", "gain"]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    lines += [_cells(row, timed, link) for row in rows]
    for name, timing in baselines:
        lines.append([f"{name}, {timing.shape.size()}"] + ["–"] * 4 + _timing_cells(timing))
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cells(row: Row, timed: bool, link: bool) -> list[str]:
    name = f"{row.unit.label} {row.unit.title}"
    cells = [f"[{name}](steps/{row.unit.step}/README.md)" if link else name]
    if row.accesses is None:
        cells += ["–"] * 4
    else:
        a = row.accesses
        cells += [
            ladder.access_text(a.loads),
            ladder.access_text(a.stores),
            ladder.access_text(a.sectors_per_load_request),
            str(a.launches),
        ]
    if timed:
        cells += ["–"] * 4 if row.timing is None else _timing_cells(row.timing)
    return cells


def _timing_cells(timing: Timing) -> list[str]:
    return [
        ladder.time_text(timing.median_us),
        ladder.bandwidth_text(timing.gbps),
        ladder.percent_text(timing.fraction) or "–",
        ladder.ratio_text(timing.gain) or "–",
    ]


def _caption(table: Ladder, rows: list[Row], results: Results) -> str:
    """What was measured where, for the shapes that these rows show."""
    counted = sorted({row.accesses.shape for row in rows if row.accesses})
    timed = sorted({row.timing.shape for row in rows if row.timing})
    if not counted and not timed:
        return ""
    sentences = []
    if counted:
        exact = all(row.accesses.exact for row in rows if row.accesses)
        sentences.append(
            f"Loads and stores an element, {table.dtype}, counted at {_sizes(counted)} on the CPU "
            f"executor: {'exactly' if exact else 'NOT'} as predicted at every shape."
        )
    if timed:
        machine = results.run.machine
        sentences.append(
            f"Times at {_sizes(timed)}, cold L2, {machine.name}, {machine.date[:10]}; the copy or "
            "read moves the same bytes in the same run; gain is over the step that it builds on."
        )
    return "\n" + "\n".join(sentences) + "\n\n"


def _sizes(shapes: list) -> str:
    return " and ".join(shape.size() for shape in shapes)
