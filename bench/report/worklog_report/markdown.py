"""The tables in README.md and in the steps' pages, between two marker lines.

Only what is the same on every machine goes in: exact counts, and times recorded on a GPU.
"""

from pathlib import Path

from . import hardware_table, ladder
from .ladder import Ladder, Row, Timing, Verdict
from .profiles import Profiles
from .records import InputError, Results, Shape
from .steps import Unit

BEGIN = "<!-- results:begin -->"
END = "<!-- results:end -->"


def replace_between_markers(text: str, table: str, path: Path) -> str:
    """`text` with `table` between its marker lines. Raises InputError unless there is one pair."""
    return replace_between(text, (BEGIN, END), table, path)


def replace_between(text: str, markers: tuple[str, str], new: str, path: Path) -> str:
    """`text` with `new` between the lines that are these markers. Raises InputError unless there
    is one pair of them."""
    begin, end = markers
    lines = text.splitlines(keepends=True)
    begins = [index for index, line in enumerate(lines) if line.strip() == begin]
    ends = [index for index, line in enumerate(lines) if line.strip() == end]
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        raise InputError(
            f"{path}: needs one line '{begin}' and, after it, one line '{end}' "
            f"(found {len(begins)} and {len(ends)})"
        )
    return "".join(lines[: begins[0] + 1]) + new + "".join(lines[ends[0] :])


def updated_files(
    units: list[Unit], results: Results, profiles: Profiles, steps: Path, readme: Path
) -> dict[Path, str]:
    """The README and every step's page, with tables as the results have them."""
    table = ladder.build(units, results, "f32")
    texts = {readme: _updated(readme, _ladder_text(table, results))}
    for unit in units:
        if not unit.variant:
            page = steps / unit.step / "README.md"
            texts[page] = _updated(page, _step_text(unit, table, results, profiles))
    return texts


def _updated(path: Path, table: str) -> str:
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return replace_between_markers(text, table, path)


def _ladder_text(table: Ladder, results: Results) -> str:
    rows = [row for row in table.rows if not row.unit.variant]
    return _table(rows, table, results, link=True) + _caption(table, rows, results)


def _step_text(unit: Unit, table: Ladder, results: Results, profiles: Profiles) -> str:
    """The step, its variants, and before them whatever they are compared with."""
    own = [row for row in table.rows if row.unit.step == unit.step]
    compared = {row.builds_on for row in own}
    before = [row for row in table.rows if row.unit.step != unit.step and row.unit.name in compared]
    rows = before + own
    text = _table(rows, table, results, link=False) + _caption(table, rows, results)
    return text + (hardware_table.render(rows, profiles.hardware) if profiles.hardware else "")


def _table(rows: list[Row], table: Ladder, results: Results, link: bool) -> str:
    """`link`: the README's table, whose steps link to their pages and which ends in baselines."""
    labels = {row.unit.name: row.unit.label for row in table.rows}
    columns = [_counts(row) for row in rows]
    head = ["step", "loads", "stores", "sectors a load request", "launches"]
    if results.run is not None:
        verdicts = _gpu_verdicts(table, results)
        head += ["verified", "worst error, ulp", "time", "GB/s", "of copy or read", "gain"]
        for row, cells in zip(rows, columns, strict=True):
            cells += _verdict_cells(verdicts[row.unit.name], row.verdict)
            cells += _time_cells(row.timing, labels)
    sizes = _own_sizes(rows)
    names = [_name(row.unit, link) + size for row, size in zip(rows, sizes, strict=True)]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    lines += [[name, *cells] for name, cells in zip(names, columns, strict=True)]
    for name, timing in table.baselines if link else []:
        lines.append([f"{name}, {timing.shape.size()}", *["–"] * 6, *_time_cells(timing, labels)])
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _name(unit: Unit, link: bool) -> str:
    name = f"{unit.label} {unit.title}"
    return f"[{name}](steps/{unit.step}/README.md)" if link else name


_SECTORS = (
    "A sector is 32 bytes: a warp's load takes 32 of them where each lane reads a row of its own, "
    "4\nwhere the lanes read 4 bytes each side by side, and 16 where they read 16 each; less where "
    "few\nlanes read, such as one for its block or those at a row's end."
)


def _own_sizes(rows: list[Row]) -> list[str]:
    """The size that each row was timed at, if they are not the same."""
    sizes = [row.timing.shape.size() if row.timing else "" for row in rows]
    several = len({size for size in sizes if size}) > 1
    return [f", {size}" if several and size else "" for size in sizes]


def _counts(row: Row) -> list[str]:
    if row.accesses is None:
        return ["–"] * 4
    return [
        ladder.access_text(row.accesses.loads),
        ladder.access_text(row.accesses.stores),
        ladder.access_text(row.accesses.sectors_per_load_request),
        str(row.accesses.launches),
    ]


def _gpu_verdicts(table: Ladder, results: Results) -> dict[str, Verdict]:
    """Of the GPU whose times are shown: errors of the CPU executor depend on the host's libm."""
    machine = results.run.machine.name
    records = [
        record
        for record in results.records
        if record.machine == machine and record.shape.dtype == table.dtype
    ]
    return {
        row.unit.name: ladder.verdict([r for r in records if r.unit == row.unit.name])
        for row in table.rows
    }


def _verdict_cells(on_gpu: Verdict, anywhere: Verdict) -> list[str]:
    """What a step that never ran on the GPU was found to be elsewhere is said with its place."""
    if on_gpu.worst is None:
        return [f"{anywhere.text}, on the CPU alone" if anywhere.worst else anywhere.text, "–"]
    return [on_gpu.text, ladder.ulp_text(on_gpu.worst.max_ulp)]


def _time_cells(timing: Timing | None, labels: dict[str, str]) -> list[str]:
    if timing is None:
        return ["–"] * 4
    gain = "–"
    if timing.gain is not None:
        gain = f"{ladder.ratio_text(timing.gain)} over {labels[timing.gain_over]}"
    return [
        ladder.time_text(timing.median_us),
        ladder.bandwidth_text(timing.gbps),
        ladder.percent_text(timing.fraction) or "–",
        gain,
    ]


def _caption(table: Ladder, rows: list[Row], results: Results) -> str:
    """What was measured where, for the shapes that these rows show."""
    counted = sorted({row.accesses.shape for row in rows if row.accesses})
    timed = sorted({row.timing.shape for row in rows if row.timing})
    sentences = []
    if counted:
        exact = all(row.accesses.exact for row in rows if row.accesses)
        sentences.append(
            f"Loads and stores an element, {table.dtype}, counted at {_sizes(counted)} on the CPU "
            f"executor: {'exactly' if exact else 'NOT'} as predicted at every shape.\n" + _SECTORS
        )
    if timed:
        machine = results.run.machine
        sentences.append(
            f"Times at {_sizes(timed)}, cold L2, on {machine.name}, {machine.date[:10]}; the copy "
            "or read moves\nthe same bytes in the same run. A gain is the named step's time at the "
            "same shape over this one's: below 1,\na loss. The worst error is over all shapes and "
            "inputs that were verified there."
        )
    return "\n" + "\n".join(sentences) + "\n\n" if sentences else ""


def _sizes(shapes: list[Shape]) -> str:
    *others, last = [shape.size() for shape in shapes]
    return f"{'; '.join(others)} and {last}" if others else last
