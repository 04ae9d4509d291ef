"""The tables in README.md and in the steps' pages, between two marker lines.

Only what is the same on every machine goes in: exact counts, and times recorded on a GPU.
"""

from pathlib import Path

from ..results import ladder
from ..results.ladder import Ladder, Row, Timing, Verdict
from ..results.profiles import Hardware, Profiles
from ..results.records import CPU, InputError, Results, Shape, by_unit
from ..results.steps import Unit
from . import hardware_table, readme_tables, result_sentences

BEGIN = "<!-- results:begin -->"
END = "<!-- results:end -->"
_GLANCE = ("<!-- glance:begin -->", "<!-- glance:end -->")


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
    texts = {readme: _updated_readme(readme, units, table, results)}
    for unit in units:
        if not unit.variant and not unit.is_of_ranks:
            page = steps / unit.step / "README.md"
            timed = results.of_step(unit.step)
            own = ladder.build(units, timed, "f32", shown=unit.shown)
            texts[page] = _updated(page, _step_text(unit, own, timed, profiles))
    return texts


def _updated_readme(readme: Path, units: list[Unit], table: Ladder, results: Results) -> str:
    text = _updated(readme, f"{readme_tables.ladder_text(table, results, units)}\n")
    if _GLANCE[0] not in text:
        return text
    return replace_between(text, _GLANCE, f"{readme_tables.glance_text(results, units)}\n", readme)


def _updated(path: Path, table: str) -> str:
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return replace_between_markers(text, table, path)


def _step_text(unit: Unit, table: Ladder, results: Results, profiles: Profiles) -> str:
    """What came out in sentences; then, folded, the tables of the step, its variants, and before
    them whatever they are compared with."""
    own = [row for row in table.rows if row.unit.step == unit.step]
    compared = {row.builds_on for row in own}
    before = [row for row in table.rows if row.unit.step != unit.step and row.unit.name in compared]
    rows = before + own
    text = _sentences(own[0], table, results)
    text += _folded("The counts, beside those of the step before", _counted(rows, table))
    if results.run is not None and any(row.timing for row in rows):
        title = "The times and errors, with the variants of this step"
        text += _folded(title, _timed(rows, table, results))
    hardware = _hardware_of(results, profiles)
    own_names = {row.unit.name for row in own}
    if hardware is not None and any(launch.unit in own_names for launch in hardware.launches):
        rendered = hardware_table.render(rows, hardware, explained("what-only-hardware-knows"))
        text += _folded("What only hardware knows", rendered)
    return f"\n{text}" if text else "\n"


def _hardware_of(results: Results, profiles: Profiles) -> Hardware | None:
    """Of the GPU whose times are shown, else of the main one."""
    gpu = results.run.machine.name if results.run else ""
    return profiles.hardware_of.get(gpu, profiles.hardware)


def _sentences(row: Row, table: Ladder, results: Results) -> str:
    text = f"{result_sentences.counts(row.accesses)}\n\n" if row.accesses else ""
    if results.run is None:
        return text
    if row.timing is None:
        return f"{text}{_NOT_TIMED}\n"
    labels = {other.unit.name: other.unit.label for other in table.rows}
    return f"{text}{result_sentences.times(row, labels.get(row.builds_on, ''))}\n\n"


def _folded(title: str, text: str) -> str:
    """What most readers pass over at first; "" if there is nothing."""
    if not text:
        return ""
    return f"<details><summary>{title}</summary>\n{text}\n</details>\n\n"


def _counted(rows: list[Row], table: Ladder) -> str:
    shapes = [row.accesses.shape if row.accesses else None for row in rows]
    if not any(shapes):
        return ""
    head = [_place("counted at", shapes), "loads", "stores", "sectors per load request", "launches"]
    names = _names(rows, shapes)
    lines = [[name, *_counts(row)] for name, row in zip(names, rows, strict=True)]
    exact = all(row.accesses.exact for row in rows if row.accesses)
    return (
        f"{_lines(head, lines)}\n{table.dtype}, {'exactly' if exact else 'NOT'} as predicted at "
        f"every shape. {explained('the-counts')}\n"
    )


def _timed(rows: list[Row], table: Ladder, results: Results) -> str:
    labels = {row.unit.name: row.unit.label for row in table.rows}
    shapes = [row.timing.shape if row.timing else None for row in rows]
    if not any(shapes):
        return ""
    limits = _limits([row.timing for row in rows if row.timing])
    head = [
        _place("timed at", shapes), "verified", "worst error, ulp", "time", "GB/s",
        f"of {limits}", "gain",
    ]  # fmt: skip
    verdicts = _verdicts(table, results)
    lines = [
        [
            name,
            *_verdict_cells(verdicts[row.unit.name]),
            *_time_cells(row.timing, labels),
        ]
        for name, row in zip(_names(rows, shapes), rows, strict=True)
    ]
    if not limits:  # bytes are no measure of what waits for no memory
        head, lines = head[:-3] + head[-1:], [line[:-3] + line[-1:] for line in lines]
    shown = [row.timing for row in rows if row.timing]
    return _lines(head, lines) + _caption(table, shown, results)


def explained(section: str) -> str:
    """A link from a step's page to what it need not say again of a table's columns."""
    return f"[What the columns mean](../../docs/pages/tables.md#{section})"


def _lines(head: list[str], lines: list[list[str]]) -> str:
    every = [head, ["---"] + ["---:"] * (len(head) - 1), *lines]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in every)


def _place(what: str, shapes: list[Shape | None]) -> str:
    """Of the first column's head: where a table has one shape, it is named there."""
    (first, *others) = {shape for shape in shapes if shape} or {None}
    return f"{what} {first.size()}" if first and not others else f"step, {what}"


def _names(rows: list[Row], shapes: list[Shape | None]) -> list[str]:
    """Each with its own shape, unless the head names that of all."""
    several = len({shape for shape in shapes if shape}) > 1
    return [
        _name(row.unit) + (f", {shape.size()}" if several and shape else "")
        for row, shape in zip(rows, shapes, strict=True)
    ]


def _name(unit: Unit) -> str:
    return f"{unit.label} {unit.title}"


_NOT_TIMED = (
    "No GPU has timed this step yet: the last recorded run is older. "
    "What is predicted above still waits for it.\n"
)


def _counts(row: Row) -> list[str]:
    if row.accesses is None:
        return ["–"] * 4
    return [
        ladder.access_text(row.accesses.loads),
        ladder.access_text(row.accesses.stores),
        ladder.access_text(row.accesses.sectors_per_load_request),
        str(row.accesses.launches),
    ]


def _verdicts(table: Ladder, results: Results) -> dict[str, dict[str, Verdict]]:
    """By machine, that whose times are shown first: errors of the executor depend on its libm."""
    shown = results.run.machine.name
    machines = sorted(
        {record.machine for record in results.records} | {shown},
        key=lambda machine: (machine != shown, machine == CPU, machine),
    )
    records_of = {
        machine: by_unit(
            [
                record
                for record in results.records
                if record.machine == machine and record.shape.dtype == table.dtype
            ]
        )
        for machine in machines
    }
    return {
        row.unit.name: {
            machine: ladder.verdict(records_of[machine][row.unit.name]) for machine in machines
        }
        for row in table.rows
    }


def _verdict_cells(verdicts: dict[str, Verdict]) -> list[str]:
    """What the GPU of the table never ran was verified elsewhere, and that place is said."""
    (_, here), *others = verdicts.items()
    if here.worst is not None:
        return [here.text, ladder.ulp_text(here.worst.max_ulp)]
    for machine, elsewhere in others:
        if elsewhere.worst is not None:
            place = "the CPU executor alone" if machine == CPU else f"{machine}, not this GPU"
            return [f"{elsewhere.text}, on {place}", "–"]
    return [here.text, "–"]


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


def _limits(shown: list[Timing]) -> str:
    """What the times of a table are held against."""
    found = {timing.limit for timing in shown}
    if not found <= {"copy", "read"}:
        return " or ".join(ladder.LIMITS[limit] for limit in ladder.LIMITS if limit in found)
    return "copy or read"


def _caption(table: Ladder, shown: list[Timing], results: Results) -> str:
    """What was measured where, for the rows that are shown."""
    if not shown:
        return ""
    machine = results.run.machine
    return (
        f"\n{table.dtype}, cold L2, on {machine.name}, {machine.date[:10]}. "
        f"{explained('the-times-and-errors')}\n"
    )
