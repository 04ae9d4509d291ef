"""python -m worklog_report.site.diff_pages: a page for each step that builds on another.

diff_NN_MM.md has the counters that moved (counted by the CPU executor, both steps in blocks of the
same size), the times that moved (recorded on a GPU), and the coloured difference of the kernels,
last because it is long.
"""

import argparse
import sys

from ..results import ladder
from ..results.annotations import Annotation, read_annotations
from ..results.ladder import Row, percent_text, ratio_text, time_text
from ..results.recorded_run import files_of, label, machine_text, table
from ..results.records import InputError, Results, read_results
from ..results.steps import Unit, read_units
from ..support import arguments as common
from ..support.output import write_whole
from . import coloured_diff, moved_counters, moved_times
from .moved_counters import count_text
from .moved_times import Times


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 2 bad input or usage."""
    required = ("--steps", "--records", "--annotations", "--recorded", "--out")
    parser = common.parser("diff_pages", __doc__, required)
    return common.run(parser, arguments, _write_pages)


def _write_pages(options: argparse.Namespace) -> int:
    print("comparing each step with the one that it builds on", flush=True)
    results = read_results(options.records, [], files_of(options.recorded))
    units, annotations = read_units(options.steps), read_annotations(options.annotations)
    found = pages(units, results, annotations)
    for name, text in found.items():
        write_whole(options.out / f"{name}.md", text)
    print(f"{options.out}: {len(found)} pages")
    return 0


def page_name(before: Unit, after: Unit) -> str:
    """diff_05_06"""
    return f"diff_{before.label}_{after.label}"


def edges(units: list[Unit], rows: list[Row]) -> list[tuple[Unit, Unit]]:
    """Each step, not its variants, after the one that it builds on, which may be a variant."""
    by_name = {unit.name: unit for unit in units}
    builds_on = {row.unit.name: row.builds_on for row in rows}
    return [
        (by_name[builds_on[unit.name]], unit)
        for unit in units
        if not unit.variant and builds_on.get(unit.name) in by_name
    ]


def pages(
    units: list[Unit], results: Results, annotations: dict[str, Annotation]
) -> dict[str, str]:
    """The text of each page by its name."""
    rows = {row.unit.name: row for row in ladder.build(units, results, "f32").rows}
    found = {}
    for before, after in edges(units, list(rows.values())):
        if after.is_of_ranks:  # which nobody counts line by line
            found[page_name(before, after)] = _page(
                before, after, {"the code": _code(before, after)}
            )
            continue
        for unit in (before, after):
            if unit.name not in annotations:
                raise InputError(f"{unit.name}: none of the files has its annotations")
        parts = {
            "the counters": _counters(before, after, annotations, rows),
            "the times": _times(before, after, results, rows),
            "the code": _code(before, after),
        }
        found[page_name(before, after)] = _page(before, after, parts)
    return found


def _page(before: Unit, after: Unit, parts: dict[str, str]) -> str:
    """`parts` by what the first line calls them in its links."""
    name = page_name(before, after)
    anchors = {words: f"{name}_{words.split()[-1]}" for words in parts}
    links = ", ".join(f"[{words}](@ref {anchor})" for words, anchor in anchors.items())
    texts = [
        f"# From {before.label} to {after.label}: {after.title} {{#{name}}}",
        after.idea,
        f"What changed: {links}. The pages of the steps: {_link(before)}, {_link(after)}.",
    ]
    texts += [f"\\anchor {anchors[words]}\n\n{text}" for words, text in parts.items()]
    return "\n\n".join(text.strip("\n") for text in texts) + "\n"


def _link(unit: Unit) -> str:
    return f"[{label(unit)}](@ref step_{unit.step})"


def _code(before: Unit, after: Unit) -> str:
    files = coloured_diff.changed_files(before, after)
    text = (
        "## The code\n\nA line with - stands in step "
        f"{before.label} alone, one with + in step {after.label} alone; the numbers are those of "
        "the lines in both.\n\n"
        f"\\htmlonly[block]\n{coloured_diff.style()}\\endhtmlonly\n\n"
    )
    for name, html in files:
        heading = f"`{name}`\n\n" if len(files) > 1 else ""
        text += f"{heading}\\htmlonly[block]\n{html}\\endhtmlonly\n\n"
    return text


def _counters(
    before: Unit, after: Unit, annotations: dict[str, Annotation], rows: dict[str, Row]
) -> str:
    a, b = annotations[before.name], annotations[after.name]
    counters = moved_counters.compared(a, b)
    moved = [counter for counter in counters if counter.moved]
    still = [f"`{counter.name}`" for counter in counters if not counter.moved]
    head = ["counter", f"step {before.label}", f"step {after.label}", "change"]
    lines = [
        [f"`{row.name}`", count_text(row.before), count_text(row.after), row.change]
        for row in moved
    ]
    text = "## The counters that moved\n\n"
    text += table(head, lines) if moved else "None of them.\n"
    order = " What moved most stands first." if moved else ""
    text += f"\n{_counted_where(a, b)}{order} The page about [counters](@ref counters) says what "
    text += "each is.\n\n"
    if still:
        text += f"Not moved: {', '.join(still)}.\n\n"
    return text + _launches(before, after, rows)


def _counted_where(a: Annotation, b: Annotation) -> str:
    """The shapes, blocks and type; one of the steps may take a single row only."""
    sizes = " and ".join(dict.fromkeys((a.shape.size(), b.shape.size())))
    threads = " and ".join(dict.fromkeys((str(a.block_size), str(b.block_size))))
    text = f"Counted on the CPU executor, {b.shape.dtype}, {sizes}, in blocks of {threads} threads."
    logits = (a.shape.rows * a.shape.cols, b.shape.rows * b.shape.cols)
    if a.shape.rows != b.shape.rows and logits[0] == logits[1]:
        text += f" Both have {logits[0]:,} logits, in {a.shape.rows} rows and in {b.shape.rows}."
    return text


def _launches(before: Unit, after: Unit, rows: dict[str, Row]) -> str:
    a, b = rows[before.name].accesses, rows[after.name].accesses
    if a is None or b is None or a.launches == b.launches or a.shape != b.shape:
        return ""
    return (
        f"Launches at {a.shape.size()}, where each step has blocks of its own size: {a.launches} "
        f"in step {before.label}, {b.launches} in step {after.label}.\n"
    )


def _times(before: Unit, after: Unit, results: Results, rows: dict[str, Row]) -> str:
    text = "## The times that moved\n\n"
    if results.run is None:
        return text + "No GPU's times are recorded.\n"
    pairs = moved_times.compared(results.run, before.name, after.name)
    if not pairs:
        return text + _apart(before, after, results, rows)
    steps = [f"step {unit.label}" for unit in (before, after)]
    head = ["shape", steps[0], "of the copy", steps[1], "of the copy", "gain"]
    lines = [_line(pair) for pair in pairs]
    moved = [pair for pair in pairs if not pair.is_noise]
    faster = sum(pair.gain > 1 for pair in moved)
    return text + (
        f"{_plural(len(pairs), 'shape')}: faster at {faster}, slower at {len(moved) - faster}, the "
        f"same within the spread at {len(pairs) - len(moved)}.\n\n{table(head, lines)}\n"
        f"Medians on {machine_text(results.run)}, f32, cold L2, each step in blocks of the size "
        f"that it chooses. A gain is the time of step {before.label} over that of step "
        f"{after.label}: below 1, a loss. Within the spread: the medians lie no further apart than "
        "half of their interquartile ranges together, or their gain is 1.00×.\n"
    )


def _line(pair: Times) -> list[str]:
    gain = ratio_text(pair.gain)
    cells = [pair.shape.size()]
    for row in pair:
        share = percent_text(ladder.fraction_of_limit(row)) or "–"
        cells += [time_text(row.times["median_us"]), share]
    return [*cells, f"{gain}, within the spread" if pair.is_noise else gain]


def _apart(before: Unit, after: Unit, results: Results, rows: dict[str, Row]) -> str:
    """Of steps that compute different things: each beside its own limit."""
    timings = [(unit, rows[unit.name].timing) for unit in (before, after)]
    if not all(timing for _, timing in timings):
        return "They are not both recorded yet.\n"
    head = ["step", "shape", "time", "limit", "of the limit"]
    lines = [
        [
            label(unit),
            timing.shape.size(),
            time_text(timing.median_us),
            timing.limit or "arithmetic",
            percent_text(timing.fraction) or "–",
        ]
        for unit, timing in timings
    ]
    return (
        "The two steps compute different things, so their times have no ratio. Each beside its own "
        "limit, which is the copy or the read of its array, or arithmetic:\n\n"
        f"{table(head, lines, words=2)}\n"
        f"Medians on {machine_text(results.run)}, f32, cold L2.\n"
    )


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"


if __name__ == "__main__":
    sys.exit(main())
