"""Reads result files: records of the step programs, and Google Benchmark JSON of a GPU.

A file that is missing, truncated or of another form raises InputError, which names the file and the
field.
"""

import functools
import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jsonschema_rs

CPU = "cpu"  # the machine of records that the CPU executor counted
DTYPES = ("f32", "f16", "bf16")
# Of logits, what the bench times a top-k with beside normally distributed ones (bench/values.h).
HARD_VALUES = ("ascending", "descending", "equal", "two_values", "adjacent", "few_finite")

_SCHEMAS = Path(__file__).parent / "schemas"


class InputError(Exception):
    """A file that the report can't use; the message names the file and what is wrong."""


@dataclass(frozen=True, order=True)
class Shape:
    """What was computed: storage type, rows, columns, and k (0 where there is no top-k)."""

    dtype: str
    rows: int
    cols: int
    k: int = 0

    def size(self) -> str:
        return f"{self.rows} × {self.cols}" + (f", K = {self.k}" if self.k else "")

    def __str__(self) -> str:
        return f"{self.dtype} {self.size()}"


@dataclass(frozen=True)
class Record:
    """One step or variant, measured at one shape on one machine."""

    step: str
    variant: str
    builds_on: str
    shape: Shape
    machine: str
    verified: bool | None  # None: not verified at this shape on this machine
    expected_failure: str
    max_ulp: float | None
    launches: int | None
    operation: str = ""
    input: str = ""
    failure: str = ""
    counts: dict[str, float] = field(default_factory=dict)
    cache: str = ""
    times: dict[str, float] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)

    @functools.cached_property
    def unit(self) -> str:
        """The step, or step/variant: what the ladder has a row for."""
        return f"{self.step}/{self.variant}" if self.variant else self.step

    def as_json(self) -> dict[str, Any]:
        row = {
            "step": self.step,
            "variant": self.variant,
            "builds_on": self.builds_on,
            "dtype": self.shape.dtype,
            "rows": self.shape.rows,
            "cols": self.shape.cols,
        }
        if self.shape.k:
            row["k"] = self.shape.k
        for name in ("operation", "input"):
            if getattr(self, name):
                row[name] = getattr(self, name)
        row |= {
            "machine": self.machine,
            "verified": self.verified,
            "expected_failure": self.expected_failure,
            "max_ulp": self.max_ulp,
            "launches": self.launches,
        }
        if self.failure:
            row["failure"] = self.failure
        row |= self.counts
        if self.cache:
            row["cache"] = self.cache
        return row | self.times | self.extra


COUNT_FIELDS = (
    "loads_per_element",
    "stores_per_element",
    "predicted_loads",
    "predicted_stores",
    "sectors_per_load_request",
)
TIME_FIELDS = ("median_us", "spread", "gbps", "copy_us", "read_us", "combine_us")
_OWN_FIELDS = [
    "step",
    "variant",
    "builds_on",
    "dtype",
    "rows",
    "cols",
    "k",
    "operation",
    "input",
    "machine",
    "verified",
    "expected_failure",
    "max_ulp",
    "launches",
    "failure",
    "cache",
]


@dataclass(frozen=True)
class Baseline:
    """What something that is not a step took: a copy, a read, PyTorch."""

    name: str
    shape: Shape
    cache: str
    times: dict[str, float]


@dataclass(frozen=True)
class Machine:
    """A GPU and when it was measured."""

    name: str
    date: str
    context: dict[str, Any]
    recorded: bool  # from an earlier run, not from this one
    files: tuple[str, ...]


@dataclass
class BenchRun:
    """The times of one GPU. Errors are rows that the bench could not run, with its reason."""

    machine: Machine
    records: list[Record] = field(default_factory=list)
    baselines: list[Baseline] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    # Worst errors of baselines such as "pytorch/softmax": ulp, f32, by columns.
    baseline_errors: dict[str, dict[int, float]] = field(default_factory=dict)

    def has_timed(self, step: str) -> bool:
        return any(record.step == step for record in self.records)

    @property
    def pytorch_errors(self) -> dict[int, float]:
        return self.baseline_errors.get("pytorch/softmax", {})


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{path}: broken or truncated JSON at {where}: {error.msg}") from None
    except ValueError as error:
        raise InputError(f"{path}: broken JSON: {error}") from None


def validate(path: Path, data: Any, schema_name: str) -> None:
    """Raises InputError that names file and field unless `data` has the schema's form."""
    error = next(_validator(schema_name).iter_errors(data), None)
    if error is not None:
        raise InputError(f"{path}: {_place(error.instance_path)}: {_reason(error)}")


@functools.cache
def _validator(schema_name: str) -> jsonschema_rs.Draft202012Validator:
    schema = json.loads((_SCHEMAS / schema_name).read_text(encoding="utf-8"))
    return jsonschema_rs.Draft202012Validator(schema)


def _place(path: list[str | int]) -> str:
    """Where in a document, such as records[0].rows."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(parts).lstrip(".") or "the file"


def _reason(error: jsonschema_rs.ValidationError) -> str:
    if error.kind.name == "required":
        return f"missing field '{error.kind.property}'"
    message = error.message
    return message if len(message) <= 200 else message[:200] + " …"


def read_records(path: Path) -> list[Record]:
    """Records of a step program's `--records FILE`, or of an earlier report.json."""
    data = read_json(path)
    validate(path, data, "records.schema.json")
    return [_record(row) for row in data["records"]]


def _record(row: dict[str, Any]) -> Record:
    known = {*_OWN_FIELDS, *COUNT_FIELDS, *TIME_FIELDS}
    return Record(
        step=row["step"],
        variant=row["variant"],
        builds_on=row["builds_on"],
        shape=Shape(row["dtype"], row["rows"], row["cols"], row.get("k") or 0),
        machine=row["machine"],
        verified=row["verified"],
        expected_failure=row["expected_failure"],
        max_ulp=row["max_ulp"],
        launches=row["launches"],
        operation=row.get("operation", ""),
        input=row.get("input", ""),
        failure=row.get("failure", ""),
        counts={name: row[name] for name in COUNT_FIELDS if name in row},
        cache=row.get("cache", ""),
        times={name: row[name] for name in TIME_FIELDS if name in row},
        extra={name: value for name, value in row.items() if name not in known},
    )


def read_bench(path: Path, recorded: bool) -> BenchRun:
    """Times of one GPU run. `recorded`: it is one of bench/results, not of this run."""
    data = read_json(path)
    validate(path, data, "bench.schema.json")
    context = data["context"]
    run = BenchRun(Machine(context["gpu"], context["date"], context, recorded, (path.name,)))
    for row in data.get("baseline_accuracy", []):
        if "max_ulp" not in row:
            run.errors.append((f"{row['baseline']}, {row['cols']} columns", row["error_message"]))
            continue
        by_cols = run.baseline_errors.setdefault(row["baseline"], {})
        by_cols[row["cols"]] = max(by_cols.get(row["cols"], 0.0), row["max_ulp"])
    for row in data["benchmarks"]:
        if row.get("error_occurred"):
            run.errors.append((row["name"], row["error_message"]))
        else:
            _add(run, row)
    return run


def _add(run: BenchRun, row: dict[str, Any]) -> None:
    shape = Shape(row["dtype"], row["rows"], row["cols"], row["k"])
    times = {name: row[name] for name in TIME_FIELDS if name in row}
    if "baseline" in row:
        run.baselines.append(Baseline(row["baseline"], shape, row["cache"], times))
        return
    run.records.append(
        Record(
            step=row["step"],
            variant=row["variant"],
            builds_on="",
            shape=shape,
            machine=run.machine.name,
            verified=None,
            expected_failure="",
            max_ulp=None,
            launches=None,
            # Hard values stand in a cache's place: times of them are compared with no others.
            cache=row.get("values", row["cache"]),
            times=times,
        )
    )


# What the pages speak of. A step that it has not timed yet is shown as another GPU timed it.
MAIN_GPU = "NVIDIA H200"


@dataclass
class Results:
    """Everything that the report shows, read and joined."""

    records: list[Record]  # of the executor, and of GPUs with times where there are any
    runs: list[BenchRun]  # the one whose times are shown comes first

    @property
    def counted(self) -> list[Record]:
        return [record for record in self.records if record.machine == CPU]

    @property
    def run(self) -> BenchRun | None:
        return self.runs[0] if self.runs else None

    def of_step(self, step: str) -> "Results":
        """The same, but first comes a run that has timed the step, if there is one."""
        timed = [run for run in self.runs if run.has_timed(step)]
        others = [run for run in self.runs if run not in timed]
        return Results(self.records, timed + others)


def by_unit(records: list[Record]) -> dict[str, list[Record]]:
    """The records of each step and variant, in their order; [] of one that has none."""
    found: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        found[record.unit].append(record)
    return found


def read_results(records: list[Path], bench: list[Path], recorded: list[Path]) -> Results:
    """Reads and joins all files. Recorded ones may hold records or times, and are told apart.

    Runs of now come first, then the recorded ones: of the main GPU, and the newest of the others.
    """
    own, gpu = [], []
    for path in records:
        rows = read_records(path)
        own += [row for row in rows if row.machine == CPU]
        gpu += [row for row in rows if row.machine != CPU]
    runs = [read_bench(path, recorded=False) for path in bench]
    old_runs = []
    for path in recorded:
        data = read_json(path)
        if any(holds(data) for holds in _OTHER_KINDS):
            continue
        if _holds_records(path):
            gpu += [row for row in read_records(path) if row.machine != CPU]
        else:
            old_runs.append(read_bench(path, recorded=True))
    old_runs.sort(key=lambda run: (run.machine.name == MAIN_GPU, run.machine.date), reverse=True)
    runs = _merged(runs) + _merged(old_runs)
    for run in runs:
        run.records = _with_verification(run.records, gpu, own)
    timed = {_key(record) for run in runs for record in run.records}
    untimed = [record for record in gpu if _key(record) not in timed]
    return Results(own + untimed + [record for run in runs for record in run.records], runs)


def holds_profile(data: Any) -> bool:
    """Whether it is a file of bench/ncu, which profiles.py reads."""
    return isinstance(data, dict) and ("parity" in data or "hardware" in data)


def holds_sweep(data: Any) -> bool:
    """Whether it is a file of bench/sweeps, which measurements.py reads."""
    return isinstance(data, dict) and "sweep" in data


def holds_ranks(data: Any) -> bool:
    """Whether it has times of several GPUs, which measurements.py reads."""
    return isinstance(data, dict) and "of_ranks" in data


def holds_library(data: Any) -> bool:
    """Whether it has times of the library and its peers, which library_times.py reads."""
    return isinstance(data, dict) and "of_library" in data


def holds_attempts(data: Any) -> bool:
    """Whether it has times of what was tried and left, which measurements.py reads."""
    return isinstance(data, dict) and "attempts" in data


def holds_also_timed(data: Any) -> bool:
    """Whether it has times of a GPU that no table is of, which measurements.py reads."""
    return isinstance(data, dict) and "also_timed" in data


_OTHER_KINDS = (
    holds_profile,
    holds_sweep,
    holds_ranks,
    holds_attempts,
    holds_also_timed,
    holds_library,
)


def _holds_records(path: Path) -> bool:
    data = read_json(path)
    return isinstance(data, dict) and "records" in data


def _merged(runs: list[BenchRun]) -> list[BenchRun]:
    """Files of the same GPU on the same day are one run; of older days only the newest counts."""
    by_gpu: dict[tuple[str, bool], BenchRun] = {}
    for run in runs:
        key = (run.machine.name, run.machine.recorded)
        first = by_gpu.setdefault(key, run)
        if first is run or first.machine.date[:10] != run.machine.date[:10]:
            continue
        first.records += run.records
        first.baselines += run.baselines
        first.errors += run.errors
        for baseline, by_cols in run.baseline_errors.items():
            first.baseline_errors.setdefault(baseline, {}).update(by_cols)
        first.machine = replace(first.machine, files=first.machine.files + run.machine.files)
    return list(by_gpu.values())


def _key(record: Record) -> tuple:
    return record.machine, record.unit, record.shape


def _with_verification(timed: list[Record], gpu: list[Record], own: list[Record]) -> list[Record]:
    """Joins times with what the step programs found on the same machine at the same shape.

    What a step says of itself (builds_on, expected_failure, operation) is the same everywhere.
    """
    verified: dict[tuple, Record] = {}
    for record in gpu:
        verified[_key(record)] = _worse(verified.get(_key(record), record), record)
    about = {record.unit: record for record in [*gpu, *own]}
    return [_joined(row, verified.get(_key(row)), about.get(row.unit)) for row in timed]


def _worse(a: Record, b: Record) -> Record:
    """Of two inputs of one shape: the one that failed, else the less exact one."""
    return max(a, b, key=lambda row: (not row.verified, row.max_ulp or 0.0))


def _joined(row: Record, same: Record | None, about: Record | None) -> Record:
    if about is not None:
        row = replace(
            row,
            builds_on=about.builds_on,
            expected_failure=about.expected_failure,
            operation=about.operation,
        )
    if same is not None:
        row = replace(
            row,
            verified=same.verified,
            max_ulp=same.max_ulp,
            launches=same.launches,
            failure=same.failure,
        )
    return row
