"""The HTML page: one file that needs neither network nor server."""

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import jinja2

from .. import literature
from ..literature import published
from ..literature.cells import Missing
from ..pictures import curves, plots, ranks_picture
from ..results import ladder
from ..results.annotations import Annotation
from ..results.profiles import Profiles
from ..results.ranks import RankTimes
from ..results.records import DTYPES, Record, Results, Shape
from ..results.steps import Unit
from . import diffs, listings

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Head:
    """What was measured where, in words."""

    summary: str
    facts: list[tuple[str, str]]
    timed_on: str
    failures: list[Record]


def render(
    units: list[Unit],
    results: Results,
    annotations: dict[str, Annotation],
    profiles: Profiles,
    commit: str,
    players: dict[str, str] | None = None,
    of_ranks: RankTimes | None = None,
    served: Sequence[object] = (),
) -> str:
    """`players` has links to the pages that play warps, by step; `of_ranks` times of several GPUs
    together; `served` which step the library takes at which recorded shape
    (pages/library_choices.py)."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([_TEMPLATES, literature.TEMPLATES]),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"size": Shape.size, "drawn": _drawn}
    environment.tests |= {
        "missing": lambda part: isinstance(part, Missing),
        "published": lambda part: isinstance(part, published.Published),
    }
    environment.globals |= {
        "access": ladder.access_text,
        "ulp": ladder.ulp_text,
        "time": ladder.time_text,
        "bandwidth": ladder.bandwidth_text,
        "ratio": ladder.ratio_text,
        "percent": ladder.percent_text,
        "unit_names": {unit.name for unit in units},
        "labels": {unit.name: unit.label for unit in units},
        "units_by_name": {unit.name: unit for unit in units},
        "profiles": profiles,
        "head": _head(units, results, commit),
    }
    run = results.run
    return environment.get_template("report.html.j2").render(
        css=_texts("report.css", "documents.css", "listings.css"),
        js=_texts("report.js", "listings.js"),
        listings=listings.for_page(units, annotations, players or {}),
        ladders=[ladder.build(units, results, dtype) for dtype in DTYPES],
        time_figures=[
            _drawn(figure)
            for figure in curves.time_figures(units, run) + curves.k_figures(units, run)
        ],
        error_figures=[_drawn(figure) for figure in curves.error_figures(units, results)],
        bench_errors=run.errors if run else [],
        served=served,
        ranks_figure=ranks_picture.picture(of_ranks, "var(--link)") if of_ranks else "",
        ranks_panels=ranks_picture.panels(of_ranks) if of_ranks else [],
        documents=literature.sections(units, results, profiles),
        neighbours=_neighbours(units, results),
        data=_embedded(_data(units, results)),
    )


def _texts(*names: str) -> str:
    return "\n".join((_TEMPLATES / name).read_text("utf-8") for name in names)


def current_commit(directory: Path) -> str:
    """The commit that is checked out, marked if files differ from it; "" outside a repository."""
    command = ["git", "-C", str(directory), "describe", "--always", "--dirty=, with changes"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip()


def _now() -> datetime:
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _head(units: list[Unit], results: Results, commit: str) -> Head:
    facts = [("Counted on", f"CPU executor, {platform.system()} {platform.machine()}")]
    timed_on = ""
    if results.run is None:
        facts.append(("Timed on", "no GPU here, and no recorded results"))
    else:
        machine = results.run.machine
        day = machine.date[:10]
        timed_on = f"on {machine.name}, {'recorded' if machine.recorded else 'in this run,'} {day}"
        recorded = "recorded " if machine.recorded else ""
        facts.append(("Timed on", f"{machine.name}, {recorded}{day}"))
    facts.append(("Report of", _now().strftime("%Y-%m-%d %H:%M UTC")))
    if commit:
        facts.append(("Commit", commit))
    return Head(_summary(units, results), facts, timed_on, ladder.failures(results.records))


def _summary(units: list[Unit], results: Results) -> str:
    """How much there is, and whether all of it is right."""
    verified = {record.unit for record in results.records if record.verified is not None}
    apart = [unit for unit in units if unit.is_of_ranks and unit.name not in verified]
    here = [unit for unit in units if unit not in apart]
    what = _how_many(here)
    wrong = ladder.failures(results.records)
    checked = sum(record.verified is not None for record in results.records)
    if not checked:
        return f"{what}; nothing was verified yet."
    if wrong:
        return f"{what}; {len(wrong)} of {checked} measurements gave WRONG RESULTS."
    unchecked = {unit.name for unit in here} - verified
    summary = f"{what}, checked against double precision in {checked} measurements: all right."
    if unchecked:
        summary += f" But {len(unchecked)} of them NOT verified: {', '.join(sorted(unchecked))}."
    stated = {record.unit for record in results.records if record.expected_failure}
    if stated:
        verb = "is" if len(stated) == 1 else "are"
        summary += (
            f" {_plural(len(stated), 'variant')} {verb} wrong by design, and checked where right."
        )
    return summary + _verified_apart(apart)


def _how_many(units: list[Unit]) -> str:
    steps = sum(not unit.variant for unit in units)
    variants = len(units) - steps
    text = _plural(steps, "step")
    return f"{text} and {_plural(variants, 'variant')} of them" if variants else text


def _verified_apart(of_ranks: list[Unit]) -> str:
    """A sentence for each step that no program of a single device can verify."""
    text = ""
    for step in (unit for unit in of_ranks if not unit.variant):
        variants = sum(unit.step == step.step for unit in of_ranks) - 1
        many = f" and its {_plural(variants, 'variant')}" if variants else ""
        verb = "need" if variants else "needs"
        text += (
            f" Step {step.label}{many} {verb} several ranks: ./worklog step {step.label} "
            f"verifies {'them' if variants else 'it'}."
        )
    return text


def _drawn(figure: curves.Figure) -> SimpleNamespace:
    drawn = []
    for plot in figure.plots:
        columns, rows = plot.table()
        drawn.append(
            SimpleNamespace(
                unit=plot.unit,
                across=plot.across,
                svg=plots.render(plot),
                columns=columns,
                rows=rows,
            )
        )
    return SimpleNamespace(
        title=figure.title, dtype=figure.dtype, plots=drawn, legend=figure.legend()
    )


def _builds_on(results: Results) -> dict[str, str]:
    return {record.unit: record.builds_on for record in results.records}


def _neighbours(units: list[Unit], results: Results) -> list[SimpleNamespace]:
    """The diff of each unit with the one that it builds on, for readers without a script."""
    by_name = {unit.name: unit for unit in units}
    builds_on = _builds_on(results)
    found = []
    for unit in units:
        before = by_name.get(builds_on.get(unit.name, ""))
        if before is not None:
            files = [
                (name, diffs.unified(old, new))
                for name, old, new in diffs.file_pairs(before, unit)
                if old != new
            ]
            found.append(SimpleNamespace(before=before, after=unit, files=files))
    return found


# ---- what the page's script reads ----


def _data(units: list[Unit], results: Results) -> dict:
    counts, times = {}, {}
    count_names: dict[str, None] = {}  # each name once, in order: records hold values only
    for record in results.counted:
        count_names |= dict.fromkeys(_count_rows(record))
    for record in results.counted:
        at = counts.setdefault(record.unit, {}).setdefault(record.shape.dtype, {})
        row = _count_rows(record)
        at[_count_label(record)] = [row.get(name) for name in count_names]
    for record in results.run.records if results.run else []:
        at = times.setdefault(record.unit, {}).setdefault(record.shape.dtype, {})
        at[f"{record.shape.size()}, {record.cache}"] = _time_rows(record)
    return diffs.for_page(units) | {
        "labels": {unit.name: f"{unit.label} {unit.title}" for unit in units},
        "dtypes": list(DTYPES),
        "countNames": list(count_names),
        "counts": counts,
        "times": times,
        "preferred": _preferred(units, results),
    }


def _count_label(record: Record) -> str:
    return record.shape.size() + (f", {record.input}" if record.input else "")


def _count_rows(record: Record) -> dict:
    counts = record.counts
    return {
        "verified": _verified_text(record),
        "worst error, ulp": _rounded(record.max_ulp),
        "loads per element, predicted": counts["predicted_loads"],
        "loads per element, counted": counts["loads_per_element"],
        "stores per element, predicted": counts["predicted_stores"],
        "stores per element, counted": counts["stores_per_element"],
        "sectors per load request": counts["sectors_per_load_request"],
        "launches": record.launches,
    } | {
        name.replace("_", " "): count
        for name, count in record.extra.get("counters", {}).items()
        if name != "launches"
    }


def _verified_text(record: Record) -> str:
    if record.verified:
        return "fails as stated" if record.expected_failure else "yes"
    return "NO"


def _time_rows(record: Record) -> dict:
    times = record.times
    rows = {"time, µs": _rounded(times["median_us"]), "bandwidth, GB/s": _rounded(times["gbps"])}
    fraction = ladder.fraction_of_limit(record)
    if fraction is not None:
        rows[f"fraction of the {ladder.limit_of(record)}"] = _rounded(fraction)
    return rows


def _rounded(value: float | None) -> float | None:
    """To as many digits as a measurement has; counts stay exact."""
    return None if value is None else float(f"{value:.4g}")


def _preferred(units: list[Unit], results: Results) -> dict:
    """What the comparison shows first: the last softmax step and the one that it builds on."""
    builds_on = _builds_on(results)
    names = {unit.name for unit in units}
    pairs = [
        (builds_on[unit.name], unit.name)
        for unit in units
        if not unit.variant and builds_on.get(unit.name) in names
    ]
    softmax = {record.unit for record in results.records if not record.shape.k}
    chosen = next((pair for pair in reversed(pairs) if pair[1] in softmax), None)
    timed = results.run.records if results.run else []
    kinds = ladder.kinds(results.records)
    counted = ladder.at_the_ladders_shapes(results.counted, units)
    shapes = set(ladder.count_shapes(counted, kinds).values())
    times = ladder.time_shapes(timed, kinds).values()
    return {
        "pair": chosen or (units[0].name, units[-1].name),
        "counted": list(
            dict.fromkeys(_count_label(row) for row in results.counted if row.shape in shapes)
        ),
        "timed": [f"{shape.size()}, cold" for shape in times if shape is not None],
    }


def _embedded(data: dict) -> str:
    """JSON that can stand inside a <script> element."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
