"""python -m worklog_report.pages.library_choices: which step the library takes for which shape.

Of the newest recorded run: library/recorded_choices.h, and the tables of docs/pages/library.md. A
table has a letter for each range of rows and columns, whose ends are powers of two: the step that
was the fastest at the recorded shapes nearest to it.
"""

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..results.recorded_run import files_of, machine_text, table
from ..results.records import BenchRun, InputError, Shape, read_results
from ..support import arguments as common
from ..support.generated_files import check, renew, text_of
from .markdown import replace_between

LINES, COLUMNS = 23, 27
"""As library/recorded_table.h has them."""

_GENERATIONS = {"NVIDIA H200": 9, "NVIDIA H100 80GB HBM3": 9}
_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
_LIKE_THE_FASTEST = 1.02
"""Steps within the spread of the fastest count as fast, and the earlier of the ladder is taken."""


@dataclass(frozen=True)
class Operation:
    name: str  # in library/include/softmax_worklog/c.h
    title: str
    units: tuple[str, ...]  # steps, in the ladder's order


OPERATIONS = (
    Operation(
        "SOFTMAX_WORKLOG_SOFTMAX",
        "softmax",
        (
            "12_bytes_in_flight",
            "13_row_in_a_warp",
            "14_row_in_registers",
            "15_row_in_shared_memory",
            "16_cluster",
            "17_long_row_one_launch",
        ),
    ),
    Operation(
        "SOFTMAX_WORKLOG_LOG_SOFTMAX",
        "log-softmax",
        (
            "08_log_softmax",
            "15_row_in_shared_memory/log_softmax",
            "16_cluster/log_softmax",
            "17_long_row_one_launch/log_softmax",
        ),
    ),
)
"""Those of which at least two candidates (library/candidates.cpp) were timed."""

Times = dict[str, float]


def bucket(count: int, buckets: int) -> int:
    """0 for 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, and so on."""
    return min((max(count, 1) - 1).bit_length(), buckets - 1)


def times_of(run: BenchRun, operation: Operation) -> dict[Shape, Times]:
    """Cold times in microseconds by shape, of shapes at which any of the steps was timed."""
    times: dict[Shape, Times] = {}
    for row in run.records:
        if row.unit in operation.units and row.cache == "cold" and "median_us" in row.times:
            times.setdefault(row.shape, {})[row.unit] = row.times["median_us"]
    return times


def fastest(measured: list[Times], operation: Operation) -> str:
    """By the mean of how far each is behind, of those that take the most of the shapes."""
    taken = {unit: sum(unit in times for times in measured) for unit in operation.units}
    most = max(taken.values())
    behind = {
        unit: math.exp(
            sum(math.log(times[unit] / min(times.values())) for times in measured if unit in times)
            / most
        )
        for unit in operation.units
        if taken[unit] == most
    }
    best = min(behind.values())
    return next(unit for unit in behind if behind[unit] <= _LIKE_THE_FASTEST * best)


def choices(times: dict[Shape, Times], operation: Operation, size: int) -> list[list[str]]:
    """The step for each line and column, for elements of `size` bytes."""
    places = [
        (
            bucket(shape.rows, LINES),
            bucket(shape.cols, COLUMNS),
            0 if _BYTES[shape.dtype] == size else 1,
            measured,
        )
        for shape, measured in times.items()
    ]

    def choice(line: int, column: int) -> str:
        far = [abs(r - line) + abs(c - column) + other for r, c, other, _ in places]
        nearest = [place[3] for place, d in zip(places, far, strict=True) if d == min(far)]
        return fastest(nearest, operation)

    return [[choice(line, column) for column in range(COLUMNS)] for line in range(LINES)]


@dataclass(frozen=True)
class Served:
    """A recorded shape: who serves it, in what time, and what the fastest other step took."""

    operation: str
    shape: Shape
    step: str
    median_us: float
    second: str  # "" where no other was timed
    second_us: float

    @property
    def second_costs(self) -> float | None:
        """Its time over that of the step that serves: below 1 where the table errs."""
        return self.second_us / self.median_us if self.second else None

    @property
    def behind(self) -> float:
        """The time over that of the fastest."""
        return max(1.0, self.median_us / self.second_us) if self.second else 1.0


def served(run: BenchRun) -> list[Served]:
    """Recorded shapes at which the step that the table takes was timed."""
    found = []
    for operation, size, chosen in _tables(run):
        for shape, measured in times_of(run, operation).items():
            unit = chosen[bucket(shape.rows, LINES)][bucket(shape.cols, COLUMNS)]
            if _BYTES[shape.dtype] != size or unit not in measured:
                continue
            others = {other: time for other, time in measured.items() if other != unit}
            second = min(others, key=others.__getitem__, default="")
            found.append(
                Served(
                    operation.title,
                    shape,
                    unit,
                    measured[unit],
                    second,
                    others.get(second, 0.0),
                )
            )
    return found


def _tables(run: BenchRun) -> Iterator[tuple[Operation, int, list[list[str]]]]:
    for operation in OPERATIONS:
        times = times_of(run, operation)
        if len({unit for measured in times.values() for unit in measured}) < 2:
            continue
        for size in (4, 2):
            yield operation, size, choices(times, operation, size)


def header(run: BenchRun) -> str:
    """library/recorded_choices.h."""
    generation = _GENERATIONS.get(run.machine.name)
    if generation is None:
        known = ", ".join(_GENERATIONS)
        raise InputError(f"GPU '{run.machine.name}': must be one of {known}; name its generation")
    blocks = []
    for operation, size, chosen in _tables(run):
        used = [unit for unit in operation.units if any(unit in line for line in chosen)]
        letters = {unit: chr(ord("a") + i) for i, unit in enumerate(used)}
        steps = ",\n      ".join(f'"{unit}"' for unit in used)
        lines = ",\n      ".join(
            '"' + "".join(letters[unit] for unit in line) + '"' for line in chosen
        )
        blocks.append(
            f"    {{{operation.name},\n     {size},\n     {generation},\n"
            f"     {{{steps}}},\n"
            f"     {{{lines}}}}},\n"
        )
    return (
        "/// \\file\n"
        f"/// Which step was the fastest at which shape: {machine_text(run)}.\n"
        "/// Written by `./worklog tables` (worklog_report.pages.library_choices).\n"
        "#pragma once\n\n"
        '#include "library/recorded_table.h"\n\n'
        "namespace worklog::library {\n\n"
        "// clang-format off\n"
        "/// By operation and bytes of an element.\n"
        "inline constexpr RecordedTable kRecordedTables[] = {\n"
        + "".join(blocks)
        + "};\n// clang-format on\n\n"
        "}  // namespace worklog::library\n"
    )


def _range_text(first: int, last: int, buckets: int) -> str:
    if last == buckets - 1:
        return "any" if first == 0 else f"more than {2 ** (first - 1):,}"
    return f"to {2**last:,}"


def _serves(run: BenchRun) -> str:
    """Ranges of rows with equal lines, and in them ranges of columns with the same step."""
    text = ""
    for operation, size, chosen in _tables(run):
        rows = []
        first = 0
        while first < LINES:
            last = first
            while last + 1 < LINES and chosen[last + 1] == chosen[first]:
                last += 1
            rows.append([_range_text(first, last, LINES), _columns_text(chosen[first])])
            first = last + 1
        kind = "fp32" if size == 4 else "fp16 and bf16"
        text += f"\n{operation.title}, {kind}:\n\n" + table(
            ["rows", "step, by columns"], rows, words=2
        )
    return text + "\n"


def _columns_text(line: list[str]) -> str:
    parts = []
    first = 0
    while first < COLUMNS:
        last = first
        while last + 1 < COLUMNS and line[last + 1] == line[first]:
            last += 1
        unit = line[first]
        number, _, variant = unit.partition("/")
        name = number.split("_")[0] + (f"/{variant}" if variant else "")
        parts.append(f"{name} {_range_text(first, last, COLUMNS)}")
        first = last + 1
    return "; ".join(parts)


def _behind(run: BenchRun) -> str:
    """What the table's choice costs at the recorded shapes, and what the second best would."""
    rows = []
    for operation, size, _ in _tables(run):
        of_size = [
            one
            for one in served(run)
            if one.operation == operation.title and _BYTES[one.shape.dtype] == size
        ]
        worst = max(of_size, key=lambda one: one.behind)
        seconds = [one.second_costs for one in of_size if one.second_costs is not None]
        second = math.exp(sum(map(math.log, seconds)) / len(seconds))
        kind = "fp32" if size == 4 else "fp16, bf16"
        rows.append(
            [
                operation.title,
                kind,
                str(len(of_size)),
                f"{100 * (worst.behind - 1):.0f} % at {worst.shape.size()}",
                f"{second:.2f}",
            ]
        )
    heads = ["operation", "type", "shapes", "furthest behind the fastest", "the second best's time"]
    return "\n" + table(heads, rows, words=2) + "\n"


def updated_page(run: BenchRun, page: Path) -> str:
    """docs/pages/library.md."""
    text = text_of(page)
    for marker, section in {"serves": _serves(run), "behind": _behind(run)}.items():
        markers = (f"<!-- {marker}:begin -->", f"<!-- {marker}:end -->")
        text = replace_between(text, markers, section, page)
    return text


def updated_files(run: BenchRun, root: Path) -> dict[Path, str]:
    page = root / "docs/pages/library.md"
    return {root / "library/recorded_choices.h": header(run), page: updated_page(run, page)}


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 1 --check found files out of date; 2 bad input or usage."""
    parser = common.parser("library_choices", __doc__, ("--recorded", "--root"))
    common.add_check(parser)
    return common.run(parser, arguments, _renew_or_check)


def _renew_or_check(options: argparse.Namespace) -> int:
    run = read_results([], [], files_of(options.recorded)).run
    if run is None:
        raise InputError("none of the recorded files holds times of a GPU")
    texts = updated_files(run, options.root)
    return check(texts, "library_choices") if options.check else renew(texts)


if __name__ == "__main__":
    sys.exit(main())
