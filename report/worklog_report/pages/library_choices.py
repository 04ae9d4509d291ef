"""python -m worklog_report.pages.library_choices: which step the library takes for which shape.

Of the recorded runs: library/recorded_choices.h, and the tables of docs/pages/library.md. A table
is of one GPU, for on an H200 another step may be the best than on an H100. It has a letter for each
range of rows and columns: the step that is the least behind the fastest at the recorded shapes
nearest to the range, where it is the furthest behind.
"""

import argparse
import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..results.library_candidates import (
    Operation,
    Source,
    Times,
    read_operations,
    sources_of,
)
from ..results.library_times import Case, LibraryRun, geometric_mean, read_library_runs
from ..results.recorded_run import files_of, table
from ..results.records import BenchRun, InputError, Shape, read_results
from ..support import arguments as common
from ..support.generated_files import check, renew, text_of
from .markdown import replace_between

# As library/recorded_table.h has them: rows to 1, 2, 4, 8, ..., columns to 1, 2, 3, 4, 5, 6, 7, 8,
# 10, 12, 14, 16, ...
LINE_ENDS = [2**power for power in range(23)]
COLUMN_ENDS = [1, 2, 3] + [n * 2**power for power in range(22) for n in (4, 5, 6, 7)] + [2**24]


@dataclass(frozen=True)
class _Card:
    """What the library knows a GPU by."""

    generation: int
    l2_bytes: int  # what CUDA says, and the runs' contexts: tells cards of a generation apart


_CARDS = {
    "NVIDIA H200": _Card(9, 62914560),
    "NVIDIA H100 80GB HBM3": _Card(9, 52428800),
}
_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
_KINDS = {4: "fp32", 2: "fp16 and bf16"}
_LIKE_THE_BEST = 1.02
"""Within the spread two are as good as each other."""

# How far a recorded shape is from a range, in ranges of columns, beside what its columns differ by:
# for twice the rows, for elements of the other size, and in a run that lacks a step. One of another
# card is no further away. (Where one recorded shape was left out, rows that weigh as little, and
# cards that weigh nothing, chose best of what was tried.)
_OF_ROWS = 1
_OF_OTHER_SIZE = 4
_OF_LACKING = 8


@dataclass(frozen=True)
class Table:
    """Of a GPU, of an operation for elements of one size."""

    gpu: str
    operation: Operation
    size: int
    sources: list[Source]  # what that GPU timed
    steps: list[list[str]]  # by rows, then by columns

    def step(self, shape: Shape) -> str:
        line, column = _range_of(shape)
        return self.steps[line][column]

    def serves(self, rows: float, cols: float) -> str:
        """Who does, be it a step that another has passed the shape on to."""
        first = self.steps[bucket(rows, LINE_ENDS)][bucket(cols, COLUMN_ENDS)]
        return self.operation.taking(first, rows, cols, self.size)

    @property
    def row_ends(self) -> list[float]:
        """Where another step may serve than before: of the table's ranges and of the steps'
        limits."""
        limits = (self.operation.limit(unit).rows for unit in self.operation.units)
        return sorted({*LINE_ENDS[:-1], *limits, float("inf")})

    @property
    def column_ends(self) -> list[float]:
        limits = (self.operation.limit(unit).most_cols(self.size) for unit in self.operation.units)
        return sorted({*COLUMN_ENDS[:-1], *limits, float("inf")})


def bucket(count: float, ends: list[int]) -> int:
    """The first range that does not end before, or the last."""
    return next((i for i, end in enumerate(ends) if count <= end), len(ends) - 1)


def _range_of(shape: Shape) -> tuple[int, int]:
    return bucket(shape.rows, LINE_ENDS), bucket(shape.cols, COLUMN_ENDS)


def tables(
    runs: list[BenchRun], libraries: list[LibraryRun], operations: list[Operation]
) -> list[Table]:
    """Of each GPU of the main one's generation that timed two candidates or more, GPU by GPU."""
    sources = {operation.name: sources_of(operation, runs, libraries) for operation in operations}
    gpus = list(dict.fromkeys(source.gpu for of in sources.values() for source in of))
    return [
        made
        for gpu in gpus
        if _generation(gpu) == _generation(gpus[0])
        for operation in operations
        for made in _tables_of(gpu, operation, sources[operation.name])
    ]


def _tables_of(gpu: str, operation: Operation, sources: list[Source]) -> list[Table]:
    """Other GPUs of its generation have a say where what they have timed is nearer."""
    kept = [source for source in sources if _generation(source.gpu) == _generation(gpu)]
    kept.sort(key=lambda source: source.gpu != gpu)
    own = [source for source in kept if source.gpu == gpu]
    if not own:
        return []
    return [Table(gpu, operation, size, own, choices(kept, operation, size)) for size in _KINDS]


def _generation(gpu: str) -> int | None:
    return _CARDS[gpu].generation if gpu in _CARDS else None


def best(measured: list[Times], operation: Operation) -> str:
    """The one whose worst is the least, and of those that are alike the one whose mean is."""
    behind = {
        unit: [times[operation.serves(unit, times)] / min(times.values()) for times in measured]
        for unit in operation.units
        if any(unit in times for times in measured)
    }
    for judged in (max, geometric_mean):
        least = min(map(judged, behind.values()))
        behind = {u: b for u, b in behind.items() if judged(b) <= _LIKE_THE_BEST * least}
    return next(iter(behind))


Place = tuple[int, int, bool, int]
"""Line, column, whether elements have the other size, and which of the sources it is."""


def choices(sources: list[Source], operation: Operation, size: int) -> list[list[str]]:
    """The step for each line and column, for elements of `size` bytes. The first source that timed
    the nearest shape counts."""
    places: dict[Place, list[Times]] = {}
    for which, source in enumerate(sources):
        for case, timed in source.times.items():
            if len(timed) < 2:
                continue  # one serves there, whatever the table says
            line, column = _range_of(case.shape)
            place = (line, column, _BYTES[case.shape.dtype] != size, which)
            places.setdefault(place, []).append(timed)
    most = max(len(source.units) for source in sources)
    lacking = [len(source.units) < most for source in sources]

    def nearest_choice(line: int, column: int, of_lacking: int) -> str:
        def distance(place: Place) -> tuple[int, int]:
            rows = _OF_ROWS * abs(place[0] - line)
            other = _OF_OTHER_SIZE * place[2] + of_lacking * lacking[place[3]]
            return rows + abs(place[1] - column) + other, place[3]

        nearest = min(map(distance, places))
        found = [places[place] for place in places if distance(place) == nearest]
        return best(list(itertools.chain(*found)), operation)

    def choice(line: int, column: int) -> str:
        """That a run lacks a step makes no difference where another is taken."""
        taken = nearest_choice(line, column, _OF_LACKING)
        if all(taken in source.units for source in sources):
            return nearest_choice(line, column, 0)
        return taken

    return [
        [choice(line, column) for column in range(len(COLUMN_ENDS))]
        for line in range(len(LINE_ENDS))
    ]


@dataclass(frozen=True)
class Served:
    """A recorded shape: who serves it, in what time, and what the fastest other step took."""

    operation: str
    case: Case
    step: str
    median_us: float
    second: str  # "" where no other was timed
    second_us: float

    @property
    def shape(self) -> Shape:
        return self.case.shape

    @property
    def second_costs(self) -> float | None:
        """Its time over that of the step that serves: below 1 where the table errs."""
        return self.second_us / self.median_us if self.second else None

    @property
    def behind(self) -> float:
        """The time over that of the fastest."""
        return max(1.0, self.median_us / self.second_us) if self.second else 1.0


def served(of: Table, source: Source) -> list[Served]:
    """A source that has not timed the step says nothing of what it serves."""
    found = []
    for case, timed in source.times.items():
        if _BYTES[case.shape.dtype] != of.size or of.step(case.shape) not in source.units:
            continue
        unit = of.operation.serves(of.step(case.shape), timed)
        others = {other: us for other, us in timed.items() if other != unit}
        second = min(others, key=others.__getitem__, default="")
        second_us = others.get(second, 0.0)
        found.append(Served(of.operation.title, case, unit, timed[unit], second, second_us))
    return found


def served_cold(
    runs: list[BenchRun], libraries: list[LibraryRun], operations: list[Operation]
) -> list[Served]:
    """What the report shows: shapes of the bench, with a cold cache."""
    own = [library.context["date"] for library in libraries]
    return [
        one
        for made in tables(runs, libraries, operations)
        for source in made.sources
        if source.date not in own
        for one in served(made, source)
        if one.case.cache == "cold"
    ]


def _by_gpu(made: list[Table]) -> dict[str, list[Table]]:
    gpus = dict.fromkeys(one.gpu for one in made)
    return {gpu: [one for one in made if one.gpu == gpu] for gpu in gpus}


def header(made: list[Table]) -> str:
    """library/recorded_choices.h."""
    machines = dict.fromkeys(source.machine for one in made for source in one.sources)
    blocks = "".join(
        f"    // {gpu}\n" + "".join(map(_block, of_gpu)) for gpu, of_gpu in _by_gpu(made).items()
    )
    return (
        "/// \\file\n"
        "/// Which step is the best at which shape on which card, of what was recorded on:\n"
        + "".join(f"/// - {machine}\n" for machine in machines)
        + "///\n"
        "/// Written by `./worklog tables` (worklog_report.pages.library_choices).\n"
        "#pragma once\n\n"
        '#include "library/recorded_table.h"\n\n'
        "namespace worklog::library {\n\n"
        "// clang-format off\n"
        "/// By card, operation and bytes of an element.\n"
        "inline constexpr RecordedTable kRecordedTables[] = {\n" + blocks + "};\n"
        "// clang-format on\n\n"
        "}  // namespace worklog::library\n"
    )


def _block(made: Table) -> str:
    if made.gpu not in _CARDS:
        known = ", ".join(_CARDS)
        raise InputError(
            f"GPU '{made.gpu}': must be one of {known}; name its generation and its L2 cache"
        )
    card = _CARDS[made.gpu]
    used = [unit for unit in made.operation.units if any(unit in line for line in made.steps)]
    letters = {unit: chr(ord("a") + i) for i, unit in enumerate(used)}
    steps = ",\n      ".join(f'"{unit}"' for unit in used)
    lines = "".join(
        '    "' + "".join(letters[unit] for unit in line) + '",\n' for line in made.steps
    )
    return (
        f"    {{SOFTMAX_WORKLOG_{made.operation.name.upper()},\n     {made.size},\n"
        f"     {card.generation},\n     {card.l2_bytes},\n"
        f"     {{{steps}}},\n"
        f"     {{\n{lines}     }}}},\n"
    )


def _range_text(first: int, last: int, ends: list[float]) -> str:
    if last == len(ends) - 1:
        return "any" if first == 0 else f"more than {ends[first - 1]:,}"
    return f"to {ends[last]:,}"


def _equals(values: Sequence[object]) -> Iterator[tuple[int, int]]:
    """First and last of those that are equal and beside each other."""
    first = 0
    for _, equal in itertools.groupby(values):
        last = first + len(list(equal)) - 1
        yield first, last
        first = last + 1


def _serves(made: list[Table]) -> str:
    return "".join(_serves_on(gpu, of_gpu) for gpu, of_gpu in _by_gpu(made).items())


def _serves_on(gpu: str, made: list[Table]) -> str:
    """Ranges of rows with equal lines, and in them ranges of columns that one step serves. They are
    folded: most readers want the step for a shape, and a function names that."""
    text = ""
    for one in made:
        columns, ends = one.column_ends, one.row_ends
        lines = [[one.serves(rows, cols) for cols in columns] for rows in ends]
        rows = [
            [_range_text(first, last, ends), _columns_text(lines[first], columns)]
            for first, last in _equals(lines)
        ]
        text += f"\n{one.operation.title}, {_KINDS[one.size]}:\n\n"
        text += table(["rows", "step, by columns"], rows, words=2)
    operations = ", ".join(dict.fromkeys(one.operation.title for one in made))
    return (
        f"{_furthest_behind(gpu, made)}\n<details><summary>The tables of the {gpu}: {operations}"
        f"</summary>\n{text}\n</details>\n\n"
    )


def _furthest_behind(gpu: str, made: list[Table]) -> str:
    """A paragraph; "" where no recorded shape was served."""
    behind = [
        shape.behind for one in made for source in one.sources for shape in served(one, source)
    ]
    if not behind:
        return ""
    return (
        f"\nOn the {gpu}, at no recorded shape is the step that its tables name more than "
        f"{_percent_behind(max(behind))} % behind the fastest of ours.\n"
    )


def _percent_behind(behind: float) -> str:
    """To a tenth, and never less than it is, so that "no more than" is true of the same number
    that the table shows. Less than a millionth is what floating-point numbers add."""
    return f"{math.ceil(round(1000 * (behind - 1), 3)) / 10:.1f}"


def _columns_text(line: list[str], ends: list[float]) -> str:
    parts = []
    for first, last in _equals(line):
        number, _, variant = line[first].partition("/")
        name = number.split("_")[0] + (f"/{variant}" if variant else "")
        parts.append(f"{name or 'no step'} {_range_text(first, last, ends)}")
    return "; ".join(parts)


def _behind(made: list[Table]) -> str:
    """What the table's choice costs at the recorded shapes, and what the second best would."""
    rows = []
    for one in made:
        for source in one.sources:
            found = served(one, source)
            if not found:
                continue
            worst = max(found, key=lambda shape: shape.behind)
            seconds = [shape.second_costs for shape in found if shape.second_costs is not None]
            shape, cache = worst.case.shape, worst.case.cache
            rows.append(
                [
                    one.operation.title,
                    _KINDS[one.size],
                    source.machine,
                    str(len(found)),
                    str(sum(shape.behind > 1.05 for shape in found)),
                    f"{_percent_behind(worst.behind)} % at {shape.size()}, {cache}",
                    f"{geometric_mean(seconds):.2f}",
                ]
            )
    heads = [
        "operation", "type", "timed on", "shapes", "more than 5 % behind",
        "furthest behind the fastest", "the second best's time",
    ]  # fmt: skip
    return "\n" + table(heads, rows, words=3) + "\n"


def updated_page(made: list[Table], page: Path) -> str:
    """docs/pages/library.md."""
    text = text_of(page)
    for marker, section in {"serves": _serves(made), "behind": _behind(made)}.items():
        markers = (f"<!-- {marker}:begin -->", f"<!-- {marker}:end -->")
        text = replace_between(text, markers, section, page)
    return text


def updated_files(made: list[Table], root: Path) -> dict[Path, str]:
    page = root / "docs/pages/library.md"
    return {root / "library/recorded_choices.h": header(made), page: updated_page(made, page)}


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done; 1 --check found files out of date; 2 bad input or usage."""
    parser = common.parser("library_choices", __doc__, ("--recorded", "--root"))
    common.add_check(parser)
    return common.run(parser, arguments, _renew_or_check)


def _renew_or_check(options: argparse.Namespace) -> int:
    files = files_of(options.recorded)
    runs = read_results([], [], files).runs
    made = tables(runs, read_library_runs(files), read_operations(options.root))
    if not made:
        raise InputError("none of the recorded files holds times of two candidates")
    texts = updated_files(made, options.root)
    return check(texts, "library_choices") if options.check else renew(texts)


if __name__ == "__main__":
    sys.exit(main())
